"""Models from tables: every entry of the table is a step of the model, and nothing else is."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import pytest
from surefoot._native import run
from surefoot.errors import ModelError
from surefoot.interpret import Interpreter
from surefoot.model import Model
from surefoot.tables import TableModel, decoded

gymnasium = pytest.importorskip("gymnasium")

ENVIRONMENTS: list[tuple[str, dict[str, Any], dict[str, int] | None, bool]] = [
    ("FrozenLake-v1", {}, None, False),
    ("FrozenLake-v1", {"is_slippery": False}, {"row": 4, "col": 4}, False),
    ("FrozenLake-v1", {"success_rate": 0.8}, None, True),
    ("CliffWalking-v1", {}, {"row": 4, "col": 12}, True),
    ("CliffWalking-v1", {"is_slippery": True}, None, False),
    ("Taxi-v4", {}, None, True),
    ("Taxi-v4", {"is_rainy": True}, {"row": 5, "col": 5, "passenger": 5, "destination": 4}, False),
]


def made(name: str, options: dict[str, Any]) -> Any:
    try:
        return gymnasium.make(name, **options)
    except (gymnasium.error.Error, TypeError) as error:
        pytest.skip(f"this version of Gymnasium has no {name} with {options}: {error}")


def verdict(model: Model, never: object) -> str:
    return str(json.loads(run(["verify", "<model>", f"--never={never}"], model.files()).result)["verdict"])


@pytest.mark.parametrize(("name", "options", "shape", "reward"), ENVIRONMENTS)
def test_the_model_does_what_the_table_says(
    name: str, options: dict[str, Any], shape: dict[str, int] | None, reward: bool
) -> None:
    env = made(name, options)
    model = Model.from_gym(env, shape=shape, reward=reward)
    interpreter = Interpreter(model.document)
    names = list(interpreter.names)
    table = env.unwrapped.P
    used = shape or {"state": len(table)}
    # Taxi has 3000 rows, and the interpreter looks at all edges for each: every seventh state has to do.
    for state in range(0, len(table), 7 if len(table) > 100 else 1):
        before = {**dict.fromkeys(names, 0), **decoded(state, used)}
        found: dict[str, dict[tuple[Any, ...], Fraction]] = {}
        for choice in interpreter.choices(tuple(before[each] for each in names)):
            assert choice.label is not None and choice.label not in found
            row = found[choice.label] = {}
            for outcome in choice.outcomes:
                [after] = outcome.successors
                row[after] = row.get(after, Fraction(0)) + outcome.probability
        for action, label in enumerate(model.actions):
            expected: dict[tuple[Any, ...], float] = {}
            for probability, successor, earned, terminated in table[state][action]:
                after = {**before, **decoded(int(successor), used), "<episode>": int(terminated)}
                if reward:
                    after["reward"] = int(earned)
                key = tuple(after[each] for each in names)
                expected[key] = expected.get(key, 0.0) + probability
            assert {key: float(value) for key, value in found[label].items()} == pytest.approx(expected, abs=1e-12)
            assert sum(found[label].values()) == 1
    starts = {tuple(state[names.index(each)] for each in used) for state in interpreter.initial_states()}
    support = [state for state, chance in enumerate(env.unwrapped.initial_state_distrib) if chance > 0]
    assert starts == {tuple(decoded(state, used).values()) for state in support}


def test_frozen_lake() -> None:
    model = Model.from_gym(made("FrozenLake-v1", {}))
    assert isinstance(model, TableModel)
    assert model.actions == ("left", "down", "right", "up")
    assert str(model.goal) == "episode at over & state = 15"
    assert str(model.failure) == "episode at over & (state = 5 | state = 7 | state = 11 | state = 12)"
    assert (
        verdict(model, model.goal) == verdict(model, model.failure) == verdict(model, "done & state = 15") == "violated"
    )
    assert verdict(model, "done & state = 14") == "holds"
    assert any("was read as 1/3" in note for note in model.notes)
    assert model.one_hot("state") == {"one_hot": "state"}
    # A start condition that does not speak of the episode means one that runs.
    command = ["verify", "<model>", "--never=done", "--start=state = 15"]
    assert json.loads(run([*command, "--within=0"], model.files()).result)["verdict"] == "holds"


def test_cliff_walking() -> None:
    model = Model.from_gym(made("CliffWalking-v1", {}), shape={"row": 4, "col": 12}, reward=True)
    assert model.rewards == (-100, -1)
    assert verdict(model, model["reward"] == -100) == "violated"
    assert str(model.state) == "row * 12 + col"
    assert verdict(model, (model.state == 37) & ~model["done"]) == "holds"


def test_pickling() -> None:
    model = Model.from_gym(made("FrozenLake-v1", {}))
    again = pickle.loads(pickle.dumps(model))
    assert again == model and str(again.goal) == str(model.goal) and again.observed == ("state",)
    assert str(pickle.loads(pickle.dumps(model.goal & (model["state"] > 1)))) == str(model.goal & (model["state"] > 1))


def test_taxi() -> None:
    model = Model.from_gym(made("Taxi-v4", {}), reward=True)
    assert model.rewards == (-10, -1, 20)
    assert verdict(model, model["reward"] == -10) == "violated"
    assert verdict(model, (model["reward"] == 20) & ~model.goal) == "holds"
    assert str(model.failure).endswith("& false")


class Table:
    """Something with a table."""

    def __init__(self, table: Any) -> None:
        self.P = table


def test_any_table_will_do() -> None:
    model = Model.from_gym(
        Table({0: {0: [(0.1, 1, 0.5, False), (0.9, 0, 0, False)], 1: []}, 1: {1: [(1.0, 0, -1, True)]}}), name="own"
    )
    assert model.name == "own" and model.actions == ("a0", "a1")
    interpreter = Interpreter(model.document)
    assert [choice.label for choice in interpreter.choices((0, 0))] == ["a0"]
    assert [outcome.probability for outcome in interpreter.choices((0, 0))[0].outcomes] == [
        Fraction(1, 10),
        Fraction(9, 10),
    ]
    assert any("every state is a start state" in note for note in model.notes)
    assert Model.from_gym(Table([[[(1.0, 0, 0, True)]]]), actions=["stay"]).actions == ("stay",)


@pytest.mark.parametrize(
    ("env", "options", "message"),
    [
        (object(), {}, "has no table of transitions"),
        (Table({}), {}, "is empty"),
        (Table([[[(0.5, 0, 0, False)]]]), {}, "sum to 1/2, not to 1"),
        (Table([[[(1.5, 0, 0, False)]]]), {}, "the probability 1.5"),
        (Table([[[(1.0, 0, 0, False)]]]), {"shape": {"row": 2, "col": 2}}, "2 x 2 is not as many"),
        (Table([[[(1.0, 0, 0, False)]]]), {"actions": ["a", "b"]}, "the table has 1 actions"),
        (Table([[[(1.0, 0, 0.5, False)]]]), {"reward": True}, "only rewards that are integers"),
    ],
)
def test_what_is_no_table(env: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Model.from_gym(env, **options)
