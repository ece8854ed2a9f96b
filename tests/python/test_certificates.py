"""Certificates that `verify` writes, judged by both checkers.

Usage: test_certificates.py BINARY [--slow]

The examples with each engine that decides them. Both checkers accept what is written, and neither does for another policy. With --slow also PlaJA's Blocksworld, where the data
is there, with sizes and times. Ends with a line 'N passed, N failed'.
"""

import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

import certificate_files
from certificate_files import ROOT

EXAMPLES, PLAJA = ROOT / "examples", ROOT.parent / "shared" / "data" / "plaja"


def example(name, policy=None):
    folder = EXAMPLES / name
    return [folder / "model.jani", "--properties", folder / "properties.jani", *(["--policy", folder / policy] if policy else [])]


CASES = [("parking", example("parking"), 0), ("lift", example("lift"), 0), ("reservoir, careful", example("reservoir", "careful.jani2nnet"), 0),
         ("reservoir, careless", example("reservoir"), 1)]


def blocksworld():
    compact = "compact_starts_cost_predicates_afterwards"
    four, six = PLAJA / "blocksworld", PLAJA / "icaps22" / "blocksworld"
    bound = ["--const", "failing_probability=0.5", "--const", "item_cost_bound=50"]
    properties = four / "additional_properties/safety_verification/blocksworld_4_3" / compact / f"pa_{compact}_blocksworld_4_3.jani"
    yield "blocksworld_4_3", [four / "cost_terminal/models/legacy_enc/blocksworld_4_3.jani", "--properties", properties, "--property", "1", *bound], 0
    properties = six / "additional_properties/safety_verification/cost05/blocksworld_6_5" / compact / "learned_cost05_non_terminal" / f"pa_{compact}_blocksworld_6_5_32_32.jani"
    yield "blocksworld_6_5", [six / "models/cost05/blocksworld_6_5.jani", "--properties", properties, "--property", "1"], 0


def check_case(binary, arguments, expected, engine, folder):
    path = folder / "proof.cert"
    command = [binary, "verify", *arguments, "--engine", engine, "--certificate", path, "--quiet"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
    assert done.returncode == expected, (command, done.stdout, done.stderr)
    index, _ = certificate_files.read(path)
    assert index["verdict"] == ("violated" if expected else "holds") and index["claim"] == ("reachable" if expected else "unreachable")
    said = {}
    for name, command in (("rust", [binary, "certify", path, *arguments, "--quiet"]), ("python", [sys.executable, "-B", certificate_files.CHECKER, path, *arguments])):
        begun = time.monotonic()
        word, text = certificate_files.opinion(command)
        assert word == "accepted", (name, text)
        said[name] = time.monotonic() - begun
    return path.stat().st_size, said


def main(arguments):
    binary, passed, failed = pathlib.Path(arguments[0]).resolve(), 0, 0
    cases = [(name, given, expected, engine) for name, given, expected in CASES for engine in ("explicit", "cegar", "auto")]
    if "--slow" in arguments[1:]:
        cases = [(name, given, expected, "cegar") for name, given, expected in blocksworld()]
    for name, given, expected, engine in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                size, seconds = check_case(binary, given, expected, engine, pathlib.Path(folder))
                print(f"{name}, {engine}: {size} bytes, " + ", ".join(f"{who} {time:.2f} s" for who, time in seconds.items()))
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED {name}, {engine}", traceback.format_exc(limit=-1), sep="\n", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
