"""Tables of the benchmarks of probabilities by abstraction, from benchmarks/results/bounds_*.csv.

Usage: bounds_report.py [--print] [--results DIR]

Rewrites what stands between the two marks in benchmarks/RESULTS.md, or prints it. Results of another folder are only printed.
"""

import argparse
import csv
import math
import pathlib

from oracle_report import number, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
BEGIN = "<!-- bounds: written by benchmarks/bounds_report.py -->"
END = "<!-- bounds: end -->"


def read(folder, section):
    """The rows of a section, none where it was not run."""
    path = folder / f"bounds_{section}.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def probability(text):
    """A probability in a few digits."""
    return f"{float(text):.6g}" if text else ""


def interval(row):
    """Both ends, or why there is none."""
    return f"[{probability(row['lower'])}, {probability(row['upper'])}]" if row["lower"] else row["ended"].split(":")[0]


def seconds(row, name="seconds"):
    """Seconds; with a mark where the limit was met."""
    if not row[name]:
        return "-"
    return number(float(row[name])) + (" (limit)" if row["ended"] in ("limit", "killed") else "")


def groups(rows, *keys):
    """Rows that agree in some columns, in order."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def blocks(rows):
    """Both algorithms beside the truth."""
    made, closed, both = [], 0, []
    for (instance, precision), all_of_it in groups(rows, "instance", "precision").items():
        by = {row["algorithm"]: row for row in all_of_it}
        ours, paper = by.get("boxes"), by.get("paper")
        explicit = by.get("explicit") or {"truth": ours["truth"] if ours else "", "seconds": "", "ended": ""}
        if not ours or not paper:
            continue
        closed += ours["ended"] == "precise"
        ratio = ""
        if ours["ended"] == "precise" and paper["seconds"]:
            times = float(paper["seconds"]) / max(float(ours["seconds"]), 1e-3)
            ratio = f"{'> ' if paper['ended'] != 'precise' else ''}{number(times, 2)}"
            both.append(times)
        made.append([ours["label"], ours["network"], precision, interval(ours), seconds(ours), ours["abstract_states"],
                     interval(paper), seconds(paper), ratio, probability(explicit["truth"]), seconds(explicit)])
    head = ["instance", "network", "gap", "boxes", "s", "abstract states", "paper", "s", "ratio", "truth", "explicit, s"]
    text = table(head, made)
    mean = math.exp(sum(map(math.log, both)) / len(both)) if both else 0
    said = f"{closed} of {len(made)} are closed to the wanted gap by boxes"
    return [text, f"{said}; the paper's algorithm takes {number(mean, 2)} times as long, in the geometric mean, a run that met its limit counted as if it had ended there.\n"]


def qcomp(rows):
    """QComp models without a policy."""
    made = []
    for (model, constants, name), all_of_it in groups(rows, "model", "constants", "property").items():
        by = {row["algorithm"]: row for row in all_of_it}
        first = all_of_it[0]
        cells = [model, constants, name, first["question"], first["reference"][:12], first["states"]]
        for algorithm in ("boxes", "paper"):
            row = by[algorithm]
            cells += [interval(row)[:60], *(number(float(row[key])) if row[key] else "-" for key in ("closed_005", "closed_0001"))]
        made.append(cells)
    head = ["model", "constants", "property", "kind", "reference", "states", "boxes", "0.05, s", "1e-3, s", "paper", "0.05, s", "1e-3, s"]
    said = []
    for algorithm in ("boxes", "paper"):
        own = [row for row in rows if row["algorithm"] == algorithm]
        counts = [sum(bool(row[key]) for row in own) for key in ("closed_005", "closed_0001")]
        said.append(f"{algorithm}: {counts[0]} of {len(own)} to 0.05 and {counts[1]} to 1e-3")
    right = sum(row["contains"] == "True" for row in rows)
    wrong = sum(row["contains"] == "False" for row in rows)
    return [table(head, made), f"{'; '.join(said)}. {right} intervals and verdicts contain the reference, {wrong} do not, {len(rows) - right - wrong} said nothing.\n"]


def storm(rows):
    """Storm on the induced model."""
    made = []
    for row in rows:
        value = probability(row["storm_value"]) if row["storm_value"] else row["ended"]
        total = ""
        if row["storm_check"]:
            total = number(sum(float(row[key]) for key in ("induce_seconds", "storm_build", "storm_check")))
        made.append([row["label"], row["states"], value, total, f"[{probability(row['boxes_lower'])}, {probability(row['boxes_upper'])}]",
                     number(float(row["boxes_seconds"])) if row["boxes_seconds"] else "-",
                     number(float(row["auto_seconds"])) if row["auto_seconds"] else "-"])
    version = next((row["version"] for row in rows if row["version"]), "none")
    head = ["instance", "states", "Storm", "induced, read and checked, s", "boxes to 0.01", "s", "auto, s"]
    return [f"Storm {version}, sound value iteration at 1e-6.\n", table(head, made)]


def report(folder):
    """The whole section."""
    parts = []
    for title, section, make in (("Blocksworld that drops blocks", "blocks", blocks),
                                 ("QComp models without a policy", "qcomp", qcomp), ("Beside Storm", "storm", storm)):
        rows = read(folder, section)
        if rows:
            load = max(float(row["load"]) for row in rows)
            limits = sorted({float(row["limit"]) for row in rows if row.get("limit")})
            limits = f"Limits {', '.join(map(number, limits))} s; h" if limits else "H"
            parts += [f"### {title}\n", f"{limits}ighest load average before a run {load:.1f}.\n", *make(rows)]
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
    print(f"rewrote the tables of bounds in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
