"""Policies: a network, what its inputs are, and what its outputs mean.

A `Policy` is a policy file with its networks, in memory. It is made from where policies live (`from_torch`, `from_sb3`,
`from_numpy`, `from_file`), and is checked when it is made: names against the model, numbers of inputs and outputs
against the network, and our evaluation against theirs.

Invariants: it does not change; the same source gives the same bytes; what was decided on the way is in `notes`.
"""

from __future__ import annotations

import inspect
import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PolicyError, UsageError
from .agreement import Agreement
from .inputs import Floats
from .spaces import suggestion

if TYPE_CHECKING:
    from .._native import Network

#: The name under which a policy file is given to the engines.
POLICY = "<policy>"


@dataclass(frozen=True, eq=False, repr=False)
class Policy:
    """A policy file with its networks, in memory.

    `text` is the policy file (docs/policies.md), which calls its networks by the names in `networks`; `inputs` are the
    entries of that file, `labels` the actions in the order of the outputs (of the combinations, where several choices
    are made at once). `notes` say what was decided when it was read, and `agreement` what the comparison with its
    source found.
    """

    text: str
    networks: Mapping[str, bytes]
    inputs: tuple[Any, ...]
    labels: tuple[str, ...]
    filter: bool = False
    ties: str = "first"
    semantics: str = "real"
    source: str = "a file"
    notes: tuple[str, ...] = ()
    agreement: Agreement | None = None

    @staticmethod
    def from_torch(
        module: Any, model: Any, inputs: Any = None, labels: Any = None, filter: bool = False, **options: Any
    ) -> Policy:
        """The policy of a `torch.nn.Module`; see `surefoot.policies.torch.from_torch`."""
        from .torch import from_torch

        return _made(from_torch, options, module, model, inputs, labels, filter)

    @staticmethod
    def from_sb3(
        algorithm: Any, model: Any, inputs: Any = None, labels: Any = None, filter: bool | None = None, **options: Any
    ) -> Policy:
        """The deterministic policy of a Stable-Baselines3 model; see `surefoot.policies.sb3.from_sb3`."""
        from .sb3 import from_sb3

        return _made(from_sb3, options, algorithm, model, inputs, labels, filter)

    @staticmethod
    def from_numpy(
        weights: Any, biases: Any = None, activation: str | Sequence[str] = "relu", *, model: Any, **options: Any
    ) -> Policy:
        """The policy of weights and biases; see `surefoot.policies.arrays.from_numpy`."""
        from .arrays import from_numpy

        return _made(from_numpy, {**options, "model": model}, weights, biases, activation)

    @staticmethod
    def from_file(
        path: str | os.PathLike[str],
        model: Any,
        inputs: Any = None,
        labels: Any = None,
        filter: bool | None = None,
        **options: Any,
    ) -> Policy:
        """The policy of a file: ONNX, NNet, safetensors, or a policy file; see `surefoot.policies.files.from_file`."""
        from .files import from_file

        return _made(from_file, options, path, model, inputs, labels, filter)

    def files(self, name: str = POLICY) -> dict[str, bytes]:
        """All files by name, as the engines take them.

        The policy itself has a name in angle brackets; where it is not the usual one, those of its networks begin with it.
        """
        if name == POLICY:
            return {POLICY: self.text.encode(), **self.networks}
        names = {known: f"{name[:-1]}:{known.removeprefix('<')}" for known in self.networks}
        networks = {names[known]: data for known, data in self.networks.items()}
        return {name: json.dumps(self._renamed(names), ensure_ascii=False).encode(), **networks}

    def write(self, folder: str | os.PathLike[str], name: str = "policy") -> pathlib.Path:
        """Writes the policy file and its networks into a folder, for the command line; the path of the policy file."""
        if not name or name != os.path.basename(name):
            raise PolicyError(f"'{name}' is no name of a file; the folder is another argument")
        place = pathlib.Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        names = {
            known: f"{name}{_infix(count, len(self.networks))}{_suffix(known)}"
            for count, known in enumerate(self.networks)
        }
        for known, data in self.networks.items():
            (place / names[known]).write_bytes(data)
        path = place / f"{name}.policy.json"
        path.write_text(json.dumps(self._renamed(names), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        return path

    def _renamed(self, names: Mapping[str, str]) -> dict[str, Any]:
        """What the policy file says, with other names of the networks."""
        content: dict[str, Any] = json.loads(self.text)
        for key in ("network", "file"):
            if key in content:
                content[key] = names[content[key]]
        for at, entry in enumerate(content.get("networks", ())):
            if isinstance(entry, str):
                content["networks"][at] = names[entry]
            else:
                entry["file"] = names[entry["file"]]
        return content

    @cached_property
    def network(self) -> Network:
        """The network as the engines read it, where there is one."""
        if len(self.networks) != 1:
            raise PolicyError(
                f"the policy has {len(self.networks)} networks, and the state decides which one is asked; there is no "
                "network of its own"
            )
        ((name, data),) = self.networks.items()
        entry = next(iter(json.loads(self.text).get("networks", [{}])))
        options = {key: entry[key] for key in ("activation", "output") if isinstance(entry, dict) and key in entry}
        return read_network(name, data, **options)

    def scores(self, points: Any) -> Floats:
        """The scores of the network at points of its inputs, in doubles: one row per point, or one vector for one
        point.

        Points are what the network is fed with, after one-hot encodings.
        """
        try:
            array = np.asarray(points, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise PolicyError(f"points are an array of numbers, one row per point: {error}") from error
        expected = self.network.inputs
        if array.ndim not in (1, 2) or array.shape[-1] != expected:
            raise PolicyError(
                f"points of shape {list(array.shape)}; expected [{expected}] or [points, {expected}], one number per "
                "network input"
            )
        if not bool(np.isfinite(array).all()):
            place = np.argwhere(~np.isfinite(array))[0].tolist()
            raise PolicyError(
                f"point {place[0] if array.ndim == 2 else 0} has {array[tuple(place)]} as input {place[-1]}; points "
                "must be finite"
            )
        scores = np.asarray(self.network.scores(np.ascontiguousarray(np.atleast_2d(array))))
        return scores if array.ndim == 2 else np.asarray(scores[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.files() == other.files()

    def __hash__(self) -> int:
        return hash((self.text, *sorted(self.networks.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.text, dict(self.networks), self.inputs, self.labels, self.filter, self.ties, self.semantics)
        return Policy, (*parts, self.source, self.notes, self.agreement)

    def _repr_html_(self) -> str:
        from ..notebook import policy_html

        return policy_html(self)

    def __repr__(self) -> str:
        shown = ", ".join(self.labels[:6]) + (", ..." if len(self.labels) > 6 else "")
        told = f", {self.agreement}" if self.agreement is not None else ""
        filtered = ", filtered" if self.filter else ""
        sizes = f"{len(self.inputs)} inputs, {len(self.labels)} labels ({shown})"
        return f"<Policy from {self.source}: {sizes}{filtered}{told}>"


def _made(source: Callable[..., Policy], options: Mapping[str, Any], *arguments: Any) -> Policy:
    """The policy of a source, if it has these options."""
    known = list(inspect.signature(source).parameters)
    for name in options:
        if name not in known:
            raise UsageError(f"{source.__name__} has no option '{name}'{suggestion(name, known[2:])}")
    return source(*arguments, **options)


def _infix(count: int, total: int) -> str:
    return f"-{count}" if total > 1 else ""


def _suffix(name: str) -> str:
    return pathlib.PurePosixPath(name.replace("<", "").replace(">", "")).suffix


def read_network(name: str, data: bytes, **options: Any) -> Network:
    """The network of a file, or an error of ours."""
    from .._native import NativeError, Network

    try:
        return Network(name, data, **options)
    except NativeError as error:
        raise PolicyError(str(error.args[-1]).removeprefix("error: ")) from None
