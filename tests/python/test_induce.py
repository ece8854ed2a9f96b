"""Exported models as other tools see them.

Usage: test_induce.py BINARY

Runs `surefoot induce` on the examples and, where it is there, on the QComp data; reads the files with Storm and with umbi; and compares sizes,
labels, transitions, and a reachability probability that Storm computes on the exported model with what `surefoot bounds` says of
the original. Ends with a line 'N passed, N failed'.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback
from fractions import Fraction

import stormpy
import umbi.umb

ROOT = pathlib.Path(__file__).resolve().parents[2]
QCOMP = ROOT.parent / "shared" / "data" / "qcomp"
# umbi reads bit by bit, and exact solving takes time.
SMALL = 1200


class Case:
    """A model with options, and how Storm is to be asked: Pmax or Pmin."""

    def __init__(self, name, arguments, quantifier="Pmax"):
        self.name, self.arguments, self.quantifier = name, [str(a) for a in arguments], quantifier


def examples():
    for name in ("lift", "parking", "reservoir"):
        folder = ROOT / "examples" / name
        with_property = [folder / "model.jani", "--properties", folder / "properties.jani"]
        yield Case(name, with_property)
        yield Case(f"{name} as mdp", [*with_property, "--mdp"])
    reservoir = ROOT / "examples" / "reservoir"
    careful = [reservoir / "model.jani", "--properties", reservoir / "properties.jani"]
    yield Case("reservoir, careful", [*careful, "--policy", reservoir / "careful.jani2nnet"])


def qcomp():
    index = QCOMP / "index.json"
    if not index.exists():
        return
    for entry in json.loads(index.read_text()):
        if ">=" in entry["kind"]:
            continue
        constants = [f"--const={name}={json.dumps(value)}" for name, value in entry["constants"].items()]
        arguments = [QCOMP / entry["file"], "--property", entry["property"], *constants]
        quantifier = "Pmin" if "Pmin" in entry["kind"] else "Pmax"
        yield Case(f"{entry['file']} {entry['property']}", arguments, quantifier)


def surefoot(command, arguments, expected=0):
    run = [BINARY, command, *arguments, "--quiet", "--json", "-"]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == expected, (run, done.returncode, done.stderr)
    return json.loads(done.stdout)


def fraction(value):
    """A number of the result object, of Storm, or of umbi, exactly."""
    return value if isinstance(value, Fraction) else Fraction(str(value)) if not isinstance(value, float) else Fraction(value)


def matrix(model):
    """Per state, per choice: target and probability."""
    rows = lambda action: [(entry.column, fraction(entry.value)) for entry in action.transitions]
    return [[rows(action) for action in state.actions] for state in model.states]


def assert_close(found, expected):
    """Equal but for the rounding of probabilities; Storm rounds fractions to floats not always to the nearest."""
    assert [[[t for t, _ in c] for c in s] for s in found] == [[[t for t, _ in c] for c in s] for s in expected]
    for state in zip(found, expected):
        for choice in zip(*state):
            for (_, p), (_, q) in zip(*choice):
                assert abs(p - q) <= q / 2**52


def check_sizes(model, exported):
    assert model.nr_states == exported["states"]
    assert model.nr_choices == exported["choices"]
    assert model.nr_transitions == exported["transitions"]
    assert model.model_type.name.lower() == exported["type"]
    assert len(model.initial_states) == exported["labels"]["start"]
    for label, count in exported["labels"].items():
        # A label that holds nowhere is not in DRN.
        if count > 0:
            assert model.labeling.get_states(label).get_number_of_set_bits() == count, label


def storm_value(model, exported, quantifier):
    """What Storm computes, over all initial states."""
    labels = exported["labels"]
    target = "unsafe" if "unsafe" in labels else "target"
    if labels[target] == 0:
        return 0
    path = f'"hold" U "{target}"' if "hold" in labels else f'F "{target}"'
    operator = quantifier if exported["type"] == "mdp" else "P"
    result = stormpy.model_checking(model, stormpy.parse_property(f"{operator}=? [{path}]"))
    return max(fraction(result.get_value(state)) for state in model.initial_states)


def check_value(model, exported, case, bounds, slack):
    lower, upper = fraction(bounds["lo"]), fraction(bounds["hi"])
    value = storm_value(model, exported, case.quantifier)
    assert lower - slack <= value <= upper + slack, (float(lower), float(value), float(upper))


def read_umb(path, **options):
    wanted = stormpy.io.UmbImportOptions()
    for name, value in options.items():
        setattr(wanted, name, value)
    return stormpy.build_model_from_umb(str(path), options=wanted)


def check_umbi(path, exact, model, exported):
    """umbi and Storm agree on the archive."""
    umb = umbi.umb.read(str(path), strict=True)
    system = umb.index.transition_system
    assert (system.num_states, system.num_choices) == (exported["states"], exported["choices"])
    assert system.num_branches == exported["transitions"] and system.num_players == (exported["type"] == "mdp")
    read = []
    for state in range(system.num_states):
        choices = range(*umb.state_to_choices[state : state + 2])
        branches = lambda choice: range(*umb.choice_to_branches[choice : choice + 2])
        read.append([[(umb.branch_to_target[b], fraction(umb.branch_to_probability[b])) for b in branches(c)] for c in choices])
    assert read == matrix(model)
    if exact:
        assert all(sum(p for _, p in choice) == 1 for state in read for choice in state)
    names = {annotation.alias: name for name, annotation in umb.index.annotations["aps"].items()}
    for label, count in exported["labels"].items():
        assert sum(umb.annotations["aps"][names[label]]["states"]) == count, label
    assert sum(umb.state_is_initial) == exported["labels"]["start"]
    valuations = [tuple(valuation.items()) for valuation in umb.valuations["states"]]
    assert len(set(valuations)) == system.num_states
    if system.num_choice_actions > 0:
        actions = [umb.choice_action_to_string[a] for a in umb.choice_to_choice_action]
        labels = [model.choice_labeling.get_labels_of_choice(c) for c in range(model.nr_choices)]
        assert [{a} if a else set() for a in actions] == labels
    return [dict(valuation) for valuation in valuations]


def check_sta(path, valuations):
    """PRISM's states are UMB's."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    show = lambda value: str(value).lower()
    expected = [f"{i}:({','.join(show(v) for v in valuation.values())})" for i, valuation in enumerate(valuations)]
    assert lines == expected


