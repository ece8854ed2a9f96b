"""Policies from where they live: PyTorch, Stable-Baselines3, NumPy, and files.

`as_policy` takes any of these and makes a `Policy` for a model. torch and stable_baselines3 are never imported here
unless what was given comes from them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..errors import PolicyError
from .agreement import Agreement
from .policy import POLICY, Policy

__all__ = ["POLICY", "Agreement", "Policy", "as_policy", "policy"]

_SB3 = ("stable_baselines3", "sb3_contrib")


def as_policy(thing: Any, model: Any, **options: Any) -> Policy:
    """The policy that something is, for a model.

    `thing` is a `torch.nn.Module`, a model of Stable-Baselines3 or sb3-contrib, a list of weights
    (`Policy.from_numpy`), the path of a network or of a policy file, or a `Policy`, which stays as it is. Options are
    those of `Policy.from_torch`, `from_sb3`, `from_numpy` and `from_file`.

    >>> as_policy(3, None)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    surefoot.errors.PolicyError: int is no policy; expected a torch.nn.Module, ...
    """
    if isinstance(thing, Policy):
        if options:
            raise PolicyError(
                f"this is a Policy already, so {', '.join(sorted(options))} cannot be said of it any more; say it "
                "where it is made"
            )
        return thing
    if isinstance(thing, (str, os.PathLike)):
        return Policy.from_file(thing, model, **options)
    families = {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}
    if families & set(_SB3):
        return Policy.from_sb3(thing, model, **options)
    if "torch" in families and not hasattr(thing, "numpy"):
        return Policy.from_torch(thing, model, **options)
    if (
        isinstance(thing, (list, tuple))
        and thing
        and all(isinstance(part, (list, tuple, np.ndarray)) or hasattr(part, "detach") for part in thing)
    ):
        return Policy.from_numpy(thing, model=model, **options)
    raise PolicyError(
        f"{type(thing).__name__} is no policy; expected a torch.nn.Module, a Stable-Baselines3 model (DQN, PPO, A2C, "
        "QRDQN, MaskablePPO), a list of weights "
        "and biases, the path of a file (.onnx, .nnet, .safetensors, .policy.json, .jani2nnet), or a surefoot.Policy"
    )


policy = as_policy
