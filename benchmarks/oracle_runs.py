"""Running the oracle and its peers on query sets; reading and writing result files. Shared by the oracle's benchmarks."""

import csv
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
BUILD = ROOT / "target/bench"
DATA = pathlib.Path(os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
# Times one peer on one query set, one child per query; not part of this repository.
HARNESS = ROOT.parent / "shared/tools/peers/nnsat_bench.py"
# CPU seconds per query, for us and for the peers (the harness has this number built in).
CAP = 20.0
PEERS = ["marabou_bb", "highs", "marabou", "z3"]
NETWORKS = ["rt", "bw4", "bw6", "syn64"]
SETS = NETWORKS + [name + suffix for name in NETWORKS for suffix in ("h", "o")]
# Solver, sets, and how many of the first queries of each.
PLAN = [("marabou_bb", NETWORKS, 60), ("highs", NETWORKS, 60), ("marabou", NETWORKS, 60),
        ("marabou_bb", ["rth", "rto", "bw4h", "bw4o", "bw6o"], 30), ("marabou_bb", ["bw6h", "syn64h", "syn64o"], 10),
        ("z3", ["rt", "bw4"], 6)]
FRESH_PLAN = [("marabou_bb", NETWORKS, 60), ("marabou_bb", SETS[len(NETWORKS):], 10)]


def example(name):
    """The release build of an example program."""
    path = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples" / name
    if not path.exists():
        sys.exit(f"{path} is missing: cargo build --release -p surefoot-oracle --example {name}")
    return path


def decide(files, cap=CAP):
    """Our answers: the line per network and the lines per query, in order; runs without an answer take the cap."""
    command = [example("nnsat"), "--cap", str(cap), *files]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    lines = [json.loads(line) for line in lines]
    for line in lines:
        if line.get("answer") == "unknown":
            line["cpu_us"] = cap * 1e6
    return [line for line in lines if "setup_us" in line], [line for line in lines if "id" in line]


def digest(value):
    """A short name for the content of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def asked(path):
    """What the queries of a file ask for, by number."""
    queries = json.loads(path.read_text(encoding="utf-8"))["queries"]
    return {query["id"]: [query["box"], query["constraints"], query["label"]] for query in queries}


def raw_file(store, folder, name, solver):
    """Where a peer's raw results for a set are kept; the name changes when the queries do."""
    return store / f"{name}.{solver}.{digest(asked(folder / f'queries_{name}.json'))}.jsonl"


def run_peers(python, folder, store, plan):
    """Runs the peers one after the other on what has no results in `store` yet; false without the harness."""
    if not HARNESS.exists():
        print(f"peers are not run: their harness is not at {HARNESS}")
        return False
    store.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"}
    for solver, names, limit in plan:
        for name in names:
            target = raw_file(store, folder, name, solver)
            if not target.exists():
                print(f"{solver} on {name}, {limit} queries", flush=True)
                partial = target.with_suffix(".part")
                command = [pathlib.Path(python).absolute(), HARNESS, name, solver, str(limit), partial]
                subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
                partial.rename(target)
    return True


def read_peers(folder, store, names):
    """Columns of the peers by (set, query number)."""
    columns = {}
    for name in names:
        for solver in PEERS:
            path = raw_file(store, folder, name, solver)
            if path.exists():
                for line in path.read_text(encoding="utf-8").splitlines():
                    result = json.loads(line)
                    columns.setdefault((name, result["id"]), {}).update(peer_columns(solver, result))
    return columns


def peer_columns(solver, result):
    """What one raw result says: answer, CPU seconds of the solve call (the cap, where that ended it), capped?"""
    answer = result["verdict"].lower()
    if answer == "error":
        return {f"{solver}_answer": "error"}
    capped = answer not in ("sat", "unsat")
    # The relaxed answer has no integer witness to hold; others do.
    if answer == "sat" and solver != "marabou" and result.get("bad"):
        answer = "sat, wrong point"
    return {f"{solver}_answer": "" if capped else answer,
            f"{solver}_seconds": CAP if capped else round(result["solve"], 6), f"{solver}_capped": int(capped)}


def write_csv(path, columns, rows):
    """Writes rows; columns that a row lacks stay empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    print(f"wrote {path.relative_to(ROOT)}")


def read_csv(path):
    """Rows of a file, none without it."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
