"""Bounded CTL on the paper's scenarios, by the built-in procedure and by the paper's, and how the built-in one grows.

Usage: ctl.py [--surefoot FILE] [--solver FILE] [--limit SECONDS] [--data DIR] [--only SCENARIO ...]

FrozenLake: safe (holes avoided at every step) and succ (and the goal reached at step k), k = 1..10 and 50. VerticalCAS: more than 100 ft
apart after exactly k seconds, 12 climb rates, k = 1..10. Methods: builtin, monolithic, compositional with one job at a time and with
eight. A row of a method ends at the first k that takes longer than the limit. Seconds are those that Surefoot reports, from reading the
files to the answer, starting the solver included. Verdicts that differ between methods end the run.
Growth of the built-in procedure: horizon, branching, width of the initial interval, depth of the network.
Writes benchmarks/results/ctl.csv and the section "Bounded CTL" of benchmarks/RESULTS.md.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/RESULTS.md"
METHODS = {
    "builtin": ["--method", "auto"],
    "monolithic": ["--method", "monolithic"],
    "compositional": ["--method", "compositional", "--jobs", "1"],
    "parallel": ["--method", "compositional", "--jobs", "8"],
}
RATES = ["-19.5", "-22.5", "-25.5", "-28.5", "-31.5", "-34.5", "-37.5", "-40.5", "-43.5", "-39", "-39.5", "-40"]
STEPS = range(1, 11)
COLUMNS = ["scenario", "instance", "k", "method", "verdict", "seconds", "programs", "variables", "rows"]
AVOIDED = "tile_3 < 0.1 & tile_7 < 0.1"


def nested(k, last):
    formula = f"AX ({last})"
    for _ in range(k - 1):
        formula = f"AX ({AVOIDED} & {formula})"
    return formula


class Runner:
    def __init__(self, arguments):
        self.arguments, self.rows, self.known = arguments, [], {}

    def ctl(self, model, formula, options):
        command = [self.arguments.surefoot, "ctl", *model, "--formula", formula, *options, "--quiet", "--json", "-",
                   "--time-limit", str(self.arguments.limit)]
        if "auto" not in options and self.arguments.solver:
            command += ["--solver", self.arguments.solver]
        ran = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if ran.returncode not in (0, 1, 3):
            sys.exit(f"{formula}: {ran.stderr}")
        return json.loads(ran.stdout)

    def row(self, scenario, instance, k, method, model, formula):
        """Whether the method is done in time."""
        result = self.ctl(model, formula, METHODS[method])
        verdict, statistics = result["verdict"], result["statistics"]
        if verdict != "unknown" and self.known.setdefault((scenario, instance, k), verdict) != verdict:
            sys.exit(f"{scenario} {instance} {k}: {method} says {verdict}")
        largest = statistics.get("largest_program", {})
        self.rows.append({"scenario": scenario, "instance": instance, "k": k, "method": method, "verdict": verdict,
                          "seconds": round(result["seconds"], 3), "programs": statistics["programs"],
                          "variables": largest.get("variables", ""), "rows": largest.get("rows", "")})
        print(f"{scenario:12} {instance:16} k={k:<3} {method:14} {verdict:9} {result['seconds']:8.3f} s", flush=True)
        return verdict != "unknown"

    def table(self, scenario, instance, steps, model, formula):
        for method in METHODS:
            for k in steps:
                if not self.row(scenario, instance, k, method, model, formula(k)):
                    break


def generate(surefoot, domain, folder, networks):
    out = pathlib.Path(folder, domain)
    subprocess.run([surefoot, "zoo", "generate", domain, f"networks={networks}", "--out", out], check=True,
                   capture_output=True)
    return out


def lake(runner, folder, networks):
    out = generate(runner.arguments.surefoot, "frozenlake", folder, networks)
    model = [out / "model.jani", "--properties", out / "properties.jani", "--property", "holes"]
    steps = [*STEPS, 50]
    runner.table("FrozenLake", "safe", steps, model, lambda k: nested(k, AVOIDED))
    runner.table("FrozenLake", "succ", steps, model, lambda k: nested(k, "tile_9 > 0.9"))


def aircraft(runner, folder, networks):
    out = generate(runner.arguments.surefoot, "verticalcas", folder, networks)
    for rate in RATES:
        model = [out / "model.jani", "--properties", out / "properties.jani", "--const", f"climb_rate={rate}"]
        runner.table("VerticalCAS", rate, STEPS, model, lambda k: f"AX^{k} (h > 100 | h < -100)")
    # Wider intervals, and longer runs.
    model = json.loads((out / "model.jani").read_text())
    for width in [1, 4, 16, 64, 256]:
        at_least, at_most = ({"op": op, "left": "h", "right": end} for op, end in [("≥", -133), ("≤", width - 133)])
        model["restrict-initial"] = {"exp": {"op": "∧", "left": at_least, "right": at_most}}
        (out / "wide.jani").write_text(json.dumps(model))
        wide = [out / "wide.jani", "--properties", out / "properties.jani", "--const", "climb_rate=-40"]
        runner.row("width", f"{width} ft", 6, "builtin", wide, "AX^6 (h > -100000)")
    model = [out / "model.jani", "--properties", out / "properties.jani", "--const", "climb_rate=-40"]
    for k in [5, 10, 15, 20]:
        runner.row("horizon", "VerticalCAS -40", k, "builtin", model, f"AX^{k} (h > -100000)")


def network(path, layers, width, seed):
    """A random network of two inputs and two outputs, in .nnet format."""
    chance = random.Random(seed)
    sizes = [2, *[width] * layers, 2]
    lines = ["// random", f"{len(sizes) - 1},2,2,{max(sizes)},", ",".join(map(str, sizes)) + ",", "0,", "-9,-9,", "9,9,",
             "0,0,0,", "1,1,1,"]
    at_origin = [0.0, 0.0]
    for layer, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        spread = (6 / inputs) ** 0.5
        weights = [[round(chance.uniform(-spread, spread), 3) for _ in range(inputs)] for _ in range(outputs)]
        biases = [round(chance.uniform(-0.3, 0.3), 3) for _ in range(outputs)]
        sums = [sum(w * x for w, x in zip(row, at_origin)) for row in weights]
        if layer == layers:
            # Both actions are equally good at the origin, so that the choice is not the same everywhere.
            biases = [-x for x in sums]
        at_origin = [max(0.0, x + b) for x, b in zip(sums, biases)]
        lines += [",".join(map(str, row)) + "," for row in weights] + [f"{b}," for b in biases]
    path.write_text("\n".join(lines) + "\n")


def drift(path, branching):
    """A point in the plane that the agent pushes right or up, and the environment by one of several amounts."""
    def edge(label, variable, amount):
        pushed = {"op": "+", "left": {"op": "*", "left": 0.75, "right": variable}, "right": amount}
        assignments = [{"ref": variable, "value": pushed}]
        return {"location": "l", "action": label, "destinations": [{"location": "l", "assignments": assignments}]}

    amounts = [round(-1 + 2 * i / max(branching - 1, 1), 3) for i in range(branching)]
    edges = [edge(label, variable, amount) for label, variable in [("right", "x"), ("up", "y")] for amount in amounts]
    between = [{"op": "≤", "left": a, "right": b} for a, b in [(-1, "x"), ("x", 1), (-1, "y"), ("y", 1)]]
    start = between[0]
    for part in between[1:]:
        start = {"op": "∧", "left": start, "right": part}
    path.write_text(json.dumps({
        "jani-version": 1, "name": "drift", "type": "lts", "actions": [{"name": "right"}, {"name": "up"}],
        "variables": [{"name": "x", "type": "real"}, {"name": "y", "type": "real"}], "restrict-initial": {"exp": start},
        "automata": [{"name": "world", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
        "system": {"elements": [{"automaton": "world"}]}, "properties": []}))


def growth(runner, folder, _networks):
    folder = pathlib.Path(folder)
    policy = {"outputs": {"labels": ["right", "up"]}, "inputs": ["x", "y"], "networks": [{"file": "drift.nnet"}]}
    (folder / "drift.policy.json").write_text(json.dumps(policy))
    model = [folder / "drift.jani", "--policy", folder / "drift.policy.json"]

    def run(scenario, instance, k, branching, layers):
        drift(folder / "drift.jani", branching)
        network(folder / "drift.nnet", layers, 8, 1)
        runner.row(scenario, instance, k, "builtin", model, f"AG[<={k}] (x < 4 & y < 4)")

    for k in [1, 2, 3, 4]:
        run("horizon", "drift", k, 2, 2)
    for branching in [1, 2, 3, 4]:
        run("branching", f"{branching}", 2, branching, 2)
    for layers in [1, 2, 3, 4]:
        run("depth", f"{layers} x 8", 2, 2, layers)


SCENARIOS = {"frozenlake": lake, "verticalcas": aircraft, "growth": growth}


def written(rows, scenario, instances, steps):
    """A table of seconds: a row per instance and method, a column per k; violated ones have a star, late ones a dash."""
    lines = ["| | method | " + " | ".join(f"k={k}" for k in steps) + " |", "|---" * (len(steps) + 2) + "|"]
    for instance in instances:
        for method in METHODS:
            of = {r["k"]: r for r in rows if (r["scenario"], r["instance"], r["method"]) == (scenario, instance, method)}
            cells = []
            for k in steps:
                row = of.get(k)
                late = row is None or row["verdict"] == "unknown"
                cells.append("-" if late else f"{row['seconds']:.2f}" + ("*" if row["verdict"] == "violated" else ""))
            lines.append(f"| {instance} | {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def section(rows, limit, note):
    grown = ["| what grows | | k | verdict | seconds |", "|---|---|---|---|---|"]
    for row in rows:
        if row["scenario"] in ("horizon", "branching", "width", "depth"):
            seconds = "-" if row["verdict"] == "unknown" else f"{row['seconds']:.2f}"
            grown.append(f"| {row['scenario']} | {row['instance']} | {row['k']} | {row['verdict']} | {seconds} |")
    return "\n\n".join([
        "## Bounded CTL",
        f"`make bench-ctl`: seconds from reading the files to the answer, Surefoot's own procedure beside the paper's "
        f"encodings by HiGHS (highspy 1.15.1; starting Python, about half a second, included). `*`: violated. `-`: not within "
        f"{limit:g} s; a row ends there. {note}".strip(),
        "FrozenLake, the paper's policy: holes avoided (safe), and the goal reached at step k (succ).",
        written(rows, "FrozenLake", ["safe", "succ"], [*STEPS, 50]),
        "VerticalCAS, the paper's networks: more than 100 ft apart after exactly k seconds, by climb rate.",
        written(rows, "VerticalCAS", RATES, STEPS),
        "How the built-in procedure grows: VerticalCAS with longer runs and wider initial intervals; a point in a square of real start "
        "states (drift) that a random network of 2 x 8 neurons pushes about, with longer runs, more outcomes per action (branching) and "
        "more layers (depth).",
        "\n".join(grown),
    ]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surefoot", default=ROOT / "target/release/surefoot")
    parser.add_argument("--solver", help="the executable highs, or a Python that has highspy")
    parser.add_argument("--limit", type=float, default=20)
    parser.add_argument("--data", default=os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--only", nargs="*", choices=list(SCENARIOS), help="the others' rows stay as last measured")
    parser.add_argument("--note", default="", help="a sentence for the report, such as on the machine")
    arguments = parser.parse_args()
    runner = Runner(arguments)
    results = ROOT / "benchmarks/results/ctl.csv"
    with tempfile.TemporaryDirectory() as folder:
        for name, run in SCENARIOS.items():
            if not arguments.only or name in arguments.only:
                run(runner, folder, pathlib.Path(arguments.data, "venmas").resolve())
    if arguments.only and results.exists():
        measured = {(row["scenario"], row["instance"]) for row in runner.rows}
        with results.open(newline="") as file:
            for row in csv.DictReader(file):
                if (row["scenario"], row["instance"]) not in measured:
                    runner.rows.append({**row, "k": int(row["k"]), "seconds": float(row["seconds"])})
    with results.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(runner.rows)
    text, new = RESULTS.read_text(), section(runner.rows, arguments.limit, arguments.note)
    old = re.search(r"^## Bounded CTL\n.*?(?=^## |\Z)", text, re.S | re.M)
    RESULTS.write_text(text.replace(old[0], new + "\n" if old.end() < len(text) else new) if old
                       else text.rstrip("\n") + "\n\n" + new)


main()
