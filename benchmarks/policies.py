"""The benchmark sets: policies trained on the zoo's domains, with benchmarks/index.json, which describes every instance; and with --imitations those that
imitate a teacher (distil.py), with benchmarks/imitations.json.

Usage: policies.py [--imitations] [--only TEXT] [--surefoot FILE] [--limit SECONDS] [--again]

A network is trained once for each domain, size, width, reading of costs and filter, on the version without probabilities (choices of the environment
are made uniformly there), by `surefoot zoo train` with the arguments that the index records. Each network is asked two questions: can an unsafe state
be reached, whatever the environment does; how likely is it at most, where drops, slips and failures have probabilities. The explicit engine says what is
true of instances that it can explore within the limit; `verdict` and `value` are null elsewhere.

Policies that hardly ever reach their goal are not kept. Networks and entries that are there are, unless --again is given. `surefoot zoo experiment training` trains all of them anew and compares bytes.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import instances

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTHS = [16, 32, 64]
# Steps and further arguments of networks that did not come out of the recipe of their kind.
OTHERWISE = {"bw8_ignoring_32": (400_000, ["--seed", "1"])}
# Policies that reach their goal in fewer runs are not kept: they have learned nothing that would be worth a proof.
LEAST = 0.1


def tower(blocks):
    """How many blocks are where the goal has them, from the table upwards, as a share."""
    text = "0"
    for block in reversed(range(blocks)):
        text = f"ite(block_{block} = {block + 1}, 1 + {text}, 0)"
    return f"({text}) / {blocks}"


def distance(rows, columns):
    """Minus the distances of all tiles from where the goal has them."""
    cells = rows * columns
    parts = [f"abs(tile_{tile} % {columns} - {(cells - 1 - tile) % columns}) + "
             f"abs(floor(tile_{tile} / {columns}) - {(cells - 1 - tile) // columns})" for tile in range(1, cells)]
    return f"-({' + '.join(parts)}) / {cells}"


def delivered(packages, length):
    """Packages at the end of the line, and a part for those on a truck."""
    parts = [f"ite(package_{p} = {length - 1}, 3, ite(package_{p} >= {length}, 1, 0))" for p in range(packages)]
    return f"({' + '.join(parts)}) / {3 * packages}"


# How far a car has come on the course of barto-small: along the straight, then up.
COURSE = "ite(car0_x < 31, car0_x, 31 + 11 - car0_y) / 40"


class Network:
    """A network to be trained: what it is for, and how."""

    def __init__(self, name, domain, size, width, settings, chance, steps, more, costs=None, filtered=False, property_name="unsafe",
                 options=()):
        self.name, self.domain, self.size, self.width, self.settings = name, domain, size, width, settings
        self.chance, self.costs, self.filtered, self.property_name, self.options = chance, costs, filtered, property_name, list(options)
        steps, further = OTHERWISE.get(name, (steps, []))
        self.training = ["--hidden", f"{width},{width}", "--steps", str(steps), *more, *further, *self.options]


def grid():
    """All networks of the set."""
    made = []
    for blocks, steps, weight, step in ((4, 200_000, 2, "-0.01"), (6, 250_000, 3, "-0.02"), (8, 250_000, 4, "-0.02")):
        for costs in ("ignoring", "aware"):
            for filtered in (False, True):
                for width in WIDTHS:
                    name = f"bw{blocks}_{costs}{'_filter' if filtered else ''}_{width}"
                    settings = [f"blocks={blocks}", "bound=12", f"costs={costs}", *(["filter=on"] if filtered else [])]
                    more = ["--progress", f"{weight} * {tower(blocks)}", "--step-reward", step]
                    made.append(Network(name, "blocksworld", f"{blocks} blocks", width, settings, ["drop=on"], steps, more, costs, filtered))
    # The 8-puzzle is not here: 600,000 steps reached the goal in no run, from starts within six moves' distance in 4 % of them.
    for rows, columns, steps in ((2, 2, 50_000), (2, 3, 200_000)):
        for costs in ("ignoring", "aware"):
            for filtered in (False, True):
                for width in WIDTHS:
                    name = f"tiles{rows}x{columns}_{costs}{'_filter' if filtered else ''}_{width}"
                    settings = [f"rows={rows}", f"columns={columns}", f"costs={costs}", *(["filter=on"] if filtered else [])]
                    more = ["--progress", distance(rows, columns), "--step-reward", "-0.01", "--restarts", "0.3"]
                    made.append(Network(name, "tiles", f"{rows}x{columns}", width, settings, ["slip=10"], steps, more, costs, filtered))
    for length, packages, steps in ((5, 3, 200_000), (10, 4, 300_000)):
        for filtered in (False, True):
            for width in WIDTHS:
                name = f"transport{length}_{packages}{'_filter' if filtered else ''}_{width}"
                settings = [f"length={length}", f"packages={packages}", *(["filter=on"] if filtered else [])]
                more = ["--progress", delivered(packages, length), "--step-reward", "-0.005"]
                made.append(Network(name, "transport", f"{length} places, {packages} packages", width, settings, ["drop=on"], steps, more,
                                    filtered=filtered))
    for track, widths, steps, more in (("barto-small", (16, 24, 32, 64), 250_000, ["--progress", COURSE]), ("ring", WIDTHS, 150_000, []),
                                       ("corridor", WIDTHS, 100_000, [])):
        for width in widths:
            made.append(Network(f"race_{track}_{width}", "racetrack", track, width, [f"map={track}", "start=condition"], ["failure=10"],
                                steps, more, property_name="no-crash"))
    for size in (3, 4):
        for width in WIDTHS:
            made.append(Network(f"lake{size}_{width}", "frozenlake", f"{size}x{size}", width, [f"size={size}"], ["slip=chance"], 50_000, [],
                                property_name="holes", options=["--goal", f"tile = {size * size}"]))
    return made


class Imitation(Network):
    """A network that imitates a teacher."""

    def __init__(self, task, width):
        size = f"{task.blocks} blocks" if task.domain == "blocksworld" else "3x3"
        chance = ["drop=on"] if task.domain == "blocksworld" else ["slip=10"]
        super().__init__(f"{task.name}_{width}", task.domain, size, width, task.settings, chance, 0, [],
                         "aware" if getattr(task, "aware", False) else "ignoring")
        self.task, self.training = task, None


def imitations():
    """All networks of the second set."""
    import distil  # it needs numpy
    return [Imitation(task, width) for task in distil.tasks().values() for width in WIDTHS]


class Maker:
    """How networks are made and looked at."""

    def __init__(self, given):
        self.given = given

    def run(self, *arguments):
        """A result object; None where the answer is unknown."""
        command = [str(self.given.surefoot), *map(str, arguments), "--json", "-", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 2 or done.returncode < 0:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return json.loads(done.stdout)

    def train(self, network, folder, out):
        """The network, where it is not there yet."""
        if out.exists() and not self.given.again:
            return
        out.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(network, Imitation):
            import distil
            made = distil.distilled(network.task, network.width, out=folder)
            shutil.copy(next(made.glob("*.nnet")), out)
            return
        self.run("zoo", "generate", network.domain, *network.settings, "policy=random", "--out", folder / "random")
        question = ["--property", network.property_name]
        self.run("zoo", "train", folder / "random/model.jani", "--properties", folder / "random/properties.jani", *question,
                 *network.training, "--threads", 1, "--out", folder / "trained")
        shutil.copy(folder / "trained/policy.onnx", out)

    def instance(self, network, folder, out, probabilistic):
        """The entry of an instance."""
        settings = network.settings + (network.chance if probabilistic else [])
        self.run("zoo", "generate", network.domain, *settings, f"networks={out}", "--out", folder / "instance")
        files = [folder / "instance/model.jani", "--properties", folder / "instance/properties.jani", "--property", network.property_name,
                 *network.options]
        limits = ["--time-limit", self.given.limit, "--threads", 1, "--memory-limit", 4000]
        runs = self.run("simulate", *files, "--goal-terminal", "--runs", 1000, "--steps", 200)["statistics"]
        rates = {key: round(runs[f"{key}_share"]["mean"], 4) for key in ("goal", "unsafe", "stopped") if f"{key}_share" in runs}
        verdict = value = None
        if probabilistic:
            found = self.run("bounds", *files, "--engine", "explicit", *limits)
            if found["verdict"] != "unknown" and found.get("value"):
                value = [number(found["value"]["lo"]), number(found["value"]["hi"])]
        else:
            found = self.run("verify", *files, "--engine", "explicit", *limits)["verdict"]
            verdict = found if found != "unknown" else None
        return {"name": network.name + ("_chance" if probabilistic else ""), "set": "imitation" if isinstance(network, Imitation) else "trained", "domain": network.domain, "size": network.size,
                "settings": settings, "width": network.width, "costs": network.costs, "filter": network.filtered,
                "probabilistic": probabilistic, "property": network.property_name, "options": network.options,
                "network": str(out.relative_to(instances.FOLDER)), "training": None if probabilistic else network.training, "rates": rates,
                "verdict": verdict, "value": value}


def number(value):
    """An end of an interval: a number, or a fraction in text."""
    if isinstance(value, str):
        over, _, under = value.partition("/")
        return int(over) / int(under or 1)
    return float(value)


def main():
    """Makes what is missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--imitations", action="store_true", help="the second set")
    parser.add_argument("--only", default="", help="networks whose names begin so; several with commas")
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("--again", action="store_true")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    parser.add_argument("--surefoot", type=pathlib.Path, default=target / "release/surefoot")
    given = parser.parse_args()
    maker = Maker(given)
    index = instances.IMITATIONS if given.imitations else instances.TRAINED
    entries = {name: entry for name, entry in instances.entries(index).items() if (instances.FOLDER / entry["network"]).exists()}
    networks = imitations() if given.imitations else grid()
    for network in networks:
        if not any(network.name.startswith(prefix) for prefix in given.only.split(",")):
            continue
        if f"{network.name}_chance" in entries and not given.again:
            continue
        place = pathlib.Path("imitations", f"{network.name}.nnet") if given.imitations else pathlib.Path(network.domain, f"{network.name}.onnx")
        out = instances.FOLDER / "policies" / place
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            maker.train(network, folder, out)
            for probabilistic in (False, True):
                entry = maker.instance(network, folder, out, probabilistic)
                if not (given.imitations or probabilistic) and entry["rates"]["goal"] < LEAST:
                    print(network.name, entry["rates"], "is not kept", flush=True)
                    out.unlink()
                    break
                entries[entry["name"]] = entry
                print(entry["name"], entry["rates"], entry["verdict"] or entry["value"], flush=True)
        # What others added stays behind.
        instances.write(entries.values(), index, [name for n in networks for name in (n.name, f"{n.name}_chance")])


if __name__ == "__main__":
    main()
