"""Policies of Stable-Baselines3 and sb3-contrib: DQN, PPO, A2C, QR-DQN, MaskablePPO.

What is read is the deterministic policy: the action with the largest Q-value, mean of quantiles, or logit. SB3's
preprocessing of observations becomes inputs of the policy file (`preprocessing.py`); `VecNormalize`, the features
extractor and the network become one network, traced as any other module.

The check at load asks SB3 itself: its policy scores observations as the environment gives them, through its own
preprocessing and normalisation, and its `predict` must choose what the scores say.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import MissingExtra, PolicyError
from .build import CHECKED, Options, build
from .inputs import Floats
from .labels import Outputs, match_components, match_labels
from .policy import Policy
from .preprocessing import Part, parts_of, sb3_inputs
from .spaces import as_model
from .torch import imported, prepare, torch_reference
from .trace import ForwardError, convert


def from_sb3(
    algorithm: Any,
    model: Any,
    inputs: Any = None,
    labels: Any = None,
    filter: bool | None = None,
    *,
    normalize: Any = None,
    loader: Any = None,
    ties: str = "first",
    semantics: str = "real",
    check: int = CHECKED,
) -> Policy:
    """The deterministic policy of a Stable-Baselines3 model (or of its `policy`).

    `inputs` says what each number of the observation is, in order (the model's variables by default; for a `Dict` a
    dictionary of lists, by default the variables that are called like the keys). `labels` says which action each number
    of the action space is. `filter` restricts the choice to applicable actions, by default for policies that were
    trained with masks. `normalize` is the `VecNormalize` that the policy was trained behind (or an environment around
    it); by default the algorithm's own, `False` for none. A path is loaded only by the class that you name:
    `loader=PPO`.
    """
    described = as_model(model)
    algorithm = _loaded(algorithm, loader)
    policy = getattr(algorithm, "policy", algorithm)
    _check_class(algorithm, policy)
    environment = _own_environment(algorithm, model, inputs is not None and labels is not None)
    inputs = environment.inputs if environment is not None and inputs is None else inputs
    labels = list(environment.actions) if environment is not None and labels is None else labels
    wrapper = None if normalize is False else _vec_normalize(algorithm, normalize)
    prepared, _ = prepare(policy)
    parts = parts_of(prepared.observation_space, wrapper, bool(prepared.normalize_images))
    entries = sb3_inputs(inputs, parts, described)
    outputs = _outputs(prepared.action_space, labels, described)
    notes = []
    masked = "Maskable" in type(policy).__name__
    if masked and filter is None:
        notes.append(
            "the policy was trained with masks, so it chooses among the actions that the model allows in a state "
            "(filter=True); if the masks were other ones, say "
            "filter=False and put them into the model"
        )
    if wrapper is not None and any(part.normal is not None for part in parts):
        notes.append(
            "the normalisation of observations by VecNormalize is part of the network, with its mean, deviation and "
            "clipping in double precision"
        )
    options = Options(masked if filter is None else filter, ties, semantics, check)
    module = scoring_module(prepared, parts)
    torch = imported()
    double = any(part.normal is not None for part in parts)
    dtype = torch.float64 if double else torch.float32
    try:
        traced = convert(module, torch.zeros((1, entries.size), dtype=dtype))
    except ForwardError as error:
        raise PolicyError(f"the policy's network fails on one observation: {error}") from error
    name = type(algorithm).__name__
    expected = sum(outputs.components) if outputs.components else len(outputs.labels)
    if traced.outputs != expected:
        raise PolicyError(f"the network of {name} gives {traced.outputs} scores, and its action space has {expected}")
    measured = torch_reference(module, dtype, (entries.size,), traced, None, "Stable-Baselines3")
    reference = replace(measured, scores=_sb3_scores(prepared, parts, wrapper, outputs), double=False)
    return build(
        traced.data,
        ".onnx",
        described,
        entries,
        outputs,
        options,
        f"Stable-Baselines3 ({name})",
        (*notes, *traced.notes),
        reference,
    )


def _loaded(algorithm: Any, loader: Any) -> Any:
    if not isinstance(algorithm, (str, os.PathLike)):
        return algorithm
    path = os.fspath(algorithm)
    if loader is None:
        raise PolicyError(
            f"'{path}' is a checkpoint of Stable-Baselines3, which holds pickles: reading it can run code. If you "
            "trust it, name its class, whose own load is then "
            f"called: Policy.from_sb3({path!r}, model, loader=PPO)"
        )
    if not hasattr(loader, "load"):
        raise PolicyError(
            f"loader is {loader!r}; expected the class that the policy was trained by, such as stable_baselines3.PPO"
        )
    return loader.load(path, device="cpu")


def _check_class(algorithm: Any, policy: Any) -> None:
    try:
        from stable_baselines3.common.policies import BasePolicy
    except ImportError as error:
        raise MissingExtra("policies of Stable-Baselines3 need that package: pip install surefoot[sb3]") from error
    name = type(algorithm).__name__
    if isinstance(algorithm, type):
        raise PolicyError(f"{algorithm.__name__} is a class; pass a trained model")
    if not isinstance(policy, BasePolicy):
        raise PolicyError(f"{name} is no model of Stable-Baselines3; expected DQN, PPO, A2C, QRDQN or MaskablePPO")
    if type(policy.action_space).__name__ == "Box":
        raise PolicyError(
            f"{name} has the action space {policy.action_space}: its actions are numbers, and a policy here chooses "
            "one of finitely many labels. Train with a "
            "Discrete action space, or let the network compute values that the model uses ('variables' in "
            "docs/policies.md)"
        )
    if hasattr(policy, "lstm_actor"):
        raise PolicyError(
            f"{name} has a memory (LSTM), so what it does depends on more than the observation; train without one"
        )
    if not any(hasattr(policy, part) for part in ("q_net", "quantile_net", "action_net")):
        raise PolicyError(
            f"{name} with {type(policy).__name__} is not read; expected DQN, PPO, A2C, QRDQN or MaskablePPO"
        )


def _outputs(space: Any, labels: Any, model: Any) -> Outputs:
    kind = type(space).__name__
    if kind == "Discrete":
        return match_labels(labels, model, int(space.n))
    if kind == "MultiDiscrete":
        return match_components(labels, model, [int(size) for size in np.asarray(space.nvec).reshape(-1)])
    raise PolicyError(f"the action space {space} is not read; expected Discrete or MultiDiscrete")


# Wrappers that show observations and take actions as they are; VecNormalize is read by itself.
_NEUTRAL = frozenset(
    "Monitor TimeLimit OrderEnforcing PassiveEnvChecker RecordEpisodeStatistics RecordVideo ActionMasker Autoreset DummyVecEnv SubprocVecEnv VecMonitor "
    "VecCheckNan VecTransposeImage VecNormalize".split()
)


def _own_environment(algorithm: Any, model: Any, said: bool) -> Any:
    """The environment that was made from this very model, if the policy was trained on it: it knows its inputs and
    labels.
    """
    environment, around = getattr(algorithm, "env", None), []
    while environment is not None and not hasattr(environment, "envs"):
        around.append(type(environment).__name__)
        environment = getattr(environment, "venv", None)
    if environment is None or not environment.envs:
        return None
    layer = environment.envs[0]
    inner = getattr(layer, "unwrapped", None)
    while layer is not None and layer is not inner:
        around.append(type(layer).__name__)
        layer = getattr(layer, "env", None)
    own = (
        hasattr(inner, "inputs")
        and hasattr(inner, "actions")
        and type(inner).__module__.startswith("surefoot.")
        and getattr(inner, "model", None) == model
    )
    strange = [name for name in around if name not in _NEUTRAL]
    if own and strange and not said:
        raise PolicyError(
            f"the policy was trained in the model's environment inside of {strange[0]}, which may change what is observed and "
            "chosen; say inputs= and labels= as the network sees and means them, or put the change into the model"
        )
    return inner if own and not strange else None


def _vec_normalize(algorithm: Any, given: Any) -> Any:
    """The VecNormalize: the algorithm's own, or the one that is given, or that is around a given environment."""
    if isinstance(given, (str, os.PathLike)):
        raise PolicyError(
            f"'{os.fspath(given)}' holds pickles: reading it can run code. If you trust it, load it yourself: "
            "normalize=VecNormalize.load(path, env)"
        )
    if given is None:
        getter = getattr(algorithm, "get_vec_normalize_env", None)
        return None if getter is None else getter()
    layer = given
    while layer is not None and not hasattr(layer, "normalize_obs"):
        layer = getattr(layer, "venv", None)
    if layer is None:
        raise PolicyError(
            f"normalize is a {type(given).__name__} without a VecNormalize in it; pass the VecNormalize, or False for "
            "none"
        )
    return layer


