"""Checks a reachability probability with Storm and prints value and times, as JSON.

Usage: storm_check.py MODEL FORMULA [NAME=VALUE ...]

MODEL is JANI (properties dropped, constants written in), DRN or UMB. Reading or building is timed apart from checking, by the clock and
in CPU time (`cpu_build`, `cpu_check`).
Storm runs with sound value iteration at an absolute precision of 1e-6.
"""

import json
import sys
import time

import stormpy

import storm_model


def main():
    path, formula, constants = sys.argv[1], sys.argv[2], sys.argv[3:]
    if path.endswith(".jani"):
        description = storm_model.read(path, constants)
        formulas = stormpy.parse_properties(formula, description)
        begin, cpu_begin = time.perf_counter(), time.process_time()
        model = stormpy.build_model(description, formulas)
    else:
        formulas = stormpy.parse_properties(formula)
        begin, cpu_begin = time.perf_counter(), time.process_time()
        read = stormpy.build_model_from_umb if path.endswith(".umb") else stormpy.build_model_from_drn
        model = read(path)
    built, cpu_built = time.perf_counter(), time.process_time()
    environment = stormpy.environments.sound()
    result = stormpy.model_checking(model, formulas[0], environment=environment, only_initial_states=True)
    values = [result.get_value(state) for state in model.initial_states]
    done, cpu_done = time.perf_counter(), time.process_time()
    print(json.dumps({"states": model.nr_states, "value": float(max(values)), "build": built - begin, "check": done - built,
                      "cpu_build": cpu_built - cpu_begin, "cpu_check": cpu_done - cpu_built, "version": stormpy.__version__}))


main()