def storm_dialect(tra, folder):
    """Storm has its own dialect of PRISM's files: other headers, labels by name, no actions."""
    header, *lines = tra.read_text(encoding="utf-8").splitlines()
    decides = len(header.split()) == 3
    kept = [" ".join(line.split()[: 4 if decides else 3]) for line in lines]
    names, *held = tra.with_suffix(".lab").read_text(encoding="utf-8").splitlines()
    names = [name.split("=")[1].strip('"') for name in names.split()]
    labels = []
    for line in held:
        state, indices = line.split(":")
        labels.append(" ".join([state, *(names[int(i)] for i in indices.split())]))
    transitions, labelling = folder / "storm.tra", folder / "storm.lab"
    transitions.write_text("\n".join(["mdp" if decides else "dtmc", *kept, ""]))
    labelling.write_text("\n".join(["#DECLARATION", " ".join(names), "#END", *labels, ""]))
    return stormpy.build_model_from_explicit(str(transitions), str(labelling))


def check_case(case, folder):
    out = {extension: folder / f"model.{extension}" for extension in ("drn", "umb", "tra")}
    induced = {e: surefoot("induce", [*case.arguments, "--out", str(path)]) for e, path in out.items()}
    exported = induced["drn"]["exported"]
    statistics = induced["drn"]["statistics"]
    assert exported["states"] == statistics["reachable_states"]
    assert exported["labels"]["deadlock"] == statistics["deadlocks"]
    asked = [argument for argument in case.arguments if argument != "--mdp"]
    small = exported["states"] <= SMALL
    bounds = surefoot("bounds", [*asked, *(["--exact"] if small else ["--precision", "1e-9"])])["value"]

    drn = stormpy.build_model_from_drn(str(out["drn"]))
    check_sizes(drn, exported)
    check_value(drn, exported, case, bounds, Fraction(1, 10**5))
    double = read_umb(out["umb"], value_type=stormpy.io.UmbImportValueType.DOUBLE)
    check_sizes(double, exported)
    check_value(double, exported, case, bounds, Fraction(1, 10**5))
    tra = storm_dialect(out["tra"], folder)
    check_sizes(tra, exported)
    if not small:
        return
    # Everything is exact, so everything is equal.
    precise = stormpy.build_model_from_drn[stormpy.Rational](str(out["drn"]))
    check_value(precise, exported, case, bounds, 0)
    umb = read_umb(out["umb"], build_choice_labeling=True, build_state_valuations=True)
    check_sizes(umb, exported)
    assert matrix(umb) == matrix(precise)
    check_value(umb, exported, case, bounds, 0)
    valuations = check_umbi(out["umb"], True, umb, exported)
    check_sta(out["tra"].with_suffix(".sta"), valuations)
    assert_close(matrix(tra), matrix(precise))
    assert_close(matrix(drn), matrix(precise))
    # The same bytes every time, and doubles on request.
    again = folder / "again.umb"
    surefoot("induce", [*case.arguments, "--out", str(again)])
    assert again.read_bytes() == out["umb"].read_bytes()
    surefoot("induce", [*case.arguments, "--out", str(again), "--numbers", "double"])
    check_umbi(again, False, read_umb(again, build_choice_labeling=True), exported)


def check_limit(folder):
    """A limit leaves what was there."""
    model = ROOT / "examples" / "reservoir" / "model.jani"
    out = folder / "model.drn"
    out.write_text("old")
    result = surefoot("induce", [str(model), "--out", str(out), "--time-limit", "0"], expected=3)
    assert result["verdict"] == "unknown" and result["file"] is None
    assert out.read_text() == "old" and list(folder.iterdir()) == [out]


def main():
    checks = [("limit", check_limit)]
    checks += [(case.name, lambda folder, case=case: check_case(case, folder)) for case in [*examples(), *qcomp()]]
    passed = failed = 0
    for name, check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(pathlib.Path(folder))
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED {name}", traceback.format_exc(), sep="\n", flush=True)
    if not QCOMP.exists():
        print(f"note: {QCOMP} is not there: only the examples were tried")
        # In CI the models must be there.
        failed += os.environ.get("CI") == "true"
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(main())
