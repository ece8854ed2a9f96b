"""Models as Gymnasium environments."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from surefoot.builder import ModelBuilder
from surefoot.errors import Error, InputError, ModelError, UsageError
from surefoot.expressions import Name
from surefoot.functions import maximum
from surefoot.model import Model

gymnasium = pytest.importorskip("gymnasium")


def corridor() -> tuple[Model, Name]:
    m = ModelBuilder("corridor")
    x = m.int("x", 0, 9)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9).outcomes((0.9, {x: x + 1}), (0.1, {}))
    m.start((x > 2) & (x < 6))
    return m.build(), x


def checked(env: Any) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env)


@pytest.mark.parametrize("encoding", ["box", "one-hot", "discrete"])
def test_gymnasium_accepts_it(encoding: Any) -> None:
    model, x = corridor()
    checked(model.env(never=x == 0, goal=x == 9, encoding=encoding, render_mode="ansi"))


def run_of(env: Any, seed: int, steps: int = 300) -> list[Any]:
    random, seen = np.random.default_rng(1), []
    observation, info = env.reset(seed=seed)
    for _ in range(steps):
        seen.append((observation.tolist(), info["standing"], tuple(info["state"].items())))
        observation, reward, terminated, truncated, info = env.step(random.integers(2))
        seen.append((reward, terminated, truncated))
        if terminated or truncated:
            observation, info = env.reset()
    return seen


def test_the_same_seed_makes_the_same_run() -> None:
    model, x = corridor()
    first, second = (model.env(never=x == 0, goal=x == 9) for _ in range(2))
    assert run_of(first, 5) == run_of(second, 5) == run_of(first, 5)
    assert run_of(first, 6) != run_of(second, 5)


def test_without_a_seed_runs_differ() -> None:
    model, _ = corridor()
    starts = set()
    for _ in range(64):
        _, info = model.env().reset()
        starts.add(info["state"]["x"])
    assert starts == {3, 4, 5}


def test_ends_and_rewards() -> None:
    model, x = corridor()
    env = model.env(
        never="x = 0",
        goal=x == 9,
        start=x == 2,
        reward=x * 10,
        goal_reward=5,
        unsafe_reward=-7,
        stuck_reward=-3,
        step_reward=0.5,
        max_steps=50,
    )
    _, info = env.reset(seed=0)
    assert info == {"standing": "choice", "state": {"x": 2}}
    observation, reward, terminated, truncated, info = env.step(0)
    assert (observation.tolist(), reward, terminated, truncated, info["standing"]) == (
        [1.0],
        10.5,
        False,
        False,
        "choice",
    )
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["standing"]) == (-6.5, True, "unsafe")
    env.reset(options={"state": {"x": 8}})
    standing, reward = "choice", 0.0
    while standing == "choice":
        _, reward, _, _, info = env.step(np.int64(1))
        standing = info["standing"]
    assert (standing, reward) == ("goal", 95.5)


def test_an_action_that_is_not_possible_ends_the_run() -> None:
    model, x = corridor()
    env = model.env(start=x == 0, stuck_reward=-3)
    env.reset(seed=0)
    assert env.action_masks().tolist() == [False, True]
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["standing"]) == (-3.0, True, "stuck")


def test_runs_are_cut_off() -> None:
    model, _ = corridor()
    env = model.env(max_steps=3)
    env.reset(seed=0)
    assert [env.step(1)[3] for _ in range(3)] == [False, False, True]


def test_observations() -> None:
    m = ModelBuilder("all")
    x, b = m.int("x", -2, 3, initial=1), m.bool("b", initial=True)
    cells = m.int_array("cells", 2, 0, 5, initial=[4, 5])
    door = m.automaton("door", locations=["closed", "ajar", "open"])
    n = door.int("n", 1, 2, initial=2)
    door.action("go").at("closed").do(to="open")
    door.action("go").at("open").do({b: False}, to="open")
    model = m.build()
    env = model.env()
    observation, _ = env.reset(seed=0)
    assert observation.tolist() == [1, 1, 4, 5, 2, 0]
    assert env.observation_space.low.tolist() == [-2, 0, 0, 0, 1, 0] and env.observation_space.high.tolist() == [
        3,
        1,
        5,
        5,
        2,
        2,
    ]
    assert env.inputs[3:] == [
        {"op": "aa", "exp": "cells", "index": 1},
        {"variable": "n", "automaton": "door"},
        {"location": "door"},
    ]
    assert env.step(0)[0].tolist() == [1, 1, 4, 5, 2, 2]
    chosen = [x + cells[0] * 2, maximum(x, n), b, x / 2 - 0.25, "cells[1]", "x * x", b & (x > 0)]
    env = model.env(observation=chosen)
    observation, _ = env.reset(seed=0)
    assert observation.tolist() == [9, 2, 1, 0.25, 5, 1, 1]
    assert env.observation_space.low.tolist() == [-2, 1, 0, -1.25, 0, -np.inf, 0]
    assert env.observation_space.high.tolist() == [13, 3, 1, 1.25, 5, np.inf, 1]
    with pytest.raises(ModelError, match="'x \\* x' is text"):
        _ = env.inputs
    hot = model.env(observation=[x, b], encoding="one-hot")
    assert hot.reset(seed=0)[0].tolist() == [0, 0, 0, 1, 0, 0, 0, 1]
    assert hot.inputs == [{"one_hot": "x"}, {"one_hot": "b"}]
    assert model.env(observation=x, encoding="discrete").reset(seed=0)[0] == 3


def test_actions_that_are_left_out_are_the_environments() -> None:
    m = ModelBuilder("wind")
    x = m.int("x", 0, 5, initial=0)
    turn = m.bool("turn", initial=False)
    m.action("wait").when(~turn).do({turn: True})
    m.action("blow").when(turn, x < 5).do({x: x + 1, turn: False})
    env = m.build().env(actions=["wait"])
    env.reset(seed=0)
    assert env.action_space.n == 1
    assert [env.step(0)[4]["state"]["x"] for _ in range(3)] == [1, 2, 3]


def test_an_episode_begins_with_a_choice() -> None:
    model, x = corridor()
    env = model.env(start=(x == 9) | (x == 4), goal=x == 9)
    assert {env.reset(seed=seed)[1]["state"]["x"] for seed in range(20)} == {4}
    with pytest.raises(ModelError, match="none has a choice"):
        model.env(start=x == 9, goal=x == 9).reset(seed=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"never": "y = 1"}, "no variable 'y'"),
        ({"reward": "x +"}, "expected"),
        ({"observation": "z"}, "z"),
        ({"observation": []}, "at least one number"),
        ({"observation": [3]}, "an expression or its text"),
        ({"actions": ["jump"]}, "jump"),
        ({"actions": []}, "no action"),
        ({"encoding": "hot"}, "not 'hot'"),
        ({"encoding": "one-hot", "observation": ["x * x"]}, "no integer with known bounds"),
        ({"encoding": "discrete", "observation": ["x", "x"]}, "one number"),
        ({"start": "x > 9"}, "empty"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    model, _ = corridor()
    with pytest.raises(Error, match=message):
        model.env(**options)


def test_wrong_use() -> None:
    env = corridor()[0].env()
    with pytest.raises(UsageError, match="reset comes before step"):
        env.step(0)
    env.reset(seed=0)
    for action in (2, -1, "left", None, 10**30):
        with pytest.raises(Error):
            env.step(action)
    for state in ({"x": 10}, {"y": 1}, {}):
        with pytest.raises(InputError):
            env.reset(options={"state": state})
    env.reset(seed=2**62)
    assert env.step(1)[4]["standing"] == "choice"
    env.reset(seed=2**70)


def test_models_of_tables_show_what_their_environments_show() -> None:
    table = gymnasium.make("FrozenLake-v1")
    model = Model.from_gym(table)
    env = model.env(goal=model.goal, never=model.failure, encoding="discrete", unsafe_reward=0)
    assert env.observation_space == table.observation_space and env.action_space == table.action_space
    checked(env)
