#!/usr/bin/env python3
"""How well irregular reductions are chosen by one constant for each mechanism, shared by all algorithms.

  skel train --seconds 360 -o model.json --samples samples.csv
  bench_reductions --suite suite.jsonl ...                 (--threads 16 --virtual-threads for 16 virtual threads)
  bench/reductions/shared_constants.py samples.csv [--virtual] suite.jsonl ...

Constants are fitted to the samples alone (on real threads, or on virtual ones), by least squares of logarithms. Each
pattern of the suites is then chosen for from its counted features, without looking, deciding or learning being charged.
Needs numpy and scipy. What it found: docs/decisions/0056-*.md.
"""

import argparse
import json
import random

import numpy as np
from scipy.optimize import least_squares, nnls

ALGORITHMS = ["sequential", "repbuf", "replink", "selpriv", "localwr", "atomic", "lazy", "gather"]
USES = (1, 10, 100, 1000)
LEVELS = (("L2", 32 << 10), ("L3", 512 << 10), ("memory", 32 << 20))  # where data comes from that the level before lacks
SHORTEST = 2e-8  # what a clock tells apart [s]


def samples_of(file):
    """Patterns of a file of `skel train`."""
    found, names = {}, []
    for line in open(file):
        if line.startswith("# program"):
            names = line[2:].strip().split(",")
        values = line.strip().split(",")
        if line.startswith("#") or len(values) < len(names):
            continue
        row = dict(zip(names, values))
        of = {name: float(row[name]) for name in names[3:]}
        one = found.setdefault(int(row["point"]), {"virtual": row["virtual"] == "1", "measured": {}} | of)
        one["measured"][row["algorithm"]] = of
    return [one for one in found.values() if len(one["measured"]) == len(ALGORITHMS)]


def suite_of(file):
    """Patterns of a file of `bench_reductions --suite`."""
    found = {}
    for line in open(file):
        row = json.loads(line)
        if "case" not in row:
            continue
        of = row["features"]
        found[row["case"]] = {
            "case": row["case"], "measured": row["measured"], "elements": of["N"], "iterations": of["M"],
            "subscripts": of["subscripts"], "parts": of["P"], "sparsity": of["SP"], "clusters": of["CLUS"],
            "copies": of["rho"], "load": of["load"], "crossing": of["crossing"], "privates": of["privates"],
            "private_subscripts": of["private_subscripts"], "turnover": of["turnover"], "mixing": of["mixing"],
            "value_bytes": 8 if row["value"] == "double" else 24, "other_seconds": row["other_seconds"]}
    return list(found.values())


class terms(dict):
    """Amounts of mechanisms."""

    def put(self, name, amount):
        self[name] = self.get(name, 0) + amount

    def misses(self, name, lines, footprint):
        for level, capacity in LEVELS:
            self.put(f"{name} {level}", lines * max(0, 1 - capacity / max(1, footprint)))


def run_terms(algorithm, p):
    """What an execution is made of, for the busiest part."""
    n, m, s, parts, width = p["elements"], p["iterations"], p["subscripts"], p["parts"], p["value_bytes"]
    others, lines, words = (parts - 1) / parts, width / 64, width / 8
    touched = min(1, p["sparsity"]) * n
    out = terms()

    def loop(share, footprint):
        out.put("start", 1)
        out.put("iteration", m * share)
        out.put("other work", m * share * p["other_seconds"])
        out.put("update", s * share)
        out.put("updated word", s * share * (words - 1))
        out.misses("missed line", s * share * p["turnover"] * max(1, lines), footprint)
        out.misses("streamed line", (8 * m + 4 * s) * share / 64, 8 * m + 4 * s)

    def merge(elements, footprint):
        out.put("merged element", elements)
        out.put("merged word", elements * words)
        out.misses("merged line", elements * lines, footprint)

    if algorithm == "sequential":
        loop(1, min(1, p["sparsity"] * parts) * n * width)
    elif algorithm == "localwr":
        share = p["load"] / parts
        loop(share, n * width / parts)
        crossing = (p["copies"] - 1 + p["crossing"]) / max(1e-9, p["copies"])
        out.put("checked owner", s * share * crossing)
        out.put("crossing iteration", m * share * crossing)
        # An owner's iterations lie apart where neighbouring ones belong to others.
        out.misses("missed line", m * share * max(min(1, p["copies"] - 1), p["mixing"]), 8 * m + 4 * s)
    elif algorithm == "gather":
        loop(1 / parts, s * width / parts)
        out.put("stored word", s / parts * words)
        out.put("gathered element", n / parts)
        out.misses("streamed line", 2 * s * (4 + width) / parts / 64, s * (4 + width))
    else:
        loop(1 / parts, touched * width)
        if algorithm == "repbuf":
            merge(n * others, n * width * parts)
        elif algorithm == "replink":
            merge(touched * others, touched * width * parts)
            out.put("run of elements", p["clusters"] * others)
        elif algorithm == "selpriv":
            merge(p["privates"] * n / parts, p["privates"] * n * width)
            out.put("private update", s * p["private_subscripts"] / parts)
            out.misses("missed line", p["privates"] * n / parts * lines, n * width)
        elif algorithm == "atomic":
            out.put("atomic update", s / parts * words)
        elif algorithm == "lazy":
            blocks = n * width / 4096
            opened = min(blocks, p["clusters"] + touched * width / 4096)
            out.put("block looked up", s / parts * others)
            merge(opened * 4096 / width * others, opened * 4096 * parts)
    return out


