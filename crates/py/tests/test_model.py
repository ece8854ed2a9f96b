"""Models: read from anywhere, written, described, asked for expressions."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from surefoot._native import run
from surefoot.builder import ModelBuilder
from surefoot.errors import ModelError
from surefoot.interpret import Interpreter
from surefoot.model import Model

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
FINITE = ["corridor", "courier", "lift", "parking", "reservoir"]


@pytest.fixture
def model() -> Model:
    m = ModelBuilder("small")
    x = m.int("x", 0, 3, initial=0)
    m.bool_array("lamp", (2, 2), initial=False)
    door = m.automaton("door", locations=["closed", "open"])
    door.int("n", 0, 1, initial=0)
    door.action("go").at("closed").when(x < 3).do({x: x + 1}, to="open")
    return m.build()


def test_path_text_and_dictionary_are_one_model(model: Model, tmp_path: pathlib.Path) -> None:
    path = model.write(tmp_path / "small.jani")
    readings = [Model.from_jani(path), Model.from_jani(str(path)), Model.from_jani(model.jani)]
    assert all(reading == model and hash(reading) == hash(model) for reading in readings)
    again = Model.from_jani(json.loads(model.jani))
    assert again.document == model.document


@pytest.mark.parametrize("name", FINITE)
def test_the_examples_are_read_as_the_engines_read_them(name: str) -> None:
    model = Model.from_jani(EXAMPLES / name / "model.jani")
    assert model.name and model.actions and model.variables
    found = json.loads(run(["explore", "<model>"], model.files()).result)["statistics"]["reachable_states"]
    if found < 3000:
        assert found == len(Interpreter(model.document).explore())


def test_policies_that_properties_name_are_not_needed() -> None:
    document = json.loads((EXAMPLES / "lift" / "model.jani").read_text())
    document["properties"] = json.loads((EXAMPLES / "lift" / "properties.jani").read_text())["properties"]
    assert Model.from_jani(document).actions[0] == "up"
    document["variables"][0]["initial-value"] = "nothing"
    with pytest.raises(ModelError, match="unknown name 'nothing'"):
        Model.from_jani(document)


def test_description(model: Model) -> None:
    x, lamp, n = model.variables
    assert (x.name, x.kind, x.lower, x.upper, x.cells) == ("x", "int", 0, 3, ("x",))
    assert (lamp.kind, lamp.element, lamp.shape) == ("array", "bool", (2, 2))
    assert lamp.cells == ("lamp[0][0]", "lamp[0][1]", "lamp[1][0]", "lamp[1][1]")
    assert (n.name, n.automaton) == ("door.n", "door")
    assert repr(model) == "<Model small: actions go; x: int 0..3, lamp[2][2]: bool, door.n: int 0..1>"
    assert "x int 0..3" in model.check()


def test_expressions_of_a_model(model: Model) -> None:
    condition = (model["x"] > 1) & model["lamp"][1, 0] & (model["door.n"] == 0) & model.at("door", "open")
    assert str(condition) == "x > 1 & lamp[1][0] & door.n = 0 & door at open"
    verdict = json.loads(run(["verify", "<model>", f"--never={condition}"], model.files()).result)["verdict"]
    assert verdict == "holds"
    assert model.one_hot("x") == {"one_hot": "x"}
    with pytest.raises(ModelError, match=r"no variable 'y'; it has x, lamp, door\.n"):
        model["y"]
    with pytest.raises(ModelError, match="is no integer"):
        model.one_hot(model["lamp"][0, 0])


def test_bounds_from_constants() -> None:
    document: dict[str, Any] = json.loads((EXAMPLES / "courier" / "model.jani").read_text())
    assert Model.from_jani(document).variables[0].upper == 21
    del document["constants"][0]["value"]
    model = Model.from_jani(document)
    assert (model.variables[0].lower, model.variables[0].upper) == (None, None) or model.variables[0].upper is None
    assert model.constants["end"] is None


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{", "no JSON"),
        ('{"a": 1}', "no JANI model"),
        ("nowhere.jani", "cannot be read"),
        (3, "not int"),
        ({"automata": {1, 2}}, "no JSON"),
        (
            {"jani-version": 1, "name": "m", "type": "mdp", "automata": [], "system": {"elements": []}},
            "a system needs at least one element",
        ),
        ({"jani-version": 1, "name": "m", "type": "ta", "automata": [], "system": {"elements": []}}, "ta"),
    ],
)
def test_what_is_no_model(source: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Model.from_jani(source)


def test_errors_of_the_reader_name_the_place(model: Model) -> None:
    with pytest.raises(ModelError) as caught:
        Model.from_jani(model.jani.replace('"right": 3', '"right": "y"'))
    assert "unknown name 'y'" in str(caught.value) and "<model>:" in str(caught.value)
    Model.from_jani(model.jani.replace('"right": 3', '"right": "y"'), check=False)
