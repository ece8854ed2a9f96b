"""Two builds of Surefoot side by side: does a change that should change nothing cost anything?

Usage: compare.py --before FILE --after FILE [--repeat N] [--instructions] [--only TEXT] [--data DIR]

Rows: the stored query sets and ACAS Xu (single decisions), abstraction, refinement, bounded model checking, exploration, bounds,
bounded CTL. Both programs answer each row in turns, on one thread; the result objects must be equal but for times, else the script
ends. Seconds are user CPU seconds of the process, the least of N runs of each. With --instructions the instructions executed
are counted too (valgrind, which offers no AVX-512: the kernels for AVX2 run), on rows short enough: these do not depend on what
else the machine does. Writes benchmarks/results/compare.csv and prints a table.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SETS = [name + kind for name in ("rt", "bw4", "bw6", "syn64") for kind in ("", "h", "o")]
# What may differ between two runs of one program, or between two programs that mean the same.
VOLATILE = {"seconds", "format", "version", "threads", "command"}
# What may differ where an abstraction is built by fewer questions.
QUESTIONS = {"oracle_queries", "oracle_nodes"}
# Rows that take longer are not run under valgrind, which is some fifty times slower.
MOST_SECONDS = 0.4
LEARNED = "compact_starts_cost_predicates_afterwards/learned_cost05_non_terminal"
COLUMNS = ["group", "row", "before", "after", "ratio", "ratio_instructions"]


def rows(data, folder, program):
    """Group, name and arguments of each row."""
    for name in SETS:
        stored = data / f"nnsat/queries_{name}.json"
        queries = json.loads(stored.read_text(encoding="utf-8"))
        file = folder / f"{name}.json"
        file.write_text(json.dumps(queries["queries"]), encoding="utf-8")
        yield "oracle", name, ["decide", file, "--network", stored.with_name(queries["net"])]
    for network, number in (("1_1", 1), ("3_6", 1), ("2_9", 2), ("4_1", 2), ("1_7", 3), ("1_8", 4)):
        arguments = ["decide", data / f"acasxu/prop_{number}.vnnlib", "--network", data / f"acasxu/acasxu_{network}.onnx"]
        yield "oracle", f"acasxu {network} property {number}", arguments
    for blocks in ("blocksworld_4_3", "blocksworld_6_5"):
        width = "32_32" if blocks.endswith("6_5") else "16_16"
        base = data / "plaja/icaps22/blocksworld"
        name = f"pa_compact_starts_cost_predicates_afterwards_{blocks}_{width}.jani"
        properties = base / "additional_properties/safety_verification/cost05" / blocks / LEARNED / name
        if not properties.exists():
            continue
        model = [base / f"models/cost05/{blocks}.jani", "--properties", properties, "--property", "1"]
        for method in ("builtin", "pa+relaxed", "pa+bb"):
            yield "abstraction", f"{blocks} {method}", ["abstract", *model, "--plaja-compat", "--method", method]
        refined = ["verify", *model, "--engine", "cegar", "--ignore-predicates"]
        for seed in (0, 1):
            yield "cegar", f"{blocks} seed {seed}", [*refined, "--seed", seed]
        yield "cegar", f"{blocks} entailed-whole", [*refined, "--preset", "entailed-whole"]
        yield "bmc", f"{blocks} depth 3", ["verify", *model, "--engine", "bmc", "--max-depth", 3]
    distilled = ROOT / "target/bench/cegar_instances"  # made by cegar.py
    for name in ("bw8_16", "bw8c_32"):
        made = distilled / name
        if made.is_dir():
            model = [made / "model.jani", "--properties", made / "properties.jani"]
            yield "cegar", name, ["verify", *model, "--engine", "cegar", "--ignore-predicates"]
    for model, constants in (("egl", ["N=5", "L=8"]), ("echoring", ["ITERATIONS=10"]), ("nand", ["N=40", "K=4"]),
                             ("crowds", ["TotalRuns=6", "CrowdSize=10"]), ("firewire_dl", ["delay=36", "deadline=800"])):
        yield "throughput", model, ["explore", data / f"qcomp/{model}.jani", *constant(constants)]
    blocks = data / "plaja/blocksworld/cost_terminal/models/legacy_enc/blocksworld_4_3.jani"
    yield "throughput", "blocksworld_4_3", ["explore", blocks, *constant(["failing_probability=0.5", "item_cost_bound=5"])]
    bounded = [data / "qcomp/crowds.jani", *constant(["TotalRuns=6", "CrowdSize=10"]), "--property", 0]
    yield "bounds", "crowds", ["bounds", *bounded]
    yield from formulas(data, folder, program)


def formulas(data, folder, program):
    """Bounded CTL over reals."""
    for domain in ("verticalcas", "frozenlake"):
        generated = [program, "zoo", "generate", domain, f"networks={data / 'venmas'}", "--out", folder / domain]
        subprocess.run(list(map(str, generated)), check=True, capture_output=True)
    out = folder / "verticalcas"
    for rate, steps in (("-19.5", 8), ("-40", 8), ("-40.5", 10)):
        model = [out / "model.jani", "--properties", out / "properties.jani", "--const", f"climb_rate={rate}"]
        yield "ctl", f"VerticalCAS {rate}, {steps} steps", ["ctl", *model, "--formula", f"AX^{steps} (h > 100 | h < -100)"]
    out = folder / "frozenlake"
    model = [out / "model.jani", "--properties", out / "properties.jani", "--property", "holes"]
    yield "ctl", "FrozenLake, 50 steps", ["ctl", *model, "--formula", "AG[<=50] (tile_3 < 0.1 & tile_7 < 0.1)"]


def constant(settings):
    """The options that set constants."""
    return [part for setting in settings for part in ("--const", setting)]


def command(program, arguments):
    return [str(part) for part in [program, *arguments, "--threads", 1, "--json", "-", "--quiet"]]


def run(program, arguments):
    """What a program says, and its user CPU seconds."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command(program, arguments), stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode not in (0, 1, 3):
            sys.exit(f"{' '.join(command(program, arguments))}\nended with {child.returncode}\n{err.read().decode()}")
        volatile = VOLATILE | (QUESTIONS if arguments[0] == "abstract" else set())
        return steady(json.loads(out.read()), volatile), usage.ru_utime


