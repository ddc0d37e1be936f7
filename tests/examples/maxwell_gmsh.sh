#!/usr/bin/env bash
# maxwell_gmsh.sh 12_MAXWELL FOLDER: the solver gives the same in a mesh of Gmsh whether its file is text, binary or parted, conserves its
# energy there, or loses some to an open wall. Ends with 77 where there is no Gmsh.
set -euo pipefail
program=$1
command -v gmsh >/dev/null || { echo "there is no Gmsh (apt-get install gmsh)"; exit 77; }
mkdir -p "$2"
cd "$2"
rm -f ./*.msh
cat >lens.geo <<'GEO'
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Sphere(2) = {0, 0, 0, 0.5};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Mesh.CharacteristicLengthMax = 0.6;
Physical Volume("glass", 1) = {2};
Physical Volume("air", 2) = {3};
Physical Surface("outside", 1) = {3};
GEO
run() { gmsh "$@" >gmsh.log 2>&1 || { cat gmsh.log; exit 1; }; }
run -3 lens.geo -format msh41 -o text.msh
run text.msh -save -format msh41 -bin -o binary.msh
run text.msh -save -format msh41 -part 3 -part_ghosts -o parted.msh

for file in text binary parted; do
  "$program" --mesh $file.msh --epsilon glass=2.25 --steps 50 >$file.txt
  cmp text.txt $file.txt || { echo "$file.msh gives something else:"; cat $file.txt; exit 1; }
done
grep -q 'conserved to 12 digits' text.txt || { echo "its energy is not conserved:"; cat text.txt; exit 1; }
grep -q ' electric faces (0 of them without a tag), 0 magnetic, 0 open' text.txt || { echo "walls without tags:"; cat text.txt; exit 1; }

"$program" --mesh text.msh --flux upwind --integrator lsrk --wall outside=open --steps 400 >open.txt  # light crosses the ball in 320
read -r first last < <(sed -n 's/^energy: \(.*\) at first, \(.*\) in the end$/\1 \2/p' open.txt)
awk -v a="$first" -v b="$last" 'BEGIN { exit !(b < a / 100) }' || { echo "its pulse does not leave:"; cat open.txt; exit 1; }
