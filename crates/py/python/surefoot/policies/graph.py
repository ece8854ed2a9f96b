"""A graph under construction: nodes in order, constants by what they belong to.

Every value in it has a name, an element type and a fixed shape; the observation is a batch of one. Names of nodes are
those of the modules or layers they come from, because the engines' messages about a node are read by the people who
wrote these.

Invariants: a node's inputs stand before it; a constant is finite (`constant` refuses others, naming its owner); the
same calls give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import PolicyError
from . import onnx
from .onnx import Array, Attribute


@dataclass(frozen=True)
class Value:
    """Something that a node computes: its name, its element type as NumPy calls it, its shape."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.shape, dtype=np.int64))


def check_finite(array: Array, owner: str) -> None:
    """Refuses what is not a number or infinite.

    >>> check_finite(np.array([1.0, np.nan]), "layer 2's weights")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    surefoot.errors.PolicyError: layer 2's weights: entry 1 is nan; all numbers must be finite. ...
    """
    if np.issubdtype(array.dtype, np.floating) and not bool(np.isfinite(array).all()):
        place = np.argwhere(~np.isfinite(np.atleast_1d(array)))[0].tolist()
        number = np.atleast_1d(array)[tuple(place)]
        shown = place[0] if len(place) == 1 else place
        raise PolicyError(
            f"{owner}: entry {shown} is {number}; all numbers must be finite. Training has diverged: go back to an "
            "earlier checkpoint"
        )


@dataclass
class Graph:
    """Collects nodes; `to_bytes` makes the file."""

    name: str = "policy"
    _nodes: list[bytes] = field(default_factory=list)
    _constants: dict[str, bytes] = field(default_factory=dict)
    _names: set[str] = field(default_factory=lambda: {""})
    _inputs: list[bytes] = field(default_factory=list)

    def _fresh(self, wanted: str) -> str:
        name, count = wanted, 1
        while name in self._names:
            count += 1
            name = f"{wanted}_{count}"
        self._names.add(name)
        return name

    def input(self, name: str, dtype: str, shape: Sequence[int]) -> Value:
        """The observation, or a part of it."""
        result = Value(self._fresh(name), dtype, tuple(shape))
        self._inputs.append(onnx.value(11, result.name, onnx.element_type(dtype), result.shape))
        return result

    def constant(self, array: Array, owner: str) -> Value:
        """A stored tensor; `owner` is whose it is, for its name and for messages."""
        check_finite(array, owner)
        name = self._fresh(owner.replace(" ", "_"))
        self._constants[name] = onnx.tensor(name, array)
        return Value(name, str(array.dtype), tuple(array.shape))

    def node(
        self,
        operator: str,
        owner: str,
        inputs: Sequence[Value | None],
        dtype: str,
        shape: Sequence[int],
        **attributes: Attribute,
    ) -> Value:
        """A node with one result; an input that is left out is `None`."""
        name = self._fresh(owner)
        sources = ["" if source is None else source.name for source in inputs]
        self._nodes.append(onnx.node(operator, name, sources, [name], attributes))
        return Value(name, dtype, tuple(shape))

    def cast(self, value: Value, dtype: str, owner: str) -> Value:
        """The same numbers in another element type."""
        if value.dtype == dtype:
            return value
        return self.node("Cast", f"{owner}.cast", [value], dtype, value.shape, to=onnx.element_type(dtype))

    def to_bytes(self, output: Value) -> bytes:
        """The file; `output` is the scores."""
        result = onnx.value(12, output.name, onnx.element_type(output.dtype), output.shape)
        return onnx.model(self.name, self._nodes, [*self._constants.values(), *self._inputs, result])
