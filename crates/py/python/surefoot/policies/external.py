"""ONNX files whose weights lie in another file: the weights are put into the file itself, so that it can be passed
around alone.

A tensor with external data names a file beside the model, a place in it and a length. The name must be a plain relative
path without `..`: a model must not be able to read elsewhere on the machine. Nothing else of the file is changed.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable

from ..errors import PolicyError
from . import wire
from .wire import Field

# Field numbers of onnx.proto3.
GRAPH, NODE, INITIALIZER, ATTRIBUTE, ATTRIBUTE_TENSOR = 7, 1, 5, 5, 5
TENSOR_NAME, RAW_DATA, EXTERNAL, LOCATION = 8, 9, 13, 14


def with_weights(data: bytes, folder: pathlib.Path) -> bytes:
    """The same model with its external data in it; the same bytes where there is none."""
    try:
        return wire.encode(_inside(field, GRAPH, lambda graph: _graph(graph, folder)) for field in wire.decode(data))
    except wire.Malformed as error:
        raise PolicyError(f"this is no ONNX model: {error}") from error


def _inside(field: Field, number: int, change: Callable[[bytes], bytes]) -> Field:
    if field.number != number or field.kind != wire.LENGTH:
        return field
    return Field(number, wire.LENGTH, change(field.data))


def _graph(data: bytes, folder: pathlib.Path) -> bytes:
    fields = []
    for field in wire.decode(data):
        field = _inside(field, INITIALIZER, lambda tensor: _tensor(tensor, folder))
        fields.append(_inside(field, NODE, lambda node: _node(node, folder)))
    return wire.encode(fields)


def _node(data: bytes, folder: pathlib.Path) -> bytes:
    def attribute(content: bytes) -> bytes:
        return wire.encode(
            _inside(field, ATTRIBUTE_TENSOR, lambda tensor: _tensor(tensor, folder)) for field in wire.decode(content)
        )

    return wire.encode(_inside(field, ATTRIBUTE, attribute) for field in wire.decode(data))


def _tensor(data: bytes, folder: pathlib.Path) -> bytes:
    fields = wire.decode(data)
    if not any(field.number == LOCATION and field.value == 1 for field in fields):
        return data
    name = next((field.text for field in fields if field.number == TENSOR_NAME), "(unnamed)")
    pairs = {}
    for field in fields:
        if field.number == EXTERNAL:
            parts = {part.number: part.text for part in wire.decode(field.data)}
            pairs[parts.get(1, "")] = parts.get(2, "")
    kept = [field for field in fields if field.number not in (EXTERNAL, LOCATION, RAW_DATA)]
    return wire.encode([*kept, Field(RAW_DATA, wire.LENGTH, _stretch(name, pairs, folder))])


def _stretch(name: str, pairs: dict[str, str], folder: pathlib.Path) -> bytes:
    location = pairs.get("location", "")
    path = pathlib.PurePosixPath(location)
    if not location or path.is_absolute() or ".." in path.parts or "\\" in location:
        raise PolicyError(
            f"tensor '{name}': its data is in '{location}', which is refused: it must be a relative path without '..'"
        )
    target = (folder / path).resolve()
    if not target.is_relative_to(folder.resolve()):
        raise PolicyError(f"tensor '{name}': its data is in '{location}', which leads out of the model's folder")
    try:
        content = target.read_bytes()
        start = int(pairs.get("offset") or 0)
        length = int(pairs["length"]) if pairs.get("length") else len(content) - start
    except OSError as error:
        raise PolicyError(
            f"tensor '{name}': its data is in '{location}', which cannot be read: {error.strerror}; it belongs beside "
            "the model"
        ) from error
    except ValueError as error:
        raise PolicyError(f"tensor '{name}': the place of its data is no number: {error}") from error
    if start < 0 or length < 0 or start + length > len(content):
        raise PolicyError(
            f"tensor '{name}': its data is at {start} to {start + length} in '{location}', which has only "
            f"{len(content)} bytes"
        )
    return content[start : start + length]
