"""Questions and their results, beside what the command line says of the same."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
import typing
from fractions import Fraction

import pytest
from conftest import EXAMPLES, Example

import surefoot
from surefoot import options


def command_line(*words: str) -> tuple[int, dict[str, object]]:
    """The exit code and the result object of the command line, as another process."""
    done = subprocess.run(
        [sys.executable, "-m", "surefoot", *words, "--json", "-", "--quiet"], capture_output=True, text=True, check=False
    )
    return done.returncode, json.loads(done.stdout)


def without_times(result: dict[str, object]) -> dict[str, object]:
    """What is the same every time."""
    kept = {key: value for key, value in result.items() if key not in ("seconds", "inputs")}
    kept["statistics"] = {key: value for key, value in dict(result["statistics"]).items() if key != "memory_bytes"}  # type: ignore[call-overload]
    return kept


def test_a_violation_is_the_command_lines(reservoir: Example) -> None:
    result = surefoot.verify(reservoir.model, reservoir.policy, properties=reservoir.properties)
    code, object_ = command_line("verify", *reservoir.arguments())
    assert (result.verdict, code) == ("violated", 1)
    assert without_times(dict(result.to_dict())) == without_times(object_)
    witness = result.witness
    assert witness is not None and len(witness) == 6
    assert witness[0].action is None and witness.actions[0] == "shut"
    assert witness[1].decision is not None and witness[1].decision.margin == Fraction(1, 2)
    assert witness[2].probability == Fraction(3, 4)
    assert witness.rows()[1]["score[shut]"] == 0.5
    assert "violated" in repr(result) and str(result).startswith("violated")


def test_models_in_memory_say_the_same_as_files(reservoir: Example) -> None:
    model = surefoot.Model.from_jani(reservoir.model)
    properties = json.loads(reservoir.properties.read_text(encoding="utf-8"))
    policy = surefoot.policy(reservoir.policy, model)
    result = surefoot.verify(model, policy, properties=properties)
    assert result.verdict == "violated" and result.witness is not None
    assert set(result.inputs) >= {"<model>", "<properties>", "<policy>"}
    by_file = surefoot.verify(reservoir.model, reservoir.policy, properties=reservoir.properties)
    assert by_file.witness is not None and by_file.witness.states == result.witness.states


def test_a_proof_has_a_certificate_that_the_checker_accepts(lift: Example, tmp_path: pathlib.Path) -> None:
    result = surefoot.verify(lift.model, lift.policy, properties=lift.properties, engine="cegar")
    assert result.holds and result.invariant is not None
    said = result.save_certificate(tmp_path / "lift.cert")
    assert said["checked"] is True
    checked = surefoot.certify(tmp_path / "lift.cert", lift.model, lift.policy, properties=lift.properties)
    assert checked.accepted
    # Of another question it is none.
    other = surefoot.certify(tmp_path / "lift.cert", lift.model, lift.policy, properties=lift.properties, never="true")
    assert not other.accepted
    again = surefoot.verify(
        lift.model, lift.policy, properties=lift.properties, engine="cegar", certificate=tmp_path / "first.cert"
    )
    again.save_certificate(tmp_path / "second.cert")
    assert (tmp_path / "first.cert").read_bytes() == (tmp_path / "second.cert").read_bytes()


def test_witnesses_are_replayed_and_false_ones_refused(reservoir: Example) -> None:
    result = surefoot.verify(reservoir.model, reservoir.policy, properties=reservoir.properties)
    assert result.witness is not None
    asked: dict[str, typing.Any] = {"properties": reservoir.properties}
    assert surefoot.replay(result, reservoir.model, reservoir.policy, **asked).real
    assert surefoot.replay(result.witness, reservoir.model, reservoir.policy, **asked).real
    false = json.loads(json.dumps(result.witness.to_json()))
    false["steps"][0]["state"]["level"] = 3
    assert not surefoot.replay(false, reservoir.model, reservoir.policy, **asked).real


def test_bounds_of_a_coin() -> None:
    m = surefoot.ModelBuilder("coin")
    x = m.int("x", 0, 2, initial=0)
    m.action("toss").when(x == 0).outcomes((Fraction(1, 3), {x: 1}), (Fraction(2, 3), {x: 2}))
    result = surefoot.bounds(m.build(), never=x == 1, exact=True)
    assert result.value is not None and result.value.lower == result.value.upper == Fraction(1, 3)
    assert Fraction(1, 3) in result.value and str(result.value) == "1/3"
    assert surefoot.bounds(m.build(), never=x == 1, p_max=Fraction(1, 3)).holds
    assert surefoot.bounds(m.build(), never=x == 1, p_max=0.333).violated
    by_steps = surefoot.bounds(m.build(), goal=x >= 1, expect="max")
    assert by_steps.value is not None and 1 in by_steps.value and by_steps.value.width < 1e-6


def test_formulas_simulations_explorations_abstractions() -> None:
    m = surefoot.ModelBuilder("walk")
    x = m.int("x", 0, 9, initial=5)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9).do({x: x + 1})
    model = m.build()
    assert surefoot.ctl(model, "EF[<=4] x = 9").holds
    violated = surefoot.ctl(model, "AG[<=4] x < 9")
    assert violated.violated and violated.witness is not None and violated.witness[-1].state["x"] == 9
    runs = surefoot.simulate(model, never=x == 9, runs=50, steps=100, seed=3)
    assert runs.runs == 50 and runs.share("goal") is None and 0 < (runs.share("unsafe") or 0) <= 1
    assert surefoot.explore(model).states == 10
    abstracted = surefoot.abstract(model, never=x == 9, predicates=[x <= 4, x <= 8])
    assert abstracted.states == 3 and len(abstracted.predicates) == 2 and abstracted.unknown
    assert "readable" in surefoot.check(model).text


def test_single_decisions() -> None:
    folder = EXAMPLES / "parking"
    by_path = surefoot.decide(folder / "queries.json", folder / "driver.nnet")
    in_memory = surefoot.decide(json.loads((folder / "queries.json").read_text(encoding="utf-8")), folder / "driver.nnet")
    assert by_path.answers == in_memory.answers == ("unsat", "sat", "unsat")
    with pytest.raises(surefoot.InputError, match="there are 3 answers"):
        _ = by_path.answer
    with pytest.raises(surefoot.InputError, match="nowhere"):
        surefoot.decide(folder / "queries.json", "nowhere.onnx")


def test_results_are_no_truth_values(reservoir: Example) -> None:
    result = surefoot.verify(reservoir.model, reservoir.policy, properties=reservoir.properties)
    with pytest.raises(TypeError, match="no truth value: the verdict is 'violated'"):
        bool(result)
    assert (result.holds, result.violated, result.unknown) == (False, True, False)


def test_the_same_question_gives_the_same_object(reservoir: Example) -> None:
    ask = lambda threads: surefoot.verify(  # noqa: E731
        reservoir.model, reservoir.policy, properties=reservoir.properties, threads=threads
    )
    assert without_times(dict(ask(1).to_dict())) == without_times(dict(ask(2).to_dict()))


def test_a_page_is_written_beside_the_result(reservoir: Example, tmp_path: pathlib.Path) -> None:
    page = tmp_path / "page.html"
    result = surefoot.verify(reservoir.model, reservoir.policy, properties=reservoir.properties, report=page)
    text = page.read_text(encoding="utf-8")
    assert result.violated and text.startswith("<!doctype html>") and text.endswith("</html>\n")
    with pytest.raises(surefoot.InputError, match="cannot write"):
        surefoot.verify(reservoir.model, reservoir.policy, properties=reservoir.properties, report=tmp_path / "nowhere" / "page.html")
    with pytest.raises(surefoot.InputError, match="no drawing of this model"):
        (tmp_path / "drawing.json").write_text("[]", encoding="utf-8")
        surefoot.verify(reservoir.model, reservoir.policy, properties=reservoir.properties, report=page, drawing=tmp_path / "drawing.json")


def test_policies_are_compared(reservoir: Example, tmp_path: pathlib.Path) -> None:
    folder = EXAMPLES / "reservoir"
    careful, careless = folder / "careful.jani2nnet", folder / "careless.jani2nnet"
    asked: dict[str, typing.Any] = {"properties": reservoir.properties}
    found = surefoot.diff(reservoir.model, careful, careless, **asked)
    assert found.violated and found.alike is False and found.differing == 15 and found.chosen == (("drain",), ("shut",))
    assert found.witness is not None and len(found.witness) == 3 and found.state is not None and found.state["level"] == 10
    # In memory, both with networks of the same name.
    read = [surefoot.policy(path, surefoot.Model.from_jani(reservoir.model)) for path in (careful, careless)]
    again = surefoot.diff(reservoir.model, *read, **asked)
    assert (again.differing, again.chosen) == (found.differing, found.chosen)
    assert surefoot.diff(reservoir.model, read[0], careful, **asked).alike
    assert surefoot.diff(reservoir.model, careful, careless, region="level < 9", **asked).alike
    reused = surefoot.diff(reservoir.model, careful, careless, prove=True, **asked)
    assert reused.violated and reused.inductive is False and reused.alike is None
    surefoot.verify(reservoir.model, careful, engine="cegar", certificate=tmp_path / "c.cert", **asked)
    assert surefoot.diff(reservoir.model, careful, careful, invariant=tmp_path / "c.cert", **asked).inductive
    with pytest.raises(surefoot.UsageError, match="the first is missing"):
        surefoot.diff(reservoir.model, None, careful)


#: What Python spells otherwise, or does by itself.
ELSEWHERE = {"json", "quiet", "events", "policy", "const", "network", "formula", "help", "model-file"}
COMMANDS = {
    "verify": options.Verify,
    "bounds": options.Bounds,
    "abstract": options.Abstract,
    "ctl": options.Ctl,
    "simulate": options.Simulate,
    "decide": options.Decide,
    "explore": options.Question,
    "check": options.Question,
    "replay": options.Question,
    "certify": options.Certify,
    "explain": options.Explain,
    "diff": options.Diff,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_options_are_those_of_the_command_line(command: str) -> None:
    done = subprocess.run([sys.executable, "-m", "surefoot", command, "--help"], capture_output=True, text=True, check=True)
    theirs = set(re.findall(r"^ {2,8}(?:-\w, )?--([a-z][a-z0-9-]*)", done.stdout, re.M)) - ELSEWHERE
    ours = {name.replace("_", "-") for name in COMMANDS[command].__annotations__}
    assert ours - {"constants", "network", "formula"} == theirs


def test_the_package_exports_what_it_says() -> None:
    assert all(hasattr(surefoot, name) for name in surefoot.__all__)
    code = subprocess.run([sys.executable, "-m", "surefoot", "--version"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", code.stdout)
