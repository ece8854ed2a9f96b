"""Builds the full state space of JANI models with Storm and prints its size and the time, as JSON lines.

Usage: storm_build.py MODEL [NAME=VALUE ...]

Storm is timed without parsing; the properties are dropped first, so that nothing is cut off at their targets.
"""

import json
import sys
import tempfile
import time

import stormpy


def main():
    path, constants = sys.argv[1], sys.argv[2:]
    with open(path, encoding="utf-8-sig") as file:
        model = json.load(file)
    model["properties"] = []
    # Storm takes constants from the model itself: written in, they need no further interface.
    given = dict(constant.split("=", 1) for constant in constants)
    for constant in model.get("constants", []):
        if constant["name"] in given:
            constant["value"] = json.loads(given[constant["name"]])
    if model["type"] == "lts":
        model["type"] = "mdp"
    with tempfile.NamedTemporaryFile("w", suffix=".jani", encoding="utf-8") as file:
        json.dump(model, file)
        file.flush()
        jani, _ = stormpy.parse_jani_model(file.name)
    begin, cpu = time.perf_counter(), time.process_time()
    built = stormpy.build_model(jani)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    result = {"states": built.nr_states, "seconds": seconds, "cpu": cpu, "version": stormpy.__version__}
    print(json.dumps(result))


main()
