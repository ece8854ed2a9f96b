"""The builder: what it writes is what was said, and what is wrong is told at its line."""

from __future__ import annotations

import enum
import inspect
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from surefoot._native import run
from surefoot.builder import ModelBuilder, between
from surefoot.errors import ModelError
from surefoot.expressions import Array, Name
from surefoot.interpret import Interpreter
from surefoot.model import Model


def explored(model: Model) -> int:
    found = json.loads(run(["explore", "<model>"], model.files()).result)["statistics"]["reachable_states"]
    assert found == len(Interpreter(model.document).explore())
    return int(found)


def test_the_first_example() -> None:
    m = ModelBuilder("cliff")
    x, y = m.int("x", 0, 11), m.int("y", 0, 3)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 11).do({x: x + 1})
    m.action("up").when(y < 3).outcomes((0.9, {y: y + 1}), (0.1, {}))
    m.start((x == 0) & (y == 0))
    model = m.build()
    assert model.actions == ("left", "right", "up")
    assert explored(model) == 48
    interpreter = Interpreter(model.document)
    [start] = interpreter.initial_states()
    ups = [choice for choice in interpreter.choices(start) if choice.label == "up"]
    assert [outcome.probability for outcome in ups[0].outcomes] == [Fraction(9, 10), Fraction(1, 10)]


def test_several_automata_synchronise_on_equal_actions() -> None:
    m = ModelBuilder("lift")
    floor = m.int("floor", 0, 2, initial=0)
    door = m.automaton("door", locations=["closed", "open"])
    count = door.int("count", 0, 3, initial=0)
    door.action("open").at("closed").when(count < 3).do({count: count + 1}, to="open")
    door.action("close").at("open").do(to="closed")
    door.action("up").at("closed").do()
    m.action("up").when(floor < 2).do({floor: floor + 1})
    m.silent().when(floor == 2).do({floor: 0})
    model = m.build()
    assert model.actions == ("open", "close", "up")
    assert explored(model) == 3 * 7
    states = Interpreter(model.document).explore()
    assert all(label != "up" or state[0] == 0 for state in states for label in _labels(model, state))
    assert model["door.count"].jani == "count" and str(model["door.count"]) == "door.count"


def _labels(model: Model, state: Any) -> list[str | None]:
    return [choice.label for choice in Interpreter(model.document).choices(state)]


def test_explicit_synchronisation() -> None:
    m = ModelBuilder("relay")
    a, b = m.automaton("a"), m.automaton("b")
    x, y = a.int("x", 0, 3, initial=0), b.int("y", 0, 3, initial=0)
    a.action("send").when(x < 3).do({x: x + 1})
    b.action("receive").when(y < 3).do({y: y + 1})
    b.action("reset").do({y: 0})
    m.sync("pass", {a: "send", b: "receive"})
    model = m.build()
    assert model.actions == ("reset", "pass")
    # x counts every pass, y those since the last reset.
    assert explored(model) == 10
    m.sync(None, {a: "send"})
    assert {choice.label for choice in Interpreter(m.build().document).choices((0, 0, 0, 0))} == {"pass", "reset", None}


def test_non_determinism_enumerations_arrays_and_sequences() -> None:
    m = ModelBuilder("mixed")
    light = m.enum("light", ["red", "green"], initial="red")
    cells = m.int_array("cells", 3, 0, 2, initial=0)
    at = m.int("at", 0, 2, initial=0)
    m.action("switch").do({light: "green"})
    m.action("switch").when(light == "green").do({light: "red"})
    m.action("move").do({at: between(0, 2)})
    m.action("mark").when(light == "red").do([{cells[at]: 1}, {cells[2]: cells[0] + cells[1]}])
    model = m.build()
    interpreter = Interpreter(model.document)
    [start] = interpreter.initial_states()
    choices = interpreter.choices(start)
    assert sorted(choice.label or "" for choice in choices) == ["mark", "move", "switch"]
    [mark] = [choice for choice in choices if choice.label == "mark"]
    [after] = mark.outcomes[0].successors
    assert interpreter.describe(after) == {"light": 0, "cells[0]": 1, "cells[1]": 0, "cells[2]": 1, "at": 0}
    assert [len(choice.outcomes[0].successors) for choice in choices if choice.label == "move"] == [3]
    explored(model)
    assert str(model["light"] == "green") == "light = 1"
    verdict = run(["verify", "<model>", "--never=light = light.green & cells[2] = 2"], model.files())
    assert json.loads(verdict.result)["verdict"] == "violated"


def test_constants_and_reals() -> None:
    m = ModelBuilder("heater")
    step, most = m.const("step", 0.5), m.const("most", kind="int")
    t = m.real("t", 0, 10, initial=step)
    n = m.int("n", 0, 3 * most, initial=0)
    p = m.const("p", 0.25)
    m.action("heat").when(t + step <= 10, n < most).outcomes((p, {t: t + step, n: n + 1}), (1 - p, {}))
    model = m.build()
    assert model.constants == {"step": Fraction(1, 2), "most": None, "p": Fraction(1, 4)}
    assert len(Interpreter(model.document, {"most": 4}).explore()) == 5
    found = json.loads(run(["verify", "<model>", "--const=most=4", "--never=t = 2.5"], model.files()).result)
    assert found["verdict"] == "violated"