def setup_terms(algorithm, p):
    """What an inspector and fresh buffers are made of."""
    n, m, s, parts, width = p["elements"], p["iterations"], p["subscripts"], p["parts"], p["value_bytes"]
    out = terms({"start": 1})
    if algorithm in ("replink", "selpriv"):
        out.put("marked subscript", s / parts)
        out.put("bitmap word", n / 64)
    if algorithm in ("repbuf", "replink"):
        out.put("fresh line", n * width / 64)
    if algorithm == "replink":
        out.put("run of elements", p["clusters"])
    elif algorithm == "selpriv":
        privates = p["privates"] * n / parts
        out.put("listed iteration", m / parts)
        out.put("private update", s * min(1, p["private_subscripts"] * s / max(1, m)) / parts)
        out.put("private element", privates)
        out.put("fresh line", privates * width / 64)
    elif algorithm == "localwr":
        out.put("owner", s / parts)
        out.put("crossing subscript", s * p["crossing"] / parts)
        out.put("copied iteration", m * p["load"] / parts)
    elif algorithm == "lazy":
        out.put("block", n * width / 4096)
    elif algorithm == "gather":
        out.put("sorted subscript", s / parts)
        out.put("crossing subscript", s * p["crossing"] / parts)
        out.put("counted line", s / parts * p["turnover"])
        out.put("counted element", n / parts)
        out.put("fresh line", s * width / 64)
    return out


def fit(samples, terms_of, time):
    """Constants by mechanism [s]."""
    rows = [(terms_of(a, p), max(SHORTEST, p["measured"][a][time])) for p in samples for a in ALGORITHMS]
    names = sorted({name for row, _ in rows for name in row})
    x = np.array([[row.get(name, 0) for name in names] for row, _ in rows])
    y = np.array([seconds for _, seconds in rows])
    scale = np.where(x.max(0) > 0, x.max(0), 1)
    x = x / scale
    first, _ = nnls(x / y[:, None], np.ones(len(y)))
    logs = np.log(np.maximum(first, first.max() * 1e-7))
    residual = lambda c: np.log(x @ np.exp(c)) - np.log(y)
    slope = lambda c: x * np.exp(c) / (x @ np.exp(c))[:, None]
    found = least_squares(residual, logs, jac=slope, loss="soft_l1", f_scale=0.3, max_nfev=200, bounds=(-60, 60))
    return dict(zip(names, np.exp(found.x) / scale))


def judge(samples, suite, safe=None, margin=1.0):
    """Slowdowns by uses; `safe` is taken where nothing is predicted to take less than `margin` times as long."""
    constants = {t: fit(samples, f, t) for t, f in (("run", run_terms), ("setup", setup_terms))}
    predict = lambda p, a, t, f: max(SHORTEST, sum(constants[t].get(k, 0) * v for k, v in f(a, p).items()))
    late = {uses: [] for uses in USES}
    for p in suite:
        run = {a: predict(p, a, "run", run_terms) for a in ALGORITHMS}
        setup = {a: predict(p, a, "setup", setup_terms) for a in ALGORITHMS}
        for uses in USES:
            took = {a: p["measured"][a]["setup"] + uses * p["measured"][a]["run"] for a in ALGORITHMS}
            total = {a: setup[a] + uses * run[a] for a in ALGORITHMS}
            chosen = min(total, key=total.get)
            if safe and total[chosen] > margin * total[safe]:
                chosen = safe
            late[uses].append(took[chosen] / min(took.values()))
    return constants, late


def in_words(late):
    all_uses = [x for one in late.values() for x in one]
    return (f"mean {np.mean(all_uses):.3f} worst {max(all_uses):.2f}; by uses "
            + ", ".join(f"{uses}: {np.mean(one):.3f}" for uses, one in late.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples")
    parser.add_argument("suites", nargs="+")
    parser.add_argument("--virtual", action="store_true", help="suites of virtual threads")
    given = parser.parse_args()
    samples = [p for p in samples_of(given.samples) if p["virtual"] == given.virtual]
    suite = [p for file in given.suites for p in suite_of(file)]
    print(f"{len(samples)} samples, {len(suite)} patterns of suites")
    for a in ALGORITHMS:
        over = {u: [] for u in USES}
        for p in suite:
            for u in USES:
                took = {b: p["measured"][b]["setup"] + u * p["measured"][b]["run"] for b in ALGORITHMS}
                over[u].append(took[a] / min(took.values()))
        print(f"always {a:<12} {in_words(over)}")
    constants, late = judge(samples, suite)
    print(f"shared constants    {in_words(late)}")
    for safe, margin in (("repbuf", 0.9), ("repbuf", 0.8), ("repbuf", 0.7)):
        print(f"  or {safe}, unless {margin} of it  {in_words(judge(samples, suite, safe, margin)[1])}")
    for count in (20, 40, 80):
        random.seed(1)
        for _ in range(3):
            print(f"  fitted to {count} samples  {in_words(judge(random.sample(samples, min(count, len(samples))), suite)[1])}")
    for time, found in constants.items():
        print(time + ": " + ", ".join(f"{name} {seconds:.2g}" for name, seconds in sorted(found.items()) if seconds > 1e-13))


if __name__ == "__main__":
    main()
