"""Instances of the benchmark sets: benchmarks/index.json (policies that were trained) and benchmarks/imitations.json (policies that imitate a teacher)."""

import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent
TRAINED, IMITATIONS = FOLDER / "index.json", FOLDER / "imitations.json"


def entries(index=TRAINED):
    """All entries of a set by name; an index that is not there is empty."""
    if not index.exists():
        return {}
    return {entry["name"]: entry for entry in json.loads(index.read_text(encoding="utf-8"))["instances"]}


def settings(entry):
    """What `zoo generate` is told after the domain."""
    return [*entry["settings"], f"networks={FOLDER / entry['network']}"]


def question(entry, folder):
    """What `verify` and `bounds` are told of the instance that was generated in a folder."""
    return [folder / "model.jani", "--properties", folder / "properties.jani", "--property", entry["property"], *entry["options"]]


def write(rows, index, order):
    """Writes a set: names in this order first, one line for each, so that differences stay readable."""
    place = {name: number for number, name in enumerate(order)}
    rows = sorted(rows, key=lambda entry: place.get(entry["name"], len(place)))
    text = ",\n".join("  " + json.dumps(row) for row in rows)
    index.write_text(f'{{ "format": 1,\n  "instances": [\n{text}\n] }}\n', encoding="utf-8")
