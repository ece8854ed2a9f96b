"""The ranges of integer expressions, for one-hot encodings: their number of values is the number of network inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from .spaces import ModelLike, element_of, variable_named

Range: TypeAlias = tuple[int, int]


def range_of(entry: Any, model: ModelLike) -> Range | None:
    """The smallest and the largest value of an expression, by interval arithmetic; `None` where that is not known, or
    it is no integer.

    >>> from types import SimpleNamespace as Thing
    >>> row, col = (Thing(name=name, kind="int", lower=0, upper=last) for name, last in (("row", 3), ("col", 11)))
    >>> model = Thing(variables=(row, col))
    >>> range_of({"op": "+", "left": {"op": "*", "left": "row", "right": 12}, "right": "col"}, model)
    (0, 47)
    """
    if isinstance(entry, bool) or isinstance(entry, int):
        return int(entry), int(entry)
    if isinstance(entry, str):
        return _of_variable(entry, model)
    if not isinstance(entry, Mapping):
        return None
    operator = entry.get("op")
    if operator is None and "variable" in entry:
        automaton = entry.get("automaton")
        own = f"{automaton}#{entry['index']}" if "index" in entry else automaton
        return _of_variable(str(entry["variable"]) if automaton is None else f"{own}.{entry['variable']}", model)
    if operator is None and "location" in entry:
        return _of_location(str(entry["location"]), model)
    if operator == "aa":
        return range_of(entry.get("exp"), model)
    if operator == "ite":
        return _hull(range_of(entry.get("then"), model), range_of(entry.get("else"), model))
    if operator in ("=", "≠", "<", "≤", ">", "≥", "∧", "∨", "¬", "⇒", "state-condition"):
        return 0, 1
    left, right = range_of(entry.get("left"), model), range_of(entry.get("right"), model)
    if left is None or right is None:
        return None
    corners = [(a, b) for a in left for b in right]
    if operator == "+":
        return left[0] + right[0], left[1] + right[1]
    if operator == "-":
        return left[0] - right[1], left[1] - right[0]
    if operator == "*":
        return min(a * b for a, b in corners), max(a * b for a, b in corners)
    if operator in ("min", "max"):
        pick = min if operator == "min" else max
        return pick(left[0], right[0]), pick(left[1], right[1])
    return None


def _of_variable(name: str, model: ModelLike) -> Range | None:
    variable = variable_named(model, name)
    if variable is None:
        value = getattr(model, "constants", {}).get(name)
        return range_of(value, model) if isinstance(value, int) else None
    if element_of(variable) == "bool":
        return 0, 1
    if element_of(variable) != "int" or variable.lower is None or variable.upper is None:
        return None
    return int(variable.lower), int(variable.upper)


def _of_location(automaton: str, model: ModelLike) -> Range | None:
    for known in getattr(model, "document", {}).get("automata", ()):
        if known.get("name") == automaton:
            return 0, len(known.get("locations", ())) - 1
    return None


def _hull(left: Range | None, right: Range | None) -> Range | None:
    return None if left is None or right is None else (min(left[0], right[0]), max(left[1], right[1]))
