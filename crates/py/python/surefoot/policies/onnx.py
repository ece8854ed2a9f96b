"""ONNX files, written by hand: no package is needed, and the same network gives the same bytes.

What is written is the part of ``onnx.proto3`` that feed-forward networks use: one graph, its nodes, and its constants
as raw data in the element type that they have. Operator set 20 is the first that has GELU as one operator.

Invariant: nothing is rounded. A constant is stored bit by bit as it was given; attributes, which ONNX has in single
precision only, are refused where that would change them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import PolicyError
from . import wire

OPERATOR_SET = 20
IR_VERSION = 9
PRODUCER = "surefoot"

FLOAT, INT64, BOOL, DOUBLE = 1, 7, 9, 11
#: Element types by NumPy's names.
ELEMENT_TYPES = {"float32": FLOAT, "int64": INT64, "bool": BOOL, "float64": DOUBLE}

Attribute: TypeAlias = int | float | str | Sequence[int]
Array: TypeAlias = NDArray[Any]


def element_type(dtype: object) -> int:
    """The number of an element type.

    >>> element_type("float64")
    11
    """
    name = str(np.dtype(dtype).newbyteorder("="))  # type: ignore[call-overload]
    if name not in ELEMENT_TYPES:
        raise PolicyError(f"numbers of type {name} are not written; expected one of {', '.join(sorted(ELEMENT_TYPES))}")
    return ELEMENT_TYPES[name]


def _attribute(name: str, value: Attribute) -> bytes:
    # AttributeProto: 1 name, 2 float, 3 integer, 4 text, 8 integers, 20 the kind.
    if isinstance(value, str):
        return wire.message(5, wire.text(1, name), wire.text(4, value), wire.integer(20, 3))
    if isinstance(value, float):
        if not is_single(value):
            raise PolicyError(f"attribute '{name}' is {value!r}, which single precision does not have")
        return wire.message(5, wire.text(1, name), wire.four_bytes(2, struct.pack("<f", value)), wire.integer(20, 1))
    if isinstance(value, int):
        return wire.message(5, wire.text(1, name), wire.integer(3, value), wire.integer(20, 2))
    return wire.message(5, wire.text(1, name), *(wire.integer(8, int(entry)) for entry in value), wire.integer(20, 7))


def is_single(value: float) -> bool:
    """Whether single precision has this number exactly.

    >>> is_single(0.5), is_single(0.1)
    (True, False)
    """
    return float(np.float32(value)) == value


def node(
    operator: str, name: str, inputs: Sequence[str], outputs: Sequence[str], attributes: dict[str, Attribute]
) -> bytes:
    """A node of a graph (NodeProto)."""
    return wire.message(
        1,
        *(wire.text(1, source) for source in inputs),
        *(wire.text(2, result) for result in outputs),
        wire.text(3, name),
        wire.text(4, operator),
        *(_attribute(key, attributes[key]) for key in sorted(attributes)),
    )


def tensor(name: str, array: Array) -> bytes:
    """A constant of a graph (TensorProto), as raw little-endian data."""
    # `ascontiguousarray` would make a vector of a single number.
    stored = np.asarray(array, order="C").astype(array.dtype.newbyteorder("<"), copy=False)
    return wire.message(
        5,
        *(wire.integer(1, size) for size in stored.shape),
        wire.integer(2, element_type(array.dtype)),
        wire.text(8, name),
        wire.message(9, stored.tobytes()),
    )


def value(number: int, name: str, element: int, shape: Sequence[int]) -> bytes:
    """An input (field 11) or an output (field 12) of a graph (ValueInfoProto)."""
    dimensions = wire.message(2, *(wire.message(1, wire.integer(1, size)) for size in shape))
    return wire.message(
        number, wire.text(1, name), wire.message(2, wire.message(1, wire.integer(1, element), dimensions))
    )


def model(name: str, nodes: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """A file of one graph (ModelProto): its nodes, and its constants, inputs and outputs."""
    return b"".join(
        (
            wire.integer(1, IR_VERSION),
            wire.text(2, PRODUCER),
            wire.message(7, *nodes, wire.text(2, name), *others),
            wire.message(8, wire.text(1, ""), wire.integer(2, OPERATOR_SET)),
        )
    )
