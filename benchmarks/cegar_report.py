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


def proof(row):
    """The same up to the proof of safety."""
    return spread(row, "proof_seconds", int(row["proof_runs"]))


def any_verdict(rows):
    """What some run said without a condition; runs do not contradict each other."""
    return next((word for word in ("holds", "violated") for row in rows if int(row[word])), "?")


def figure(row, name):
    """The mean of a figure over runs that ended."""
    value = row[f"{name}_mean"]
    return number(float(value)) if value else "-"


def side_by_side(instances, names, show, column, ended):
    """One line per instance, one column per strategy, the fastest in bold; then wins, and instances without an answer."""
    strategies = [name for name in names if name != "explicit"]
    lines, wins, never = [], dict.fromkeys(strategies, 0), dict.fromkeys(strategies, 0)
    for found in instances.values():
        times = {name: float(found[name][column]) for name in strategies if name in found and ended(found[name])}
        best = min(times, key=times.get, default=None)
        for name in strategies:
            wins[name] += name == best
            never[name] += name in found and name not in times
        first = next(iter(found.values()))
        cells = [(f"**{show(found[n])}**" if n == best else show(found[n])) if n in found else "" for n in names]
        lines.append([first["kind"], first["width"], any_verdict(found.values()), *cells])
    lines.append(["fastest of the strategies", "", "", *(wins.get(name, "") for name in names)])
    lines.append(["no seed ended", "", "", *(never.get(name, "") for name in names)])
    return table(["instance", "width", "verdict", *names], lines)


def presets(rows):
    """Times of all strategies, to the verdict and to the proof; figures."""
    names = list(dict.fromkeys(row["preset"] for row in rows))
    instances = {}
    for row in rows:
        instances.setdefault(row["instance"], {})[row["preset"]] = row
    parts = ["Seconds to the verdict, errors of the model excluded:\n",
             side_by_side(instances, names, seconds, "seconds_mean", lambda row: int(row["runs"]) > stopped(row)),
             "Seconds to the proof of safety (or the unsafe run), errors of the model aside:\n",
             side_by_side(instances, [name for name in names if name != "explicit"], proof, "proof_seconds_mean",
                          lambda row: int(row["proof_runs"]))]
    shown = [name for name in ("explain", "vea-w", "bsverix-w") if name in names]
    lines = []
    for found in instances.values():
        first = next(iter(found.values()))
        lines.append([first["kind"], first["width"],
                      *(" / ".join(figure(found[name], what) if name in found else "-" for name in shown) for what in
                        ("iterations", "proof_iterations", "policy_iterations", "predicates", "policy_predicates", "reachable"))])
    parts.append(f"Figures of {' / '.join(shown)} at the verdict, over runs that came to one:\n")
    parts.append(table(["instance", "width", "iterations", "up to the proof", "policy iterations", "predicates", "policy predicates",
                        "abstract states"], lines))
    return parts


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
        lines.append([row["kind"], row["width"], verdict(row), row["runs"], wanted, *times(row), "yes" if met else "**no**"])
    return [table(["instance", "width", "verdict", "seeds", "wanted seconds (median)", "median", "worst", "met"], lines)]


def report(folder):
    """The whole section."""
    parts = []
    for title, study, make in (("Goals", "goals", goals), ("Strategies", "presets", presets),
                               ("Growth of refinement", "growth", growth), ("Ingredients", "ablation", ablation)):
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
