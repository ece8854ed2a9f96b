"""Tables of the benchmarks of refinement, from benchmarks/results/cegar_*.csv.

Usage: cegar_report.py [--print] [--results DIR]

Rewrites what stands between the two marks in benchmarks/RESULTS.md, or prints it. Results of another folder are only printed.
"""

import argparse
import csv
import pathlib

from oracle_report import number, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
BEGIN = "<!-- cegar: written by benchmarks/cegar_report.py -->"
END = "<!-- cegar: end -->"


def read(folder, study):
    """The rows of a study, none where it was not run."""
    path = folder / f"cegar_{study}.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def stopped(row):
    """Runs that met the limit."""
    return int(row["unknown"]) + int(row["conditional"])


def verdict(row):
    """What the runs said, with the number of those that said it under a condition or said nothing."""
    said = [word for word in ("holds", "violated") if int(row[word])]
    for word, sign in (("conditional", "holds but for errors"), ("unknown", "?")):
        if int(row[word]):
            said.append(f"{sign} ({row[word]} of {row['runs']})")
    return ", ".join(said)


def seconds(row):
    """Mean and deviation, with the number of runs that ended where not all did; a dash where none did."""
    return spread(row, "seconds", int(row["runs"]) - stopped(row))


def spread(row, name, ended):
    """Mean and deviation of times of which so many ended."""
    if not ended:
        return f"- (0 of {row['runs']})"
    text = number(float(row[f"{name}_mean"]))
    if row[f"{name}_deviation"]:
        text += f" ± {number(float(row[f'{name}_deviation']), 2)}"
    return text + (f" ({ended} of {row['runs']})" if ended < int(row["runs"]) else "")


def any_verdict(rows):
    """What some run said without a condition; runs do not contradict each other."""
    return next((word for word in ("holds", "violated") for row in rows if int(row[word])), "?")


def figure(row, name):
    """The mean of a figure over runs that ended."""
    value = row[f"{name}_mean"]
    return number(float(value)) if value else "-"


def growth(rows):
    """Series over blocks and width."""
    return [table(["series", "", "verdict", "median seconds", "worst", "iterations", "predicates", "abstract states", "questions",
                   "nodes"],
                  [[row["series"], row["x"], verdict(row), *times(row), *(figure(row, name) for name in
                    ("iterations", "predicates", "reachable", "queries", "nodes"))] for row in rows])]


def times(row):
    """Median and worst; a run that met the limit is no time."""
    shown = []
    for column in ("seconds_median", "seconds_max"):
        value = float(row[column])
        shown.append(f"> {number(float(row['limit']))}" if value > float(row["limit"]) and stopped(row) else number(value))
    return shown


def ablation(rows):
    """One line per instance and filter, one column per variant."""
    names = list(dict.fromkeys(row["preset"] for row in rows))
    lines = {}
    for row in rows:
        options = row["options"].split()
        key = (row["kind"], options[options.index("--filter") + 1])
        lines.setdefault(key, {})[row["preset"]] = row
    return [table(["instance", "filter", "verdict", *names],
                  [[*key, any_verdict(found.values()), *(seconds(found[name]) if name in found else "" for name in names)]
                   for key, found in lines.items()])]


def goals(rows):
    """Wanted and measured."""
    lines = []
    for row in rows:
        median, worst = float(row["goal_median"]), float(row["goal_worst"] or "inf")
        met = not stopped(row) and float(row["seconds_median"]) < median and float(row["seconds_max"]) < worst
        wanted = f"< {number(median)}" + (f", worst < {number(worst)}" if row["goal_worst"] else "")
        filtered = "on" if "--filter on" in row["options"] else "off"
        lines.append([row["kind"], row["width"], filtered, verdict(row), row["runs"], wanted, *times(row), "yes" if met else "**no**"])
    return [table(["instance", "width", "filter", "verdict", "seeds", "wanted seconds (median)", "median", "worst", "met"], lines)]


def report(folder):
    """The whole section."""
    parts = []
    for title, study, make in (("Goals", "goals", goals), ("Growth of refinement", "growth", growth), ("Ingredients", "ablation", ablation)):
        rows = read(folder, study)
        if rows:
            load = max(float(row["load"]) for row in rows)
            limits = sorted({number(float(row["limit"])) for row in rows})
            parts += [f"### {title}\n", f"Limit {', '.join(limits)} s; highest load average before a run {load:.1f}.\n", *make(rows)]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def main():
    """Prints or rewrites the section."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    given = parser.parse_args()
    text = report(given.results)
    if given.print or given.results != RESULTS:
        print(text)
        return
    path = ROOT / "benchmarks/RESULTS.md"
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    path.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    print(f"rewrote the tables of refinement in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