def test_transient_variables_have_the_values_of_locations() -> None:
    m = ModelBuilder("alarm")
    loud = m.bool("loud", initial=False, transient=True)
    bell = m.automaton("bell")
    bell.location("quiet")
    bell.location("ringing", values={loud: True})
    bell.action("ring").at("quiet").do(to="ringing")
    model = m.build()
    assert json.loads(run(["verify", "<model>", "--never=loud"], model.files()).result)["verdict"] == "violated"
    assert [variable.transient for variable in model.variables] == [True]


def test_the_order_of_actions_can_be_fixed() -> None:
    m = ModelBuilder("order", actions=["left", "right"])
    x = m.int("x", 0, 1, initial=0)
    m.action("right").do({x: 1})
    m.action("left").do({"x": 0})
    assert m.build().actions == ("left", "right")
    with pytest.raises(ModelError, match="there is no action 'rihgt'; did you mean 'right'"):
        m.action("rihgt")


def test_a_label_that_never_happens_is_still_one() -> None:
    m = ModelBuilder("order", actions=["left", "right"])
    x = m.int("x", 0, 1, initial=0)
    m.action("right").do({x: 1})
    assert m.build().actions == ("left", "right")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def test_two_variables_of_one_enumeration() -> None:
    m = ModelBuilder("colours")
    a, b = m.enum("a", Colour, initial=Colour.BLUE), m.enum("b", Colour)
    m.action("swap").when(a != b).do({a: b, b: a})
    model = m.build()
    assert explored(model) == 3
    assert model.variables[0].members == ("RED", "BLUE")
    assert (
        json.loads(run(["verify", "<model>", "--never=a = Colour.RED"], model.files()).result)["verdict"] == "violated"
    )


def begun() -> tuple[ModelBuilder, Name, Name, Array]:
    m = ModelBuilder("wrong")
    return m, m.int("x", 0, 9), m.bool("b"), m.int_array("a", 3, 0, 1, initial=0)


