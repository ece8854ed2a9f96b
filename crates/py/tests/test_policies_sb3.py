"""Stable-Baselines3 and sb3-contrib: every algorithm, space and extractor, through SB3's own preprocessing; and through
the engines, choice by choice.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np
import pytest

from surefoot import _native
from surefoot.errors import PolicyError
from surefoot.policies import Policy, as_policy
from test_policies_standins import Model, Variable, observer

torch = pytest.importorskip("torch")
gymnasium = pytest.importorskip("gymnasium")
sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")
from gymnasium import spaces  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize  # noqa: E402

torch.set_num_threads(1)
ALGORITHMS = {
    "DQN": sb3.DQN,
    "PPO": sb3.PPO,
    "A2C": sb3.A2C,
    "QR-DQN": contrib.QRDQN,
    "MaskablePPO": contrib.MaskablePPO,
}
SMALL = {"net_arch": [16, 16]}


class Drawn(gymnasium.Env):
    """Observations and rewards by chance: enough to be trained on for a moment."""

    def __init__(self, observations: Any, actions: Any) -> None:
        self.observation_space, self.action_space = observations, actions

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> Any:
        return (
            self.observation_space.sample(),
            float(self.np_random.normal()),
            bool(self.np_random.random() < 0.1),
            False,
            {},
        )

    def action_masks(self) -> np.ndarray:
        return np.ones(int(np.sum(getattr(self.action_space, "nvec", getattr(self.action_space, "n", 1)))), dtype=bool)


def trained(
    algorithm: str,
    observations: Any,
    actions: Any,
    steps: int = 64,
    kind: str = "MlpPolicy",
    wrap: Any = None,
    **options: Any,
) -> Any:
    environment: Any = Drawn(observations, actions)
    environment = environment if wrap is None else wrap(DummyVecEnv([lambda: Drawn(observations, actions)]))
    more = {"learning_starts": 20} if "DQN" in algorithm else {"n_steps": 32}
    if algorithm in ("PPO", "MaskablePPO"):
        more["batch_size"] = 32
    options = {**SMALL, **options}
    if algorithm == "QR-DQN":
        options["n_quantiles"] = 7
    model = ALGORITHMS[algorithm](kind, environment, policy_kwargs=options, seed=1, device="cpu", **more)
    return model.learn(steps)


def grid(actions: int = 4, high: int = 19) -> Model:
    return Model(
        (Variable("x", "int", 0, high), Variable("y", "int", 0, high)), tuple(f"a{place}" for place in range(actions))
    )


SPACES = {
    "box": lambda: spaces.Box(0, 19, (2,), np.int64),
    "float": lambda: spaces.Box(0, 19, (2,), np.float32),
    "double": lambda: spaces.Box(0, 19, (2,), np.float64),
    "multi": lambda: spaces.MultiDiscrete([20, 20]),
}


def engine_choice(policy: Policy, model: Model, point: dict[str, int], expected: int) -> bool:
    """Whether the engines choose this label in this state, and no other."""
    files = {"<model>": observer(model), **policy.files()}
    start = " & ".join(f"{name} = {value}" for name, value in {**point, "chosen": -1}.items())
    words = [
        "verify",
        "<model>",
        "--policy",
        "<policy>",
        "--start",
        start,
        "--never",
        f"chosen >= 0 & !(chosen = {expected})",
    ]
    verdict = json.loads(_native.run(words, files).result)["verdict"]
    words[-1] = "chosen >= 0"
    return verdict == "holds" and json.loads(_native.run(words, files).result)["verdict"] == "violated"


@pytest.mark.parametrize("observations", SPACES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithms_and_observations(algorithm: str, observations: str) -> None:
    model = grid()
    learned = trained(algorithm, SPACES[observations](), spaces.Discrete(4))
    was = learned.policy.training
    policy = as_policy(learned, model)
    assert learned.policy.training == was
    assert policy.agreement is not None and policy.agreement.points == 256 and policy.agreement.absolute < 1e-4
    assert policy.filter == (algorithm == "MaskablePPO") and policy.labels == model.actions
    if algorithm == "MaskablePPO":
        assert any("masks" in note for note in policy.notes)
    encoded = ({"one_hot": "x", "from": 0, "to": 19}, {"one_hot": "y", "from": 0, "to": 19})
    assert policy.inputs == (encoded if observations == "multi" else ("x", "y"))
    for x, y in ((0, 0), (3, 17), (19, 4)):
        observation = np.array([x, y], dtype=learned.observation_space.dtype)
        action = int(learned.predict(observation, deterministic=True)[0])
        assert engine_choice(policy, model, {"x": x, "y": y}, action)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_discrete_observations_are_encoded(algorithm: str) -> None:
    model = Model((Variable("s", "int", 0, 15),), ("left", "down", "right", "up"))
    learned = trained(algorithm, spaces.Discrete(16), spaces.Discrete(4))
    policy = as_policy(learned, model)
    assert (
        policy.inputs == ({"one_hot": "s", "from": 0, "to": 15},)
        and policy.agreement is not None
        and policy.agreement.points == 16
    )
    assert as_policy(learned, model, inputs=[{"one_hot": "s"}]).inputs == ({"one_hot": "s"},)
    assert as_policy(learned, model, inputs="s").inputs == policy.inputs
    for state in (0, 7, 15):
        assert engine_choice(policy, model, {"s": state}, int(learned.predict(state, deterministic=True)[0]))
    with pytest.raises(PolicyError, match=r"'t' ranges from 0 to 16.*integers from 0 to 15"):
        as_policy(learned, Model((Variable("t", "int", 0, 16),), model.actions))
    shifted = Model((Variable("t", "int", 1, 16),), model.actions)
    # The k-th value of the encoding is the k-th state.
    assert as_policy(learned, shifted, inputs=[{"one_hot": "t"}]).agreement is not None
    moved = as_policy(learned, shifted, inputs=[{"op": "-", "left": "t", "right": 1}])
    assert engine_choice(moved, shifted, {"t": 4}, int(learned.predict(3, deterministic=True)[0]))


@pytest.mark.parametrize("algorithm", ["PPO", "A2C", "MaskablePPO"])
def test_several_choices_at_once(algorithm: str) -> None:
    model = grid(6)
    learned = trained(algorithm, SPACES["box"](), spaces.MultiDiscrete([3, 2]))
    policy = as_policy(learned, model, filter=False)
    assert json.loads(policy.text)["outputs"] == {"components": [3, 2], "labels": list(model.actions)}
    first, second = learned.predict(np.array([3, 8]), deterministic=True)[0].tolist()
    assert engine_choice(policy, model, {"x": 3, "y": 8}, 2 * first + second)
    named = Model(model.variables, ("left_up", "left_down", "stay_up", "stay_down", "right_up", "right_down"))
    assert as_policy(learned, named, labels=[["left", "stay", "right"], ["up", "down"]]).labels == named.actions
    with pytest.raises(
        PolicyError, match=r"2 choices at once, of 3, 2 values: 6 combinations; the model has 4 actions"
    ):
        as_policy(learned, grid(4))
    with pytest.raises(PolicyError, match=r"labels name \[2, 3\] values"):
        as_policy(learned, named, labels=[["a", "b"], ["c", "d", "e"]])


@pytest.mark.parametrize("algorithm", ["PPO", "DQN", "QR-DQN"])
@pytest.mark.parametrize("clip", [10.0, 0.8])
def test_vec_normalize_is_part_of_the_network(algorithm: str, clip: float) -> None:
    model = grid()
    learned = trained(
        algorithm, SPACES["float"](), spaces.Discrete(4), wrap=lambda env: VecNormalize(env, clip_obs=clip)
    )
    policy = as_policy(learned, model)
    assert any("VecNormalize" in note for note in policy.notes) and policy.agreement is not None
    wrapper = learned.get_vec_normalize_env()
    plain = as_policy(learned, model, normalize=False)
    point = np.array([3.0, 18.0])
    normal = np.clip((point - wrapper.obs_rms.mean) / np.sqrt(wrapper.obs_rms.var + wrapper.epsilon), -clip, clip)
    # Folded in without rounding: the same as feeding the plain network with normalised numbers.
    assert np.abs(policy.scores(point) - plain.scores(normal)).max() < 1e-12
    assert (
        policy
        == as_policy(learned.policy, model, normalize=wrapper)
        == as_policy(learned.policy, model, normalize=learned.env)
    )
    for x, y in ((0, 19), (3, 18)):
        action = learned.predict(wrapper.normalize_obs(np.array([[x, y]], np.float32)), deterministic=True)[0]
        assert engine_choice(policy, model, {"x": x, "y": y}, int(action[0]))
    wrapper.norm_obs = False
    assert as_policy(learned, model) == plain


def test_vec_normalize_that_is_none() -> None:
    learned = trained("PPO", SPACES["float"](), spaces.Discrete(4))
    with pytest.raises(PolicyError, match="without a VecNormalize"):
        as_policy(learned, grid(), normalize=learned.env)
    with pytest.raises(PolicyError, match="pickles"):
        as_policy(learned, grid(), normalize="statistics.pkl")


KEYS = Model(
    (
        Variable("k", "int", 0, 3),
        Variable("y", "array", 0, 9, (2,), "int"),
        Variable("b", "array", None, None, (2,), "bool"),
        Variable("z", "real", -1, 1),
    ),
    ("go", "stop"),
)
DICT = {
    "y": spaces.Box(0, 9, (2,), np.float32),
    "k": spaces.Discrete(4),
    "b": spaces.MultiBinary(2),
    "z": spaces.Box(-1, 1, (1,), np.float32),
}


@pytest.mark.parametrize("algorithm", ["PPO", "DQN", "QR-DQN", "MaskablePPO"])
def test_dictionaries(algorithm: str) -> None:
    learned = trained(algorithm, spaces.Dict(DICT), spaces.Discrete(2), kind="MultiInputPolicy")
    by_name = as_policy(learned, KEYS)
    # In the space's own order, which Gymnasium sorts.
    order = [entry if isinstance(entry, str) else entry.get("exp", entry.get("one_hot")) for entry in by_name.inputs]
    assert order == ["b", "b", "k", "y", "y", "z"]
    cells = [{"op": "aa", "exp": "y", "index": 0}, {"op": "aa", "exp": "y", "index": 1}]
    assert by_name == as_policy(learned, KEYS, inputs={"z": "z", "y": cells, "b": ["b"], "k": ["k"]})
    assert as_policy(learned, KEYS, inputs={"z": "z", "y": cells[::-1], "b": ["b"], "k": ["k"]}) != by_name
    with pytest.raises(PolicyError, match="the keys k, y, and the observation has b, k, y, z"):
        as_policy(learned, KEYS, inputs={"k": ["k"], "y": ["y"]})
    with pytest.raises(PolicyError, match="the model has no variable z"):
        as_policy(learned, Model(KEYS.variables[:3], KEYS.actions))
    with pytest.raises(PolicyError, match="the observation has 6 numbers"):
        as_policy(learned, KEYS, inputs={"z": "z", "y": cells[:1], "b": ["b"], "k": ["k"]})


def test_some_keys_are_normalised() -> None:
    wrap = lambda env: VecNormalize(env, norm_obs_keys=["y", "z"], clip_obs=1.0)  # noqa: E731
    policy = as_policy(trained("PPO", spaces.Dict(DICT), spaces.Discrete(2), kind="MultiInputPolicy", wrap=wrap), KEYS)
    assert policy.agreement is not None and policy.agreement.absolute < 1e-5


@pytest.mark.parametrize(
    "options",
    [
        {"net_arch": []},
        {"net_arch": {"pi": [8], "vf": [32, 32]}},
        {"activation_fn": torch.nn.ReLU},
        {"activation_fn": torch.nn.GELU},
        {"share_features_extractor": False},
        {"ortho_init": False, "activation_fn": torch.nn.SiLU},
    ],
    ids=str,
)
def test_networks_of_other_shapes(options: dict[str, Any]) -> None:
    assert as_policy(trained("PPO", SPACES["float"](), spaces.Discrete(4), **options), grid()).agreement is not None


def test_own_extractor() -> None:
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class Own(BaseFeaturesExtractor):
        def __init__(self, space: Any) -> None:
            super().__init__(space, 6)
            self.first = torch.nn.Sequential(torch.nn.Linear(2, 6), torch.nn.LayerNorm(6), torch.nn.ReLU())

        def forward(self, observations: Any) -> Any:
            return self.first(observations / 19.0) * 2

    assert (
        as_policy(trained("DQN", SPACES["float"](), spaces.Discrete(4), features_extractor_class=Own), grid()).agreement
        is not None
    )

    class Squares(Own):
        def forward(self, observations: Any) -> Any:
            return self.first(observations**2)

    with pytest.raises(PolicyError, match="'pow' of what depends on the observation"):
        as_policy(trained("PPO", SPACES["float"](), spaces.Discrete(4), features_extractor_class=Squares), grid())


def test_images() -> None:
    """SB3's own convolutions, on images as small as they take."""
    images = spaces.Box(0, 255, (1, 36, 36), np.uint8)
    model = Model((Variable("pixels", "array", 0, 255, (36 * 36,), "int"),), ("a", "b"))
    learned = trained(
        "PPO", images, spaces.Discrete(2), kind="CnnPolicy", features_extractor_kwargs={"features_dim": 4}
    )
    policy = as_policy(learned, model, check=3)
    assert policy.agreement is not None and policy.agreement.points == 3 and len(policy.inputs) == 36 * 36


