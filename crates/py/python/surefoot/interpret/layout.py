"""What a state is made of: a slot for the location of every automaton, and one for every cell of every variable.

Locations come first, in the order of the system's elements; then the global variables, then those of each automaton.
Transient variables are no part of the state: each has a definition, the value that locations give it, else its initial
value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from ..errors import ModelError
from .evaluate import Function, Json, Scope, Valuation, Value, always, compiled, number


class Domain(NamedTuple):
    """The values that a variable can have; bounds are ``None`` where there are none."""

    kind: str
    lower: Value | None = None
    upper: Value | None = None

    def __contains__(self, value: object) -> bool:
        if self.kind == "bool" or isinstance(value, bool):
            return self.kind == "bool" and isinstance(value, bool)
        if not isinstance(value, int) and not (self.kind == "real" and isinstance(value, Fraction)):
            return False
        return (self.lower is None or self.lower <= value) and (self.upper is None or value <= self.upper)

    def size(self) -> float:
        """How many there are."""
        if self.kind == "bool":
            return 2
        return (
            math.inf
            if self.kind == "real" or self.lower is None or self.upper is None
            else int(self.upper - self.lower) + 1
        )

    def values(self) -> Iterator[Value]:
        """All of them, where they are finitely many."""
        if self.kind == "bool":
            return iter((False, True))
        if self.kind == "real" or self.lower is None or self.upper is None:
            raise ModelError("a real variable has infinitely many values; give it an initial value")
        return iter(range(int(self.lower), int(self.upper) + 1))


class Slot(NamedTuple):
    """One part of a state."""

    name: str
    domain: Domain
    initial: Value | None


class Transient(NamedTuple):
    """A transient variable, or a cell of one."""

    name: str
    domain: Domain
    definition: Function


class Leaf(NamedTuple):
    """Where a scalar is found."""

    transient: bool
    place: int


# A variable is a leaf, or an array of such.
Tree: TypeAlias = "Leaf | list[Any]"


class Instance(NamedTuple):
    """An automaton of the system."""

    name: str
    automaton: Json
    occurrence: int
    locations: list[str]


class Layout:
    """The slots of a model, and what its names stand for."""

    def __init__(self, document: Json, constants: Mapping[str, Value]) -> None:
        self.document = document
        self.slots: list[Slot] = []
        self.transients: list[Transient] = []
        self.instances: list[Instance] = []
        automata = {automaton["name"]: automaton for automaton in document["automata"]}
        elements = [element["automaton"] for element in document["system"]["elements"]]
        for place, name in enumerate(elements):
            occurrence = elements[:place].count(name)
            own = f"{name}#{occurrence}" if elements.count(name) > 1 else name
            locations = [location["name"] for location in automata[name]["locations"]]
            self.instances.append(Instance(own, automata[name], occurrence, locations))
            self.slots.append(Slot(f"<{own}>", Domain("int", 0, len(locations) - 1), None))
        self._constants: dict[str, Value] = {}
        self._globals: dict[str, Tree] = {}
        self._locals: list[dict[str, Tree]] = [{} for _ in self.instances]
        self._evaluate_constants(constants)
        for variable in document.get("variables", []):
            self._globals[variable["name"]] = self._declare(variable, variable["name"], self.scope(None))
        for i, instance in enumerate(self.instances):
            for variable in instance.automaton.get("variables", []):
                self._locals[i][variable["name"]] = self._declare(
                    variable, f"{instance.name}.{variable['name']}", self.scope(i)
                )
        self._define_transients()

    def scope(self, instance: int | None) -> Scope:
        """What can be named in an automaton, or outside of all."""
        functions = {
            function["name"]: {**function, "scope": lambda: self.scope(None)}
            for function in self.document.get("functions", [])
        }
        names: dict[str, Function] = {name: always(value) for name, value in self._constants.items()}
        names |= {name: self.reader(tree) for name, tree in self._globals.items()}
        if instance is not None:
            own = self.instances[instance].automaton.get("functions", [])
            functions |= {function["name"]: {**function, "scope": lambda: self.scope(instance)} for function in own}
            names |= {name: self.reader(tree) for name, tree in self._locals[instance].items()}
        return Scope(names, functions, self._at)

    def question_scope(self) -> Scope:
        """What a question can name: locals too, by their plain names where only one automaton has them."""
        scope = self.scope(None)
        names: dict[str, Function] = {}
        for instance, variables in zip(self.instances, self._locals, strict=True):
            for name, tree in variables.items():
                names[f"{instance.name}.{name}"] = self.reader(tree)
                if sum(name in others for others in self._locals) == 1:
                    names[name] = self.reader(tree)
        return scope._replace(names={**names, **scope.names})

    def tree(self, instance: int | None, name: str) -> Tree:
        """The variable that a name stands for where it is assigned to."""
        local = self._locals[instance].get(name) if instance is not None else None
        return local if local is not None else self._globals[name]

    def reader(self, tree: Tree) -> Function:
        """The function that reads a variable."""
        if isinstance(tree, list):
            parts = [self.reader(part) for part in tree]
            return lambda v: tuple(part(v) for part in parts)
        place = tree.place
        if not tree.transient:
            return lambda v: v.slots[place]
        return lambda v: v.assigned[place] if place in v.assigned else self._transient(place, v)

    def _transient(self, index: int, valuation: Valuation) -> Value:
        transient = self.transients[index]
        value: Value = transient.definition(valuation)
        if value not in transient.domain:
            raise ModelError(f"the transient variable '{transient.name}' has the value {value}, outside its domain")
        return value

    def _at(self, automaton: str, location: str, occurrence: int) -> Function:
        for i, instance in enumerate(self.instances):
            if instance.automaton["name"] == automaton and instance.occurrence == occurrence:
                place = instance.locations.index(location)
                return self.at_slot(i, place)
        raise ModelError(f"the system has no automaton '{automaton}'")

    def at_slot(self, slot: int, *values: Value) -> Function:
        """Whether a slot has one of some values."""
        return lambda v: v.slots[slot] in values

    def _evaluate_constants(self, given: Mapping[str, Value]) -> None:
        self._constants = dict(given)
        waiting = [constant for constant in self.document.get("constants", []) if constant["name"] not in given]
        while waiting:
            later = []
            for constant in waiting:
                if "value" not in constant:
                    raise ModelError(f"the constant '{constant['name']}' has no value")
                try:
                    self._constants[constant["name"]] = compiled(constant["value"], self.scope(None))(Valuation(()))
                except ModelError:
                    later.append(constant)
            if len(later) == len(waiting):
                raise ModelError(f"the constant '{later[0]['name']}' cannot be evaluated")
            waiting = later

    def _declare(self, variable: Json, name: str, scope: Scope) -> Tree:
        initial = compiled(variable["initial-value"], scope)(Valuation(())) if "initial-value" in variable else None
        return self._place(variable["type"], initial, name, scope, variable.get("transient", False))

    def _place(self, kind: Json, initial: Any, name: str, scope: Scope, transient: bool) -> Tree:
        if isinstance(kind, dict) and kind["kind"] == "array":
            return [self._place(kind["base"], item, f"{name}[{i}]", scope, transient) for i, item in enumerate(initial)]
        domain = domain_of(kind, scope)
        if transient:
            self.transients.append(Transient(name, domain, always(initial)))
            return Leaf(True, len(self.transients) - 1)
        self.slots.append(Slot(name, domain, initial))
        return Leaf(False, len(self.slots) - 1)

    def _define_transients(self) -> None:
        # The first automaton in the order of the system counts, so its values are put on top.
        for i, instance in reversed(list(enumerate(self.instances))):
            scope = self.scope(i)
            for place, location in enumerate(instance.automaton["locations"]):
                for given in location.get("transient-values", []):
                    leaf = self.tree(i, given["ref"])
                    if isinstance(leaf, list):
                        raise ModelError("the interpreter gives no arrays values at locations")
                    self._override(leaf.place, i, place, compiled(given["value"], scope))

    def _override(self, index: int, instance: int, location: int, value: Function) -> None:
        before = self.transients[index]
        other = before.definition
        self.transients[index] = before._replace(
            definition=lambda v: value(v) if v.slots[instance] == location else other(v)
        )


def domain_of(kind: Json, scope: Scope) -> Domain:
    """The values of a type that is no array."""
    if isinstance(kind, str):
        return Domain(kind)
    bounds = [
        compiled(kind[bound], scope)(Valuation(())) if bound in kind else None
        for bound in ("lower-bound", "upper-bound")
    ]
    lower, upper = (number(bound) if bound is not None else None for bound in bounds)
    return Domain(kind["base"], lower, upper)
