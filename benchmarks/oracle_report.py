"""Tables of the oracle's benchmarks, from benchmarks/results/oracle_*.csv.

Usage: oracle_report.py [--print]

Rewrites what stands between the two marks in benchmarks/RESULTS.md, or prints it.
"""

import os
import pathlib
import statistics
import subprocess
import sys

import oracle_runs as runs

BEGIN = "<!-- oracle: written by benchmarks/oracle_report.py -->"
END = "<!-- oracle: end -->"
NAMES = {"marabou_bb": "Marabou + integer B&B", "highs": "HiGHS", "marabou": "Marabou, relaxed", "z3": "Z3"}


def number(value, digits=3):
    """A number with a few significant digits."""
    if value >= 10 ** digits:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def span(microseconds):
    """A time with its unit."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{number(microseconds / size)} {unit}"
    return f"{number(microseconds)} us"


def table(header, rows):
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def groups(rows):
    """Rows by set, in order of appearance."""
    found = {}
    for row in rows:
        found.setdefault(row["set"], []).append(row)
    return found


def ours(rows):
    """Our own times per set."""
    lines = []
    for name, group in groups(rows).items():
        times = [float(row["cpu_us"]) for row in group]
        first = [float(row["first_us"]) for row in group]
        answers = [row["answer"] for row in group]
        nodes = [int(row["nodes"]) for row in group]
        answered = [row for row in group if row["answer"] != "unknown"]
        seconds = sum(float(row["cpu_us"]) for row in answered) / 1e6
        rate = f"{sum(int(row['nodes']) for row in answered) / seconds / 1e3:.0f}k" if seconds else "-"
        lines.append([name, len(group), f"{answers.count('sat')} / {answers.count('unsat')} / {answers.count('unknown')}",
                      span(statistics.median(times)), span(statistics.geometric_mean(times)), span(max(times)),
                      span(statistics.geometric_mean(first)), number(statistics.mean(nodes)), rate,
                      span(float(group[0]["setup_us"]))])
    return table(["set", "queries", "sat / unsat / open", "median", "geo. mean", "max", "geo. mean, first run",
                  "nodes/query", "nodes/s", "preparing the network"], lines)


def ratio(group, peer, verdict, column="cpu_us"):
    """Geometric mean of peer time over our time, marked where capped runs make it a lower bound."""
    chosen = [row for row in group if verdict is None or truth(row) == verdict]
    if not chosen:
        return "-"
    mean = statistics.geometric_mean(float(row[f"{peer}_seconds"]) * 1e6 / float(row[column]) for row in chosen)
    capped = any(row[f"{peer}_capped"] == "1" for row in chosen)
    # Where we hit the cap ourselves, the mean bounds nothing.
    mark = "~ " if any(row["answer"] == "unknown" for row in chosen) else ">= " if capped else ""
    return f"{mark}{number(mean, 2)} ({len(chosen)})"


def truth(row):
    """The verdict that a query is counted under."""
    return row["answer"] if row["answer"] != "unknown" else row["expected"]


def against(rows):
    """Peers per set, and over all sets."""
    lines = []
    for peer in runs.PEERS:
        timed = [row for row in rows if row[f"{peer}_seconds"]]
        sets = groups(timed)
        for name, group in [*sets.items(), *([("all", timed)] if len(sets) > 1 else [])]:
            seconds = [float(row[f"{peer}_seconds"]) * 1e6 for row in group]
            capped = sum(row[f"{peer}_capped"] == "1" for row in group)
            lines.append([NAMES[peer], name, f"{len(group) - capped} of {len(group)}",
                          span(statistics.geometric_mean(seconds)), span(max(seconds)),
                          *(ratio(group, peer, verdict) for verdict in ("sat", "unsat", None)),
                          ratio(group, peer, None, "first_us")])
    header = ["peer", "set", "answered", "geo. mean", "max", "times ours, sat", "unsat", "all", "all, first runs"]
    return table(header, lines) if lines else "No peers were run.\n"


def failures(rows):
    """What peers got wrong or failed at."""
    count = {}
    for row in rows:
        for peer in runs.PEERS:
            if row[f"{peer}_answer"] in ("error", "sat, wrong point"):
                key = f"{NAMES[peer]}: {row[f'{peer}_answer']}"
                count[key] = count.get(key, 0) + 1
    return "".join(f"{what} {times} times. " for what, times in count.items())


def growth(rows):
    """How time grows."""
    return table(["varied", "width x depth, inputs", "answered", "median", "geo. mean", "max", "median nodes", "nodes/s"],
                 [[row["varied"], f"{row['width']} x {row['depth']}, {row['inputs']}",
                   f"{row['answered']} of {row['queries']}", span(1e3 * float(row["median_ms"])),
                   span(1e3 * float(row["geomean_ms"])), span(1e3 * float(row["max_ms"])),
                   number(float(row["median_nodes"])), number(float(row["nodes_per_second"]))] for row in rows])


def acasxu(rows):
    """Real inputs, six layers."""
    return table(["network", "property", "answer", "seconds", "nodes", "Marabou", "Marabou seconds"],
                 [[row["network"].removesuffix(".onnx"), row["property"].removesuffix(".vnnlib"), row["answer"] or "-",
                   number(float(row["seconds"])) if row["seconds"] else "-", row["nodes"] or "-",
                   row["marabou_answer"] or "-", number(float(row["marabou_seconds"])) if row["marabou_seconds"] else "-"]
                  for row in rows])


def machine():
    """Processor, cores, compiler and the versions of the peers."""
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown processor")
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    packages = (runs.ROOT / "benchmarks/requirements-peers.txt").read_text(encoding="utf-8").split()
    versions = [package.replace("==", " ") for package in packages if package.split("==")[0] in
                ("maraboupy", "highspy", "z3-solver")]
    return f"{model}, {os.cpu_count()} cores; rustc {compiler}; peers: {', '.join(versions)}."


def report():
    """The whole section."""
    parts = [f"Machine: {machine()}\n"]
    for title, name in (("Stored sets", "nnsat"), ("Fresh seeds", "fresh")):
        rows = runs.read_csv(runs.RESULTS / f"oracle_{name}.csv")
        if rows:
            parts += [f"### {title}\n", ours(rows), against(rows), failures(rows)]
    for title, name, make in (("Growth", "growth", growth), ("ACAS Xu", "acasxu", acasxu)):
        rows = runs.read_csv(runs.RESULTS / f"oracle_{name}.csv")
        if rows:
            parts += [f"### {title}\n", make(rows)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


def main():
    if "--print" in sys.argv[1:]:
        print(report())
        return
    path = runs.ROOT / "benchmarks/RESULTS.md"
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    path.write_text(f"{before}{BEGIN}\n\n{report()}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    print(f"rewrote the oracle's tables in {path.relative_to(runs.ROOT)}")


if __name__ == "__main__":
    main()
