"""One policy decision: the oracle on query sets, beside Marabou, HiGHS and Z3.

Usage: oracle.py [--fresh] [--peers PYTHON] [--data DIR] [--store DIR]

Decides every query of the sets in DIR (default: nnsat of ../shared/data beside the repository, or of $SUREFOOT_DATA; with
--fresh the sets that fresh.py wrote) and writes benchmarks/results/oracle_nnsat.csv (oracle_fresh.csv), one row per
query. `cpu_us` is thread CPU time from the parsed query to the answer, the median of repeated runs; `first_us` that of the
first run. Disagreement with a confirmed verdict or with an exact peer ends the run with an error.

Peers run with --peers, an interpreter with the packages of requirements-peers.txt, through a harness that is not part
of this repository (../shared/tools/peers); their raw results are kept in --store and reused, delete them to measure again.
Without --peers their columns are those of the last run for queries that are the same. Seconds of peers are CPU seconds
of the solve call alone. Tables: oracle_report.py.
"""

import argparse
import pathlib
import sys

import oracle_runs as runs

COLUMNS = ["set", "id", "class", "digest", "expected", "confirmed_by", "answer", "cpu_us", "first_us", "wall_us", "runs",
           "nodes", "points", "programs", "setup_us"]
PEER_COLUMNS = [f"{peer}_{what}" for peer in runs.PEERS for what in ("answer", "seconds", "capped")]


def old_peers(path):
    """The peers' columns of the last run by (set, digest of the query)."""
    return {(row["set"], row["digest"]): {column: row[column] for column in PEER_COLUMNS if row.get(column, "") != ""}
            for row in runs.read_csv(path)}


def disagreements(row):
    """Who contradicts our answer."""
    ours = row["answer"]
    if ours == "unknown":
        return []
    others = [(peer, row.get(f"{peer}_answer")) for peer in runs.PEERS if peer != "marabou"]
    if row.get("marabou_answer") == "unsat":  # The relaxed question: only its "unsat" says something about integers.
        others.append(("marabou", "unsat"))
    if row["expected"]:
        others.append((f"the set ({row['confirmed_by']})", row["expected"]))
    return [who for who, answer in others if answer in ("sat", "unsat") and answer != ours]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="the sets of fresh.py")
    parser.add_argument("--peers", metavar="PYTHON", help="run the peers with this interpreter")
    parser.add_argument("--data", type=pathlib.Path, help="folder of the query sets")
    parser.add_argument("--store", type=pathlib.Path, help="folder of the peers' raw results")
    arguments = parser.parse_args()
    kind = "fresh" if arguments.fresh else "nnsat"
    folder = arguments.data or (runs.BUILD / "fresh" if arguments.fresh else runs.DATA / "nnsat")
    store = arguments.store or runs.BUILD / f"peers-{kind}"
    if not (folder / "queries_rt.json").exists():
        sys.exit(f"no query sets at {folder}: give their folder with --data, or write them with fresh.py")
    target = runs.RESULTS / f"oracle_{kind}.csv"

    setups, answers = runs.decide([folder / f"queries_{name}.json" for name in runs.SETS])
    preparation = {line["set"]: round(line["setup_us"], 1) for line in setups}
    measured = {}
    if arguments.peers:
        runs.run_peers(arguments.peers, folder, store, runs.FRESH_PLAN if arguments.fresh else runs.PLAN)
    if arguments.peers or arguments.store:
        measured = runs.read_peers(folder, store, runs.SETS)
    before, rows, wrong = old_peers(target), [], 0
    questions = {name: runs.asked(folder / f"queries_{name}.json") for name in runs.SETS}
    for line in answers:
        name = line["set"]
        row = {column: line.get(column) for column in COLUMNS}
        row.update({column: round(line[column], 3) for column in ("cpu_us", "first_us", "wall_us")})
        row.update(digest=runs.digest(questions[name][line["id"]]), setup_us=preparation[name])
        row.update(before.get((name, row["digest"]), {}))
        row.update(measured.get((name, line["id"]), {}))
        for who in disagreements(row):
            # A verdict that only one float search gave is a question, not an error.
            unconfirmed = "unconfirmed" in who
            wrong += not unconfirmed
            print(f"{name} {line['id']}: we say {row['answer']}, {who} does not", file=sys.stderr)
        rows.append(row)
    runs.write_csv(target, COLUMNS + PEER_COLUMNS, rows)
    if wrong:
        sys.exit(f"{wrong} disagreements")


if __name__ == "__main__":
    main()
