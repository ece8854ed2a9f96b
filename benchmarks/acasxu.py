"""ACAS Xu: the oracle on real inputs and six hidden layers, beside Marabou.

Usage: acasxu.py [--peers PYTHON] [--store FILE] [--data DIR] [--cap SECONDS]

DIR holds index.json, networks and properties (default: acasxu of ../shared/data beside the repository, or of
$SUREFOOT_DATA). Asked are the pairs of index.json and property 2 on every network. Writes
benchmarks/results/oracle_acasxu.csv. Marabou runs with --peers (see marabou_acasxu.py), its raw results are kept in --store
and reused; without either its columns are those of the last run. CPU seconds of the solve call on both sides, without
reading files.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import oracle_runs as runs

COLUMNS = ["network", "property", "expected", "answer", "seconds", "nodes", "marabou_answer", "marabou_seconds",
           "marabou_margin"]


def pairs(folder):
    """(network, property, verdict or "") of everything that is asked."""
    listed = [(pair["network"], pair["property"], pair["verdict"])
              for pair in json.loads((folder / "index.json").read_text(encoding="utf-8"))]
    return listed + [(path.name, "prop_2.vnnlib", "") for path in sorted(folder.glob("*.onnx"))]


def marabou(python, files, cap, store):
    """Marabou's result for a pair: stored, or measured if there is an interpreter; else None."""
    if store.exists():
        for line in store.read_text(encoding="utf-8").splitlines():
            result = json.loads(line)
            if [result["network"], result["property"]] == [file.name for file in files]:
                return result
    if not python:
        return None
    result = run([python, runs.ROOT / "benchmarks/marabou_acasxu.py", *files, str(cap)])
    store.parent.mkdir(parents=True, exist_ok=True)
    with open(store, "a", encoding="utf-8") as file:
        file.write(json.dumps(result) + "\n")
    return result


def run(command):
    """The JSON line that a program prints."""
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", metavar="PYTHON", help="run Marabou with this interpreter")
    parser.add_argument("--store", type=pathlib.Path, help="file of Marabou's raw results")
    parser.add_argument("--data", type=pathlib.Path, default=runs.DATA / "acasxu")
    parser.add_argument("--cap", type=float, default=120.0)
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        sys.exit(f"no networks at {arguments.data}: give their folder with --data")
    target, rows, wrong = runs.RESULTS / "oracle_acasxu.csv", [], 0
    before = {(row["network"], row["property"]): row for row in runs.read_csv(target)}
    for network, prop, expected in pairs(arguments.data):
        files = [arguments.data / network, arguments.data / prop]
        ours = run([runs.example("acasxu"), *files, str(arguments.cap)])
        row = {"network": network, "property": prop, "expected": expected, "answer": ours["answer"],
               "seconds": round(ours["seconds"], 6), "nodes": ours["nodes"]}
        old = before.get((network, prop), {})
        row.update({column: old.get(column, "") for column in COLUMNS if column.startswith("marabou")})
        peer = None
        if arguments.peers or arguments.store:
            peer = marabou(arguments.peers, files, arguments.cap, arguments.store or runs.BUILD / "peers-acasxu.jsonl")
        if peer:
            row.update(marabou_answer=peer["verdict"], marabou_seconds=round(peer["seconds"], 4),
                       marabou_margin=peer.get("margin", ""))
        known = {answer for answer in (expected, row["marabou_answer"], row["answer"]) if answer in ("sat", "unsat")}
        wrong += len(known) > 1
        rows.append(row)
        print(f"{network} {prop}: {row['answer']} in {row['seconds']:.3f} s; Marabou {row['marabou_answer'] or '-'} "
              f"in {row['marabou_seconds'] or '-'} s", flush=True)
    runs.write_csv(target, COLUMNS, rows)
    if wrong:
        sys.exit(f"{wrong} disagreements")


if __name__ == "__main__":
    main()