def test_policies_that_are_not_read() -> None:
    box = spaces.Box(-1, 1, (1,), np.float32)
    with pytest.raises(PolicyError, match=r"PPO has the action space Box.*Discrete action space"):
        as_policy(trained("PPO", SPACES["float"](), box), grid())
    with pytest.raises(PolicyError, match="SAC has the action space Box"):
        as_policy(
            sb3.SAC("MlpPolicy", Drawn(SPACES["float"](), box), policy_kwargs={"net_arch": [4]}, device="cpu"), grid()
        )
    recurrent = contrib.RecurrentPPO(
        "MlpLstmPolicy", Drawn(SPACES["float"](), spaces.Discrete(4)), n_steps=8, batch_size=8, device="cpu"
    )
    with pytest.raises(PolicyError, match="has a memory"):
        as_policy(recurrent, grid())
    with pytest.raises(PolicyError, match="MultiBinary.*expected Discrete or MultiDiscrete"):
        as_policy(trained("PPO", SPACES["float"](), spaces.MultiBinary(2)), grid())
    with pytest.raises(PolicyError, match="is a class"):
        Policy.from_sb3(sb3.PPO, grid())
    learned = trained("PPO", SPACES["float"](), spaces.Discrete(4))
    with pytest.raises(PolicyError, match=r"4 outputs and the model has 3 actions"):
        as_policy(learned, grid(3))
    with pytest.raises(PolicyError, match=r"the observation has 2 numbers .*there are 1 inputs \(x\)"):
        as_policy(learned, grid(), inputs=["x"])
    learned.policy.action_net.weight.data[0, 0] = float("nan")
    with pytest.raises(PolicyError, match=r"'action_net\.weight'.*diverged"):
        as_policy(learned, grid())


def test_predict_that_does_something_else() -> None:
    learned = trained("DQN", SPACES["float"](), spaces.Discrete(4))
    kind = type(learned.policy)

    class Contrary(kind):  # type: ignore[misc, valid-type]
        def _predict(self, observation: Any, deterministic: bool = True) -> Any:
            return self.q_net(observation).argmin(dim=1)

    learned.policy.__class__ = Contrary
    with pytest.raises(PolicyError, match="predict of Contrary does not take the largest of its scores"):
        as_policy(learned, grid())


def test_files_are_loaded_only_when_asked(tmp_path: pathlib.Path) -> None:
    learned = trained("PPO", SPACES["float"](), spaces.Discrete(4))
    learned.save(tmp_path / "policy.zip")
    for how in (
        lambda: as_policy(tmp_path / "policy.zip", grid()),
        lambda: Policy.from_sb3(tmp_path / "policy.zip", grid()),
    ):
        with pytest.raises(PolicyError, match="pickles"):
            how()
    assert Policy.from_sb3(str(tmp_path / "policy.zip"), grid(), loader=sb3.PPO) == as_policy(learned, grid())
    with pytest.raises(PolicyError, match="loader is 3"):
        Policy.from_sb3("policy.zip", grid(), loader=3)
