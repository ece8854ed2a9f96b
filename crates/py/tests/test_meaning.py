"""What was written is what is asked: traps in which a question would be about something else."""

from __future__ import annotations

import enum
import json
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import surefoot


def test_arrays_and_automata_are_not_compared_as_a_whole() -> None:
    m = surefoot.ModelBuilder("a")
    cells = m.int_array("cells", 2, 0, 3, initial=1)
    board = m.int_array("board", (2, 2), 0, 3, initial=1)
    door = m.automaton("door", locations=["shut", "open"])
    for compare in (lambda: cells == 1, lambda: board[0] != board[1], lambda: door == "open", lambda: cells != 2):
        with pytest.raises(surefoot.ModelError, match="not compared"):
            compare()


def test_truth_values_are_no_conditions() -> None:
    m = surefoot.ModelBuilder("a")
    x = m.int("x", 0, 3, initial=0)
    m.action("go").do({x: 1})
    for option in ({"start": False}, {"never": True}, {"goal": False}):
        with pytest.raises(surefoot.UsageError, match="not Python's"):
            surefoot.verify(m.build(), **{"never": x == 1, **option})


class Light(enum.IntEnum):
    RED = 1
    GREEN = 2


def test_members_that_are_integers_are_no_numbers() -> None:
    m = surefoot.ModelBuilder("a")
    light = m.enum("light", Light, initial=Light.RED)
    b = m.bool("b", initial=True)
    m.action("go").do({light: Light.RED})
    model = m.build()
    assert surefoot.verify(model, never=light == Light.RED).violated
    for wrong in (lambda: model["light"] == Light.RED, lambda: surefoot.ite(b, Light.RED, Light.GREEN), lambda: m.int("x", 0, 3) == Light.RED):
        with pytest.raises(surefoot.ModelError):
            wrong()


def test_names_with_dots_are_told_apart() -> None:
    m = surefoot.ModelBuilder("a")
    m.enum("light", ["off", "red"], initial="off")
    automaton = m.automaton("light")
    with pytest.raises(surefoot.ModelError, match=r"'light\.red' is taken"):
        automaton.int("red", 0, 5, initial=0)
    m = surefoot.ModelBuilder("a")
    door = m.automaton("door")
    door.int("n", 0, 5, initial=0)
    with pytest.raises(surefoot.ModelError, match=r"'door\.n' is taken"):
        m.int("door.n", 0, 5, initial=0)


def local_and_global() -> surefoot.Model:
    """A global x, which is 0, and a local one, which is 3."""
    bounded = {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 5}
    return surefoot.Model.from_jani(
        {
            "jani-version": 1, "name": "two", "type": "lts", "actions": [{"name": "go"}, {"name": "stay"}],
            "variables": [{"name": "x", "type": bounded, "initial-value": 0}],
            "automata": [{
                "name": "a", "variables": [{"name": "x", "type": bounded, "initial-value": 3}], "locations": [{"name": "l"}],
                "initial-locations": ["l"],
                "edges": [{"location": "l", "action": name, "destinations": [{"location": "l"}]} for name in ("go", "stay")],
            }],
            "system": {"elements": [{"automaton": "a"}], "syncs": [{"synchronise": ["go"], "result": "go"}, {"synchronise": ["stay"], "result": "stay"}]},
        }
    )  # fmt: skip


def test_a_local_variable_is_not_the_global_one_of_its_name() -> None:
    model = local_and_global()
    layers = [(np.array([[1.0], [-1.0]]), np.zeros(2))]
    policy = surefoot.policy(layers, model, inputs=[model["a.x"]])
    assert json.loads(policy.text)["inputs"] == [{"variable": "x", "automaton": "a"}]
    for wrong in (lambda: surefoot.policy(layers, model, inputs=[model["a.x"] + 0]), lambda: model.one_hot("a.x")):
        with pytest.raises(surefoot.InputError, match="in common with another variable"):
            wrong()
    assert surefoot.verify(model, never=model["a.x"] == 3).violated and surefoot.verify(model, never=model["x"] == 3).holds


def test_enumerations_of_other_members_are_not_mixed() -> None:
    m = surefoot.ModelBuilder("a")
    one, other = m.enum("one", ["x", "y"], initial="x"), m.enum("other", ["y", "x"], initial="x")
    with pytest.raises(surefoot.ModelError, match="count other members"):
        m.action("go").do({one: other})
    with pytest.raises(surefoot.ModelError, match="count other members"):
        _ = one == other


def test_expressions_of_another_model_do_not_count_other_members() -> None:
    made: list[Any] = []
    for names in (["p", "q"], ["q", "p"]):
        m = surefoot.ModelBuilder("a")
        b = m.enum("b", names, initial="q")
        m.action("go").do({})
        made.append((m.build(), b))
    (_, first), (model, second) = made
    assert surefoot.verify(model, never=second == "q").violated
    with pytest.raises(surefoot.UsageError, match="of another model"):
        surefoot.verify(model, never=first == "q")


def test_certificates_are_of_the_files_that_were_asked_about(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.jani"

    def write(target: int) -> None:
        m = surefoot.ModelBuilder("a")
        x = m.int("x", 0, 3, initial=0)
        m.action("go").do({x: target})
        m.build().write(path)

    write(0)
    result = surefoot.verify(path, never="x = 3")
    assert result.save_certificate(tmp_path / "first.cert")["checked"]
    write(1)
    with pytest.raises(surefoot.InputError, match="has changed since"):
        result.save_certificate(tmp_path / "second.cert")
    assert not (tmp_path / "second.cert").exists()


def test_policies_can_be_sent_elsewhere() -> None:
    m = surefoot.ModelBuilder("walk")
    x = m.int("x", 0, 9, initial=5)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9).do({x: x + 1})
    policy = surefoot.policy([(np.array([[1.0], [-1.0]]), np.zeros(2))], m.build())
    again = pickle.loads(pickle.dumps(policy))
    assert again == policy and again.files() == policy.files() and again.agreement == policy.agreement


def test_wrappers_that_may_change_what_is_seen_are_refused() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    sb3 = pytest.importorskip("stable_baselines3")

    class Negative(gymnasium.ObservationWrapper):  # type: ignore[misc, name-defined]
        def observation(self, observation: Any) -> Any:
            return (9 - observation).astype(np.float32)

    m = surefoot.ModelBuilder("walk")
    x = m.int("x", 0, 9, initial=5)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9).do({x: x + 1})
    model = m.build()
    plain = sb3.DQN("MlpPolicy", model.env(never=x == 9), policy_kwargs={"net_arch": [4]}, seed=0)
    assert surefoot.policy(plain, model).labels == ("left", "right")
    agent = sb3.DQN("MlpPolicy", Negative(model.env(never=x == 9)), policy_kwargs={"net_arch": [4]}, seed=0)
    with pytest.raises(surefoot.PolicyError, match="inside of Negative"):
        surefoot.policy(agent, model)
    assert surefoot.policy(agent, model, inputs=[9 - model["x"]], labels=["left", "right"]).agreement is not None
