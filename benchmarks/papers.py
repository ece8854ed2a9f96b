"""The papers' abstraction by the papers' solvers, beside the built-in oracle.

Usage: papers.py --python FILE [--data DIR] [--surefoot FILE] [--only NAME] [--limit SECONDS]

FILE is a Python that has the solvers (`make solvers`: .venv/bin/python). Computes policy predicate abstractions of blocksworld_6_5 with its
43 predicates and of two racetracks, on one thread: by the built-in method, and by the three methods of the paper with Z3 and Marabou (`--oracle paper`).
`racetrack` is barto-small with the published 16x16 network and 10 predicates; `tiny` a map of five by five cells with a random 8x8 network and 8, which
Z3 can decide too. The column `same` says whether a method reached the same abstract states by the same transitions: the graphs are compared. An exact method that did not was
misled by Marabou, which computes in floats, and the script says so. Prints a table, and writes benchmarks/results/papers.csv.
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
BLOCKS = "plaja/icaps22/blocksworld"
LEARNED = "compact_starts_cost_predicates_afterwards/learned_cost05_non_terminal"
NETWORK = "plaja/icaps22/racetrack/networks/simple/barto-small/no_filtering"
METHODS = [("builtin", "builtin"), ("pa+relaxed", "paper"), ("pa+bb", "paper"), ("pa+relaxed+smt", "paper")]
EXACT = {"builtin", "pa+bb", "pa+relaxed+smt"}
FIGURES = ["start_states", "reachable_states", "transitions", "unsafe_states", "oracle_queries", "oracle_nodes"]


def blocksworld(given, _):
    """PlaJA's own instance."""
    model = given.data / BLOCKS / "models/cost05/blocksworld_6_5.jani"
    properties = (given.data / BLOCKS / "additional_properties/safety_verification/cost05/blocksworld_6_5" / LEARNED /
                  "pa_compact_starts_cost_predicates_afterwards_blocksworld_6_5_32_32.jani")
    return [model, "--properties", properties, "--property", "1", "--plaja-compat"]


def racetrack(given, folder):
    """The zoo's instance with the published network."""
    target, file = folder / "racetrack", folder / "predicates.json"
    subprocess.run([given.surefoot, "zoo", "generate", "racetrack", f"networks={given.data / NETWORK}", "--out", target],
                   check=True, capture_output=True)
    return track(given, target, file, 10)


def tiny(given, folder):
    """A track that is small enough for all solvers."""
    target, file = folder / "tiny", folder / "predicates.json"
    subprocess.run([given.surefoot, "zoo", "generate", "racetrack", "map=tiny", "velocity=2", "start=condition", "policy=random", "hidden=8,8", "--out", target],
                   check=True, capture_output=True)
    return track(given, target, file, 8)


def track(given, target, file, count):
    """What is asked of a racetrack."""
    subprocess.run([given.surefoot, "zoo", "predicates", target / "model.jani", "--count", str(count), "--variables",
                    "car0_x,car0_y,car0_dx,car0_dy", "--out", file], check=True, capture_output=True)
    return [target / "model.jani", "--properties", target / "properties.jani", "--property", "no-crash", "--policy",
            target / "policy.policy.json", "--predicates", file, "--expand-unsafe"]


def states(graph):
    """The abstract states of a graph and its transitions, by what they say and not by their numbers."""
    graph = json.loads(graph.read_text(encoding="utf-8"))
    names = {node["id"]: json.dumps([node["locations"], node["values"]]) for node in graph["nodes"]}
    return set(names.values()), {(names[edge["source"]], names[edge["target"]]) for edge in graph["edges"]}


def measure(given, name, arguments, method, oracle, graph):
    """One row."""
    command = [given.surefoot, "abstract", *arguments, "--graph", graph, "--method", method, "--oracle", oracle, "--threads", "1", "--json",
               "-", "--quiet", "--time-limit", given.limit]
    if oracle != "builtin":
        command += ["--python", given.python]
    ended = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if ended.returncode == 2:
        sys.exit(f"{' '.join(map(str, command))}\n{ended.stderr}")
    result = json.loads(ended.stdout)
    row = {"instance": name, "method": method, "oracle": oracle, "seconds": round(result["seconds"], 3),
           "verdict": result["verdict"], "reason": result.get("reason", ""),
           "finished": "limit" not in (result.get("reason") or "")}
    row.update({key: result["statistics"].get(key) for key in FIGURES})
    row["assumptions"] = "; ".join(text for text in result["assumptions"] if "is right where" in text)
    return row


def main():
    """Measures all, compares, writes."""
    parser = argparse.ArgumentParser()
    default = os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data")
    parser.add_argument("--data", type=pathlib.Path, default=default)
    parser.add_argument("--python", required=True)
    parser.add_argument("--surefoot", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/surefoot")
    parser.add_argument("--only", choices=["blocksworld", "racetrack", "tiny"])
    parser.add_argument("--limit", default="600")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for make in (tiny, blocksworld, racetrack):
            name = make.__name__
            if given.only not in (None, name):
                continue
            arguments = make(given, pathlib.Path(folder))
            first = expected = None
            for method, oracle in METHODS:
                graph = pathlib.Path(folder) / "graph.json"
                row = measure(given, name, arguments, method, oracle, graph)
                first, expected = first or row, expected or states(graph)
                row["ratio"] = round(row["seconds"] / first["seconds"], 1)
                print({key: row[key] for key in row if key != "assumptions"}, flush=True)
                print("   ", row["assumptions"], flush=True)
                row["same"] = row["finished"] and states(graph) == expected
                if method in EXACT and row["finished"] and not row["same"]:
                    print(f"{name}: {method} by {oracle} differs from the built-in method", file=sys.stderr)
                rows.append(row)
    if given.only is None:
        with (ROOT / "benchmarks" / "results" / "papers.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


main()