WRONG: list[tuple[Callable[[ModelBuilder, Any, Any, Any], Any], str]] = [
    (lambda m, x, b, a: m.int("y", 5, 1), "wrong way round: 5 is above 1"),
    (lambda m, x, b, a: m.int("y", 0, 1.5), "the upper bound of the integer 'y' is 1.5"),
    (lambda m, x, b, a: m.int("y", 0, True), "truth value where a number is needed"),
    (lambda m, x, b, a: m.int("y", 0, x), "the upper bound of 'y' must be constant"),
    (lambda m, x, b, a: m.int("y", 0, 5, initial=6), "6 is outside the domain of 'y', 0..5"),
    (lambda m, x, b, a: m.int("y", 0, 5, initial=True), "'y' is of type int, its initial value 'true' is of type bool"),
    (lambda m, x, b, a: m.bool("y", initial=1), "'y' is of type bool, its initial value '1' is of type int"),
    (lambda m, x, b, a: m.int("y", 0, 5, initial=x), "must be constant"),
    (lambda m, x, b, a: m.int("y", 0, 5, transient=True), "needs an initial value"),
    (lambda m, x, b, a: m.int("x", 0, 5), "the name 'x' is taken: it was declared at "),
    (lambda m, x, b, a: m.int("", 0, 5), "cannot be the name of a variable"),
    (lambda m, x, b, a: m.int('"', 0, 5), "cannot be the name of a variable"),
    (lambda m, x, b, a: m.int(3, 0, 5), "is a string, not 3"),
    (lambda m, x, b, a: m.enum("y", ["u", "u"]), "no two of one name"),
    (lambda m, x, b, a: m.enum("y", "red"), "a list of names"),
    (lambda m, x, b, a: m.enum("y", ["u"], initial="v"), "'v' is no member of 'y'"),
    (lambda m, x, b, a: m.int_array("y", 0, 0, 5, initial=0), "a positive number of cells"),
    (lambda m, x, b, a: m.int_array("y", 3, 0, 5, initial=[0, 1]), "has 3 cells here, and 2 initial values"),
    (lambda m, x, b, a: m.bool_array("y", 2, initial=0), "'y' is of type bool, its initial value '0'"),
    (lambda m, x, b, a: m.const("c"), "its kind must be said"),
    (lambda m, x, b, a: m.const("c", 0.5, kind="int"), "is of type int, and its value 0.5 is not"),
    (lambda m, x, b, a: m.const("c", x), "has no value before the model is used"),
    (lambda m, x, b, a: m.action("go").when(x), "'x' is a number where a condition is needed"),
    (lambda m, x, b, a: m.action("go").do({x: b}), "'x' is of type int and is given 'b' of type bool"),
    (lambda m, x, b, a: m.action("go").do({b: x}), "'b' is of type bool and is given 'x' of type int; compare it"),
    (lambda m, x, b, a: m.action("go").do({x: x / 2}), "// divides integers"),
    (lambda m, x, b, a: m.action("go").do({x: 10}), "10 is outside the domain of 'x', 0..9"),
    (lambda m, x, b, a: m.action("go").do({"z": 1}), "there is no variable 'z'"),
    (lambda m, x, b, a: m.action("go").do({x + 1: 1}), "'x + 1' is no variable"),
    (lambda m, x, b, a: m.action("go").do({3: 1}), "'3' is no variable"),
    (lambda m, x, b, a: m.action("go").do({m.const("c", 1): 1}), "'c' is no variable"),
    (lambda m, x, b, a: m.action("go").do({a: 1}), "'a' is an array"),
    (lambda m, x, b, a: m.action("go").do({"a": 1}), "'a' is an array"),
    (lambda m, x, b, a: m.action("go").do({x: 1, "x": 2}), "'x' is assigned twice at once"),
    (lambda m, x, b, a: m.action("go").do({a[0]: 1, a[0]: 0}), "'a[0]' is assigned twice at once"),
    (lambda m, x, b, a: m.action("go").do({a[x]: 1, a[x + 0]: 2}), "2 is outside the domain"),
    (lambda m, x, b, a: m.action("go").do([x]), "updates are a dictionary"),
    (lambda m, x, b, a: m.action("go").do("x"), "updates are a dictionary"),
    (lambda m, x, b, a: m.action("go").do(3), "updates are a dictionary"),
    (lambda m, x, b, a: m.action("go").do({b: between(0, 1)}), "only integers"),
    (lambda m, x, b, a: m.action("go").do({x: between(3, 1)}), "nothing between 3 and 1"),
    (lambda m, x, b, a: m.action("go").do(to="there"), "has no location 'there'"),
    (lambda m, x, b, a: m.action("go").at("there"), "has no location 'there'"),
    (lambda m, x, b, a: m.action("go").outcomes((0.5, {}), (0.6, {})), "the probabilities sum to 11/10, not to 1"),
    (lambda m, x, b, a: m.action("go").outcomes((1 / 3, {}), (2 / 3, {})), "Fraction(1, 3), Fraction(2, 3)"),
    (lambda m, x, b, a: m.action("go").outcomes((-0.5, {}), (1.5, {})), "the probability -1/2 is negative"),
    (lambda m, x, b, a: m.action("go").outcomes(), "at least one outcome"),
    (lambda m, x, b, a: m.action("go").outcomes({x: 1}), "an outcome is (probability, updates)"),
    (lambda m, x, b, a: m.action("go").outcomes((b, {}), (1, {})), "truth value where a number is needed"),
    (lambda m, x, b, a: m.action(None), "the name of an action is a string"),
    (lambda m, x, b, a: m.start(x), "where a condition is needed"),
    (lambda m, x, b, a: m.action("go").when(begun()[1] > 1), "belongs to another model"),
    (lambda m, x, b, a: m.action("go").when(m.automaton("o").int("own", 0, 1) > 0), "unknown to the automaton 'wrong'"),
    (lambda m, x, b, a: [m.automaton("o"), m.automaton("o")], "there is an automaton 'o' already"),
    (lambda m, x, b, a: m.automaton("o", locations=["p", "p"]), "has a location 'p' already"),
    (lambda m, x, b, a: m.automaton("o").location("p", values={x: 1}), "'x' is no transient variable"),
    (lambda m, x, b, a: m.sync("go", {"o": "go"}), "is no automaton of this model"),
    (lambda m, x, b, a: m.sync("go", {}), "at least one automaton"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_mistakes_are_told_at_their_line(wrong: Any, message: str) -> None:
    arguments = begun()
    with pytest.raises(ModelError) as caught:
        wrong(*arguments)
    assert message in str(caught.value)
    line = inspect.getsourcelines(wrong)[1]
    assert str(caught.value).startswith(f"{__file__}:{line}: ")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m, o: m.action("go").when(True), "the action 'go' does nothing"),
        (
            lambda m, o: o.silent().do(),
            "'o' has several locations; say by at(...) from which of them the silent edge leads",
        ),
        (lambda m, o: m.sync("go", {o: "went"}), "the automaton 'o' has no edge with the action 'went'"),
    ],
)
def test_what_is_found_at_the_end_is_told_where_it_was_written(wrong: Any, message: str) -> None:
    m = ModelBuilder("late")
    o = m.automaton("o", locations=["p", "q"])
    wrong(m, o)
    with pytest.raises(ModelError) as caught:
        m.build()
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{__file__}:{inspect.getsourcelines(wrong)[1]}: ")


def test_an_edge_says_once_what_it_does() -> None:
    m = ModelBuilder("twice")
    edge = m.action("go")
    edge.do()
    with pytest.raises(ModelError, match="it is said already"):
        edge.do()


def test_what_the_model_does_not_know_before_it_runs_is_left_to_it() -> None:
    m = ModelBuilder("run")
    x = m.int("x", 0, 9, initial=0)
    m.action("go").outcomes((x / 10, {x: x + 1}), (1 - x / 10, {}))
    assert explored(m.build()) == 1