def steady(value, volatile):
    """A result object without what may differ."""
    if isinstance(value, dict):
        return {key: steady(part, volatile) for key, part in value.items() if key not in volatile}
    return [steady(part, volatile) for part in value] if isinstance(value, list) else value


def instructions(program, arguments):
    """How many a run executes."""
    given = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command(program, arguments)]
    done = subprocess.run(given, capture_output=True, text=True, check=False)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return int(found.group(1).replace(",", "")) if found else None


def measure(given, group, name, arguments):
    """One row."""
    programs = {"before": given.before, "after": given.after}
    seconds, said = {key: [] for key in programs}, {}
    for _ in range(given.repeat):
        for key, program in programs.items():
            result, used = run(program, arguments)
            seconds[key].append(used)
            said[key] = result
    if said["before"] != said["after"]:
        different = {key for key in said["before"] | said["after"] if said["before"].get(key) != said["after"].get(key)}
        sys.exit(f"{group} {name}: the programs differ in {sorted(different)}\n{' '.join(command(given.after, arguments))}")
    least = {key: min(values) for key, values in seconds.items()}
    row = {"group": group, "row": name, "before": round(least["before"], 4), "after": round(least["after"], 4),
           "ratio": round(least["after"] / max(least["before"], 1e-3), 3)}
    if given.instructions and least["before"] <= MOST_SECONDS:
        counted = {key: instructions(program, arguments) for key, program in programs.items()}
        if all(counted.values()):
            row["ratio_instructions"] = round(counted["after"] / counted["before"], 4)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True)
    parser.add_argument("--after", required=True)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--data", default=os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
    given = parser.parse_args()
    data = pathlib.Path(given.data).resolve()
    if not data.is_dir():
        sys.exit(f"no models at {data}: give their folder with --data")
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        for group, name, arguments in rows(data, pathlib.Path(folder), given.before):
            if given.only in f"{group} {name}":
                row = measure(given, group, name, arguments)
                measured.append(row)
                print(f"{group:12} {name:32} {row['before']:9.3f} s {row['after']:9.3f} s  x{row['ratio']:.3f}  "
                      f"instructions x{row.get('ratio_instructions', '-')}", flush=True)
    if not given.only:
        with open(ROOT / "benchmarks/results/compare.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(measured)


main()
