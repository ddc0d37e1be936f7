#!/usr/bin/env python3
"""Writes patterns of the kinds that users have into a folder: meshes, graphs, neighbour lists, matrices.

  bench/reductions/patterns_of_users.py FOLDER [MESH...]
  bench_reductions --suite suite.jsonl --no-programs $(printf -- '--mesh %s ' FOLDER/*.*)

The kind stands before the first dash of a file's name, so that models can be judged on kinds that were left out of
their fit (bench/reductions/judge_by_kind). Meshes that are named, such as 4elt.graph and sf10.1.pack, are linked into
the folder under the kind "mesh". Everything else is made: by Gmsh (package gmsh; without it only a surface and a
staircase are there, and it says so) and by Python's own generator, from one seed, so that it is the same for everybody.
"""

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# A disc that is finer at its rim, a sphere's surface, a box with a hole, and an L-shaped block that is finer at its edge.
GMSH = {
    "disc": (2, 'Point(1)={0,0,0,.04};Point(2)={1,0,0,.006};Point(3)={0,1,0,.006};Point(4)={-1,0,0,.006};'
                'Point(5)={0,-1,0,.006};Circle(1)={2,1,3};Circle(2)={3,1,4};Circle(3)={4,1,5};Circle(4)={5,1,2};'
                'Curve Loop(1)={1,2,3,4};Plane Surface(1)={1};Point{1} In Surface{1};'),
    "sphere": (2, 'SetFactory("OpenCASCADE");Sphere(1)={0,0,0,1};Mesh.MeshSizeMax=.016;'),
    "box": (3, 'SetFactory("OpenCASCADE");Box(1)={0,0,0,1,1,1};Cylinder(2)={.5,.5,-.1,0,0,1.2,.2};'
               'BooleanDifference{Volume{1};Delete;}{Volume{2};Delete;}Mesh.MeshSizeMax=.055;'),
    "block": (3, 'SetFactory("OpenCASCADE");Box(1)={0,0,0,2,1,1};Box(2)={0,0,0,1,2,1};'
                 'BooleanUnion{Volume{1};Delete;}{Volume{2};Delete;}Field[1]=Box;Field[1].VIn=.035;'
                 'Field[1].VOut=.09;Field[1].XMin=.7;Field[1].XMax=1.3;Field[1].YMin=.7;Field[1].YMax=1.3;'
                 'Field[1].ZMin=0;Field[1].ZMax=1;Background Field=1;Mesh.MeshSizeExtendFromBoundary=0;'),
}


