"""What a policy is asked about and what it may answer, as a model has it.

`ModelLike` is the little that policies need to know of a model: the labels of its actions and its variables with their
ranges. Nothing here imports the class `Model`, so a policy can be made for anything that describes itself in this way.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, cast

from ..errors import PolicyError


class VariableLike(Protocol):
    """A variable: `kind` is "int", "bool", "real" or "array"; `lower` and `upper` are its range, `None` where it has no
    end.

    An array also has a `shape`, and the kind of its cells as `element`; a local variable has an `automaton`, which
    stands before its name too; a `transient` one is no part of the state.
    """

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def lower(self) -> int | float | Fraction | None: ...
    @property
    def upper(self) -> int | float | Fraction | None: ...


class ModelLike(Protocol):
    """A model: labels in order, variables in order."""

    @property
    def actions(self) -> Sequence[str]: ...
    @property
    def variables(self) -> Sequence[VariableLike]: ...


def shape_of(variable: VariableLike) -> tuple[int, ...]:
    """The sizes of an array; none for a single value."""
    return tuple(getattr(variable, "shape", ()))


def element_of(variable: VariableLike) -> str:
    """The kind of a variable, or of the cells of an array."""
    return str(getattr(variable, "element", variable.kind))


def _cell(array: Any, place: Sequence[int]) -> Any:
    return _cell({"op": "aa", "exp": array, "index": place[0]}, place[1:]) if place else array


def observable(model: ModelLike) -> list[VariableLike]:
    """The variables that a policy can see: all but transient ones."""
    return [variable for variable in model.variables if not getattr(variable, "transient", False)]


def references(variable: VariableLike) -> list[Any]:
    """A variable as inputs of a policy file: itself, or one entry per cell.

    >>> from types import SimpleNamespace as Variable
    >>> references(Variable(name="board", shape=(1, 2), automaton=None))[1]
    {'op': 'aa', 'exp': {'op': 'aa', 'exp': 'board', 'index': 0}, 'index': 1}
    >>> references(Variable(name="wagon#1.load", automaton="wagon#1"))
    [{'variable': 'load', 'automaton': 'wagon', 'index': 1}]
    """
    shape, automaton = shape_of(variable), getattr(variable, "automaton", None)
    places = list(itertools.product(*(range(size) for size in shape)))
    if automaton is None:
        return [_cell(variable.name, place) for place in places]
    name, _, occurrence = str(automaton).partition("#")
    local: dict[str, Any] = {"variable": variable.name.removeprefix(f"{automaton}."), "automaton": name}
    if occurrence:
        local["index"] = int(occurrence)
    if len(shape) > 1:
        raise PolicyError(
            f"'{variable.name}' is an array of arrays of one automaton, which cannot be an input; make it a global "
            "variable"
        )
    return [{**local, "cell": place[0]} for place in places] if shape else [local]


def variable_named(model: ModelLike, name: str) -> VariableLike | None:
    """The variable of that name; a local one may be named without its automaton where there is only one such."""
    exact = [variable for variable in model.variables if variable.name == name]
    local = [
        variable
        for variable in model.variables
        if getattr(variable, "automaton", None) and variable.name.endswith(f".{name}")
    ]
    return exact[0] if exact else (local[0] if len(local) == 1 else None)


def suggestion(name: str, known: Sequence[str]) -> str:
    """What may have been meant, as the end of a message.

    >>> suggestion("rihgt", ["left", "right"])
    "; did you mean 'right'?"
    >>> suggestion("north", ["left", "right"])
    '; there are: left, right'
    """
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; there are: {listed(known)}" if known else ""


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names for a message, not more than that many.

    >>> listed(["a", "b", "c"], 2)
    'a, b, ... (3)'
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)})"


def as_model(model: object) -> ModelLike:
    """The argument, if it describes itself as a model does."""
    if not hasattr(model, "actions") or not hasattr(model, "variables"):
        raise PolicyError(
            f"a policy is made for a model, and {type(model).__name__} is none: expected something with 'actions' and "
            "'variables', such as "
            "surefoot.Model.from_jani(...)"
        )
    return cast(ModelLike, model)
