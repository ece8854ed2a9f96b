"""Encoded systems as Storm sees them.

Usage: test_encode.py BINARY

Runs `surefoot encode --target storm` on the examples, builds the files with Storm's sparse, dd and hybrid engines, and compares the probability that
Storm computes with what `surefoot bounds` says of the original under its policy, and the number of states with what `surefoot explore` counts
in the file. Ends with a line 'N passed, N failed'.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import traceback

import stormpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRIVER = ROOT / "benchmarks" / "checkers.py"


def example(name, *more):
    folder = ROOT / "examples" / name
    return [folder / "model.jani", "--properties", folder / "properties.jani", *more]


CASES = {
    "lift": (example("lift"), ("sparse", "hybrid")),
    "parking": (example("parking"), ("sparse",)),
    "reservoir": (example("reservoir"), ("sparse", "dd", "hybrid")),
    "reservoir, careful": (example("reservoir", "--policy", ROOT / "examples" / "reservoir" / "careful.jani2nnet"), ("sparse", "dd")),
    "courier, few charges": (example("courier", "--start", "charge >= 4000 and charge <= 4200 and position = 0 and bumps = 0"), ("sparse",)),
}


def surefoot(command, arguments):
    run = [BINARY, command, *map(str, arguments), "--quiet", "--json", "-"]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, (run, done.returncode, done.stderr)
    return json.loads(done.stdout)


def checked(path, engine):
    """What Storm says of a file, by the driver."""
    run = [sys.executable, "-I", str(DRIVER), str(path), engine, "300"]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, (run, done.stdout, done.stderr)
    return json.loads(done.stdout)


def check_case(arguments, engines, folder):
    bounds = surefoot("bounds", [*arguments, "--engine", "explicit"])["value"]
    for starts in ("initial", "edges"):
        path = folder / f"{starts}.jani"
        encoded = surefoot("encode", [*arguments, "--target", "storm", "--starts", starts, "--out", path])
        assert encoded["exact"] is True and encoded["score_error"] == "0"
        # Unsafe states are not left by Storm: it stops where the question is answered.
        for engine in engines if starts == "initial" else engines[:1]:
            found = checked(path, engine)
            assert bounds["lo"] - 1e-6 <= found["value"] <= bounds["hi"] + 1e-6, (engine, starts, bounds, found)


def check_driver(folder):
    """What cannot be had is told apart."""
    run = [sys.executable, "-I", str(DRIVER), str(folder / "none.jani"), "sparse", "60"]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 2 and "error:" in json.loads(done.stdout)["failure"]
    if not hasattr(stormpy.Engine, "ABSTRACTION_REFINEMENT"):
        run[4] = "abstraction"
        done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 2 and "not available" in json.loads(done.stdout)["failure"]


def main():
    checks = [("driver", check_driver)]
    checks += [(name, lambda folder, case=case: check_case(*case, folder)) for name, case in CASES.items()]
    passed = failed = 0
    for name, check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(pathlib.Path(folder))
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED {name}", traceback.format_exc(), sep="\n", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(main())
