"""Fresh query sets for given networks: the same classes as the stored sets, another seed.

Usage: fresh.py [--data DIR] [--out DIR] [--seed N]

Search options were chosen with the stored sets in view, so speed-ups are quoted on sets that nobody has looked at. DIR holds
`queries_NET.json` and `NET.nnet` (default: nnsat of ../shared/data beside the repository, or of $SUREFOOT_DATA). Per
network, written to the build folder and not kept: `NET` with 60 queries of six classes, `NETh` (hard), `NETo` (oblique).

  full    the whole domain                        half    most variables on half of their range
  pa      as in predicate abstraction: fixed, cut or whole    few     one to three values per variable
  mixed   each variable fixed or whole            guard   the whole domain, constraints like a guard's
  hard    a box grown around a point while sampling does not find the label: just before it would
  oblique a dense constraint just beyond the best point that climbing found for the label

Verdicts are not known in advance and left out.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys

import numpy

import nnet

ROOT = pathlib.Path(__file__).resolve().parent.parent
NETWORKS = ["rt", "bw4", "bw6", "syn64"]
CLASSES = ["full", "half", "pa", "few", "mixed", "guard"]
SAMPLES = 2000


def interval(random, low, high, size):
    """A random interval of `size` values inside [low, high]."""
    size = min(size, high - low + 1)
    start = int(random.integers(low, high - size + 2))
    return [start, start + size - 1]


def cut(random, kind, low, high):
    """The range of one variable in a query of class `kind`."""
    values = high - low + 1
    if kind == "few":
        return interval(random, low, high, int(random.integers(1, 4)))
    if kind == "half" and random.random() < 0.8:
        return interval(random, low, high, (values + 1) // 2)
    if kind == "mixed" and random.random() < 0.5:
        return interval(random, low, high, 1)
    if kind == "pa" and values > 8 and random.random() < 0.5:
        return interval(random, low, high, (values + 1) // 2)
    if kind == "pa" and values <= 8 and random.random() < 0.75:
        return interval(random, low, high, 1 if random.random() < 0.8 else 2)
    return [low, high]


def constraint(random, box, shape):
    """A constraint that a random point of the box satisfies; `shape` is "constant", "difference" or "sum"."""
    point = [int(random.integers(low, high + 1)) for low, high in box]
    count = {"constant": 1, "difference": 2, "sum": int(random.integers(3, 5))}[shape]
    chosen = random.choice(len(box), size=min(count, len(box)), replace=False)
    if shape == "sum":
        factors = [int(random.choice([1, 1, -1, 2])) for _ in chosen]
        relation = str(random.choice(["<=", ">=", "="]))
    else:
        factors = [1, -1][:len(chosen)]
        relation = "=" if shape == "constant" else str(random.choice(["<=", ">="]))
    terms = {str(variable): factor for variable, factor in zip(chosen, factors)}
    return {"coeffs": terms, "op": relation, "rhs": sum(f * point[int(v)] for v, f in terms.items())}


def ordinary(random, kind, domain, outputs):
    """A query of one of the six classes."""
    box = [cut(random, kind, low, high) for low, high in domain]
    if kind == "guard":
        shapes = random.choice(["constant", "difference", "sum"], size=random.integers(2, 5), p=[0.6, 0.15, 0.25])
    else:
        shapes = random.choice(["constant", "difference", "sum"], size=random.integers(0, 5), p=[0.2, 0.55, 0.25])
    constraints = [constraint(random, box, shape) for shape in shapes]
    return {"class": kind, "box": box, "constraints": constraints, "label": int(random.integers(outputs))}


def satisfied(constraints, points):
    """Which points satisfy all constraints."""
    good = numpy.ones(len(points), bool)
    for item in constraints:
        value = sum(factor * points[:, int(variable)] for variable, factor in item["coeffs"].items())
        good &= {"<=": value <= item["rhs"], ">=": value >= item["rhs"], "=": value == item["rhs"]}[item["op"]]
    return good


def sample(random, box, count):
    """Random points of a box, one per row."""
    low, high = numpy.array(box).T
    return random.integers(low, high + 1, size=(count, len(box)))


def grown(domain, centre, part):
    """The box around a point that reaches `part` of each range to both sides."""
    reach = [int(round(part * (high - low))) for low, high in domain]
    return [[max(low, int(x) - r), min(high, int(x) + r)] for (low, high), x, r in zip(domain, centre, reach)]


def hard(random, network, domain):
    """The largest box, in steps, in which sampling does not find the label."""
    while True:
        centre = sample(random, domain, 1)[0]
        label = int(random.integers(network.outputs))
        around = [[int(x), int(x)] for x in centre]
        constraints = [constraint(random, around, "difference") for _ in range(random.choice([0, 0, 1, 2]))]
        previous = None
        for step in range(1, 21):
            box = grown(domain, centre, step / 20)
            points = sample(random, box, SAMPLES)
            points = points[satisfied(constraints, points)]
            if len(points) and network.chooses(points, label).any():
                break
            # Smaller boxes are hardly more than a point.
            previous = box if step >= 2 else None
        if previous:
            return {"class": "hard", "box": previous, "constraints": constraints, "label": label}


def climb(random, network, box, weights, label):
    """The largest `weights . x` that climbing along coordinates finds in the label's region, or None."""
    points = sample(random, box, 4 * SAMPLES)
    points = points[network.chooses(points, label)]
    if not len(points):
        return None
    low, high = numpy.array(box).T
    points = points[numpy.argsort(points @ weights)[-50:]]
    for _ in range(300):
        moved = points.copy()
        variable = random.integers(len(box), size=len(points))
        rows = numpy.arange(len(points))
        moved[rows, variable] = random.integers(low[variable], high[variable] + 1)
        better = (moved @ weights >= points @ weights) & network.chooses(moved, label)
        points[better] = moved[better]
    return int((points @ weights).max())


