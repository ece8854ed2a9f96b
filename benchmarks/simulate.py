"""Steps per second of `simulate` beside states per second of `explore`, under the same policies in the same run.

Usage: simulate.py [--binary FILE] [--data DIR] [--seconds S] [--repeat N]

DIR holds the PlaJA models (default: ../shared/data beside the repository, or $SUREFOOT_DATA). The number of runs is
chosen so that a simulation takes about S seconds. Times exclude reading: that of no runs is subtracted, and of
`explore` as well. Writes benchmarks/results/simulate.csv and prints a table.
"""

import argparse
import csv
import json
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCKS = "plaja/blocksworld/cost_terminal/models/legacy_enc/blocksworld_4_3.jani"
PROPERTIES = (
    "plaja/blocksworld/additional_properties/safety_verification/blocksworld_4_3/"
    "compact_starts_cost_predicates_afterwards/pa_compact_starts_cost_predicates_afterwards_blocksworld_4_3.jani"
)
POLICY = "plaja/rddps22/blocksworld/networks/learned_cost05_non_terminal/blocksworld_4_3_16_16.jani2nnet"
COLUMNS = ["model", "policy", "threads", "states", "states_per_second", "runs", "steps", "steps_per_second", "ratio"]


def instances(data):
    """Names, policies and arguments."""
    for bound, policy in (("8", None), ("12", POLICY), ("25", POLICY)):
        arguments = [data / BLOCKS, "--const", "failing_probability=0.5", "--const", f"item_cost_bound={bound}",
                     "--properties", data / PROPERTIES, "--property", "1"]
        if policy:
            arguments += ["--policy", data / policy]
        yield f"blocksworld_4_3 bound={bound}", "16x16" if policy else "", arguments


def result(binary, command, arguments, threads, options=()):
    words = [binary, command, *arguments, *options, "--threads", str(threads), "--quiet", "--json", "-"]
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {ran.stderr}")
    return json.loads(ran.stdout)


def best(repeat, measure):
    return min((measure() for _ in range(repeat)), key=lambda found: found["seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "target/release/surefoot")
    parser.add_argument("--data", default=os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    data = pathlib.Path(arguments.data)
    if not data.is_dir():
        sys.exit(f"no models at {data}: give their folder with --data")
    rows = []
    for model, policy, words in instances(data):
        for threads in (1, os.cpu_count() or 1):
            def simulate(runs, words=words, threads=threads):
                return result(arguments.binary, "simulate", words, threads, ["--runs", str(runs)])

            reading = best(arguments.repeat, lambda: simulate(0))["seconds"]
            trial = simulate(2000)
            runs = int(2000 * arguments.seconds / max(trial["seconds"] - reading, 0.001)) + 1
            made = best(arguments.repeat, lambda runs=runs: simulate(runs))
            explored = best(arguments.repeat, lambda: result(arguments.binary, "explore", words, threads))
            states, steps = explored["statistics"]["reachable_states"], made["statistics"]["steps"]
            per_state = states / max(explored["seconds"] - reading, 1e-6)
            per_step = steps / max(made["seconds"] - reading, 1e-6)
            row = {"model": model, "policy": policy, "threads": threads, "states": states,
                   "states_per_second": round(per_state), "runs": runs, "steps": steps,
                   "steps_per_second": round(per_step), "ratio": round(per_step / per_state, 2)}
            rows.append(row)
            print(f"{model:28} {policy:10} {threads} thread(s)  explore {per_state / 1e6:6.2f} M states/s  "
                  f"simulate {per_step / 1e6:6.2f} M steps/s  x{row['ratio']}", flush=True)
    target = ROOT / "benchmarks/results/simulate.csv"
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    print(f"wrote {target.relative_to(ROOT)}; {platform.machine()}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
