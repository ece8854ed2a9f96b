"""How expressions are written: as JANI, and as the text of ``never=``, ``goal=`` and ``start=``.

Both are exact. A number is a JSON number only where its decimal says exactly the same; else it is a division. Chains of
``&``, ``|``, ``+`` and ``*`` are one node here; in JANI, where operators have two operands, they become balanced trees,
which keep the order of evaluation and do not nest deeply.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .place import fault

if TYPE_CHECKING:
    from .expressions import Expr

# Words that the text language reads as its own; as names they stand in quotes.
_RESERVED = frozenset("true false at and or not implies AND OR NOT IMPLIES A E AX EX AF EF AG EG U R W".split())
_PLAIN = re.compile(r"[^\W\d][\w.#$]*|[.#$][\w.#$]*")

_CHAINS = {"∧": "&", "∨": "|", "+": "+", "*": "*"}
_SIGNS = {
    **_CHAINS,
    "⇒": "=>",
    "=": "=",
    "≠": "!=",
    "<": "<",
    "≤": "<=",
    ">": ">",
    "≥": ">=",
    "-": "-",
    "/": "/",
    "%": "%",
    "pow": "^",
}
# How tightly an operator binds, and how tightly what stands to its left and right has to.
_LEVELS = {
    "⇒": (1, 2, 1),
    "∨": (2, 3, 3),
    "∧": (3, 4, 4),
    **dict.fromkeys(["=", "≠", "<", "≤", ">", "≥"], (4, 5, 5)),
    "+": (5, 5, 6),
    "-": (5, 5, 6),
    "*": (6, 6, 7),
    "/": (6, 6, 7),
    "%": (6, 6, 7),
    "pow": (7, 8, 7),
}
_PRIMARY = 8


def number_to_jani(value: Fraction) -> Any:
    """A number as JSON that is read as exactly this number."""
    if value.denominator == 1:
        return value.numerator
    decimal = _decimal(value)
    return float(decimal) if decimal is not None else {"op": "/", "left": value.numerator, "right": value.denominator}


def _decimal(value: Fraction) -> str | None:
    """The decimal that Python prints for the nearest float, where it is exactly this number."""
    try:
        text = repr(float(value))
    except OverflowError:
        return None
    return text if "inf" not in text and Fraction(text) == value else None


def to_jani(expr: Expr) -> Any:
    """An expression as a JSON value of JANI."""
    try:
        return _jani(expr)
    except RecursionError:
        raise fault(
            "an expression is nested too deeply; keep parts of it in variables, or join conditions with any_of and "
            "all_of"
        ) from None


def _jani(expr: Expr) -> Any:
    from .expressions import At, Constant, Name

    if isinstance(expr, Constant):
        return expr.value if isinstance(expr.value, bool) else number_to_jani(expr.value)
    if isinstance(expr, Name):
        if expr.shared:
            raise fault(
                f"'{expr}' has its name in common with another variable, and JANI's expressions have no automaton; use the "
                "variable alone, or a text"
            )
        return expr.name
    if isinstance(expr, At):
        return {"op": "state-condition", "locations": [{"automaton": expr.automaton, "location": expr.location}]}
    operands = [_jani(operand) for operand in expr.operands]
    if expr.op in _CHAINS:
        return _balanced(expr.op, operands)
    if expr.op == "neg":
        return {"op": "-", "left": 0, "right": operands[0]}
    if expr.op == "ite":
        return {"op": "ite", "if": operands[0], "then": operands[1], "else": operands[2]}
    if expr.op == "cell":
        cell = operands[0]
        for index in operands[1:]:
            cell = {"op": "aa", "exp": cell, "index": index}
        return cell
    if len(operands) == 1:
        return {"op": expr.op, "exp": operands[0]}
    return {"op": expr.op, "left": operands[0], "right": operands[1]}


def _balanced(op: str, operands: list[Any]) -> Any:
    if len(operands) == 1:
        return operands[0]
    middle = (len(operands) + 1) // 2
    return {"op": op, "left": _balanced(op, operands[:middle]), "right": _balanced(op, operands[middle:])}


def name_to_text(name: str) -> str:
    """A name as it is written in a question."""
    return name if _PLAIN.fullmatch(name) and name not in _RESERVED else f'"{name}"'


def to_text(expr: Expr) -> str:
    """An expression as it is written in a question."""
    try:
        return _text(expr)[0]
    except RecursionError:
        raise fault("an expression is nested too deeply to be written as text") from None


def _text(expr: Expr) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""
    from .expressions import At, Constant, Name

    if isinstance(expr, Constant):
        return _constant(expr.value)
    if isinstance(expr, Name):
        return name_to_text(expr.name if expr.automaton is None else f"{expr.automaton}.{expr.name}"), _PRIMARY
    if isinstance(expr, At):
        return f"{name_to_text(expr.automaton)} at {name_to_text(expr.location)}", _PRIMARY
    if expr.op in _SIGNS:
        level, left, right = _LEVELS[expr.op]
        parts = [_inside(operand, right if i else left) for i, operand in enumerate(expr.operands)]
        return f" {_SIGNS[expr.op]} ".join(parts), level
    if expr.op == "¬":
        return f"!{_inside(expr.operands[0], _PRIMARY)}", 4
    if expr.op == "neg":
        return f"-{_inside(expr.operands[0], _PRIMARY)}", 7
    if expr.op == "cell":
        array, *indices = expr.operands
        return _text(array)[0] + "".join(f"[{_text(index)[0]}]" for index in indices), _PRIMARY
    return f"{expr.op}({', '.join(_text(operand)[0] for operand in expr.operands)})", _PRIMARY


def _inside(expr: Expr, least: int) -> str:
    text, level = _text(expr)
    return text if level >= least else f"({text})"


def _constant(value: Fraction | bool) -> tuple[str, int]:
    if isinstance(value, bool):
        return str(value).lower(), _PRIMARY
    if value.denominator == 1:
        return str(value), _PRIMARY if value >= 0 else 7
    decimal = _decimal(value)
    return (decimal, _PRIMARY if value >= 0 else 7) if decimal is not None else (f"({value})", _PRIMARY)
