"""Activations and arithmetics side by side: networks of one shape and one set of weights, what differs is the function between layers.

Usage: activations.py [--runs N] [--width N] [--out FILE] [--surefoot FILE] [--speed FILE]

Three tables in one file (benchmarks/results/activations.csv, or what --out says), each row beside ReLU over the reals in the same run:
`decision`: choices per second at points, by the driver `speed` of the network crate, on one thread.
`explore`: states per second of `surefoot explore` on four blocks with a policy of random weights, on one thread.
`oracle`: seconds of `surefoot decide` on questions "is there a state of this box in which this label is chosen?", integer boxes of
growing size, and boxes of many inputs before few neurons, on one thread; with how many were decided.
No packages are needed.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
COLUMNS = ["table", "network", "activation", "arithmetic", "amount", "unit", "times_slower_than_relu", "decided", "asked", "load"]
ACTIVATIONS = ["relu", "tanh", "sigmoid", "softplus", "elu", "gelu", "silu"]


def safetensors(path, sizes, seed, scale=1):
    """A file of random weights, as state dictionaries of a Sequential have them."""
    chance, header, data = random.Random(seed), {}, b""
    for layer, (width, height) in enumerate(zip(sizes, sizes[1:])):
        for name, shape in (("weight", [height, width]), ("bias", [height])):
            count = width * height if name == "weight" else height
            part = struct.pack(f"<{count}f", *(scale * chance.gauss(0, 1) / width ** 0.5 for _ in range(count)))
            header[f"{2 * layer}.{name}"] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
            data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def surefoot(given, *arguments, codes=(0, 1, 3)):
    command = [str(part) for part in (given.surefoot, *arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def decisions(given):
    """Choices per second at points."""
    done = subprocess.run([str(given.speed)], capture_output=True, text=True, check=True)
    for row in csv.DictReader(done.stdout.splitlines()):
        yield {"table": "decision", "network": row["network"], "activation": row["activation"],
               "arithmetic": row["arithmetic"].lower(), "amount": row["decisions per second"], "unit": "decisions/s",
               "times_slower_than_relu": row["times slower than relu"]}


def explorations(given, folder):
    """States per second under a policy."""
    surefoot(given, "zoo", "generate", "blocksworld", "--out", folder / "blocks")
    model = folder / "blocks" / "model.jani"
    text = json.loads(model.read_text(encoding="utf-8"))
    names = [variable["name"] for variable in text["variables"] if not variable.get("transient")]
    labels = [action["name"] for action in text["actions"]]
    sizes = [len(names), given.width, given.width, len(labels)]
    safetensors(folder / "net.safetensors", sizes, 1)
    base = None
    for activation, semantics in [*((a, "real") for a in ACTIVATIONS), ("relu", "float32"), ("tanh", "float32")]:
        policy = {"networks": [{"file": "net.safetensors", "activation": activation}], "inputs": names,
                  "outputs": {"labels": labels}, "filter": True, "semantics": semantics}
        (folder / "net.policy.json").write_text(json.dumps(policy), encoding="utf-8")
        rate = 0
        for _ in range(given.runs):
            out = json.loads(surefoot(given, "explore", model, "--properties", folder / "blocks" / "properties.jani", "--policy",
                                      folder / "net.policy.json", "--threads", 1, "--quiet", "--json", "-"))
            rate = max(rate, out["statistics"]["reachable_states"] / out["seconds"])
        base = base or rate
        yield {"table": "explore", "network": "-".join(map(str, sizes)), "activation": activation, "arithmetic": semantics,
               "amount": round(rate), "unit": "states/s", "times_slower_than_relu": round(base / rate, 2)}


def questions(given, folder):
    """Boxes of growing size, one question for each label."""
    chance = random.Random(3)
    shapes = [([6, given.width, given.width, 4], side, 50, 1) for side in (4, 16, 64)]
    shapes += [([24, 32, 32, 4], 2, 2, 1.5), ([60, 8, 4], 4, 2, 2), ([100, 4, 4, 4], 4, 2, 2)]
    for sizes, side, spread, scale in shapes:
        inputs, outputs, queries = sizes[0], sizes[-1], []
        safetensors(folder / "oracle.safetensors", sizes, 2, scale)
        for _ in range(10):
            low = [chance.randint(-spread, spread) for _ in range(inputs)]
            queries += [{"box": [[a, a + side - 1] for a in low], "label": label, "integer": True} for label in range(outputs)]
        (folder / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
        base = None
        for activation in ("relu", "tanh", "sigmoid", "softplus"):
            least, decided = float("inf"), 0
            for _ in range(given.runs):
                out = json.loads(surefoot(given, "decide", folder / "queries.json", "--network", folder / "oracle.safetensors",
                                          "--activation", activation, "--threads", 1, "--time-limit", 5, "--quiet", "--json", "-"))
                least = min(least, out["seconds"])
                decided = sum(answer["answer"] in ("sat", "unsat") for answer in out["answers"])
            base = base or least
            yield {"table": "oracle", "network": f"{'-'.join(map(str, sizes))}, boxes of {side}^{inputs}", "activation": activation,
                   "arithmetic": "real", "amount": round(least, 3), "unit": "s", "times_slower_than_relu": round(least / base, 2),
                   "decided": decided, "asked": len(queries)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "benchmarks/results/activations.csv")
    parser.add_argument("--surefoot", type=pathlib.Path, default=TARGET / "release/surefoot")
    parser.add_argument("--speed", type=pathlib.Path, default=TARGET / "release/examples/speed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, open(given.out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for rows in (decisions(given), explorations(given, pathlib.Path(name)), questions(given, pathlib.Path(name))):
            for row in rows:
                writer.writerow({**row, "load": f"{os.getloadavg()[0]:.1f}"})
                file.flush()


if __name__ == "__main__":
    main()
