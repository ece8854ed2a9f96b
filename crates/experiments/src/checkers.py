"""Storm's engines on an encoded system.

Usage: checkers.py FILE ENGINE SECONDS [MEGABYTES]

FILE is JANI, as `surefoot encode --target storm` writes it; ENGINE is sparse, dd, hybrid or abstraction. Builds the model, computes the first
property, and prints one JSON line:

    {"engine": ..., "states": ..., "transitions": ..., "value": ..., "build_seconds": ..., "seconds": ...}

or, where that fails, {"engine": ..., "failure": ..., "seconds": ...}, with `failure` one of "time", "memory", "not available: ..." and "error: ...".
Exit code 0 with a value, 3 at a limit, 2 otherwise. The work is done in a process of its own, because Storm does not stop by itself.
"""

import json
import multiprocessing
import os
import resource
import sys
import time

ENGINES = ("sparse", "dd", "hybrid", "abstraction")


def work(path, engine, megabytes, answers):
    """In a process of its own: what was found, piece by piece. What Storm prints is no part of the answer."""
    os.dup2(2, 1)
    if megabytes:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    try:
        import stormpy

        if engine == "abstraction":
            # Storm's game-based abstraction refinement is a library of its own, which stormpy neither ships nor binds.
            if not hasattr(stormpy.Engine, "ABSTRACTION_REFINEMENT"):
                answers.put({"failure": f"not available: stormpy {stormpy.__version__} has no abstraction refinement"})
                return
            kind = stormpy.Engine.ABSTRACTION_REFINEMENT
        else:
            kind = getattr(stormpy.Engine, engine.upper())
        options = {"engine": kind}
        if megabytes and engine in ("dd", "hybrid"):
            # Tables of decision diagrams are laid out at once: half of the memory is theirs.
            options["environment"] = stormpy.Environment()
            options["environment"].dd().sylvan().maximal_memory = megabytes // 2
        started = time.monotonic()
        model, properties = stormpy.parse_jani_model(path)
        built = stormpy.build_model(model, properties, **options)
        answers.put({"states": built.nr_states, "transitions": built.nr_transitions, "build_seconds": time.monotonic() - started})
        result = stormpy.model_checking(built, properties[0], engine=kind, only_initial_states=engine == "sparse")
        result.filter(stormpy.create_filter_initial_states(built))
        answers.put({"value": result.get_max()})
    except MemoryError:
        answers.put({"failure": "memory"})
    except Exception as error:  # Storm's own errors have many types.
        answers.put({"failure": f"error: {type(error).__name__}: {error}"})


def collect(answers, seconds, process):
    """What the process says until it is done, or has no time left."""
    found, deadline = {}, time.monotonic() + seconds
    while "value" not in found and "failure" not in found:
        rest = deadline - time.monotonic()
        if rest <= 0:
            return {**found, "failure": "time"}
        try:
            found.update(answers.get(timeout=min(rest, 0.2)))
        except Exception:
            if not process.is_alive() and answers.empty():
                # Killed: by the limit on memory, as a rule, which Storm does not catch.
                return {**found, "failure": "memory" if process.exitcode != 0 else "error: no answer"}
    return found


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[2] not in ENGINES:
        print(__doc__, file=sys.stderr)
        return 2
    path, engine, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    megabytes = int(sys.argv[4]) if len(sys.argv) == 5 else 0
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=work, args=(path, engine, megabytes, answers))
    started = time.monotonic()
    process.start()
    found = collect(answers, seconds, process)
    process.kill()
    process.join()
    print(json.dumps({"engine": engine, **found, "seconds": round(time.monotonic() - started, 3)}))
    return 0 if "value" in found else 3 if found["failure"] in ("time", "memory") else 2


if __name__ == "__main__":
    sys.exit(main())
