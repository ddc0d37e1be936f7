#!/usr/bin/env bash
# gmsh_files_test.sh GMSH_DIGEST FOLDER: the same mesh comes out of all files that Debian's Gmsh writes of it, and what errors say that Gmsh has
# to be told makes files that can be read. Ends with 77 where there is no Gmsh.
set -euo pipefail
digest=$1
command -v gmsh >/dev/null || { echo "there is no Gmsh (apt-get install gmsh)"; exit 77; }
mkdir -p "$2"
cd "$2"
rm -f ./*.msh
cat >ball.geo <<'GEO'
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Sphere(2) = {0.5, 0.5, 0.5, 0.25};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Mesh.CharacteristicLengthMax = 0.3;
Physical Volume("ball", 1) = {2};
Physical Volume("air", 2) = {3};
Physical Surface("wall", 1) = {8:13};
GEO
cat >first_order.geo <<'GEO'
Merge "second.msh";
SetOrder 1;
GEO
# refused FILE WORDS: the file is, and the error has these words.
refused() {
  "$digest" "$1" >said && { echo "$1 is not refused"; exit 1; }
  grep -qF "$2" said || { echo "$1 is refused without '$2':"; cat said; exit 1; }
}
run() { gmsh "$@" >gmsh.log 2>&1 || { cat gmsh.log; exit 1; }; }

run -3 ball.geo -format msh41 -o text.msh
run text.msh -save -format msh41 -bin -o binary.msh
run text.msh -save -format msh41 -part 4 -part_ghosts -o parted.msh
run text.msh -save -format msh41 -bin -part 4 -part_ghosts -o parted_binary.msh
for version in 22 40; do
  run text.msh -save -format msh$version -o old.msh
  refused old.msh 'gmsh FILE -format msh41 -save -o NEW.msh'
  run old.msh -save -format msh41 -o from_$version.msh
done
run -3 ball.geo -order 2 -format msh41 -o second.msh
refused second.msh 'Merge "FILE"; SetOrder 1;'
run first_order.geo -save -format msh41 -o from_second.msh

"$digest" text.msh
for file in binary parted parted_binary from_22 from_40 from_second; do
  "$digest" $file.msh | sed "s/; ghosts are right//" >said
  "$digest" text.msh | cmp -s - said || { echo "$file.msh has another mesh:"; cat said; exit 1; }
done
for file in parted parted_binary; do
  "$digest" $file.msh | grep -q 'ghosts are right' || { echo "$file.msh has no ghosts"; exit 1; }
done
