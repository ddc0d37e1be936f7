// two_regions.msh: gmsh -3 two_regions.geo -format msh41 (Gmsh 4.8.4)
SetFactory("OpenCASCADE");
Box(1) = {-1, 0, 0, 2, 1, 0.5};
Box(2) = {-1, 0, 0.5, 2, 1, 0.5};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Mesh.CharacteristicLengthMin = 0.5;
Mesh.CharacteristicLengthMax = 0.5;
Physical Volume("glass", 1) = {1};
Physical Volume("air", 2) = {2};
Physical Surface("top", 7) = {11};
