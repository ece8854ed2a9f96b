"""Probabilities by abstraction: both algorithms side by side, QComp, and Storm where it can build the model. The papers' tables are `surefoot zoo experiment`.

Usage: bounds.py [SECTION ...] [--limit S] [--paper-limit S] [--explicit-limit S] [--only TEXT] [--small] [--resume] [--out DIR]
                 [--data DIR] [--surefoot FILE] [--storm PYTHON] [--threads N]

Sections, all unless some are named:

  blocks    Blocksworld whose blocks drop, with costs up to a bound: the larger the bound, the more states. Boxes and the paper's algorithm to a gap of 0.01
            (and 1e-5 where wanted), exploration as the truth where it is reachable within its limit
  qcomp     the models of ../shared/data/qcomp without a policy: does the interval contain the reference, when was it at most 0.05 and 1e-3 wide
  storm     Storm on the induced model, which `surefoot induce` writes

Networks: the two that PlaJA publishes (4 blocks 16x16, 6 blocks 32x32, both read costs), those of distil.py, and trained ones of the benchmark set.

Seconds are the tool's own, from the start of the process; one thread unless --threads says otherwise. A run that meets its limit keeps its interval and is
marked: nothing is left out. Intervals of one instance that do not meet end the script.

Writes benchmarks/results/bounds_SECTION.csv; with --small, --only or other limits to target/bench/bounds instead, unless --out says where.
`bounds_report.py` makes tables of them. Every run is kept in target/bench/bounds_runs.jsonl, and --resume takes those of the same program, files and
limit from there, but none that were made while the machine was busy. --small takes some minutes.
"""

import argparse
import csv
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import distil
import instances

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BENCH = TARGET / "bench"
RUNS = BENCH / "bounds_runs.jsonl"
LIMIT, PAPER_LIMIT, EXPLICIT_LIMIT = 60.0, 120.0, 120.0
# A load average at which times mean little.
BUSY = 1.5
# A run that does not end by itself is ended so much later.
GRACE = 60.0
PLAJA = {4: "plaja/rddps22/blocksworld/networks/learned_cost05_non_terminal/blocksworld_4_3_16_16.jani2nnet",
         6: "plaja/icaps22/blocksworld/networks/blocksworld_6_5/learned_cost05_non_terminal/blocksworld_6_5_32_32.jani2nnet"}
# Blocks, bound of costs, most blocks on the table at the start (0: all but one), start costs, precision.
BLOCKS = [(4, 12, 0, "order", 0.01), (4, 12, 0, "free", 0.01), (4, 25, 0, "free", 0.01), (4, 50, 0, "order", 0.01),
          (4, 50, 0, "order", 1e-5), (4, 50, 0, "free", 0.01), (6, 12, 0, "order", 0.01), (6, 12, 4, "order", 0.01),
          (6, 12, 4, "free", 0.01), (6, 50, 4, "order", 0.01), (6, 50, 0, "order", 0.01), (8, 8, 0, "order", 0.01),
          (8, 8, 0, "free", 0.01), (8, 8, 5, "order", 0.01), (8, 8, 5, "free", 0.01)]
SMALL_BLOCKS = [(4, 12, 0, "order", 0.01), (6, 12, 4, "order", 0.01)]
FIGURES = {"abstract_states": "reachable_states", "abstract_starts": "start_states", "transitions": "transitions",
           "predicates": "predicates", "concrete_states": "concrete_states", "iterations": "iterations",
           "most_paths": "most_paths", "analysis_seconds": "analysis_seconds", "last_p_u": "last_p_u",
           "queries": "oracle_queries", "nodes": "oracle_nodes"}
REFINED = ["transition_paths", "transition_sets", "policy_paths", "policy_sets"]
RUN = ["lower", "upper", "width", "seconds", "cpu", "megabytes", "ended", "limit", *FIGURES, *REFINED, "load"]


class Instance:
    """A question: what `surefoot bounds` is given."""

    def __init__(self, name, arguments, files, **about):
        self.name, self.arguments, self.about = name, [str(part) for part in arguments], about
        self.hash = hashlib.sha256(b"".join(pathlib.Path(file).read_bytes() for file in files)).hexdigest()[:16]


