"""Environments beside models: agreement where they agree, and the smallest difference where they do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from surefoot.builder import ModelBuilder
from surefoot.conform import Conformance, conform
from surefoot.errors import UsageError
from surefoot.model import Model

gymnasium = pytest.importorskip("gymnasium")
spaces = gymnasium.spaces


class Walk(gymnasium.Env[Any, Any]):  # type: ignore[misc, name-defined]
    """A walk of ten cells; the way right is slippery. ``fault`` puts something wrong into it."""

    action_space = spaces.Discrete(2)
    observation_space = spaces.Box(0, 9, (1,), np.float32)

    def __init__(self, fault: str = "") -> None:
        self.fault = fault

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.x = 3 if self.fault == "start" and self.np_random.random() < 0.3 else 4
        return self.seen(), {}

    def seen(self) -> Any:
        return np.array([self.x], dtype=np.float32)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if action == 0:
            self.x -= 1 if self.fault != "step" or self.x != 7 else 2
        elif self.np_random.random() < 0.9:
            self.x += 1
        ends = self.x in (0, 9) and not (self.fault == "end" and self.x == 9)
        if self.fault == "end":
            self.x = min(self.x, 9)
        return self.seen(), 0.0, ends, False, {}


class Masked(Walk):
    """With masks."""

    def action_masks(self) -> Any:
        return np.array([self.x > 0, self.x < (8 if self.fault == "mask" else 9)])


def walk(guarded: bool = False) -> Model:
    m = ModelBuilder("walk")
    x = m.int("x", 0, 9, initial=4)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9, (x != 6) if guarded else True).outcomes((0.9, {x: x + 1}), (0.1, {}))
    return m.build()


def ends(model: Model) -> Any:
    return model["x"].isin([0, 9])


def test_agreement() -> None:
    model = walk()
    for env in (Walk(), Masked()):
        found = conform(env, model, terminated=ends(model))
        assert found.agrees and found.difference is None and found.steps > 500 and found.episodes == 100
        assert str(found).startswith("no difference in ")


def difference(found: Conformance) -> Any:
    assert not found.agrees and found.difference is not None
    assert found.difference.reproducible
    return found.difference


def test_a_wrong_step_is_shrunk() -> None:
    found = difference(conform(Walk("step"), walk()))
    assert found.kind == "step"
    # Three steps to the right at least, and the one to the left that is wrong.
    assert found.actions == ("right", "right", "right", "left") and found.step == 4
    assert found.before == ({"x": 7},) and found.observed == {"x": 5.0} and found.allowed == ({"x": 6},)
    assert found.shrunk_from >= 4
    text = str(found)
    assert (
        "'left' leads where the model does not" in text
        and f"env.reset(seed={found.seed}), then right, right, right, left" in text
    )


def test_what_was_found_can_be_done_again() -> None:
    found = difference(conform(Walk("step"), walk(), seed=11))
    env = Walk("step")
    env.reset(seed=found.seed)
    for action in found.actions:
        observation, *_ = env.step(walk().actions.index(action))
    assert observation.tolist() == [found.observed["x"]]


def test_a_wrong_start() -> None:
    found = difference(conform(Walk("start"), walk()))
    assert found.kind == "start" and found.actions == () and found.observed == {"x": 3.0}
    assert "starts where the model does not" in str(found)


def test_a_wrong_end() -> None:
    model = walk()
    found = difference(conform(Walk("end"), model, terminated=ends(model)))
    assert found.kind == "terminated" and found.actions == ("right",) * 5 and "goes on" in found.message
    found = difference(conform(Walk(), model, terminated=model["x"] == 0))
    assert found.kind == "terminated" and "ends" in found.message


def test_an_action_that_the_model_does_not_have() -> None:
    found = difference(conform(Walk(), walk(guarded=True)))
    assert found.kind == "action" and found.actions == ("right",) * 3
    # Where only possible actions are tried there is no difference.
    assert conform(Walk(), walk(guarded=True), masked=True).agrees


def test_masks_are_compared() -> None:
    found = difference(conform(Masked("mask"), walk()))
    assert (
        found.kind == "mask" and found.actions == ("right",) * 4 and "'right' is possible in the model" in found.message
    )


def test_policies_are_followed() -> None:
    class Right:
        """As Stable-Baselines3 has it."""

        def predict(self, observation: Any, deterministic: bool) -> tuple[Any, None]:
            assert deterministic
            return np.array(1), None

    steps = [
        conform(Walk(), walk(), policy=policy, episodes=2, seed=3).steps
        for policy in (Right(), lambda observation: 1, None)
    ]
    assert steps[0] == steps[1]
    found = conform(
        Walk("step"), walk(), policy=lambda observation: 0 if observation[0] == 7 else 1, episodes=2, seed=1
    )
    assert difference(found).actions[-1] == "left"
    with pytest.raises(UsageError, match="the policy chose 5"):
        conform(Walk(), walk(), policy=lambda observation: 5)


def test_a_part_of_the_state_may_be_hidden() -> None:
    m = ModelBuilder("hidden")
    x, slow = m.int("x", 0, 9, initial=4), m.bool("slow")
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9, ~slow).do({x: x + 1})
    m.action("right").when(slow).do()
    model = m.build()

    def observe(env: Any, observation: Any, info: Any) -> dict[str, Any]:
        return {"x": observation[0]}

    class Hidden(Walk):
        """It is slow or not for a whole episode; wrongly, it may change its mind."""

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            seen = super().reset(seed=seed)
            self.slow = self.np_random.random() < 0.5
            return seen

        def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            if self.fault == "change" and self.x == 2:
                self.slow = not self.slow
            if action == 0 or not self.slow:
                self.x += 2 * action - 1
            return self.seen(), 0.0, self.x in (0, 9), False, {}

    assert conform(Hidden(), model, observe=observe).agrees
    found = difference(conform(Hidden("change"), model, observe=observe))
    # Only both ways of going right in one run contradict the model.
    assert found.actions.count("right") >= 2 and len(found.before) == 1


def test_moves_of_the_environment_are_part_of_a_step() -> None:
    m = ModelBuilder("turns")
    x = m.int("x", 0, 9, initial=4)
    turn = m.bool("turn", initial=False)
    for label, by in (("left", -1), ("right", 1)):
        m.action(label).when(~turn, x > 0, x < 9).do({x: x + by, turn: True})
    m.silent().when(turn).do({turn: False})
    m.silent().when(turn, x > 0).do({turn: False, x: x - 1})

    class Turns(Walk):
        def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            self.x += 2 * action - 1
            self.x = max(0, self.x - int(self.np_random.integers(3 if self.fault else 2)))
            return self.seen(), 0.0, self.x in (0, 9), False, {}

    def observe(env: Any, observation: Any, info: Any) -> dict[str, Any]:
        return {"x": observation[0]}

    assert conform(Turns(), m.build(), observe=observe).agrees
    assert difference(conform(Turns("wind"), m.build(), observe=observe)).kind == "step"


@pytest.mark.parametrize("name", ["FrozenLake-v1", "CliffWalking-v1"])
def test_tables(name: str) -> None:
    env = gymnasium.make(name)
    assert conform(env, Model.from_gym(env), episodes=20).agrees
    assert conform(env, Model.from_gym(env, reward=True), episodes=5).agrees


def test_a_table_of_another_environment() -> None:
    model = Model.from_gym(gymnasium.make("FrozenLake-v1", is_slippery=False))
    found = difference(conform(gymnasium.make("FrozenLake-v1"), model))
    assert found.kind in ("step", "terminated") and found.step <= 2
    swapped = conform(
        gymnasium.make("FrozenLake-v1", is_slippery=False), model, actions=["right", "down", "left", "up"]
    )
    assert difference(swapped).step == 1


def test_an_environment_that_ignores_its_seed() -> None:
    class Ignoring(Walk):
        broken = iter([True, *[False] * 1_000_000])

        def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            if next(self.broken):
                self.x += 3
                return self.seen(), 0.0, False, False, {}
            return super().step(action)

    found = conform(Ignoring(), walk()).difference
    assert found is not None and not found.reproducible and "did not do it again" in str(found)


def test_wrong_use() -> None:
    with pytest.raises(UsageError, match="no action 'jump'; it has left, right"):
        conform(Walk(), walk(), actions=["left", "jump"])
    with pytest.raises(UsageError, match="2 actions, and these are 1"):
        conform(Walk(), walk(), actions=["left"])
    with pytest.raises(UsageError, match="the model has no variable 'y'"):
        conform(Walk(), walk(), observe=lambda env, observation, info: {"y": 1})
    with pytest.raises(UsageError, match="was observed as nan"):
        conform(Walk(), walk(), observe=lambda env, observation, info: {"x": float("nan")})
    with pytest.raises(UsageError, match="2 numbers, and the model 1 variables"):
        conform(gymnasium.make("MountainCar-v0"), walk(), actions={"left": 0, "right": 2})
    with pytest.raises(UsageError, match="no truth value"):
        bool(conform(Walk(), walk(), episodes=1))
