#!/usr/bin/env python3
"""Writes patterns of kinds that no model of reductions is fitted to, as METIS graphs, into a folder:

  bench/reductions/foreign_patterns.py FOLDER
  bench_reductions --suite suite.jsonl --refines 0 --only amr_red2d/50x50 $(printf -- '--mesh %s ' FOLDER/*.graph)

Power-law and web-like graphs, neighbour lists of points in a box (numbered by cells, and at random), a triangulated
surface, and a banded matrix with an arrow. The same for everybody: nothing but Python's own generator, from one seed.
"""

import random
import sys
from pathlib import Path


def write(folder, name, nodes, edges):
    beside = [set() for _ in range(nodes)]
    for a, b in edges:
        if a != b:
            beside[a].add(b)
            beside[b].add(a)
    with open(folder / f"{name}.graph", "w") as out:
        print(nodes, sum(map(len, beside)) // 2, file=out)
        for neighbours in beside:
            print(*(1 + one for one in sorted(neighbours)), file=out)


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


def neighbours(points, reach, by_cells, dice):
    """Pairs of points of the unit cube that are nearer than `reach`."""
    cells = int(1 / reach)
    cell_of = lambda p: tuple(int(x * cells) for x in p)
    at = [(dice.random(), dice.random(), dice.random()) for _ in range(points)]
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


def banded_arrow(rows):
    bands = [(i, i + k) for i in range(rows) for k in (1, 2, 170, 171) if i + k < rows]
    return bands + [(i, j) for i in range(20) for j in range(100, rows, 7)]


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    dice = random.Random(5)
    write(folder, "power_law_small", 4000, power_law(4000, 4, dice))
    write(folder, "power_law_large", 60000, power_law(60000, 8, dice))
    write(folder, "neighbours_by_cells", 20000, neighbours(20000, 0.06, True, dice))
    write(folder, "neighbours_at_random", 20000, neighbours(20000, 0.06, False, dice))
    write(folder, "neighbours_small", 1500, neighbours(1500, 0.13, True, dice))
    write(folder, "surface", 90000, surface(300))
    write(folder, "web", 50000, web(50000, 6, dice))
    write(folder, "banded_arrow", 30000, banded_arrow(30000))


if __name__ == "__main__":
    main()