def number(value):
    """An end of an interval: a number, or a fraction in text."""
    if isinstance(value, str):
        over, under = value.split("/")
        return int(over) / int(under)
    return float(value)


class Bench:
    """How runs are made, and all that were."""

    def __init__(self, given):
        self.given = given
        self.program = hashlib.sha256(given.surefoot.read_bytes()).hexdigest()[:16]
        self.kept, self.intervals = {}, {}
        if given.resume and RUNS.exists():
            for line in RUNS.read_text(encoding="utf-8").splitlines():
                run = json.loads(line)
                if run["load"] <= BUSY:
                    self.kept[run["key"]] = run

    def wanted(self, name):
        """Whether an instance was asked for."""
        return any(name.startswith(prefix) for prefix in self.given.only.split(","))

    def generate(self, name, domain, *settings, **about):
        """An instance of the zoo."""
        folder = BENCH / "bounds_instances" / name
        command = [self.given.surefoot, "zoo", "generate", domain, *settings, "--out", folder]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
        files = sorted(file for file in folder.iterdir() if file.is_file())
        arguments = [folder / "model.jani", "--properties", folder / "properties.jani"]
        return Instance(name, arguments, files, **about)

    def run(self, instance, options, limit):
        """One run, or the one that was kept."""
        options = [str(part) for part in options]
        parts = [self.program, instance.name, instance.hash, *options, limit, self.given.threads]
        key = " ".join(map(str, parts))
        found = self.kept.get(key)
        if found is None:
            found = {"key": key, **self.measure(instance, options, limit)}
            self.kept[key] = found
            RUNS.parent.mkdir(parents=True, exist_ok=True)
            with RUNS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")
        self.compare(instance, found)
        return found

    def compare(self, instance, run):
        """That all intervals of an instance have a number in common, but for what rounding to floats may do."""
        if run["lower"] == "":
            return
        low, high, _ = self.intervals.get(instance.name, (0.0, 1.0, ""))
        if run["lower"] > high + 1e-9 or run["upper"] < low - 1e-9:
            sys.exit(f"contradiction on {instance.name}:\n{self.intervals[instance.name]}\n{run}")
        self.intervals[instance.name] = (max(low, run["lower"]), min(high, run["upper"]), run["key"])

    def measure(self, instance, options, limit):
        """What a run says, and what it took."""
        given = self.given
        command = [given.surefoot, "bounds", *instance.arguments, *options, "--threads", given.threads, "--time-limit", limit,
                   "--json", "-", "--quiet"]
        load = os.getloadavg()[0]
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            events = pathlib.Path(folder) / "events.jsonl"
            command = [str(part) for part in [*command, "--events", events]]
            child = subprocess.Popen(command, stdout=out, stderr=err)
            usage = wait(child, limit + GRACE)
            out.seek(0)
            err.seek(0)
            text = out.read().decode()
            if usage is None:
                return {"ended": "killed", "lower": "", "upper": "", "width": "", "seconds": limit + GRACE, "cpu": "",
                        "megabytes": "", "limit": limit, "load": load, "events": []}
            # 0: precise or holds, 1: violated, 2: refused, 3: a limit.
            if child.returncode not in (0, 1, 3):
                reason = err.read().decode().strip()
                if "refused" not in reason and "internal error" in reason:
                    sys.exit(f"{' '.join(command)}\nended with {child.returncode}\n{reason}")
                return {"ended": f"refused: {reason.splitlines()[0] if reason else ''}", "lower": "", "upper": "", "width": "",
                        "seconds": "", "cpu": "", "megabytes": "", "limit": limit, "load": load, "events": []}
            result, told = json.loads(text), band(events)
        value, statistics = result.get("value"), result["statistics"]
        run = {"ended": {0: "precise", 1: "violated", 3: "limit"}[child.returncode], "seconds": result["seconds"],
               "cpu": round(usage.ru_utime, 4), "megabytes": usage.ru_maxrss // 1024, "limit": limit, "load": load,
               "verdict": result["verdict"], "reason": result["reason"], "engine": result["engine"], "events": told,
               "lower": "", "upper": "", "width": ""}
        if value:
            run["lower"], run["upper"] = number(value["lo"]), number(value["hi"])
            run["width"] = run["upper"] - run["lower"]
        run.update({name: statistics.get(theirs, "") for name, theirs in FIGURES.items()})
        run.update({name: statistics.get("refinements", {}).get(name, "") for name in REFINED})
        return run

    def write(self, section, rows, columns):
        """The rows of a section; none of them leaves an old file as it is."""
        if not rows:
            return
        self.given.out.mkdir(parents=True, exist_ok=True)
        with (self.given.out / f"bounds_{section}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)


def wait(child, seconds):
    """The resources of a child that has ended; nothing of one that had to be ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
        if done:
            child.returncode = os.waitstatus_to_exitcode(status)
            return usage
        time.sleep(0.01)
    child.kill()
    child.wait()
    return None


def band(path):
    """The interval over time: seconds, from below, from above, p_u."""
    told = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        event = json.loads(line)
        if "lower" in event:
            entry = [round(event["seconds"], 4), event["lower"], event["upper"], event.get("p_u")]
            if not told or told[-1][1:] != entry[1:]:
                told.append(entry)
    return told


def first(run, condition):
    """When a run's interval first met a condition; also at its end."""
    for seconds, lower, upper, _ in run["events"]:
        if condition(lower, upper):
            return seconds
    if run["lower"] != "" and condition(run["lower"], run["upper"]):
        return run["seconds"]
    return ""


def shown(instance, what, run):
    """One line for people."""
    interval = f"[{run['lower']:.6f}, {run['upper']:.6f}]" if run["lower"] != "" else "-"
    seconds = f"{run['seconds']:8.2f} s" if run["seconds"] != "" else "       -  "
    print(f"{instance.name:28} {what:30} {interval:24} {seconds} {run['ended']}", flush=True)


def boxes(precision):
    """Our algorithm."""
    return ["--engine", "cegar", "--precision", precision]


def paper(step, init="0"):
    """The paper's."""
    return ["--engine", "cegar", "--algorithm", "paper", "--p-step", step, "--p-init", init]


def blocksworld(bench, blocks, bound, table, start, network, name):
    """Blocksworld with dropping blocks under a given network."""
    settings = [f"blocks={blocks}", f"bound={bound}", f"start_table={table}", f"start={start}", "drop=on"]
    label = f"{blocks} blocks, costs to {bound}, {'any' if not table else f'at most {table}'} on the table, start {start}"
    return bench.generate(name, "blocksworld", *settings, *network, label=label)


def networks(bench, blocks, bound):
    """Networks for so many blocks, by name: PlaJA's where it is there, and ours."""
    found, tasks = {}, distil.tasks()
    plaja = PLAJA.get(blocks)
    if plaja and (bench.given.data / plaja).exists():
        found["plaja"] = [f"networks={bench.given.data / plaja}"]
    # Ours have seen costs up to this bound.
    if blocks == 8:
        found["ours"] = [f"networks={distil.distilled(tasks['bw8'], 16)}", "costs=ignoring"]
    elif bound == distil.BOUND:
        width = 16 if blocks == 4 else 32
        found["ours"] = [f"networks={distil.distilled(tasks[f'bw{blocks}c'], width)}"]
    trained = instances.entries().get(f"bw{blocks}_aware_{64 if blocks == 8 else 32}")
    if trained and bound == distil.BOUND:
        found["trained"] = [f"networks={instances.FOLDER / trained['network']}"]
    return found


def section_blocks(bench):
    """Blocksworld over bounds of costs."""
    rows, columns = [], ["instance", "label", "network", "algorithm", "precision", "truth", *RUN]
    truths = {}
    for blocks, bound, table, start, precision in SMALL_BLOCKS if bench.given.small else BLOCKS:
        for network, settings in networks(bench, blocks, bound).items():
            name = f"blocks_{blocks}_{bound}_t{table}_{start}_{network}"
            if not bench.wanted(name):
                continue
            instance = blocksworld(bench, blocks, bound, table, start, settings, name)
            algorithms = {"boxes": (boxes(precision), bench.given.limit), "paper": (paper(precision), bench.given.paper_limit),
                          "explicit": (["--engine", "explicit", "--precision", "1e-6"], bench.given.explicit_limit)}
            for algorithm, (options, limit) in algorithms.items():
                if algorithm == "explicit" and name in truths:
                    continue
                run = bench.run(instance, options, limit)
                shown(instance, f"{algorithm} {precision}", run)
                if algorithm == "explicit" and run["ended"] == "precise":
                    truths[name] = run["lower"]
                rows.append({"instance": name, "label": instance.about["label"], "network": network, "algorithm": algorithm,
                             "precision": precision, **run})
            bench.write("blocks", rows, columns)
    for row in rows:
        row["truth"] = truths.get(row["instance"], "")
    bench.write("blocks", rows, columns)


def section_qcomp(bench):
    """QComp models without a policy."""
    folder = bench.given.data / "qcomp"
    if not (folder / "index.json").exists():
        return print(f"qcomp is left out: no {folder}", file=sys.stderr)
    rows, columns = [], ["model", "constants", "property", "question", "reference", "states", "algorithm", "contains", "closed_005", "closed_0001", *RUN]
    entries = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    if bench.given.small:
        entries = [entry for entry in entries if entry["states"] < 1000]
    for entry in entries:
        name = f"{entry['file'].removesuffix('.jani')}_{entry['property']}"
        if not bench.wanted(name):
            continue
        constants = [f"{key}={json.dumps(value)}" for key, value in entry["constants"].items()]
        given = [word for constant in constants for word in ("--const", constant)]
        arguments = [folder / entry["file"], "--property", entry["property"], *given]
        instance = Instance(name, arguments, [folder / entry["file"]])
        for algorithm, options, limit in (("boxes", boxes(1e-3), bench.given.limit),
                                          ("paper", paper("0.001"), bench.given.limit)):
            run = bench.run(instance, options, limit)
            shown(instance, algorithm, run)
            row = {"model": entry["file"], "constants": " ".join(constants), "property": entry["property"],
                   "question": entry["kind"], "reference": entry["reference"], "states": entry["states"],
                   "algorithm": algorithm, **run}
            if isinstance(entry["reference"], bool):
                # A comparison: what is wanted is the verdict.
                row["contains"] = "" if run.get("verdict") in (None, "unknown") else (run["verdict"] == "holds") == entry["reference"]
                row["closed_005"] = row["closed_0001"] = run["seconds"] if run["ended"] in ("precise", "violated") else ""
            elif run["lower"] != "":
                row["contains"] = run["lower"] - 1e-12 <= entry["reference"] <= run["upper"] + 1e-12
                row["closed_005"] = first(run, lambda lower, upper: upper - lower <= 0.05)
                row["closed_0001"] = first(run, lambda lower, upper: upper - lower <= 1e-3)
            if row.get("contains") is False:
                sys.exit(f"{name}: the interval does not contain the reference {entry['reference']}: {run}")
            rows.append(row)
        bench.write("qcomp", rows, columns)


def section_storm(bench):
    """Storm on the induced model where it can be built."""
    if not bench.given.storm:
        return print("storm is left out: give a Python interpreter that has stormpy with --storm", file=sys.stderr)
    rows = []
    columns = ["instance", "label", "version", "states", "induce_seconds", "storm_build", "storm_check", "storm_value", "ended",
               "boxes_lower", "boxes_upper", "boxes_seconds", "auto_seconds", "limit", "load"]
    limit = bench.given.explicit_limit
    for blocks, bound, table, start, precision in SMALL_BLOCKS if bench.given.small else BLOCKS:
        for network, settings in networks(bench, blocks, bound).items():
            name = f"blocks_{blocks}_{bound}_t{table}_{start}_{network}"
            if precision != 0.01 or not bench.wanted(name):
                continue
            instance = blocksworld(bench, blocks, bound, table, start, settings, name)
            row = {"instance": name, "label": instance.about["label"], "limit": limit, "load": os.getloadavg()[0]}
            ours = bench.run(instance, boxes(0.01), bench.given.limit)
            auto = bench.run(instance, ["--engine", "auto", "--precision", 0.01], bench.given.limit)
            row.update(boxes_lower=ours["lower"], boxes_upper=ours["upper"], boxes_seconds=ours["seconds"],
                       auto_seconds=auto["seconds"])
            with tempfile.TemporaryDirectory() as folder:
                row.update(storm(bench, instance, pathlib.Path(folder) / "induced.umb", limit))
            if row.get("storm_value", "") != "" and not ours["lower"] - 2e-6 <= row["storm_value"] <= ours["upper"] + 2e-6:
                sys.exit(f"{name}: Storm says {row['storm_value']}, we say {ours}")
            rows.append(row)
            print(row, flush=True)
            bench.write("storm", rows, columns)


def storm(bench, instance, induced, limit):
    """What Storm says of an induced model, or why there is none."""
    command = [bench.given.surefoot, "induce", *instance.arguments, "--out", induced, "--numbers", "double", "--quiet",
               "--time-limit", limit, "--json", "-"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"ended": "not induced within the limit"}
    seconds = json.loads(done.stdout)["seconds"]
    check = [bench.given.storm, ROOT / "benchmarks/storm_check.py", induced, 'Pmax=? [F "unsafe"]']
    try:
        done = subprocess.run([str(part) for part in check], capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return {"ended": "Storm met the limit", "induce_seconds": seconds}
    if done.returncode:
        return {"ended": f"Storm failed: {done.stderr.strip().splitlines()[-1:]}", "induce_seconds": seconds}
    found = json.loads(done.stdout.splitlines()[-1])
    return {"ended": "done", "induce_seconds": seconds, "version": found["version"], "states": found["states"],
            "storm_build": round(found["build"], 4), "storm_check": round(found["check"], 4), "storm_value": found["value"]}


SECTIONS = {"blocks": section_blocks, "qcomp": section_qcomp, "storm": section_storm}


def main():
    """Runs what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"one of {', '.join(SECTIONS)}")
    parser.add_argument("--limit", type=float, help=f"seconds for each run ({LIMIT:g})")
    parser.add_argument("--paper-limit", type=float, help=f"seconds for each run of the paper's algorithm ({PAPER_LIMIT:g})")
    parser.add_argument("--explicit-limit", type=float, help=f"seconds for each run that visits all states ({EXPLICIT_LIMIT:g})")
    parser.add_argument("--only", help="instances whose names begin so, with commas")
    parser.add_argument("--small", action="store_true", help="few instances, short limits")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--surefoot", type=pathlib.Path, default=TARGET / "release/surefoot")
    parser.add_argument("--storm", help="a Python interpreter that has stormpy")
    given = parser.parse_args()
    for section in given.sections:
        if section not in SECTIONS:
            parser.error(f"there is no section '{section}': use {', '.join(SECTIONS)}")
    limits = (given.limit, given.paper_limit, given.explicit_limit)
    full = all(limit is None for limit in limits) and given.only is None and not given.small and given.threads == 1
    given.out = given.out or (RESULTS if full else BENCH / "bounds")
    small = 5.0 if given.small else None
    given.limit, given.paper_limit = given.limit or small or LIMIT, given.paper_limit or small or PAPER_LIMIT
    given.explicit_limit, given.only = given.explicit_limit or small or EXPLICIT_LIMIT, given.only or ""
    given.data, given.surefoot = given.data.resolve(), given.surefoot.resolve()
    if os.getloadavg()[0] > BUSY:
        print(f"the machine is busy (load average {os.getloadavg()[0]:.1f}): only CPU seconds mean something", file=sys.stderr)
    bench = Bench(given)
    for name in given.sections or SECTIONS:
        SECTIONS[name](bench)
    print(f"wrote {given.out}/bounds_*.csv")


if __name__ == "__main__":
    main()
