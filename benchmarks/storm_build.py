"""Builds the full state space of a JANI model with Storm and prints its size and the time, as JSON.

Usage: storm_build.py MODEL [NAME=VALUE ...]

Storm is timed without parsing.
"""

import json
import sys
import time

import stormpy

import storm_model


def main():
    jani = storm_model.read(sys.argv[1], sys.argv[2:])
    begin, cpu = time.perf_counter(), time.process_time()
    built = stormpy.build_model(jani)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    result = {"states": built.nr_states, "seconds": seconds, "cpu": cpu, "version": stormpy.__version__}
    print(json.dumps(result))


main()
