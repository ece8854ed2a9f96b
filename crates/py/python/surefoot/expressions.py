"""Expressions over the variables of a model, written with Python's operators.

``x + 1 <= y`` is not computed but kept: as JANI (:attr:`Expr.jani`) when the model is written, and as the text that
questions are asked in (``str``).

Python's ``and``, ``or``, ``not``, ``if`` and chained comparisons ask for a truth value, which an expression has only in
a state. They raise, and say what to write instead: ``&``, ``|``, ``~``, :func:`surefoot.functions.ite`, two
comparisons. ``==`` makes an expression, too; as keys of dictionaries expressions are told apart by identity.

Numbers are exact: the float ``0.1`` stands for the decimal that Python prints for it, a tenth.

>>> from surefoot.functions import ite
>>> from surefoot.builder import ModelBuilder
>>> m = ModelBuilder("doctest")
>>> x, y = m.int("x", 0, 9), m.int("y", 0, 9)
>>> print((x + 1 <= y) & ~(x == 3))
x + 1 <= y & !(x = 3)
>>> print(ite(x > y, x - y, 0.5))
ite(x > y, x - y, 0.5)
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias, Union

import numpy as np

from . import notation
from .place import fault
from .values import Json, Kind, Members, exact

Value: TypeAlias = Union[
    "Expr", bool, int, float, Fraction, Decimal, str, enum.Enum, "np.integer[Any]", "np.floating[Any]", np.bool_
]


class Expr:
    """A value that depends on the state: of a variable, or computed from some."""

    __slots__ = ("kind", "members", "op", "operands")
    kind: Kind
    __array_ufunc__ = None  # So that numpy's scalars leave operators to this class.

    def __init__(self, op: str, operands: tuple[Expr, ...], kind: Kind, members: Members | None = None) -> None:
        self.op, self.operands, self.kind, self.members = op, operands, kind, members

    @property
    def jani(self) -> Json:
        """The expression as a JSON value of JANI."""
        return notation.to_jani(self)

    def __str__(self) -> str:
        return notation.to_text(self)

    def __repr__(self) -> str:
        return f"<{self.kind}: {self}>"

    def __bool__(self) -> bool:
        raise fault(
            f"'{self}' is true or false only in a state of the model, so Python cannot ask for its truth value; write "
            "& for 'and', | for 'or', "
            "~ for 'not', (a < x) & (x < b) for 'a < x < b', ite(c, a, b) for 'a if c else b', x.isin(...) for 'in', "
            "and minimum or maximum for "
            "'min' and 'max'; comparisons stand in parentheses beside & and |"
        )

    __hash__ = object.__hash__

    def __eq__(self, other: Value) -> Expr:  # type: ignore[override]
        return _compare("=", self, other)

    def __ne__(self, other: Value) -> Expr:  # type: ignore[override]
        return _compare("≠", self, other)

    def __lt__(self, other: Value) -> Expr:
        return _compare("<", self, other)

    def __le__(self, other: Value) -> Expr:
        return _compare("≤", self, other)

    def __gt__(self, other: Value) -> Expr:
        return _compare(">", self, other)

    def __ge__(self, other: Value) -> Expr:
        return _compare("≥", self, other)

    def __add__(self, other: Value) -> Expr:
        return _arithmetic("+", self, other)

    def __radd__(self, other: Value) -> Expr:
        return _arithmetic("+", other, self)

    def __sub__(self, other: Value) -> Expr:
        return _arithmetic("-", self, other)

    def __rsub__(self, other: Value) -> Expr:
        return _arithmetic("-", other, self)

    def __mul__(self, other: Value) -> Expr:
        return _arithmetic("*", self, other)

    def __rmul__(self, other: Value) -> Expr:
        return _arithmetic("*", other, self)

    def __truediv__(self, other: Value) -> Expr:
        return _arithmetic("/", self, other)

    def __rtruediv__(self, other: Value) -> Expr:
        return _arithmetic("/", other, self)

    def __floordiv__(self, other: Value) -> Expr:
        return rounded("floor", _arithmetic("/", self, other))

    def __rfloordiv__(self, other: Value) -> Expr:
        return rounded("floor", _arithmetic("/", other, self))

    def __mod__(self, other: Value) -> Expr:
        return _arithmetic("%", self, other)

    def __rmod__(self, other: Value) -> Expr:
        return _arithmetic("%", other, self)

    def __pow__(self, other: Value) -> Expr:
        return _arithmetic("pow", self, other)

    def __rpow__(self, other: Value) -> Expr:
        return _arithmetic("pow", other, self)

    def __neg__(self) -> Expr:
        return Operation("neg", (number(self),), self.kind)

    def __pos__(self) -> Expr:
        return number(self)

    def __abs__(self) -> Expr:
        return Operation("abs", (number(self),), self.kind)

    def __floor__(self) -> Expr:
        return rounded("floor", self)

    def __ceil__(self) -> Expr:
        return rounded("ceil", self)

    def __trunc__(self) -> Expr:
        return rounded("trc", self)

    def __invert__(self) -> Expr:
        return Operation("¬", (condition(self),), "bool")

    def __and__(self, other: Value) -> Expr:
        return _logic("∧", self, other)

    __rand__ = __and__

    def __or__(self, other: Value) -> Expr:
        return _logic("∨", self, other)

    __ror__ = __or__

    def __xor__(self, other: Value) -> Expr:
        return Operation("≠", (condition(self), condition(other)), "bool")

    __rxor__ = __xor__

    def implies(self, other: Value) -> Expr:
        """Where this holds, the other one does."""
        return Operation("⇒", (condition(self), condition(other)), "bool")

    def isin(self, values: Iterable[Value]) -> Expr:
        """Whether this is one of some values."""
        return joined("∨", [self == value for value in values])

    def as_int(self) -> Expr:
        """1 where this condition holds, else 0."""
        return Operation("ite", (condition(self), Constant(Fraction(1)), Constant(Fraction(0))), "int")


class Operation(Expr):
    """An operator and its operands. (Not the base class itself: Python lets an operand of a derived class go first, and
    ``x + 1 < y`` would be ``y > x + 1``.)
    """

    __slots__ = ()


class Constant(Expr):
    """A number or a truth value."""

    __slots__ = ("value",)

    def __init__(self, value: Fraction | bool) -> None:
        kind: Kind = "bool" if isinstance(value, bool) else "int" if value.denominator == 1 else "real"
        super().__init__("constant", (), kind)
        self.value = value


class Name(Expr):
    """A variable or a constant of a model. ``automaton`` has it where it is not global; ``value`` is that of a
    constant, where it is known.
    """

    __slots__ = ("assignable", "automaton", "name", "owner", "shared", "value")

    def __init__(
        self,
        name: str,
        kind: Kind,
        *,
        members: Members | None = None,
        automaton: str | None = None,
        owner: object = None,
        assignable: bool = True,
        value: Fraction | bool | None = None,
        shared: bool = False,
    ) -> None:
        super().__init__("name", (), kind, members)
        #: Whether something else has the name, too: then JANI's expressions cannot tell them apart, and texts can.
        self.shared = shared
        self.name, self.automaton, self.owner, self.assignable, self.value = name, automaton, owner, assignable, value


class At(Expr):
    """That an automaton is at a location."""

    __slots__ = ("automaton", "location", "owner")

    def __init__(self, automaton: str, location: str, owner: object = None) -> None:
        super().__init__("at", (), "bool")
        self.automaton, self.location, self.owner = automaton, location, owner


class Array:
    """An array of a model: ``cells[2]``, ``cells[x + 1]``, ``board[r, c]``. Indices count from 0."""

    def __init__(self, base: Name, shape: tuple[int, ...], indices: tuple[Expr, ...] = ()) -> None:
        self.base, self.shape, self.indices = base, shape, indices

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Value | tuple[Value, ...]) -> Any:
        first, *rest = index if isinstance(index, tuple) else (index,)
        place = number(first)
        if place.kind != "int":
            raise fault(f"an index of '{self.base.name}' must be an integer, this is {place}; // divides integers")
        if isinstance(place, Constant) and not 0 <= place.value < len(self):
            raise fault(
                f"'{self.base.name}' has no index {place}: they count from 0 to {len(self) - 1}, and none from the end"
            )
        indices = (*self.indices, place)
        if len(self.shape) > 1:
            inner = Array(self.base, self.shape[1:], indices)
            return inner[tuple(rest)] if rest else inner
        if rest:
            raise fault(f"'{self.base.name}' has fewer dimensions than there are indices")
        return Operation("cell", (self.base, *indices), self.base.kind, self.base.members)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        # Python's own answer would be a truth value, and a guard like any other.
        raise fault(f"'{self.base.name}' is an array and is not compared as a whole; compare its cells, one by one")

    __ne__ = __eq__

    def __repr__(self) -> str:
        return f"<array {self.base.name} of {' x '.join(map(str, self.shape))}>"


def lift(value: object, like: Expr | None = None) -> Expr:
    """An expression for a value that stands beside another one, which says what names of members are about."""
    if isinstance(value, Expr):
        return value
    members = like.members if like is not None else None
    found = exact(value, members)
    if found is not None:
        return Constant(found)
    if isinstance(value, Array):
        raise fault(f"'{value.base.name}' is an array; use one of its cells, as in {value.base.name}[0]")
    if members is not None and isinstance(value, (str, enum.Enum)):
        raise fault(f"{value!r} is no member of '{members.name}', which has {', '.join(members.names)}")
    if isinstance(value, (float, np.floating)):
        raise fault(f"{value} is no number of a model: numbers are finite and exact")
    raise fault(f"{value!r} is no expression, number or truth value")


def number(value: object, like: Expr | None = None) -> Expr:
    """An expression that must be a number."""
    expr = lift(value, like)
    if expr.kind == "bool":
        raise fault(f"'{expr}' is a truth value where a number is needed; ({expr}).as_int() counts it as 0 or 1")
    return expr


def condition(value: object) -> Expr:
    """An expression that must be a truth value."""
    expr = lift(value)
    if expr.kind != "bool":
        raise fault(f"'{expr}' is a number where a condition is needed; compare it, as in {expr} > 0")
    return expr


def rounded(op: str, value: object) -> Expr:
    """A number made an integer; one that is an integer stays as it is."""
    expr = number(value)
    return expr if expr.kind == "int" else Operation(op, (expr,), "int")


def joined(op: str, conditions: Iterable[object]) -> Expr:
    """Conditions joined by ``∧`` or ``∨``; of none, what changes nothing."""
    parts = tuple(condition(part) for part in conditions)
    return Operation(op, parts, "bool") if len(parts) > 1 else parts[0] if parts else Constant(op == "∧")


def _arithmetic(op: str, left: object, right: object) -> Expr:
    a, b = number(left), number(right)
    kind: Kind = "int" if a.kind == b.kind == "int" and op != "/" else "real"
    value = getattr(b, "value", None)
    if op == "pow" and not (value is not None and value.denominator == 1 and value >= 0):
        kind = "real"
    if op in "/%" and value == 0:
        raise fault(f"'{a}' is divided by zero")
    if op == "%" and value is not None and value < 0:
        raise fault(
            "the rest of a division by a negative number is never negative in a model, and never positive in Python; "
            "divide by a positive one"
        )
    return Operation(op, _chain(op, a, b) if op in "+*" else (a, b), kind)


def _logic(op: str, left: object, right: object) -> Expr:
    return Operation(op, _chain(op, condition(left), condition(right)), "bool")


def _chain(op: str, left: Expr, right: Expr) -> tuple[Expr, ...]:
    """The operands of ``a op b op c``: chains of a thousand are one node, and not a thousand levels."""
    return (*(left.operands if left.op == op else (left,)), *(right.operands if right.op == op else (right,)))


def check_members(one: Expr, other: Expr) -> None:
    """That two enumerations beside each other have the same members in the same order: they are numbers."""
    if one.members is not None and other.members is not None and one.members.names != other.members.names:
        raise fault(
            f"'{one}' is one of {', '.join(one.members.names)}, and '{other}' of {', '.join(other.members.names)}: they "
            "count other members, so they are not compared or assigned"
        )


def _compare(op: str, left: Expr, right: object) -> Expr:
    other = lift(right, left)
    check_members(left, other)
    if (left.kind == "bool") != (other.kind == "bool"):
        truth, count = (left, other) if left.kind == "bool" else (other, left)
        raise fault(f"'{truth}' is a truth value and '{count}' a number: they cannot be compared")
    if left.kind == "bool" and op not in "=≠":
        raise fault(f"truth values such as '{left}' have no order; (a).as_int() counts them as 0 and 1")
    return Operation(op, (left, other), "bool")
