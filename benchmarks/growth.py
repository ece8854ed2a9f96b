"""How the time of one policy decision grows with width, depth and inputs of the network.

Usage: growth.py [--out DIR] [--seed N] [--queries N] [--cap SECONDS]

Networks are random: weights after He, hidden biases so that every neuron switches inside the domain, output biases so that
the outputs have the same mean there (otherwise one label would take it all). One of width, depth and inputs varies, the
others stay at 32, 2 and 12. Every variable ranges over 0..100. Queries are like the class "hard" of fresh.py, found by
bisection and with climbing after sampling: sampling alone finds less and less as inputs grow, and leaves boxes in which any
local search finds the label.
Writes benchmarks/results/oracle_growth.csv; runs over the cap enter at the cap.
"""

import argparse
import pathlib
import statistics

import numpy

import fresh
import nnet
import oracle_runs as runs

WIDTH, DEPTH, INPUTS, OUTPUTS = 32, 2, 12, 6
TOP = 100
STEPS = {"width": [16, 32, 64, 128, 256], "depth": [1, 2, 3, 4, 5], "inputs": [5, 10, 20, 40, 60]}
COLUMNS = ["varied", "width", "depth", "inputs", "queries", "answered", "sat", "unsat", "median_ms", "geomean_ms", "max_ms",
           "median_nodes", "nodes_per_second", "setup_us"]


def network(random, width, depth, inputs):
    """A random network, calibrated on random points of the domain."""
    points = fresh.sample(random, [[0, TOP]] * inputs, 2000).astype(float)
    sizes, made = [inputs] + [width] * depth + [OUTPUTS], nnet.Network([], [])
    for index, (before, after) in enumerate(zip(sizes, sizes[1:])):
        made.weights.append(random.normal(0.0, numpy.sqrt(2.0 / before), (after, before)))
        made.biases.append(numpy.zeros(after))
        values = made.layer(index, points)
        shift = numpy.zeros(after) if index == depth else random.normal(0.0, 0.5, after) * values.std(axis=0)
        made.biases[-1] = shift - values.mean(axis=0)
        points = numpy.maximum(made.layer(index, points), 0.0)
    return made


def reached(random, made, box, label):
    """Whether sampling and then climbing along coordinates finds a point of the box in which the label is chosen."""
    def margin(points):
        values = made.values(points)
        others = numpy.delete(values, label, axis=1)
        return values[:, label] - others.max(axis=1)

    points = fresh.sample(random, box, fresh.SAMPLES)
    points = points[numpy.argsort(margin(points))[-32:]]
    best, (low, high), rows = margin(points), numpy.array(box).T, numpy.arange(len(points))
    for _ in range(20 * len(box)):
        moved = points.copy()
        variable = random.integers(len(box), size=len(points))
        # Half of the moves go to an end of the range: where the best points mostly are.
        ends = numpy.where(random.random(len(points)) < 0.5, low[variable], high[variable])
        inside = random.integers(low[variable], high[variable] + 1)
        moved[rows, variable] = numpy.where(random.random(len(points)) < 0.5, ends, inside)
        value = margin(moved)
        better = value > best
        points[better], best[better] = moved[better], value[better]
        if best.max() >= 0:
            return True
    return False


def close(random, made, domain):
    """A query whose box nearly reaches the label."""
    while True:
        centre, label = fresh.sample(random, domain, 1)[0], int(random.integers(made.outputs))
        without, within = 0.0, 1.0
        if made.chooses(centre[None, :], label)[0] or not reached(random, made, domain, label):
            continue
        for _ in range(7):
            middle = (without + within) / 2
            if reached(random, made, fresh.grown(domain, centre, middle), label):
                within = middle
            else:
                without = middle
        if without > 0:
            return {"class": "hard", "box": fresh.grown(domain, centre, without), "constraints": [], "label": label}


def write_set(folder, seed, count, shape):
    """Writes a network and its queries; returns the queries file."""
    random = numpy.random.default_rng([seed, *shape])
    name, domain = "{}x{}in{}".format(*shape), [[0, TOP]] * shape[2]
    made = network(random, *shape)
    nnet.write(made, domain, folder / f"{name}.nnet")
    path = folder / f"queries_{name}.json"
    fresh.write(path, f"{name}.nnet", domain, [close(random, made, domain) for _ in range(count)])
    return path


def summary(setup, answers):
    """The row of one network."""
    times = [line["cpu_us"] / 1e3 for line in answers]
    verdicts = [line["answer"] for line in answers]
    answered = [line for line in answers if line["answer"] != "unknown"]
    rate = sum(line["nodes"] for line in answered) / max(sum(line["cpu_us"] for line in answered), 1) * 1e6
    return {"queries": len(answers), "answered": len(answered), "sat": verdicts.count("sat"),
            "unsat": verdicts.count("unsat"), "median_ms": round(statistics.median(times), 4),
            "geomean_ms": round(statistics.geometric_mean(times), 4), "max_ms": round(max(times), 3),
            "median_nodes": statistics.median(line["nodes"] for line in answers),
            "nodes_per_second": round(rate), "setup_us": round(setup["setup_us"], 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=runs.BUILD / "growth")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--queries", type=int, default=10)
    parser.add_argument("--cap", type=float, default=5.0)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for varied, values in STEPS.items():
        for value in values:
            shape = {"width": WIDTH, "depth": DEPTH, "inputs": INPUTS, varied: value}
            path = write_set(arguments.out, arguments.seed, arguments.queries, tuple(shape.values()))
            setups, answers = runs.decide([path], arguments.cap)
            rows.append({"varied": varied, **shape, **summary(setups[0], answers)})
            last = rows[-1]
            print(f"{varied} {value:4}: {last['answered']} of {last['queries']} answered, median {last['median_ms']} ms, "
                  f"max {last['max_ms']} ms, {last['nodes_per_second']} nodes/s", flush=True)
    runs.write_csv(runs.RESULTS / "oracle_growth.csv", COLUMNS, rows)


if __name__ == "__main__":
    main()
