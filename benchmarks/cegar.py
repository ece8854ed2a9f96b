"""Counterexample-guided refinement: growth, what each ingredient gives, goals. Strategies side by side are `surefoot zoo experiment cegar`.

Usage: cegar.py [--study NAME] [--seeds N] [--limit SECONDS] [--give-up N] [--only TEXT] [--threads N]
                [--resume] [--out DIR] [--data DIR] [--surefoot FILE]

Studies, all unless one is named:

  growth    our strategy over the number of blocks and the width of the network, each series up to where it meets the limit;
            networks that imitate a teacher (distil.py), then trained ones
  ablation  our strategy without one ingredient, with and without applicability filter, on both
  goals     the times that we want, and those that we have

No predicates are given. Seconds are the tool's own, CPU seconds those of the process, user mode; one thread. As in the
paper a run that meets the limit counts as twice the limit; where the first --give-up seeds of an instance all meet it,
the others are not run (the column `runs` says how many were). Two runs that contradict each other end the script.

We also exclude errors of the model (assignments that leave a variable's domain), of which the papers say nothing. A run that proved safety
and met the limit over these says *holds* with an assumption: here it is `conditional`, and counts as one that met the
limit. So that strategies can be compared with the papers', `proof_*` are seconds and iterations up to the
first search that found no abstract path to an unsafe state, whatever came after it.

The full size writes benchmarks/results/cegar_*.csv and plots; with --only, --seeds, --limit or --give-up results go to
target/bench/cegar instead, unless --out says where. `cegar_report.py` makes tables of them. Every run is also kept in
target/bench/cegar_runs.jsonl, and --resume takes those of the same program, files and limit from there, but none
that were made while the machine was busy.
"""

import argparse
import csv
import hashlib
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import distil
import instances

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BENCH = TARGET / "bench"
RUNS = BENCH / "cegar_runs.jsonl"
SEEDS, LIMIT, GIVE_UP = 10, 30.0, 3
KINDS = {"bw4": "4 Blocks (cost-ign)", "bw6": "6 Blocks (cost-ign)", "bw8": "8 Blocks (cost-ign)",
         "tiles": "8-puzzle (cost-ign)", "bw4c": "4 Blocks (cost-awa)", "bw6c": "6 Blocks (cost-awa)",
         "bw8c": "8 Blocks (cost-awa)"}
FIGURES = {"iterations": "iterations", "policy_iterations": "policy_refinements", "predicates": "predicates",
           "policy_predicates": "policy_predicates", "reachable": "reachable_states", "expanded": "expanded_in_all",
           "queries": "oracle_queries", "nodes": "oracle_nodes"}
COLUMNS = ["instance", "kind", "width", "preset", "options", "limit", "threads", "runs", "holds", "violated", "conditional",
           "unknown", "seconds_mean", "seconds_deviation", "seconds_median", "seconds_min", "seconds_max", "cpu_mean",
           "proof_runs", "proof_seconds_mean", "proof_seconds_deviation", "proof_seconds_median", "proof_iterations_mean",
           *(f"{name}_{what}" for name in FIGURES for what in ("mean", "deviation")), "load"]
ABLATION = {"explain": [], "without whole domains": ["--preset", "explain-only"],
            "without explanation": ["--preset", "entailed-whole"], "shallowest first": ["--order", "shallowest"],
            "breadth first": ["--order", "breadth"], "neither, shallowest first": ["--preset", "plaja"]}
# Trained policies of each domain that our strategy decides.
TRAINED = ("bw4_ignoring_16", "bw6_ignoring_filter_32", "transport5_3_32", "race_barto-small_32", "tiles2x2_ignoring_32")
FILTER = ["--filter", "on"]
# What we want: the median of all seeds, and the worst of them.
GOALS = (("plaja_bw4", [], 0.1, None), ("plaja_bw6", [], 1.0, 5.0), ("bw8_16", [], 1.0, None), ("bw8_16", FILTER, 10.0, None),
         ("tiles_16", FILTER, 10.0, None), ("bw8c_32", [], 8.0, None), ("bw8c_64", [], 60.0, None), ("bw9c_32", [], 300.0, None))


