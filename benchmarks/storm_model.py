"""JANI models as Storm takes them: without properties, with the constants written in."""

import json
import tempfile

import stormpy


def read(path, constants):
    """The model at `path`; `constants` are NAME=VALUE."""
    with open(path, encoding="utf-8-sig") as file:
        model = json.load(file)
    # Without properties nothing is cut off at their targets.
    model["properties"] = []
    if model["type"] == "lts":
        model["type"] = "mdp"
    given = dict(constant.split("=", 1) for constant in constants)
    for constant in model.get("constants", []):
        if constant["name"] in given:
            constant["value"] = json.loads(given[constant["name"]])
    with tempfile.NamedTemporaryFile("w", suffix=".jani", encoding="utf-8") as file:
        json.dump(model, file)
        file.flush()
        return stormpy.parse_jani_model(file.name)[0]