def write_graph(folder, name, nodes, edges):
    beside = [set() for _ in range(nodes)]
    for a, b in edges:
        if a != b:
            beside[a].add(b)
            beside[b].add(a)
    with open(folder / f"{name}.graph", "w") as out:
        print(nodes, sum(map(len, beside)) // 2, file=out)
        for neighbours in beside:
            print(*(1 + one for one in sorted(neighbours)), file=out)


def write_by_gmsh(folder, name, dimension, geometry):
    """Tetrahedra as SU2, triangles, which SU2 has in the plane only, as OBJ."""
    with tempfile.TemporaryDirectory() as place:
        source, made = Path(place) / "in.geo", Path(place) / "out.msh"
        source.write_text(geometry + "\n")
        flat = dimension == 2
        target = made if flat else folder / f"mesh-{name}.su2"
        subprocess.run(["gmsh", f"-{dimension}", "-nt", "1", "-v", "2", "-format", "msh22" if flat else "su2",
                        "-save_all", "-o", str(target), str(source)], check=True, stdout=subprocess.DEVNULL)
        if flat:
            write_triangles(folder / f"mesh-{name}.obj", made.read_text().split("\n"))


def write_triangles(file, lines):
    begin, count = lines.index("$Nodes") + 2, int(lines[lines.index("$Nodes") + 1])
    place = {line.split()[0]: number for number, line in enumerate(lines[begin:begin + count], 1)}
    with open(file, "w") as out:
        for line in lines[begin:begin + count]:
            print("v", *line.split()[1:4], file=out)
        begin, count = lines.index("$Elements") + 2, int(lines[lines.index("$Elements") + 1])
        for element in map(str.split, lines[begin:begin + count]):
            if element[1] == "2":
                print("f", *(place[node] for node in element[-3:]), file=out)


def power_law(nodes, each, dice):
    """Preferential attachment, a tenth of the edges to any node."""
    ends, edges = [], []
    for node in range(each, nodes):
        for other in {dice.choice(ends) if ends and dice.random() < 0.9 else dice.randrange(node) for _ in range(each)}:
            edges.append((node, other))
            ends += [node, other]
    return edges


def web(nodes, each, dice):
    """Four edges of five lead near by, the fifth to one of few hubs."""
    near = lambda node: (node + dice.randrange(1, 200)) % nodes
    hub = lambda: int(nodes * dice.random() ** 6)
    return [(node, near(node) if dice.random() < 0.8 else hub()) for node in range(nodes) for _ in range(each)]


def small_world(nodes, reach, share, dice):
    """A ring whose nodes know their neighbours, and one edge in `share` leads anywhere."""
    return [(node, dice.randrange(nodes) if dice.random() < share else (node + k) % nodes)
            for node in range(nodes) for k in range(1, reach + 1)]


def neighbours(points, reach, by_cells, dice, flat=False):
    """Pairs of points of the unit cube (or of a flat box in it) that are nearer than `reach`."""
    cells = int(1 / reach)
    cell_of = lambda p: tuple(int(x * cells) for x in p)
    at = [(dice.random(), dice.random(), dice.random() * (2 * reach if flat else 1)) for _ in range(points)]
    if by_cells:
        at.sort(key=cell_of)
    inside = {}
    for number, p in enumerate(at):
        inside.setdefault(cell_of(p), []).append(number)
    steps = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    return [(i, j) for cell, mine in inside.items() for step in steps
            for j in inside.get(tuple(c + d for c, d in zip(cell, step)), ()) for i in mine
            if i < j and sum((a - b) ** 2 for a, b in zip(at[i], at[j])) < reach * reach]


def surface(side):
    """A square of triangles."""
    node = lambda i, j: i * side + j
    return [(node(i, j), node(i + down, j + right)) for i in range(side) for j in range(side)
            for down, right in ((0, 1), (1, 0), (1, 1)) if i + down < side and j + right < side]


def stencil(side, reach):
    """The matrix of a box of side^3 unknowns, each with those beside it."""
    node = lambda x, y, z: (x * side + y) * side + z
    steps = [s for s in ((x, y, z) for x in range(reach + 1) for y in range(-reach, reach + 1) for z in range(-reach, reach + 1))
             if s > (0, 0, 0)]
    inside = lambda k: 0 <= k < side
    return [(node(x, y, z), node(x + a, y + b, z + c)) for x in range(side) for y in range(side) for z in range(side)
            for a, b, c in steps if inside(x + a) and inside(y + b) and inside(z + c)]


def banded_arrow(rows):
    bands = [(i, i + k) for i in range(rows) for k in (1, 2, 170, 171) if i + k < rows]
    return bands + [(i, j) for i in range(20) for j in range(100, rows, 7)]


def saddle_point(unknowns, constraints, dice):
    """A banded block, and constraints that each bind some unknowns anywhere."""
    bands = [(i, i + k) for i in range(unknowns) for k in (1, 30) if i + k < unknowns]
    return bands + [(unknowns + c, dice.randrange(unknowns)) for c in range(constraints) for _ in range(6)]


def scattered(rows, each, dice):
    return [(i, dice.randrange(rows)) for i in range(rows) for _ in range(each)]


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for mesh in map(Path, sys.argv[2:]):
        link = folder / f"mesh-{mesh.name}"
        link.unlink(missing_ok=True)
        link.symlink_to(mesh.resolve())
    if shutil.which("gmsh"):
        for name, (dimension, geometry) in GMSH.items():
            write_by_gmsh(folder, name, dimension, geometry)
    else:
        print("gmsh is not there (package gmsh): its meshes are left out", file=sys.stderr)
    dice = random.Random(5)
    write_graph(folder, "mesh-surface", 90000, surface(300))
    write_graph(folder, "graph-power_law_small", 4000, power_law(4000, 4, dice))
    write_graph(folder, "graph-power_law", 60000, power_law(60000, 8, dice))
    write_graph(folder, "graph-web", 50000, web(50000, 6, dice))
    write_graph(folder, "graph-small_world", 30000, small_world(30000, 5, 0.05, dice))
    write_graph(folder, "neighbours-by_cells", 20000, neighbours(20000, 0.06, True, dice))
    write_graph(folder, "neighbours-at_random", 20000, neighbours(20000, 0.06, False, dice))
    write_graph(folder, "neighbours-small", 1500, neighbours(1500, 0.13, True, dice))
    write_graph(folder, "neighbours-flat", 12000, neighbours(12000, 0.02, True, dice, flat=True))
    write_graph(folder, "matrix-banded_arrow", 30000, banded_arrow(30000))
    write_graph(folder, "matrix-stencil", 28 ** 3, stencil(28, 1))
    write_graph(folder, "matrix-saddle_point", 48000, saddle_point(40000, 8000, dice))
    write_graph(folder, "matrix-scattered", 15000, scattered(15000, 6, dice))


if __name__ == "__main__":
    main()
