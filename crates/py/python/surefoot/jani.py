"""What a JANI document declares: its variables with their domains, its constants, and the labels that a policy can
choose.

The engines read the document themselves; this is only what Python shows of it, and builds expressions, observations and
spaces from.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, cast

from .errors import ModelError
from .expressions import Array, Name
from .interpret.evaluate import Scope, Valuation, Value, always, compiled
from .interpret.layout import domain_of
from .values import Json, Kind, Members


@dataclass(frozen=True)
class Variable:
    """A variable of a model.

    Bounds are ``None`` where there are none, or where they depend on a constant without a value.
    """

    name: str
    """As questions have it: a local variable has its automaton in front, as in ``door.count``."""
    kind: Literal["bool", "int", "real", "array"]
    element: Kind
    """What its cells are, for an array; else the same as ``kind``."""
    lower: int | float | None = None
    upper: int | float | None = None
    shape: tuple[int, ...] = ()
    """How many cells an array has in each dimension; empty for a single value."""
    members: tuple[str, ...] | None = None
    """The names of the values from 0, where they have some."""
    transient: bool = False
    automaton: str | None = None
    """Where it is declared, if it is local."""
    shared: bool = False
    """Whether its plain name is another variable's, too."""

    @property
    def cells(self) -> tuple[str, ...]:
        """The names of its parts: itself, or one for every cell."""
        indices = itertools.product(*(range(length) for length in self.shape))
        return tuple(self.name + "".join(f"[{i}]" for i in index) for index in indices)

    @property
    def reference(self) -> Name | Array:
        """The variable as an expression, or as an array of such."""
        plain = self.name if self.automaton is None else self.name.removeprefix(f"{self.automaton}.")
        members = Members(self.name, self.members) if self.members is not None else None
        name = Name(plain, self.element, members=members, automaton=self.automaton, shared=self.shared)
        return Array(name, self.shape) if self.shape else name

    def __str__(self) -> str:
        cells = "".join(f"[{length}]" for length in self.shape)
        if self.members is not None:
            return f"{self.name}{cells}: {' | '.join(self.members)}"
        bounds = f" {self.lower}..{self.upper}" if self.lower is not None and self.upper is not None else ""
        return f"{self.name}{cells}: {self.element}{bounds}"


def parse(text: str) -> dict[str, Any]:
    """A document with its decimals as exact fractions."""
    try:
        document = json.loads(text, parse_float=Fraction)
    except json.JSONDecodeError as error:
        raise ModelError(f"this is no JSON: {error}") from error
    except RecursionError:
        raise ModelError("the document is nested too deeply for Python's JSON reader") from None
    if not isinstance(document, dict) or not {"automata", "system"} <= document.keys():
        raise ModelError("this is no JANI model: one is an object that has 'automata' and a 'system'")
    return cast("dict[str, Any]", document)


def actions(document: Json) -> tuple[str, ...]:
    """The labels, in the order in which they are declared; not those that only ever happen as a part of others."""
    names = [action["name"] for action in document.get("actions", [])]
    syncs = document["system"].get("syncs")
    if syncs is None:
        return tuple(names)
    results = {sync.get("result") for sync in syncs}
    parts = {action for sync in syncs for action in sync["synchronise"]}
    return tuple(name for name in names if name in results or name not in parts)


def constants(document: Json) -> dict[str, Value | None]:
    """The constants with their values, as far as they have some."""
    found: dict[str, Value | None] = {constant["name"]: None for constant in document.get("constants", [])}
    # Each may name others, in any order; the longest chain has them all.
    for _ in found:
        for constant in document["constants"]:
            if found[constant["name"]] is None and "value" in constant:
                found[constant["name"]] = _evaluated(constant["value"], found)
    return found


def _scope(values: Mapping[str, Value | None]) -> Scope:
    def nowhere(automaton: str, location: str, occurrence: int) -> Any:
        raise ModelError("a constant does not depend on locations")

    return Scope({name: always(value) for name, value in values.items() if value is not None}, {}, nowhere)


def _evaluated(expression: Json, values: Mapping[str, Value | None]) -> Value | None:
    try:
        value: Value = compiled(expression, _scope(values))(Valuation(()))
    except (ModelError, KeyError):
        return None
    return value


def variables(document: Json) -> tuple[Variable, ...]:
    """All variables: the global ones, then those of each automaton of the system."""
    values = constants(document)
    found = [_variable(variable, variable["name"], None, values) for variable in document.get("variables", [])]
    automata = {automaton["name"]: automaton for automaton in document["automata"]}
    elements = [element["automaton"] for element in document["system"]["elements"]]
    for place, name in enumerate(elements):
        own = f"{name}#{elements[:place].count(name)}" if elements.count(name) > 1 else name
        for variable in automata.get(name, {}).get("variables", []):
            found.append(_variable(variable, f"{own}.{variable['name']}", own, values))
    plain = [variable["name"] for variable in document.get("variables", [])] + list(values)
    plain += [variable["name"] for name in elements for variable in automata.get(name, {}).get("variables", [])]

    def is_shared(variable: Variable) -> bool:
        if variable.automaton is None:
            return False
        return plain.count(variable.name.removeprefix(f"{variable.automaton}.")) > 1

    return tuple(replace(variable, shared=True) if is_shared(variable) else variable for variable in found)


def _variable(variable: Json, name: str, automaton: str | None, values: Mapping[str, Value | None]) -> Variable:
    kind, initial, shape = variable["type"], _evaluated(variable.get("initial-value", 0), values), list[int]()
    while isinstance(kind, dict) and kind["kind"] == "array":
        kind = kind["base"]
        cells: Any = initial
        shape.append(len(cells) if isinstance(cells, tuple) else 0)
        initial = cells[0] if isinstance(cells, tuple) and cells else None
    try:
        _, lower, upper = domain_of(kind, _scope(values))
    except ModelError:
        lower = upper = None
    scalar: Kind = cast("Kind", kind if isinstance(kind, str) else kind["base"])
    members = variable.get("x-members")
    names = tuple(members) if isinstance(members, list) else None
    transient = bool(variable.get("transient", False))
    return Variable(
        name, "array" if shape else scalar, scalar, _end(lower), _end(upper), tuple(shape), names, transient, automaton
    )


def _end(bound: Value | None) -> int | float | None:
    return float(bound) if isinstance(bound, Fraction) else bound
