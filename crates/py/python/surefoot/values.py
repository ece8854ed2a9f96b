"""Values of Python's as values of models: exact numbers, truth values, and members of enumerations."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any, Literal, TypeAlias

import numpy as np

Kind: TypeAlias = Literal["bool", "int", "real"]
Json: TypeAlias = Any


class Members:
    """The names of an enumeration's values, which are numbered from 0 in this order."""

    def __init__(self, name: str, names: Iterable[str], python: type[enum.Enum] | None = None) -> None:
        self.name, self.names, self.python = name, tuple(names), python

    def number(self, value: object) -> int | None:
        """The number of a member, if the value is one or names one."""
        if isinstance(value, enum.Enum):
            return list(type(value)).index(value) if type(value) is self.python else None
        return self.names.index(value) if isinstance(value, str) and value in self.names else None


def exact(value: object, members: Members | None = None) -> Fraction | bool | None:
    """The value of a model that one of Python's stands for, if it is one. Floats are the decimals that they print as.

    >>> exact(0.1), exact(np.float32(0.1)), exact(np.int64(3)), exact(True), exact("red", Members("light", ["red"]))
    (Fraction(1, 10), Fraction(1, 10), Fraction(3, 1), True, Fraction(0, 1))
    >>> exact(float("nan")) is None
    True
    """
    member = members.number(value) if members is not None else None
    if member is not None:
        return Fraction(member)
    if isinstance(value, enum.Enum):
        # Also one that is an integer to Python: its value is not its number.
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return Fraction(str(value))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    return None
