"""Policy predicate abstraction: how long it takes, and how that grows.

Usage: abstraction.py [--data DIR] [--surefoot FILE]

DIR is the shared data folder (default: ../shared/data beside the repository, or $SUREFOOT_DATA). Measures `surefoot abstract`
on blocksworld_6_5 with its 43 predicates by every exact method, on one thread and on two; and the growth on racetrack
(barto-small, the published 16x16 network) with the number of predicates and of start states, and with the width of a random
network. Writes benchmarks/results/abstraction.csv and one SVG per growth. Wall seconds as the tool reports them, on
blocksworld by the default method the best of three runs; kilobytes are the peak of the whole process.
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
NETWORK = "plaja/icaps22/racetrack/networks/simple/barto-small/no_filtering"
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


def racetrack(tool, data, folder):
    """Growth with predicates, start states and width."""
    rows = []

    def generate(name, *settings):
        target = folder / name
        subprocess.run([tool, "zoo", "generate", "racetrack", *settings, "--out", target], check=True,
                       capture_output=True)
        return target

    def predicates(instance, count):
        file = instance / f"predicates_{count}.json"
        subprocess.run([tool, "zoo", "predicates", instance / "model.jani", "--count", str(count), "--variables",
                        "car0_x,car0_y,car0_dx,car0_dy", "--out", file], check=True, capture_output=True)
        return file

    def run(study, x, instance, count, threads=1):
        arguments = [instance / "model.jani", "--properties", instance / "properties.jani", "--property", "no-crash",
                     "--policy", instance / "policy.policy.json", "--predicates", predicates(instance, count), "--expand-unsafe"]
        rows.append(measure(tool, study, x, "builtin", threads, arguments, 1))

    network = f"networks={data / NETWORK}"
    one = generate("one", network)
    for count in (4, 10, 20, 30, 40, 50, 60):
        run("predicates", count, one, count)
    for starts in (1, 100, 300, 600, 1000):
        run("start states", starts, generate(f"starts{starts}", network, "start=states", f"count={starts}"), 30)
    for width in (16, 32, 64, 128):
        run("width", width, generate(f"width{width}", "policy=random", f"hidden={width},{width}"), 30)
    return rows


def plot(rows, study):
    """A small SVG: seconds and reachable states over the varied number."""
    points = [(float(r["x"]), float(r["seconds"]), float(r["reachable_states"])) for r in rows if r["study"] == study]
    width, height, margin = 420, 260, 40

    def place(values, low, high):
        return [low + (v - min(values)) / ((max(values) - min(values)) or 1) * (high - low) for v in values]

    xs = place([p[0] for p in points], margin, width - margin)
    lines = []
    for index, colour, name in ((1, "#1f77b4", "seconds"), (2, "#d62728", "abstract states")):
        values = [p[index] for p in points]
        ys = place(values, height - margin, margin)
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys))
        lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        lines.append(f'<text x="{margin}" y="{14 * index}" fill="{colour}" font-size="12">{name}: '
                     f'{min(values):g} to {max(values):g}</text>')
    labels = "".join(f'<text x="{x:.1f}" y="{height - 12}" font-size="10" text-anchor="middle">{p[0]:g}</text>'
                     for x, p in zip(xs, points))
    body = "\n".join(lines)
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">\n{body}\n'
            f'{labels}\n<text x="{width / 2}" y="{height}" font-size="11" text-anchor="middle">{study}</text>\n</svg>\n')
    (RESULTS / f"abstraction_{study.replace(' ', '_')}.svg").write_text(text, encoding="utf-8")


def main():
    """Measures all and writes the results."""
    parser = argparse.ArgumentParser()
    default = os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data")
    parser.add_argument("--data", type=pathlib.Path, default=default)
    parser.add_argument("--surefoot", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/surefoot")
    given = parser.parse_args()
    rows = blocksworld(given.surefoot, given.data)
    with tempfile.TemporaryDirectory() as folder:
        rows += racetrack(given.surefoot, given.data, pathlib.Path(folder))
    with (RESULTS / "abstraction.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    for study in ("predicates", "start states", "width"):
        plot(rows, study)


if __name__ == "__main__":
    main()
