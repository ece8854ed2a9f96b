"""States per second and bytes per state of the explicit engine, beside Storm on the same files in the same run.

Usage: throughput.py [--storm PYTHON] [--data DIR] [--repeat N]

PYTHON is an interpreter with stormpy. DIR holds the QComp and PlaJA models (default: ../shared/data beside the
repository, or $SUREFOOT_DATA). Writes benchmarks/results/throughput.csv and prints a table. Times exclude reading the
model on both sides. Storm also stores the transition matrix; the explicit engine stores states and counts transitions.
"""

import argparse
import csv
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXE = ROOT / "target/release/examples/throughput"
BLOCKS = "plaja/blocksworld/cost_terminal/models/legacy_enc/blocksworld_4_3.jani"
PROPERTIES = (
    "plaja/blocksworld/additional_properties/safety_verification/blocksworld_4_3/"
    "compact_starts_cost_predicates_afterwards/pa_compact_starts_cost_predicates_afterwards_blocksworld_4_3.jani"
)
POLICY = "plaja/rddps22/blocksworld/networks/learned_cost05_non_terminal/blocksworld_4_3_16_16.jani2nnet"
NPUZZLE = "plaja/npuzzle/compact_starts_non_terminal/models/offset_enc/npuzzle_3_3.jani"
INSTANCES = [  # model, constants, under the policy?
    ("qcomp/egl.jani", ["N=5", "L=8"], False),
    ("qcomp/echoring.jani", ["ITERATIONS=10"], False),
    ("qcomp/nand.jani", ["N=40", "K=4"], False),
    ("qcomp/crowds.jani", ["TotalRuns=6", "CrowdSize=10"], False),
    ("qcomp/firewire_dl.jani", ["delay=36", "deadline=800"], False),
    (NPUZZLE, ["failing_probability=0.0", "item_cost_bound=1", "cost_terminal=true"], False),
    (BLOCKS, ["failing_probability=0.5", "item_cost_bound=5"], False),
    (BLOCKS, ["failing_probability=0.5", "item_cost_bound=8"], False),
    (BLOCKS, ["failing_probability=0.5", "item_cost_bound=12"], True),
    (BLOCKS, ["failing_probability=0.5", "item_cost_bound=25"], True),
]
COLUMNS = ["model", "constants", "policy", "threads", "states", "transitions", "seconds", "cpu_seconds",
           "states_per_second", "bytes_per_state", "storm_seconds", "ratio_to_storm"]


def run(command):
    """Output and CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def surefoot(data, model, constants, policy, threads, repeat):
    command = [EXE, data / model, str(threads)]
    if policy:
        command.append(f"{data / PROPERTIES}:1:{data / POLICY}")
    best = None
    for _ in range(repeat):
        output, cpu = run(command + constants)
        fields = output.strip().split(",")
        seconds = float(fields[8])
        if best is None or seconds < best["seconds"]:
            best = {"states": int(fields[3]), "transitions": int(fields[5]), "seconds": seconds, "cpu_seconds": cpu,
                    "states_per_second": float(fields[9]), "bytes_per_state": float(fields[10])}
    return best


def storm(python, data, model, constants, repeat):
    script = ROOT / "benchmarks/storm_build.py"
    results = [json.loads(run([python, script, data / model, *constants])[0].splitlines()[-1]) for _ in range(repeat)]
    return min(results, key=lambda r: r["seconds"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--storm", help="a Python interpreter with stormpy")
    parser.add_argument("--data", default=os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    data = pathlib.Path(arguments.data)
    if not data.is_dir():
        sys.exit(f"no models at {data}: give their folder with --data")
    rows, version = [], None
    for model, constants, policy in INSTANCES:
        peer = None
        if arguments.storm and not policy:
            peer = storm(arguments.storm, data, model, constants, arguments.repeat)
            version = peer["version"]
        for threads in (1, 2):
            row = surefoot(data, model, constants, policy, threads, arguments.repeat)
            if peer and peer["states"] != row["states"]:
                sys.exit(f"{model}: {row['states']} states, Storm has {peer['states']}")
            row.update(model=pathlib.Path(model).stem, constants=" ".join(constants), policy="16x16" if policy else "",
                       threads=threads, storm_seconds=round(peer["seconds"], 4) if peer else "",
                       ratio_to_storm=round(peer["seconds"] / row["seconds"], 2) if peer else "")
            row["cpu_seconds"] = round(row["cpu_seconds"], 4)
            rows.append(row)
            print(f"{row['model']:16} {row['constants']:50} {row['policy']:6} {threads} thread(s) {row['states']:>9} states "
                  f"{row['states_per_second'] / 1e6:6.2f} M/s {row['bytes_per_state']:5.1f} B/state "
                  f"x{row['ratio_to_storm'] or '-'}", flush=True)
    target = ROOT / "benchmarks/results/throughput.csv"
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    print(f"wrote {target.relative_to(ROOT)}; {platform.machine()}, {os.cpu_count()} cores, Storm {version}")


main()