def oblique(random, network, domain):
    """A dense constraint just beyond what the label's region reaches."""
    while True:
        centre = sample(random, domain, 1)[0]
        box = grown(domain, centre, random.uniform(0.35, 0.7))
        weights = random.choice([-2, -1, 0, 1, 2, 3], size=len(box), p=[0.13, 0.3, 0.1, 0.23, 0.12, 0.12])
        label = int(random.integers(network.outputs))
        best = climb(random, network, box, weights, label)
        top = sum(int(w) * (high if w > 0 else low) for w, (low, high) in zip(weights, box))
        if best is not None and best < top and weights.any():
            terms = {str(variable): int(weight) for variable, weight in enumerate(weights) if weight}
            bound = min(top, best + int(random.choice([1, 1, 1, 2, 4])))
            return {"class": "oblique", "box": box, "constraints": [{"coeffs": terms, "op": ">=", "rhs": bound}],
                    "label": label}


def write(path, name, domain, queries):
    """Writes a queries file."""
    numbered = [{"id": index, **query, "integer": True} for index, query in enumerate(queries)]
    path.write_text(json.dumps({"net": name, "domain": domain, "queries": numbered}), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = pathlib.Path(os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--data", type=pathlib.Path, default=shared / "nnsat")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "target/bench/fresh")
    parser.add_argument("--seed", type=int, default=20261115)
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        sys.exit(f"no query sets at {arguments.data}: give their folder with --data")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for index, name in enumerate(NETWORKS):
        random = numpy.random.default_rng([arguments.seed, index])
        domain = json.loads((arguments.data / f"queries_{name}.json").read_text(encoding="utf-8"))["domain"]
        file = arguments.data / f"{name}.nnet"
        shutil.copyfile(file, arguments.out / file.name)
        network = nnet.read(file)
        sets = {"": [ordinary(random, CLASSES[i % 6], domain, network.outputs) for i in range(60)],
                "h": [hard(random, network, domain) for _ in range(30)],
                "o": [oblique(random, network, domain) for _ in range(15)]}
        for suffix, queries in sets.items():
            write(arguments.out / f"queries_{name}{suffix}.json", file.name, domain, queries)
    print(f"wrote query sets with seed {arguments.seed} to {arguments.out}")


if __name__ == "__main__":
    main()
