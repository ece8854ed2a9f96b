"""Certificates: what they cost to find, to write and to check, and how large they are.

Usage: certificates.py [--only TEXT] [--runs N] [--threads N] [--python] [--out FILE] [--data DIR] [--surefoot FILE] [--checker FILE]

Instances: PlaJA's blocksworld_4_3 and blocksworld_6_5 where the data is there, six and eight blocks with networks of distil.py, trained networks of the
benchmark set, and the lift of the examples. For each: seconds to prove (a run without a certificate), to write (told by a run with one), and to check by the program
`surefoot-checker`, which contains no engine and runs on one thread; bytes as text and compressed; with --python also seconds of tools/check.py. The least of
--runs runs counts. Writes benchmarks/results/certificates.csv, or what --out says.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import cegar
import distil

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
COLUMNS = ["instance", "engine", "threads", "prove_seconds", "write_seconds", "check_seconds", "python_seconds", "regions", "states",
           "tokens", "raw_bytes", "bytes", "bytes_per_region", "write_per_prove", "check_per_prove", "load"]


# Trained policies that are safe, and proved so by refinement.
TRAINED = ("bw4_ignoring_16", "bw4_ignoring_64", "bw4_aware_32", "bw6_ignoring_filter_32", "transport5_3_32")


def run(command, limit=900):
    """The seconds that a command takes, and its output."""
    begin = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=limit)
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return seconds, done.stdout


def tokens_of(path):
    """How many tokens the trees have."""
    import gzip
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return sum(len(line.split()) - 1 for line in file if line[:2] in ("c ", "t "))


def measure(given, name, arguments, engine):
    """One instance."""
    common = [*arguments, "--engine", engine, "--threads", given.threads, "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "proof.cert"
        least = {}
        for _ in range(given.runs):
            found = json.loads(run([given.surefoot, "verify", *common, "--json", "-"])[1])
            with_proof = [given.surefoot, "verify", *common, "--certificate", path, "--json", "-"]
            written = json.loads(run(with_proof)[1])
            if found["verdict"] != "holds" or written.get("certificate") is None:
                sys.exit(f"{name}: {found['verdict']}, certificate {written.get('certificate')}")
            checked, said = run([given.checker, path, *arguments])
            if not said.startswith("accepted"):
                sys.exit(f"{name}: {said}")
            times = {"prove_seconds": found["seconds"], "write_seconds": written["certificate"]["seconds_to_write"],
                     "check_seconds": checked}
            for key, seconds in times.items():
                least[key] = min(seconds, least.get(key, seconds))
        row = {"instance": name, "engine": engine, "threads": given.threads, **least, "tokens": tokens_of(path)}
        row.update((key, written["certificate"][key]) for key in ("regions", "states", "raw_bytes", "bytes"))
        if given.python and row["tokens"] < 50_000:
            row["python_seconds"], said = run([sys.executable, ROOT / "tools" / "check.py", path, *arguments])
            if not said.startswith("accepted"):
                sys.exit(f"{name}: tools/check.py: {said}")
    parts = row["regions"] or row["states"]
    row["bytes_per_region"] = round(row["bytes"] / parts, 1)
    row["write_per_prove"] = round(row["write_seconds"] / row["prove_seconds"], 2)
    row["check_per_prove"] = round(row["check_seconds"] / row["prove_seconds"], 2)
    row["load"] = round(os.getloadavg()[0], 1)
    for key in ("prove_seconds", "write_seconds", "check_seconds", "python_seconds"):
        if key in row:
            row[key] = round(row[key], 3)
    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


def main():
    """All instances."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "benchmarks" / "results" / "certificates.csv")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--surefoot", type=pathlib.Path, default=TARGET / "release" / "surefoot")
    parser.add_argument("--checker", type=pathlib.Path, default=TARGET / "release" / "surefoot-checker")
    given = parser.parse_args()
    given.resume = False
    bench = cegar.Bench(given)
    lift = ROOT / "examples" / "lift"
    instances = [("lift", [lift / "model.jani", "--properties", lift / "properties.jani"], "cegar"),
                 ("lift", [lift / "model.jani", "--properties", lift / "properties.jani"], "explicit")]
    instances += [(one.name, one.arguments, "cegar") for one in cegar.originals(bench)]
    tasks = distil.tasks()
    for name, width in (("bw6c", 32), ("bw8", 16), ("bw8c", 32)):
        if bench.wanted(f"{name}_{width}"):
            one = bench.distilled(tasks[name], width)
            instances.append((one.name, one.arguments, "cegar"))
    for name in TRAINED:
        if bench.wanted(name):
            instances.append((name, bench.trained(name).arguments, "cegar"))
    rows = [measure(given, *instance) for instance in instances if bench.wanted(instance[0])]
    with given.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
