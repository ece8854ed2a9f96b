"""Policy predicate abstraction on PlaJA's own blocksworld_6_5, whose figures are recorded. Growth is `surefoot zoo experiment ppa-predicates` and `ppa-starts`.

Usage: abstraction.py [--data DIR] [--surefoot FILE]

DIR is the shared data folder (default: ../shared/data beside the repository, or $SUREFOOT_DATA). Measures `surefoot abstract`
with its 43 predicates by every method, on one thread and on two. Writes benchmarks/results/abstraction.csv. Wall seconds as the tool reports
them, by the default method the best of three runs; kilobytes are the peak of the whole process.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
COLUMNS = ["study", "x", "method", "threads", "predicates", "start_states", "reachable_states", "transitions", "seconds",
           "queries", "nodes", "kilobytes", "verdict"]
LEARNED = "compact_starts_cost_predicates_afterwards/learned_cost05_non_terminal"
BLOCKS = "plaja/icaps22/blocksworld"
CAP = 120


def peak(command):
    """Result object and peak kilobytes of a command that prints JSON."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([str(part) for part in command], stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode == 2:
            sys.exit(f"{' '.join(map(str, command))}\n{err.read().decode()}")
        return json.loads(out.read()), usage.ru_maxrss


def measure(tool, study, x, method, threads, arguments, repeats=3):
    """One row: the fastest of some runs."""
    command = [tool, "abstract", *arguments, "--method", method, "--threads", threads, "--json", "-", "--quiet",
               "--time-limit", CAP]
    runs = [peak(command) for _ in range(repeats)]
    result = min((run[0] for run in runs), key=lambda r: r["seconds"])
    statistics = result["statistics"]
    row = {"study": study, "x": x, "method": method, "threads": threads, "verdict": result["verdict"],
           "seconds": round(result["seconds"], 4), "queries": statistics.get("oracle_queries"),
           "nodes": statistics.get("oracle_nodes"), "kilobytes": max(run[1] for run in runs)}
    for key in ["predicates", "start_states", "reachable_states", "transitions"]:
        row[key] = statistics[key]
    print(row, flush=True)
    return row


def blocksworld(tool, data):
    """PlaJA's own figures, by every exact method."""
    model = data / BLOCKS / "models/cost05/blocksworld_6_5.jani"
    properties = (data / BLOCKS / "additional_properties/safety_verification/cost05/blocksworld_6_5" / LEARNED /
                  "pa_compact_starts_cost_predicates_afterwards_blocksworld_6_5_32_32.jani")
    arguments = [model, "--properties", properties, "--property", "1", "--plaja-compat"]
    rows = [measure(tool, "blocksworld_6_5", 43, "builtin", threads, arguments) for threads in (1, 2)]
    return rows + [measure(tool, "blocksworld_6_5", 43, method, 1, arguments, 1)
                   for method in ("pa", "pa+relaxed", "pa+relaxed+smt", "pa+bb")]


def main():
    """Measures all and writes the results."""
    parser = argparse.ArgumentParser()
    default = os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data")
    parser.add_argument("--data", type=pathlib.Path, default=default)
    parser.add_argument("--surefoot", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/surefoot")
    given = parser.parse_args()
    rows = blocksworld(given.surefoot, given.data)
    with (RESULTS / "abstraction.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