def scoring_module(policy: Any, parts: Sequence[Part]) -> Any:
    """A module that scores the actions, given the features of one observation."""
    torch = imported()

    class Scores(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            # Doubles where the whole module is double: that is how rounding is measured.
            self.register_buffer("precision", torch.zeros(()))
            if hasattr(policy, "q_net"):
                self.extractor, self.network, self.quantiles = policy.q_net.features_extractor, policy.q_net.q_net, 0
            elif hasattr(policy, "quantile_net"):
                inner = policy.quantile_net
                self.extractor, self.network, self.quantiles = (
                    inner.features_extractor,
                    inner.quantile_net,
                    int(inner.n_quantiles),
                )
            else:
                self.extractor, self.quantiles = policy.pi_features_extractor, 0
                self.network = torch.nn.Sequential(policy.mlp_extractor.policy_net, policy.action_net)
            for place, part in enumerate(parts):
                if part.normal is not None:
                    self.register_buffer(f"mean{place}", torch.tensor(part.normal.mean))
                    self.register_buffer(f"deviation{place}", torch.tensor(part.normal.deviation))

        def forward(self, features: Any) -> Any:
            observation = {}
            for place, part in enumerate(parts):
                own = features[:, part.start : part.stop]
                if part.normal is not None:
                    own = (own - getattr(self, f"mean{place}")) / getattr(self, f"deviation{place}")
                    own = torch.clamp(own, -part.normal.clip, part.normal.clip)
                own = own.to(self.precision.dtype)
                if part.is_image:
                    own = own / 255.0
                observation[part.key] = own.reshape(1, *part.shape)
            scores = self.network(self.extractor(observation if parts[0].key is not None else observation[None]))
            return scores.view(1, self.quantiles, -1).mean(dim=1) if self.quantiles else scores

    return Scores().eval()


def _sb3_scores(policy: Any, parts: Sequence[Part], wrapper: Any, outputs: Outputs) -> Any:
    """Scores by SB3's own code, of observations as environments give them; `predict` must choose accordingly."""
    torch = imported()

    def scores(_: Floats, features: Floats) -> Floats:
        observation: Any = {part.key: part.observation(features) for part in parts}
        if parts[0].key is None:
            observation = observation[None]
        if wrapper is not None:
            observation = wrapper.normalize_obs(observation)
        with torch.no_grad():
            tensor, _batch = policy.obs_to_tensor(observation)
            if hasattr(policy, "q_net"):
                result = policy.q_net(tensor)
            elif hasattr(policy, "quantile_net"):
                result = policy.quantile_net(tensor).mean(dim=1)
            else:
                extracted = policy.extract_features(tensor)
                extracted = extracted[0] if isinstance(extracted, tuple) else extracted
                result = policy.action_net(policy.mlp_extractor.forward_actor(extracted))
        found: Floats = result.to(torch.float64).numpy()
        actions = np.asarray(policy.predict(observation, deterministic=True)[0]).reshape(len(found), -1)
        actions = actions - (int(policy.action_space.start) if type(policy.action_space).__name__ == "Discrete" else 0)
        sizes = outputs.components or (found.shape[1],)
        for row, action in enumerate(actions):
            chosen = np.ravel_multi_index(action.astype(int).tolist(), sizes)
            if outputs.choice(found[row].tolist()) != int(chosen):
                raise PolicyError(
                    f"predict of {type(policy).__name__} does not take the largest of its scores (at "
                    f"{features[row].tolist()} it takes {action.tolist()}, the scores "
                    f"are {found[row].tolist()}); only policies that do can be read"
                )
        return found

    return scores
