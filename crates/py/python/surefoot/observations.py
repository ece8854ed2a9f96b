"""What an agent sees of a state: expressions, and the bounds that their values have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import ModelError, UsageError
from .expressions import At, Constant, Expr, Name
from .functions import ite
from .jani import Variable
from .notation import name_to_text
from .values import Json

if TYPE_CHECKING:
    from .model import Model

_EVERYTHING = (-math.inf, math.inf)


@dataclass(frozen=True)
class Observation:
    """One number of an observation."""

    text: str
    """As the engines read it."""
    bounds: tuple[float, float]
    integer: bool
    _jani: Json

    @property
    def is_finite(self) -> bool:
        """Whether it has finitely many values, all integers."""
        return self.integer and all(map(math.isfinite, self.bounds))

    @property
    def jani(self) -> Json:
        """As an input of a policy."""
        if self._jani is None:
            raise ModelError(
                f"'{self.text}' is text; to use it as an input of a policy, write it as an expression, with "
                "model['...']"
            )
        return self._jani


def observations(model: Model, chosen: Sequence[Expr | str] | Expr | str | None) -> list[Observation]:
    """The observation that was chosen, or everything that there is to see."""
    if chosen is None:
        return _everything(model)
    parts = [chosen] if isinstance(chosen, (str, Expr)) else list(chosen)
    if not parts:
        raise UsageError("an observation has at least one number")
    return [_of(model, part) for part in parts]


def _everything(model: Model) -> list[Observation]:
    names = model.observed
    found: list[Observation] = []
    for variable in model.variables:
        if not variable.transient and (names is None or variable.name in names):
            found.extend(_cell(variable, cell) for cell in variable.cells)
    for automaton in model.document["automata"] if names is None else []:
        locations = [location["name"] for location in automaton["locations"]]
        if len(locations) > 1:
            number: Any = 0
            for place, location in enumerate(locations[1:], 1):
                number = ite(At(automaton["name"], location), place, number)
            found.append(Observation(str(number), (0, len(locations) - 1), True, {"location": automaton["name"]}))
    if not found:
        raise ModelError("the model has nothing to observe")
    return found


def _cell(variable: Variable, cell: str) -> Observation:
    name, *indices = cell.split("[")
    jani: Json = (
        name
        if variable.automaton is None
        else {"variable": name.removeprefix(f"{variable.automaton}."), "automaton": variable.automaton}
    )
    for index in indices:
        jani = {"op": "aa", "exp": jani, "index": int(index.rstrip("]"))}
    text = name_to_text(name) + "".join(f"[{index}" for index in indices)
    return Observation(text, _bounds(variable), variable.element != "real", jani)


def _bounds(variable: Variable) -> tuple[float, float]:
    if variable.element == "bool":
        return 0.0, 1.0
    return (
        -math.inf if variable.lower is None else variable.lower,
        math.inf if variable.upper is None else variable.upper,
    )


def _of(model: Model, part: Expr | str) -> Observation:
    if isinstance(part, Expr):
        text = str(part.as_int() if part.kind == "bool" else part)
        ranges = {
            (variable.automaton, variable.name.rpartition(".")[2]): _bounds(variable) for variable in model.variables
        }
        return Observation(text, _range(part, ranges), part.kind != "real", part.jani)
    if not isinstance(part, str):
        raise UsageError(f"an observation is an expression or its text, not {part!r}")
    for variable in model.variables:
        for cell in variable.cells:
            if cell == part:
                return _cell(variable, cell)
    return Observation(part, _EVERYTHING, False, None)


def _range(expr: Expr, ranges: Mapping[tuple[str | None, str], tuple[float, float]]) -> tuple[float, float]:
    """An interval that holds all values of an expression."""
    if expr.kind == "bool":
        return 0.0, 1.0
    if isinstance(expr, Constant):
        return float(expr.value), float(expr.value)
    if isinstance(expr, Name):
        known = (float(expr.value), float(expr.value)) if expr.value is not None else _EVERYTHING
        return ranges.get((expr.automaton, expr.name), known)
    parts = [_range(operand, ranges) for operand in expr.operands]
    lows, highs = [low for low, _ in parts], [high for _, high in parts]
    match expr.op:
        case "+":
            return sum(lows), sum(highs)
        case "-":
            return lows[0] - highs[1], highs[0] - lows[1]
        case "neg":
            return -highs[0], -lows[0]
        case "cell":
            return parts[0]
        case "ite":
            return min(lows[1:]), max(highs[1:])
        case "min":
            return min(lows), min(highs)
        case "max":
            return max(lows), max(highs)
        case "*" | "/" if all(map(math.isfinite, lows + highs)) and (expr.op == "*" or lows[1] > 0):
            corners = [parts[0]]
            for low, high in parts[1:]:
                ends = [(a * b if expr.op == "*" else a / b) for a in corners[-1] for b in (low, high)]
                corners.append((min(ends), max(ends)))
            return corners[-1]
        case "floor":
            return float(math.floor(lows[0])) if math.isfinite(lows[0]) else lows[0], highs[0]
        case _:
            return _EVERYTHING
