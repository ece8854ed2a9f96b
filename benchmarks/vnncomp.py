"""Queries of the field's competition and ACAS Xu, as a user asks them: `surefoot decide`, from reading the files to the answer.

Usage: vnncomp.py [--data DIR] [--cap SECONDS] [--threads N] [--only CATEGORY] [--surefoot FILE]

DIR holds vnncomp and acasxu (default: ../shared/data beside the repository, or $SUREFOOT_DATA). Asked are all queries of
vnncomp/index.json, and all pairs of networks and properties of acasxu. CPU seconds are those of the whole process, reading
and preparing included; nodes are those of the search. Published seconds are by the clock, on other machines, with the
solvers' own start-up. Writes benchmarks/results/oracle_vnncomp.csv; an answer that contradicts a known verdict ends it with an error.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import oracle_runs as runs

PEERS = ["alpha_beta_crown", "neuralsat", "cora", "pyrat"]
COLUMNS = ["category", "network", "query", "expected", "answer", "seconds", "cpu_seconds", "nodes", *PEERS]


def questions(data):
    """(category, network, query, verdict, published seconds) of everything that is asked."""
    competition = data / "vnncomp"
    for entry in json.loads((competition / "index.json").read_text(encoding="utf-8")):
        published = entry.get("published_seconds", {})
        yield entry["category"], competition / entry["network"], competition / entry["query"], entry["verdict"] or "", published
    acasxu = data / "acasxu"
    known = {(pair["network"], pair["property"]): pair["verdict"]
             for pair in json.loads((acasxu / "index.json").read_text(encoding="utf-8"))}
    for network in sorted(acasxu.glob("*.onnx")):
        for query in sorted(acasxu.glob("*.vnnlib")):
            yield "acasxu", network, query, known.get((network.name, query.name), ""), {}


def ask(program, network, query, cap, threads):
    """Our answer: the word, and what it took."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        words = [program, "decide", query, "--network", network, "--time-limit", str(cap), "--threads", str(threads),
                 "--quiet", "--json", result]
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        child = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, error = child.communicate()
        seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if child.returncode not in (0, 3):
            sys.exit(f"{' '.join(map(str, words))}\n{out}{error}")
        told = json.loads(result.read_text(encoding="utf-8"))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"answer": out.split()[0], "seconds": round(seconds, 3), "cpu_seconds": round(cpu, 3),
            "nodes": told["statistics"].get("oracle_nodes", "")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=runs.DATA)
    parser.add_argument("--cap", type=float, default=20.0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="categories that begin so")
    parser.add_argument("--surefoot", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("CARGO_TARGET_DIR", runs.ROOT / "target")) / "release/surefoot")
    arguments = parser.parse_args()
    if not (arguments.data / "vnncomp").is_dir():
        sys.exit(f"no queries at {arguments.data / 'vnncomp'}: give the folder above them with --data")
    rows, wrong = [], 0
    for category, network, query, expected, published in questions(arguments.data):
        if not category.startswith(arguments.only):
            continue
        told = ask(arguments.surefoot, network, query, arguments.cap, arguments.threads)
        wrong += told["answer"] in ("sat", "unsat") and expected in ("sat", "unsat") and told["answer"] != expected
        rows.append({"category": category, "network": network.name, "query": query.name, "expected": expected, **told,
                     **{peer: published.get(peer, "") for peer in PEERS}})
        print(f"{category} {network.name} {query.name}: {told['answer']}, {told['cpu_seconds']} s of CPU", flush=True)
    for category in sorted({row["category"] for row in rows}):
        these = [row for row in rows if row["category"] == category]
        decided = [row for row in these if row["answer"] in ("sat", "unsat")]
        print(f"{category}: {len(decided)} of {len(these)} decided, {sum(row['cpu_seconds'] for row in these):.2f} s of CPU")
    if not arguments.only:
        runs.write_csv(runs.RESULTS / "oracle_vnncomp.csv", COLUMNS, rows)
    if wrong:
        sys.exit(f"{wrong} answers contradict known verdicts")


if __name__ == "__main__":
    main()
