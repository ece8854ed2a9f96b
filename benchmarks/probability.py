"""Probabilities under a policy and of QComp models, beside Storm in the same run.

Usage: probability.py [--storm PYTHON] [--data DIR] [--large] [--before BINARY] [--repeat N]

Policy rows: the dropping Blocksworld with the PlaJA policies (16x16 for 4 blocks, 32x32 for 6). Surefoot explores the model under the
policy and bounds the probability of all blocks on the table to 1e-6; Storm, which has no policies, reads the induced
model that `surefoot induce` exports (UMB) and checks it. QComp rows: both build and check the JANI file.
Seconds are by the clock, `cpu` those of all threads in user and kernel mode, from starting the program to its end; the least of several runs. The
ratio to Storm is of CPU seconds, which other work on the machine disturbs less. With `--before`, another build runs in turns with this one.
Writes benchmarks/results/probability.csv and prints a table.
"""

import argparse
import csv
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUREFOOT = ROOT / "target/release/surefoot"
GENERATE = ROOT / "target/release/examples/blocksworld"
POLICIES = {
    4: "plaja/rddps22/blocksworld/networks/learned_cost05_non_terminal/blocksworld_4_3_16_16.jani2nnet",
    6: "plaja/icaps22/blocksworld/networks/blocksworld_6_5/learned_cost05_non_terminal/blocksworld_6_5_32_32.jani2nnet",
}
BLOCKS = [(4, 12), (4, 25), (6, 6), (6, 8)]
LARGE = [(4, 50), (6, 12)]
QCOMP = [  # file, constants, property, the same for Storm
    ("nand", ["N=40", "K=4"], "reliable", "Pmin=? [F (s = 4 & (z / 40) < 1/10)]"),
    ("crowds", ["TotalRuns=6", "CrowdSize=10"], "positive", "Pmin=? [F (observe0 > 1)]"),
    ("firewire_dl", ["delay=36", "deadline=800"], "deadline", "Pmin=? [F (s = 9)]"),
    ("consensus.2", ["K=16"], "c2", 'Pmin=? [F ("finished" & "all_coins_equal_1")]'),
    ("echoring", ["ITERATIONS=10"], "MinFailed", "Pmin=? [F (failed & (iter <= 10))]"),
    ("haddad-monmege", ["N=20", "p=0.7"], "target", 'Pmin=? [F "Target"]'),
]
COLUMNS = ["model", "size", "policy", "threads", "states", "lower", "upper", "seconds", "states_per_second", "cpu", "cpu_before",
           "storm_build", "storm_check", "storm_cpu_build", "storm_cpu_check", "storm_value", "ratio_to_storm"]


def cpu(command):
    """What a command prints, and the CPU seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bounds(arguments, threads, options):
    """The answer with the least seconds of several runs, and those of the build before."""
    ours = {}
    for _ in range(options.repeat):
        for name, binary in (("cpu", SUREFOOT), ("cpu_before", options.before)):
            if binary:
                command = [binary, "bounds", *arguments, "--threads", str(threads), "--quiet", "--json", "-"]
                answer, seconds = cpu(command)
                ours[name] = min(seconds, ours.get(name, seconds))
                if name == "cpu":
                    answer = json.loads(answer)
                    ours = {**answer, **ours, "seconds": min(answer["seconds"], ours.get("seconds", answer["seconds"]))}
    return ours


def storm(options, model, formula, constants=()):
    """What Storm says, with the least times of several runs."""
    command = [options.storm, ROOT / "benchmarks/storm_check.py", model, formula, *constants]
    runs = [json.loads(cpu(command)[0].splitlines()[-1]) for _ in range(options.repeat)]
    times = {name: min(run[name] for run in runs) for name in ("build", "check", "cpu_build", "cpu_check")}
    return {**runs[0], **times}


def row(name, size, policy, threads, ours, peer):
    value, seconds, states = ours["value"], ours["seconds"], ours["statistics"]["reachable_states"]
    line = {"model": name, "size": size, "policy": policy, "threads": threads, "states": states, "lower": value["lo"],
            "upper": value["hi"], "seconds": round(seconds, 4), "states_per_second": round(states / seconds),
            "cpu": round(ours["cpu"], 4)}
    if "cpu_before" in ours:
        line["cpu_before"] = round(ours["cpu_before"], 4)
    if peer:
        inside = value["lo"] - 2e-6 <= peer["value"] <= value["hi"] + 2e-6
        if not inside:
            sys.exit(f"{name} {size}: Storm says {peer['value']}, we say {value}")
        line.update(storm_build=round(peer["build"], 4), storm_check=round(peer["check"], 4), storm_value=peer["value"],
                    storm_cpu_build=round(peer["cpu_build"], 4), storm_cpu_check=round(peer["cpu_check"], 4),
                    ratio_to_storm=round((peer["cpu_build"] + peer["cpu_check"]) / ours["cpu"], 2))
    print(f"{name:14} {size:28} {policy:6} {threads} thread(s) {states:>9} states {seconds:8.3f} s {line['cpu']:8.3f} s of CPU "
          f"(before {line.get('cpu_before', '-')}) {states / seconds / 1e6:6.2f} M/s  [{value['lo']:.7f}, {value['hi']:.7f}]  x{line.get('ratio_to_storm', '-')}",
          flush=True)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--storm", help="a Python interpreter with stormpy")
    parser.add_argument("--data", default=os.environ.get("SUREFOOT_DATA", ROOT.parent / "shared/data"))
    parser.add_argument("--large", action="store_true", help="also instances of ten million states and more")
    parser.add_argument("--before", help="another build, to run in turns with this one")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the least times count")
    arguments = parser.parse_args()
    data, rows = pathlib.Path(arguments.data), []
    with tempfile.TemporaryDirectory() as folder:
        for blocks, bound in BLOCKS + (LARGE if arguments.large else []):
            model = pathlib.Path(folder, f"blocks_{blocks}_{bound}.jani")
            model.write_text(subprocess.run([GENERATE, str(blocks), str(bound)], capture_output=True, text=True,
                                            check=True).stdout)
            inputs = [model, "--policy", data / POLICIES[blocks]]
            peer = None
            if arguments.storm:
                induced = model.with_suffix(".umb")
                subprocess.run([SUREFOOT, "induce", *inputs, "--out", induced, "--numbers", "double", "--quiet"],
                               check=True, capture_output=True)
                peer = storm(arguments, induced, 'Pmax=? [F "unsafe"]')
                induced.unlink()
            for threads in (1, 2):
                ours = bounds(inputs, threads, arguments)
                policy = "16x16" if blocks == 4 else "32x32"
                rows.append(row("blocksworld", f"blocks={blocks} cost={bound}", policy, threads, ours, peer))
    for name, constants, prop, formula in QCOMP:
        model = data / "qcomp" / f"{name}.jani"
        given = [word for constant in constants for word in ("--const", constant)]
        peer = storm(arguments, model, formula, constants) if arguments.storm and formula else None
        for threads in (1, 2):
            ours = bounds([model, "--property", prop, *given], threads, arguments)
            rows.append(row(name, " ".join(constants), "", threads, ours, peer))
    with open(ROOT / "benchmarks/results/probability.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


main()
