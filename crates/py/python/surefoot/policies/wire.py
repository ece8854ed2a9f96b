"""Protocol buffers, as far as ONNX files need them: fields in, fields out.

A message is a list of fields, each a number, a wire type and a value. Only three wire types occur in what we write: 0
(a variable-length integer), 2 (bytes with their length) and 5 (four bytes). Reading keeps the order of fields and their
bytes, so that a message of which one field is replaced differs in nothing else.

Invariant: ``encode(decode(data)) == data`` for every message whose lengths and numbers are written in the shortest way,
as all writers do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5


class Malformed(ValueError):
    """Bytes that are no message."""


@dataclass(frozen=True)
class Field:
    """One field: an integer for wire type 0, else bytes."""

    number: int
    kind: int
    value: int | bytes

    @property
    def data(self) -> bytes:
        """The bytes of a field that is no integer."""
        if isinstance(self.value, int):
            raise Malformed(f"field {self.number} is an integer; bytes were expected")
        return self.value

    @property
    def text(self) -> str:
        """The bytes as text; what is no UTF-8 is replaced, since texts are only compared and shown."""
        return self.data.decode("utf-8", "replace")


def varint(value: int) -> bytes:
    """An integer of up to 64 bits, negative ones as their two's complement.

    >>> varint(300).hex(), len(varint(-1))
    ('ac02', 10)
    """
    value &= (1 << 64) - 1
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def integer(number: int, value: int) -> bytes:
    """A field that is an integer; zero is written too, since ONNX tells "zero" from "not there" in places."""
    return varint(number << 3 | VARINT) + varint(value)


def message(number: int, *parts: bytes) -> bytes:
    """A field that is bytes: a message of these fields, a packed list, raw data."""
    content = b"".join(parts)
    return varint(number << 3 | LENGTH) + varint(len(content)) + content


def text(number: int, value: str) -> bytes:
    """A field that is text."""
    return message(number, value.encode())


def four_bytes(number: int, value: bytes) -> bytes:
    """A field of four bytes, such as a float."""
    return varint(number << 3 | FOUR_BYTES) + value


def encode(fields: Iterable[Field]) -> bytes:
    """The bytes of a message."""
    result = []
    for field in fields:
        if isinstance(field.value, int):
            result.append(integer(field.number, field.value))
        elif field.kind == LENGTH:
            result.append(message(field.number, field.value))
        else:
            result.append(varint(field.number << 3 | field.kind) + field.value)
    return b"".join(result)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed(f"an integer at byte {at} does not end")
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
        shift += 7


def decode(data: bytes) -> list[Field]:
    """The fields of a message.

    >>> [(field.number, field.value) for field in decode(integer(3, 7) + text(4, "net"))]
    [(3, 7), (4, b'net')]
    """
    fields = []
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = _read_varint(data, at)
            fields.append(Field(number, kind, value))
            continue
        if kind == LENGTH:
            size, at = _read_varint(data, at)
        elif kind in (EIGHT_BYTES, FOUR_BYTES):
            size = 8 if kind == EIGHT_BYTES else 4
        else:
            raise Malformed(f"byte {at} begins a field of wire type {kind}, which there is not")
        if at + size > len(data):
            raise Malformed(
                f"a field at byte {at} has {size} bytes, but only {len(data) - at} are left; is the file cut off?"
            )
        fields.append(Field(number, kind, data[at : at + size]))
        at += size
    return fields
