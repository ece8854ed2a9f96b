"""Policies for real models: expressions as inputs, environments that know their own inputs, and questions about what
came out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from surefoot._native import run
from surefoot.builder import ModelBuilder
from surefoot.errors import PolicyError, UsageError
from surefoot.model import Model
from surefoot.policies import POLICY, Policy, as_policy


def corridor() -> Model:
    m = ModelBuilder("corridor")
    x = m.int("x", 1, 9, initial=4)
    cells = m.int_array("cells", 3, 0, 2, initial=[0, 1, 2])
    m.action("left").when(x > 1).do({x: x - 1})
    m.action("right").when(x < 9).outcomes((0.9, {x: x + 1}), (0.1, {cells[0]: 2}))
    return m.build()


def readable(policy: Policy, model: Model) -> bool:
    return run(["check", "<model>", "--policy", POLICY], {**model.files(), **policy.files()}).exit == 0


WEIGHTS = np.array([[1.0, 0.5, -1.0, 0.25], [-1.0, 0.5, 2.0, 0.0]])


def test_expressions_are_inputs() -> None:
    model = corridor()
    x, cells = model["x"], model["cells"]
    whole = Policy.from_numpy([WEIGHTS], model=model)
    assert whole.inputs[0] == "x" and len(whole.inputs) == 4
    by_hand = Policy.from_numpy([WEIGHTS], model=model, inputs=[x, *cells])
    assert by_hand.inputs == whole.inputs == Policy.from_numpy([WEIGHTS], model=model, inputs=[x, cells]).inputs
    scaled = Policy.from_numpy([WEIGHTS[:, :2]], model=model, inputs=[(x - 5) / 4, x > 3])
    encoded = Policy.from_numpy([np.ones((2, 10))], model=model, inputs=[model.one_hot("x"), cells[2]])
    for policy in (whole, by_hand, scaled, encoded):
        assert policy.agreement is not None and readable(policy, model)
    with pytest.raises(PolicyError, match=r"'x' has 9 values, 1 to 9"):
        Policy.from_numpy([np.ones((2, 9))], model=model)


def test_options_that_there_are_not() -> None:
    for make in (
        lambda: as_policy([WEIGHTS], corridor(), activations="relu"),
        lambda: Policy.from_numpy([WEIGHTS], model=corridor(), activations="relu"),
    ):
        with pytest.raises(UsageError, match="from_numpy has no option 'activations'; did you mean 'activation'?"):
            make()
    with pytest.raises(UsageError, match="from_file has no option 'normalize'"):
        as_policy("net.onnx", corridor(), normalize=None)
    with pytest.raises(UsageError, match="from_torch has no option"):
        Policy.from_torch(None, corridor(), nonsense=1)
    with pytest.raises(UsageError, match="from_sb3 has no option"):
        Policy.from_sb3(None, corridor(), nonsense=1)


@pytest.mark.parametrize("encoding", ["box", "one-hot", "discrete"])
def test_environments_know_their_inputs(encoding: Any) -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    model = corridor()
    environment = model.env(
        encoding=encoding, observation=[model["x"]], actions=["right", "left"], goal=model["x"] == 9
    )
    learned = sb3.PPO(
        "MlpPolicy", environment, n_steps=32, batch_size=32, policy_kwargs={"net_arch": [8]}, seed=1, device="cpu"
    ).learn(32)
    policy = as_policy(learned, model)
    assert policy.labels == ("right", "left") and readable(policy, model)
    assert policy.inputs == (("x",) if encoding == "box" else ({"one_hot": "x"},))
    # The environment's own observation of a state, and the policy's scores there.
    for x in (1, 4, 8):
        observation, _ = environment.reset(options={"state": {**environment.state, "x": x}})
        action = int(learned.predict(observation, deterministic=True)[0])
        features = [float(x)] if encoding == "box" else np.eye(9)[x - 1]
        assert int(policy.scores(features).argmax()) == action
    # Another model's environment says nothing about this one: the variables are taken, and do not fit.
    with pytest.raises(PolicyError):
        as_policy(learned, Model.from_jani(model.jani.replace('"corridor"', '"other"')))


@pytest.mark.parametrize("name", ["FrozenLake-v1", "CliffWalking-v1"])
def test_tables_are_encoded(name: str) -> None:
    gymnasium, sb3 = pytest.importorskip("gymnasium"), pytest.importorskip("stable_baselines3")
    environment = gymnasium.make(name)
    learned = sb3.DQN("MlpPolicy", environment, policy_kwargs={"net_arch": [8]}, seed=1, device="cpu")
    model = Model.from_gym(environment)
    policy = as_policy(learned, model)
    assert (
        readable(policy, model)
        and policy.agreement is not None
        and policy.agreement.points == environment.observation_space.n
    )
