"""What Python's operators do not say: choices, the smallest and the largest, rounding, and conditions from lists."""

from __future__ import annotations

from collections.abc import Iterable

from .expressions import Expr, Operation, Value, condition, joined, lift, number, rounded
from .place import fault


def ite(when: Value, then: Value, otherwise: Value) -> Expr:
    """``then`` where the condition holds, else ``otherwise``.

    >>> from surefoot.builder import ModelBuilder
    >>> x = ModelBuilder("doctest").int("x", -5, 5)
    >>> print(ite(x < 0, -x, x))
    ite(x < 0, -x, x)
    """
    known = next((value for value in (then, otherwise) if isinstance(value, Expr) and value.members is not None), None)
    a, b = lift(then, known), lift(otherwise, known)
    if (a.kind == "bool") != (b.kind == "bool"):
        raise fault(
            f"one of '{a}' and '{b}' is a truth value and the other a number; an expression is always of one kind"
        )
    return Operation(
        "ite",
        (condition(when), a, b),
        a.kind if a.kind == b.kind else "real",
        known.members if known is not None else None,
    )


def _fold(op: str, values: tuple[Value, ...]) -> Expr:
    if not values:
        raise fault("there is no smallest or largest of no values")
    first, *rest = (number(value) for value in values)
    for value in rest:
        first = Operation(op, (first, value), "int" if first.kind == value.kind == "int" else "real")
    return first


def minimum(*values: Value) -> Expr:
    """The smallest of some numbers."""
    return _fold("min", values)


def maximum(*values: Value) -> Expr:
    """The largest of some numbers.

    >>> from surefoot.builder import ModelBuilder
    >>> x = ModelBuilder("doctest").int("x", 0, 5)
    >>> print(maximum(x - 1, 0))
    max(x - 1, 0)
    """
    return _fold("max", values)


def floor(value: Value) -> Expr:
    """The largest integer that is not above a number; so does :func:`math.floor`."""
    return rounded("floor", value)


def ceil(value: Value) -> Expr:
    """The smallest integer that is not below a number; so does :func:`math.ceil`."""
    return rounded("ceil", value)


def all_of(conditions: Iterable[Value]) -> Expr:
    """Whether all conditions hold; of none, true."""
    return joined("∧", conditions)


def any_of(conditions: Iterable[Value]) -> Expr:
    """Whether some condition holds; of none, false."""
    return joined("∨", conditions)
