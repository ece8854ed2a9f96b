"""Expressions of JANI, made into Python functions of a valuation.

Slow and exact: integers and fractions, no floats. ``∧``, ``∨``, ``⇒``, ``ite`` and cells of arrays evaluate only what
they need, left to right; functions are inlined, so their arguments are evaluated where the body uses them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from ..errors import ModelError

Json: TypeAlias = Any
Value: TypeAlias = "int | Fraction"
"""A number, or a truth value, which Python has among the integers."""


class Valuation(NamedTuple):
    """What names stand for in one state: its slots, and the transient variables that the current step has assigned."""

    slots: tuple[Value, ...]
    assigned: Mapping[int, Value] = {}


Function: TypeAlias = Callable[[Valuation], Any]


def always(value: Any) -> Function:
    """The function that has one value everywhere."""
    return lambda _: value


class Scope(NamedTuple):
    """What can be named: values, functions, and locations of automata."""

    names: Mapping[str, Function]
    functions: Mapping[str, Json]
    # From the names of an automaton and a location, and the automaton's occurrence, to whether it is there.
    at: Callable[[str, str, int], Function]

    def binding(self, names: Mapping[str, Function]) -> Scope:
        """The scope with further names, which hide others."""
        return self._replace(names={**self.names, **names})


def simple(value: Value) -> Value:
    """A fraction that is an integer as one."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def number(value: Json) -> Value:
    """A number of a JSON document; a float is the decimal that it prints as."""
    return simple(Fraction(str(value)) if isinstance(value, float) else value)


def _divide(a: Value, b: Value) -> Value:
    if b == 0:
        raise ModelError("division by zero")
    return simple(Fraction(a) / Fraction(b))


def _rest(a: Value, b: Value) -> Value:
    if b == 0:
        raise ModelError("division by zero")
    size = abs(Fraction(b))
    return simple(a - size * math.floor(a / size))


def _power(a: Value, b: Value) -> Value:
    if b != int(b):
        raise ModelError(f"pow({a}, {b}) is not rational")
    if a == 0 and b < 0:
        raise ModelError("division by zero")
    return simple(Fraction(a) ** int(b))


def _logarithm(a: Value, b: Value) -> Value:
    for exponent in range(-1100, 1100):
        if b > 0 and b != 1 and Fraction(b) ** exponent == a:
            return exponent
    raise ModelError(f"log({a}, {b}) is not rational")


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "≠": operator.ne,
    "<": operator.lt,
    "≤": operator.le,
    ">": operator.gt,
    "≥": operator.ge,
    "+": lambda a, b: simple(a + b),
    "-": lambda a, b: simple(a - b),
    "*": lambda a, b: simple(a * b),
    "/": _divide,
    "%": _rest,
    "pow": _power,
    "log": _logarithm,
    "min": min,
    "max": max,
}
_UNARY: dict[str, Callable[[Any], Any]] = {
    "¬": operator.not_,
    "floor": math.floor,
    "ceil": math.ceil,
    "trc": math.trunc,
    "abs": abs,
    "sgn": lambda a: (a > 0) - (a < 0),
}


def compiled(expression: Json, scope: Scope) -> Function:
    """The function that an expression is."""
    if isinstance(expression, bool):
        return always(expression)
    if isinstance(expression, (int, float, Fraction)):
        return always(number(expression))
    if isinstance(expression, str):
        if expression not in scope.names:
            raise ModelError(f"there is no '{expression}' here")
        return scope.names[expression]
    op = expression["op"]
    if op in _BINARY or op in ("∧", "∨", "⇒"):
        return _binary(op, compiled(expression["left"], scope), compiled(expression["right"], scope))
    if op in _UNARY:
        apply, operand = _UNARY[op], compiled(expression["exp"], scope)
        return lambda v: apply(operand(v))
    if op == "ite":
        condition, then, otherwise = (compiled(expression[part], scope) for part in ("if", "then", "else"))
        return lambda v: then(v) if condition(v) else otherwise(v)
    if op == "aa":
        return _cell(compiled(expression["exp"], scope), compiled(expression["index"], scope))
    if op == "av":
        items = [compiled(item, scope) for item in expression["elements"]]
        return lambda v: tuple(item(v) for item in items)
    if op == "ac":
        return _constructor(expression, scope)
    if op == "call":
        return _call(expression, scope)
    if op == "state-condition":
        return _state_condition(expression, scope)
    raise ModelError(f"the interpreter has no operator '{op}'")


def _binary(op: str, left: Function, right: Function) -> Function:
    if op == "∧":
        return lambda v: left(v) and right(v)
    if op == "∨":
        return lambda v: left(v) or right(v)
    if op == "⇒":
        return lambda v: not left(v) or right(v)
    apply = _BINARY[op]
    return lambda v: apply(left(v), right(v))


def _cell(array: Function, index: Function) -> Function:
    def cell(v: Valuation) -> Any:
        items, place = array(v), index(v)
        if not 0 <= place < len(items):
            raise ModelError(f"array index {place} is out of range 0..{len(items) - 1}")
        return items[int(place)]

    return cell


def _constructor(expression: Json, scope: Scope) -> Function:
    length = compiled(expression["length"], scope)(Valuation(()))

    def item(index: int) -> Function:
        return compiled(expression["exp"], scope.binding({expression["var"]: always(index)}))

    items = [item(index) for index in range(int(length))]
    return lambda v: tuple(item(v) for item in items)


def _call(expression: Json, scope: Scope) -> Function:
    function = scope.functions[expression["function"]]
    arguments = [compiled(argument, scope) for argument in expression["args"]]
    names = dict(zip((parameter["name"] for parameter in function["parameters"]), arguments, strict=True))
    return compiled(function["body"], function["scope"]().binding(names))


def _state_condition(expression: Json, scope: Scope) -> Function:
    places = [scope.at(at["automaton"], at["location"], at.get("index") or 0) for at in expression.get("locations", [])]
    inner = compiled(expression.get("exp", True), scope)
    return lambda v: all(place(v) for place in places) and inner(v)