# A load average at which times mean little.
BUSY = 1.5
# Verdicts of runs that met the limit.
OPEN = ("conditional", "unknown")


def proved(events):
    """When a search first found no abstract path to an unsafe state: it has expanded every state that it reached."""
    for line in events.read_text(encoding="utf-8").splitlines() if events.exists() else ():
        event = json.loads(line)
        if event["event"] == "iteration" and event["states"] == event["expanded"] > 0:
            return {"proof_seconds": event["seconds"], "proof_iterations": event["iteration"]}
    return {}


class Instance:
    """A question: what `surefoot verify` is given."""

    def __init__(self, name, kind, width, arguments, files):
        self.name, self.kind, self.width, self.arguments = name, kind, width, [str(part) for part in arguments]
        self.hash = hashlib.sha256(b"".join(pathlib.Path(file).read_bytes() for file in files)).hexdigest()[:16]


class Bench:
    """How runs are made, and all that were."""

    def __init__(self, given):
        self.given = given
        self.program = hashlib.sha256(given.surefoot.read_bytes()).hexdigest()[:16]
        self.kept, self.verdicts = {}, {}
        if given.resume and RUNS.exists():
            for line in RUNS.read_text(encoding="utf-8").splitlines():
                run = json.loads(line)
                if run["load"] <= BUSY:
                    self.kept[run["key"]] = run

    def wanted(self, name):
        """Whether an instance was asked for."""
        return any(name.startswith(prefix) for prefix in self.given.only.split(","))

    def generate(self, name, kind, width, domain, *settings):
        """An instance of the zoo."""
        folder = BENCH / "cegar_instances" / name
        command = [self.given.surefoot, "zoo", "generate", domain, *settings, "--out", folder]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
        files = sorted(file for file in folder.iterdir() if file.is_file())
        arguments = [folder / "model.jani", "--properties", folder / "properties.jani"]
        return Instance(name, kind, width, arguments, files)

    def distilled(self, task, width):
        """The instance of a network that imitates a teacher."""
        network = distil.distilled(task, width)
        name = f"{task.name}_{width}"
        kind = KINDS.get(task.name, f"{getattr(task, 'blocks', 0)} Blocks")
        return self.generate(name, kind, width, task.domain, *task.settings, f"networks={network}")

    def trained(self, name):
        """An instance of the benchmark set, whose network was trained."""
        entry = instances.entries()[name]
        made = self.generate(name, f"{entry['domain']}, trained", entry["width"], entry["domain"], *instances.settings(entry))
        made.arguments = [str(part) for part in instances.question(entry, BENCH / "cegar_instances" / name)]
        return made

    def run(self, instance, engine, options, seed):
        """One run, or the one that was kept."""
        given = self.given
        parts = [self.program, instance.name, instance.hash, engine, *options, seed, given.limit, given.threads]
        key = " ".join(map(str, parts))
        found = self.kept.get(key)
        if found is None:
            found = {"key": key, **self.measure(instance, engine, options, seed)}
            self.kept[key] = found
            RUNS.parent.mkdir(parents=True, exist_ok=True)
            with RUNS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(found) + "\n")
        if found["verdict"] != "unknown":
            said = "violated" if found["verdict"] == "violated" else "holds"
            filtered = "--filter on" in " ".join(options)
            first = self.verdicts.setdefault((instance.name, filtered), (said, key))
            if first[0] != said:
                sys.exit(f"contradiction on {instance.name}:\n{first}\n{(said, key)}")
        return found

    def measure(self, instance, engine, options, seed):
        """What a run says, and what it took."""
        given = self.given
        command = [given.surefoot, "verify", *instance.arguments, "--engine", engine, "--ignore-predicates", "--seed", seed,
                   "--threads", given.threads, "--time-limit", given.limit, "--json", "-", "--quiet", *options]
        load = os.getloadavg()[0]
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            events = pathlib.Path(folder) / "events.jsonl"
            command = [str(part) for part in [*command, "--events", events]]
            child = subprocess.Popen(command, stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            # 0: holds, 1: violated, 3: unknown.
            if child.returncode not in (0, 1, 3):
                sys.exit(f"{' '.join(command)}\nended with {child.returncode}\n{err.read().decode()}")
            result = json.loads(out.read())
            proof = proved(events) if engine == "cegar" else {}
        verdict = result["verdict"]
        # Safety proved, errors of the model open.
        if verdict == "unknown" and "open_errors" in result:
            verdict = "conditional"
        if verdict == "violated" or not proof and verdict == "holds":
            proof = {"proof_seconds": result["seconds"], "proof_iterations": result["statistics"].get("iterations")}
        figures = {name: result["statistics"].get(theirs) for name, theirs in FIGURES.items()}
        return {"verdict": verdict, "reason": result.get("reason"), "seconds": result["seconds"],
                "cpu": usage.ru_utime, "load": load, **figures,
                "proof_seconds": proof.get("proof_seconds"), "proof_iterations": proof.get("proof_iterations")}

    def row(self, instance, preset, options=(), engine="cegar", seeds=None):
        """All seeds of one configuration on one instance."""
        given, options, runs = self.given, list(options), []
        for seed in range(seeds or given.seeds):
            runs.append(self.run(instance, engine, options, seed))
            if len(runs) == given.give_up and all(run["verdict"] in OPEN for run in runs):
                break
        verdicts = [run["verdict"] for run in runs]
        seconds = [2 * given.limit if run["verdict"] in OPEN else run["seconds"] for run in runs]
        proofs = [2 * given.limit if run["proof_seconds"] is None else run["proof_seconds"] for run in runs]
        steps = [run["proof_iterations"] for run in runs if run["proof_iterations"] is not None]
        row = {"instance": instance.name, "kind": instance.kind, "width": instance.width, "preset": preset,
               "options": " ".join(options), "limit": given.limit, "threads": given.threads, "runs": len(runs),
               **{word: verdicts.count(word) for word in ("holds", "violated", "conditional", "unknown")},
               "proof_runs": sum(run["proof_seconds"] is not None for run in runs),
               "proof_seconds_median": round(statistics.median(proofs), 4),
               "proof_iterations_mean": round(statistics.mean(steps), 4) if steps else "",
               "seconds_median": round(statistics.median(seconds), 4), "seconds_min": round(min(seconds), 4),
               "seconds_max": round(max(seconds), 4), "cpu_mean": round(statistics.mean(run["cpu"] for run in runs), 4),
               "load": round(max(run["load"] for run in runs), 2)}
        # Figures of runs that ended: those of others say where they were stopped.
        ended = [run for run in runs if run["verdict"] not in OPEN]
        samples = {"seconds": seconds, "proof_seconds": proofs}
        samples.update((name, [run[name] for run in ended if run[name] is not None]) for name in FIGURES)
        for name, values in samples.items():
            row[f"{name}_mean"] = round(statistics.mean(values), 4) if values else ""
            row[f"{name}_deviation"] = round(statistics.stdev(values), 4) if len(values) > 1 else ""
        counts = "/".join(str(row[word]) for word in ("holds", "violated", *OPEN))
        print(f"{instance.name:12} {preset:26} {row['options']:34} {counts} median {row['seconds_median']} s, proof "
              f"{row['proof_seconds_median']} s, CPU {row['cpu_mean']} s, {row['iterations_mean']} iterations, "
              f"{row['predicates_mean']} predicates, {row['reachable_mean']} states", flush=True)
        return row

    def write(self, study, rows, extra=()):
        """The rows of a study; none of them leaves an old file as it is."""
        if not rows:
            return
        self.given.out.mkdir(parents=True, exist_ok=True)
        with (self.given.out / f"cegar_{study}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [*extra, *COLUMNS])
            writer.writeheader()
            writer.writerows(rows)


def originals(bench):
    """PlaJA's own instances, where they are there."""
    plaja = bench.given.data / "plaja"
    four = plaja / "blocksworld"
    six = plaja / "icaps22/blocksworld"
    compact = "compact_starts_cost_predicates_afterwards"
    found = []
    for name, kind, width, model, properties, constants in (
            ("plaja_bw4", "blocksworld_4_3", 16, four / "cost_terminal/models/legacy_enc/blocksworld_4_3.jani",
             four / "additional_properties/safety_verification/blocksworld_4_3" / compact / f"pa_{compact}_blocksworld_4_3.jani",
             ["--const", "failing_probability=0.5", "--const", "item_cost_bound=50"]),
            ("plaja_bw6", "blocksworld_6_5", 32, six / "models/cost05/blocksworld_6_5.jani",
             six / "additional_properties/safety_verification/cost05/blocksworld_6_5" / compact /
             "learned_cost05_non_terminal" / f"pa_{compact}_blocksworld_6_5_32_32.jani", [])):
        if not bench.wanted(name):
            continue
        if not (model.exists() and properties.exists()):
            print(f"{name} is left out: no {model}", file=sys.stderr)
            continue
        arguments = [model, "--properties", properties, "--property", "1", *constants]
        found.append(Instance(name, kind, width, arguments, [model, properties]))
    return found


def growth(bench):
    """Series over blocks and width."""
    rows, seeds = [], min(bench.given.seeds, 3)
    for aware in (False, True):
        word = "cost-aware" if aware else "cost-ignoring"
        for varied, steps in (("blocks", range(3, 10)), ("width", (16, 32, 64, 128))):
            for x in steps:
                task = distil.Blocks(x if varied == "blocks" else 6, aware)
                width = x if varied == "width" else 32
                if not bench.wanted(f"{task.name}_{width}"):
                    continue
                row = bench.row(bench.distilled(task, width), "explain", seeds=seeds)
                rows.append({"series": f"{varied}, {word}", "x": x, **row})
                if row["unknown"] + row["conditional"] == row["runs"]:
                    break
            bench.write("growth", rows, ["series", "x"])
    for entry in instances.entries().values():
        if entry["domain"] == "blocksworld" and not entry["probabilistic"] and bench.wanted(entry["name"]):
            blocks, word = int(entry["size"].split()[0]), f"cost-{entry['costs']}{', filter' if entry['filter'] else ''}, trained"
            row = bench.row(bench.trained(entry["name"]), "explain", seeds=seeds)
            rows.append({"series": f"width, {blocks} blocks, {word}", "x": entry["width"], **row})
            bench.write("growth", rows, ["series", "x"])
    for varied in ("blocks", "width"):
        plot([row for row in rows if row["series"].startswith(varied) and not row["series"].endswith("trained")], varied, bench.given.out)


def ablation(bench):
    """Ingredients, one at a time."""
    tasks, data = distil.tasks(), bench.given.data
    made = originals(bench)
    made += [bench.distilled(tasks[name], 16) for name in ("bw8", "tiles") if bench.wanted(f"{name}_16")]
    if bench.wanted("transport"):
        made.append(bench.generate("transport", "Transport", "", "transport", "length=10", "policy=single"))
    track = data / "plaja/icaps22/racetrack/networks/simple/barto-small/no_filtering"
    if bench.wanted("racetrack") and track.exists():
        settings = [f"networks={track}", "start=states", "count=100"]
        made.append(bench.generate("racetrack", "Racetrack", 16, "racetrack", *settings))
        made[-1].arguments += ["--property", "no-crash"]
    made += [bench.trained(name) for name in TRAINED if bench.wanted(name)]
    rows = []
    for instance in made:
        for filtering in ("off", "on"):
            for name, options in ABLATION.items():
                rows.append(bench.row(instance, name, [*options, "--filter", filtering]))
        bench.write("ablation", rows)


def goals(bench):
    """What we want and have."""
    tasks = {**distil.tasks(), "bw9c": distil.Blocks(9, True)}
    made = {instance.name: instance for instance in originals(bench)}
    rows = []
    for name, options, median, worst in GOALS:
        if name not in made and not name.startswith("plaja") and bench.wanted(name):
            task, width = name.split("_")
            made[name] = bench.distilled(tasks[task], int(width))
        if name in made:
            rows.append({"goal_median": median, "goal_worst": worst or "", **bench.row(made[name], "explain", options)})
    bench.write("goals", rows, ["goal_median", "goal_worst"])


def plot(rows, varied, folder):
    """A small SVG: seconds and abstract states over the varied number, both as logarithms; a ring is where the limit was met."""
    if not rows:
        return
    width, height, margin = 520, 320, 50
    xs = sorted({row["x"] for row in rows})
    place = {x: margin + (width - 2 * margin) * i / max(len(xs) - 1, 1) for i, x in enumerate(xs)}
    lines = []
    for index, (column, name, colours) in enumerate((("seconds_median", "seconds", ("#1f77b4", "#7fb8e6")),
                                                     ("reachable_mean", "abstract states", ("#d62728", "#f0a0a0")))):
        values = [float(row[column]) for row in rows if row[column] not in ("", 0)]
        if not values:
            continue
        low, high = math.log10(min(values)), math.log10(max(values))
        for tone, series in zip(colours, sorted({row["series"] for row in rows})):
            points = []
            for row in rows:
                if row["series"] == series and row[column] not in ("", 0):
                    share = (math.log10(float(row[column])) - low) / ((high - low) or 1)
                    points.append((place[row["x"]], height - margin - share * (height - 2 * margin),
                                   row["unknown"] + row["conditional"]))
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
            lines.append(f'<polyline fill="none" stroke="{tone}" stroke-width="2" points="{path}"/>')
            lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" stroke="{tone}"/>'
                      for x, y, stopped in points if stopped]
        lines.append(f'<text x="{margin}" y="{14 * (index + 1)}" fill="{colours[0]}" font-size="12">{name}, log: {min(values):g} to '
                     f'{max(values):g}; dark: cost-aware, light: cost-ignoring</text>')
    labels = "".join(f'<text x="{place[x]:.1f}" y="{height - 26}" font-size="10" text-anchor="middle">{x}</text>' for x in xs)
    body = "\n".join(lines)
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">\n{body}\n'
            f'{labels}\n<text x="{width / 2}" y="{height - 8}" font-size="11" text-anchor="middle">{varied}</text>\n</svg>\n')
    (folder / f"cegar_{varied}.svg").write_text(text, encoding="utf-8")


STUDIES = {"goals": goals, "growth": growth, "ablation": ablation}


def main():
    """Runs what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--study", choices=STUDIES)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--give-up", type=int)
    parser.add_argument("--only", help="instances whose names begin so, with commas: plaja_bw4,bw8c_32,tiles")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--surefoot", type=pathlib.Path, default=TARGET / "release/surefoot")
    given = parser.parse_args()
    full = all(option is None for option in (given.seeds, given.limit, given.give_up, given.only))
    given.out = given.out or (RESULTS if full and given.threads == 1 else BENCH / "cegar")
    given.seeds, given.limit, given.give_up = given.seeds or SEEDS, given.limit or LIMIT, given.give_up or GIVE_UP
    given.only = given.only or ""
    if os.getloadavg()[0] > BUSY:
        print(f"the machine is busy (load average {os.getloadavg()[0]:.1f}): only CPU seconds mean something", file=sys.stderr)
    bench = Bench(given)
    for name in [given.study] if given.study else STUDIES:
        STUDIES[name](bench)
    print(f"wrote {given.out}/cegar_*.csv")


if __name__ == "__main__":
    main()
