"""Certificates of bounds on probabilities as other tools see them.

Usage: test_bounds.py BINARY [SECONDS]

Runs `surefoot bounds --certificate --certify` on the examples and, where it is there, on the QComp data (what takes longer than SECONDS is left out); reads the files
with umbi and with Storm; evaluates the inequalities of the book's page on what umbi reads, in fractions; and compares what Storm computes on the file with the bounds
that it shows. On small ones tools/check_bounds.py must agree with `surefoot certify`, on the certificate and on copies of it with a byte or a bound changed. Ends with a line 'N passed, N failed'.
"""

import io
import json
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
from fractions import Fraction

import stormpy
import umbi.umb

import test_induce
from test_induce import ROOT, fraction, qcomp, read_umb

# umbi reads bit by bit, and the checker in Python takes its time.
SMALL = 3000
MUTANTS = 6
CHECKER = ROOT / "tools" / "check_bounds.py"


def cases():
    for name in ("lift", "parking", "reservoir"):
        folder = ROOT / "examples" / name
        yield test_induce.Case(name, [folder / "model.jani", "--properties", folder / "properties.jani"])
    within = [ROOT / "examples" / "reservoir" / "model.jani", "--properties", ROOT / "examples" / "reservoir" / "probabilities.jani"]
    yield test_induce.Case("reservoir, within 12 steps", [*within, "--property", "spill-within-12"])
    yield test_induce.Case("reservoir, a comparison", [*within, "--property", "mostly-dry"])
    courier = ROOT / "examples" / "courier"
    by_abstraction = ["--properties", courier / "properties.jani", "--engine", "cegar"]
    yield test_induce.Case("courier", [courier / "model.jani", *by_abstraction])
    yield from qcomp()


class Chain:
    """What umbi reads: choices of every state, as lists of targets and probabilities."""

    def __init__(self, path):
        self.umb = umbi.umb.read(str(path), strict=True)
        self.index = self.umb.index.file_data.parameters
        states = self.umb.index.transition_system.num_states
        branches = lambda choice: range(*self.umb.choice_to_branches[choice : choice + 2])
        row = lambda choice: [(self.umb.branch_to_target[b], fraction(self.umb.branch_to_probability[b])) for b in branches(choice)]
        self.choices = [[row(c) for c in range(*self.umb.state_to_choices[s : s + 2])] for s in range(states)]
        self.target, self.frontier = (self.umb.annotations["aps"][name]["states"] for name in ("target", "frontier"))
        vectors = self.umb.annotations["certificate"]
        self.upper, self.lower, self.rank = (vectors.get(name, {}).get("states") for name in ("upper", "lower", "rank"))

    def sums(self, state, vector):
        return [sum(p * vector[t] for t, p in row) for row in self.choices[state]]

    def stays(self, state):
        return self.choices[state] == [[(state, 1)]]

    def check_upper(self, every):
        for state, value in enumerate(self.upper):
            if self.target[state] or self.frontier[state]:
                assert value >= 1, state
            elif not self.stays(state):
                assert every(total <= value for total in self.sums(state, self.upper)), state

    def check_lower(self, some):
        for state, value in enumerate(self.lower):
            assert 0 <= value <= 1, state
            if self.target[state] or value == 0:
                continue
            assert not self.frontier[state] and not self.stays(state), state
            falls = [any(self.rank[t] < self.rank[state] for t, _ in row) for row in self.choices[state]]
            assert some(value <= total and fall for total, fall in zip(self.sums(state, self.lower), falls)), state


def opinions(case, path):
    """What both checkers say: accepted, rejected or unreadable."""
    words = iter(case.arguments)
    asked = [word for word in words if not (word == "--engine" and next(words))]
    found = []
    for command in ([BINARY, "certify"], [sys.executable, "-B", CHECKER]):
        done = subprocess.run([*map(str, command), str(path), *asked], capture_output=True, text=True, encoding="utf-8")
        found.append((done.returncode, (done.stdout + done.stderr).strip().splitlines()[0]))
    return found


def repack(files, path):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def check_both(case, path):
    """Both checkers accept the certificate, and agree on others; a bound that is too good is rejected."""
    (ours, said), (theirs, other) = opinions(case, path)
    assert ours == 0, said
    if "is not supported" in other:
        return "; not for the checker in Python"
    assert theirs == 0, other
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive}
    chance, rejected = random.Random(case.name), 0
    for number in range(MUTANTS):
        mutant = dict(files)
        if number == 0:
            index = json.loads(files["index.json"])
            for bound in index["file-data"]["parameters"]["bounds"]:
                bound["value"] = str(fraction(bound["value"]) + (-1 if bound["at"] == "most" else 1) * Fraction(1, 10**9))
            mutant["index.json"] = json.dumps(index).encode()
        else:
            name = chance.choice([name for name in files if name.endswith(".bin") and files[name]])
            data = bytearray(files[name])
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            mutant[name] = bytes(data)
        repack(mutant, path)
        (ours, said), (theirs, other) = opinions(case, path)
        assert (ours == 0) == (theirs == 0), (number, said, other)
        assert number > 0 or ours == 1, said
        rejected += ours != 0
    return f"; both checkers accept it and reject {rejected} of {MUTANTS} mutants"


def check_case(case, folder, seconds):
    path = folder / "bounds.umb"
    command = [BINARY, "bounds", *case.arguments, "--certificate", path, "--certify", "--quiet", "--json", "-", "--time-limit", str(seconds)]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, encoding="utf-8")
    if done.returncode == 3:
        return "left out"
    assert done.returncode in (0, 1), done.stderr
    result = json.loads(done.stdout)
    record = result["certificate"]
    assert record is not None and record["checked"], done.stderr
    assert record["bytes"] == path.stat().st_size
    told = f"{record['states']} states, {record['bytes']} bytes, written in {record['seconds_to_write']:.2f} s, checked in {record['seconds_to_check']:.2f} s"
    model = read_umb(path, value_type=stormpy.io.UmbImportValueType.DOUBLE)
    assert model.nr_states == record["states"]
    if record["states"] > SMALL:
        return told
    chain = Chain(path)
    # The property may be one minus an until: then what is bounded is the until, for the other scheduler.
    maximal = case.quantifier == "Pmax"
    if chain.upper:
        chain.check_upper(all if maximal else any)
    if chain.lower:
        chain.check_lower(any if maximal else all)
    # What Storm computes is between the vectors, the frontier lost and won.
    operator = ("Pmax" if maximal else "Pmin") if model.model_type.name == "MDP" else "P"
    slack = Fraction(1, 10**5)
    for vector, won, fits in (
        (chain.lower, '"target"', lambda bound, value: bound <= value + slack),
        (chain.upper, '"target" | "frontier"', lambda bound, value: value <= bound + slack),
    ):
        if vector:
            result = stormpy.model_checking(model, stormpy.parse_property(f"{operator}=? [F ({won})]"))
            assert all(fits(vector[s], fraction(result.get_value(s))) for s in model.initial_states)
    return told + check_both(case, path)


def main(seconds):
    passed = failed = 0
    for case in cases():
        with tempfile.TemporaryDirectory() as folder:
            begin = time.time()
            try:
                told = check_case(case, pathlib.Path(folder), seconds)
                passed += 1
                print(f"{case.name}: {told} ({time.time() - begin:.1f} s)", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED {case.name}")
                traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    BINARY = test_induce.BINARY = sys.argv[1]
    sys.exit(main(float(sys.argv[2]) if len(sys.argv) > 2 else 20))
