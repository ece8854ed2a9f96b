"""How Stable-Baselines3 sees an observation: which of the network's inputs is which part of the observation space.

A space is a list of *parts*, one per key of a `Dict`, in the space's own order, which is also that of SB3's
`CombinedExtractor`. A part is a run of features: one per entry of a `Box` or `MultiBinary`, one per value of a
`Discrete`, and those of each component of a `MultiDiscrete` in turn. So encodings are inputs of the policy file, where
the engines know them, and not layers of the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import PolicyError
from .inputs import Floats, Inputs, one_hot_range
from .ranges import range_of
from .spaces import ModelLike, element_of, listed, observable, variable_named


@dataclass(frozen=True)
class Normal:
    """The normalisation of a part by `VecNormalize`: `clip((x - mean) / deviation)`."""

    mean: Floats
    deviation: Floats
    clip: float


@dataclass(frozen=True)
class Part:
    """A part of the observation. `sizes` are the numbers of values of what is encoded; none for numbers."""

    key: str | None
    start: int
    shape: tuple[int, ...]
    sizes: tuple[int, ...]
    is_image: bool
    normal: Normal | None
    space: Any

    @property
    def width(self) -> int:
        """The number of its features."""
        return sum(self.sizes) if self.sizes else int(np.prod(self.shape))

    @property
    def stop(self) -> int:
        """Where the next part starts."""
        return self.start + self.width

    def observation(self, features: Floats) -> Any:
        """The part as the environment gives it, for rows of features."""
        own = features[:, self.start : self.stop]
        if not self.sizes:
            stored = own.reshape(-1, *self.space.shape)
            exact = stored.astype(self.space.dtype)
            return exact if np.array_equal(exact.astype(np.float64), stored) else stored.astype(np.float32)
        blocks = np.split(own, np.cumsum(self.sizes)[:-1], axis=1)
        values = np.stack([block.argmax(axis=1) for block in blocks], axis=1)
        return values[:, 0] if type(self.space).__name__ == "Discrete" else values


def normals(normalize: Any, keys: Sequence[str | None]) -> dict[str | None, Normal]:
    """The normalisation of each part, as the `VecNormalize` has it."""
    if normalize is None or not normalize.norm_obs:
        return {}
    found = {}
    for key in keys if getattr(normalize, "norm_obs_keys", None) is None else normalize.norm_obs_keys:
        statistics = normalize.obs_rms[key] if isinstance(normalize.obs_rms, Mapping) else normalize.obs_rms
        mean, variance = np.asarray(statistics.mean, np.float64), np.asarray(statistics.var, np.float64)
        # As VecNormalize computes it: in doubles.
        deviation = np.sqrt(variance + normalize.epsilon)
        if not (np.isfinite(mean).all() and np.isfinite(deviation).all() and (deviation > 0).all()):
            raise PolicyError(
                "the statistics of VecNormalize are not finite, or a deviation is zero; has it seen any observations?"
            )
        found[key] = Normal(mean.reshape(-1), deviation.reshape(-1), float(normalize.clip_obs))
    return found


def parts_of(space: Any, normalize: Any, normalize_images: bool) -> list[Part]:
    """The parts of an observation space."""
    from stable_baselines3.common.preprocessing import is_image_space

    spaces = dict(space.spaces) if type(space).__name__ == "Dict" else {None: space}
    known = normals(normalize, list(spaces))
    parts: list[Part] = []
    start = 0
    for key, inner in spaces.items():
        kind = type(inner).__name__
        sizes: tuple[int, ...] = ()
        if kind == "Discrete":
            sizes = (int(inner.n),)
            if int(getattr(inner, "start", 0)) != 0:
                raise PolicyError(
                    f"the observation space {inner} does not start at 0, which Stable-Baselines3's one-hot encoding "
                    "does not know"
                )
        elif kind == "MultiDiscrete":
            sizes = tuple(int(size) for size in np.asarray(inner.nvec).reshape(-1))
        elif kind not in ("Box", "MultiBinary"):
            raise PolicyError(
                f"observations of {inner} are not read; expected Box, Discrete, MultiDiscrete, MultiBinary, or a Dict "
                "of these"
            )
        image = kind == "Box" and normalize_images and bool(is_image_space(inner))
        shape = (sum(sizes),) if sizes else tuple(inner.shape)
        part = Part(key, start, shape, sizes, image, known.get(key), inner)
        parts.append(part)
        start = part.stop
    return parts


def sb3_inputs(entries: Any, parts: Sequence[Part], model: ModelLike) -> Inputs:
    """The inputs of the policy file. `entries` has one entry per number of the observation, or a list of these for each
    key of a `Dict`.
    """
    if parts[0].key is not None:
        entries = _of_keys(entries, parts, model)
    elif entries is None:
        entries = _by_default(parts[0], model)
    if isinstance(entries, (str, Mapping)) or hasattr(entries, "jani"):
        entries = [entries]
    plain = Inputs.of(entries, model)
    result: list[Any] = []
    place = 0
    for part in parts:
        if part.sizes:
            own = plain.entries[place : place + len(part.sizes)]
            if len(own) < len(part.sizes):
                raise _wrong_number(parts, plain, model)
            result += [_encoded(entry, size, model) for entry, size in zip(own, part.sizes)]
            place += len(own)
            continue
        width = 0
        while width < part.width and place < len(plain.entries):
            result.append(plain.entries[place])
            width += plain.widths[place]
            place += 1
        if width != part.width:
            raise _wrong_number(parts, plain, model)
    if place != len(plain.entries):
        raise _wrong_number(parts, plain, model)
    return Inputs.of(result, model)


def _wrong_number(parts: Sequence[Part], plain: Inputs, model: ModelLike) -> PolicyError:
    wanted = sum(len(part.sizes) or part.width for part in parts)
    spaces = ", ".join(f"{part.key}: {part.space}" if part.key is not None else str(part.space) for part in parts)
    names = [variable.name for variable in observable(model)]
    return PolicyError(
        f"the observation has {wanted} numbers ({spaces}), and there are {len(plain.entries)} inputs "
        f"({listed([str(entry) for entry in plain.entries])}); say what "
        f"each number of the observation is, in order: inputs=[...]. The model's variables are {listed(names)}"
    )


def _by_default(part: Part, model: ModelLike) -> Any:
    """The state of a tabular environment is one number, which its model knows; else the variables in order."""
    state = getattr(model, "state", None)
    return [state] if len(part.sizes) == 1 and hasattr(state, "jani") else None


def _of_keys(entries: Any, parts: Sequence[Part], model: ModelLike) -> list[Any]:
    keys = [str(part.key) for part in parts]
    if entries is None:
        missing = [key for key in keys if variable_named(model, key) is None]
        if missing:
            raise PolicyError(
                f"the observation is a Dict with the keys {', '.join(keys)}, and the model has no variable "
                f"{', '.join(missing)}; say what each key is: "
                f"inputs={{'{keys[0]}': ['x', 'y'], ...}}"
            )
        return list(keys)
    if not isinstance(entries, Mapping):
        return list(entries)
    if set(entries) != set(keys):
        raise PolicyError(
            f"inputs has the keys {', '.join(map(str, entries))}, and the observation has {', '.join(keys)}; expected "
            "the same"
        )
    result: list[Any] = []
    for key in keys:
        value = entries[key]
        result += list(value) if isinstance(value, (list, tuple)) else [value]
    return result


def _encoded(entry: Any, size: int, model: ModelLike) -> Any:
    """The one-hot encoding that SB3 makes of a component with that many values."""
    if isinstance(entry, Mapping) and "one_hot" in entry:
        # The k-th value of the component is the k-th of the range.
        first, last = one_hot_range(entry, model)
        if last - first + 1 != size:
            raise PolicyError(
                f"{entry['one_hot']!r} is encoded from {first} to {last}, {last - first + 1} values, and the policy "
                f"was trained on {size} values"
            )
        return dict(entry)
    known = range_of(entry, model)
    if known is not None and (known[0] < 0 or known[1] >= size):
        raise PolicyError(
            f"{entry!r} ranges from {known[0]} to {known[1]}, and the policy was trained on the one-hot encoding of "
            f"integers from 0 to {size - 1}; is it another "
            "variable, or one with an offset (inputs=[model['x'] - 1])?"
        )
    variable = variable_named(model, entry) if isinstance(entry, str) else None
    if variable is not None and element_of(variable) == "real":
        raise PolicyError(
            f"'{entry}' is a real number, and the policy was trained on the one-hot encoding of integers from 0 to "
            f"{size - 1}"
        )
    return {"one_hot": entry, "from": 0, "to": size - 1}
