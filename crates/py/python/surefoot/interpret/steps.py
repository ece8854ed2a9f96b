"""Initial states and steps of a model, by the book.

An *operator* is a silent edge, or one edge for every participant of a synchronisation vector. It is enabled where all
its edges leave the current locations and all guards hold. Its outcomes are the product of the destinations. Assignments
of equal ``index`` happen at once; those of a larger one see their results.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from ..errors import ModelError
from .evaluate import Function, Json, Scope, Valuation, Value, always, compiled
from .layout import Layout, Leaf, Tree

State: TypeAlias = "tuple[Value, ...]"

_TOLERANCE = Fraction(1, 1_000_000_000)


class Assignment(NamedTuple):
    """What is written, at which cell, and when: a value, or any one between two."""

    tree: Tree
    cell: list[Function]
    lower: Function
    upper: Function | None
    round: int


class Destination(NamedTuple):
    """Where an edge leads."""

    location: int
    probability: Function
    assignments: list[Assignment]


class Edge(NamedTuple):
    """An edge of an automaton of the system."""

    instance: int
    source: int
    action: str | None
    guard: Function
    destinations: list[Destination]


class Vector(NamedTuple):
    """Edges that move together: some of each participant's."""

    label: str | None
    participants: list[list[Edge]]


class Operator(NamedTuple):
    """What happens at once: an edge of every participant. The label is ``None`` for a silent one."""

    label: str | None
    edges: tuple[Edge, ...]


class Outcome(NamedTuple):
    """What chance may pick: several states where assignments are non-deterministic."""

    probability: Fraction
    successors: list[State]


class Choice(NamedTuple):
    """An enabled operator."""

    label: str | None
    outcomes: list[Outcome]


class Interpreter:
    """The steps of a model, read from its JSON document."""

    def __init__(self, document: Json, constants: Mapping[str, Value] | None = None) -> None:
        self.layout = Layout(document, constants or {})
        self.names = tuple(slot.name for slot in self.layout.slots)
        self._vectors = list(_vectors(document, self.layout))
        self._initial = self._initial_conditions(document)

    def condition(self, expression: Json) -> Function:
        """A function of valuations for an expression over the state, as a question has it."""
        return compiled(expression, self.layout.question_scope())

    def describe(self, state: State) -> dict[str, Value]:
        """A state by names; locations only of automata that have several."""
        shown = zip(self.layout.slots, state, strict=True)
        return {slot.name: value for slot, value in shown if not (slot.name.startswith("<") and slot.domain.upper == 0)}

    def is_initial(self, state: State) -> bool:
        """Whether runs may start in a state."""
        valuation = Valuation(state)
        return all(condition(valuation) for condition in self._initial)

    def initial_states(self, known: Mapping[int, Value] | None = None) -> list[State]:
        """All of them that have given values at some slots. Every combination of values that are not given is tried."""
        choices: list[list[Value]] = []
        for i, slot in enumerate(self.layout.slots):
            if known is not None and i in known:
                choices.append([known[i]])
            else:
                choices.append([slot.initial] if slot.initial is not None else list(slot.domain.values()))
        return [state for state in itertools.product(*choices) if self.is_initial(state)]

    def choices(self, state: State) -> list[Choice]:
        """The enabled operators, with their outcomes."""
        return [self.choice(state, operator) for operator in self.enabled(state)]

    def choice(self, state: State, operator: Operator) -> Choice:
        """What an enabled operator does."""
        outcomes = [
            Outcome(chance, self._successors(state, taken)) for chance, taken in _distribution(state, operator.edges)
        ]
        return Choice(operator.label, outcomes)

    def enabled(self, state: State) -> list[Operator]:
        """The operators that are possible in a state."""
        valuation, found = Valuation(state), list[Operator]()
        for vector in self._vectors:
            leaving = [[edge for edge in edges if edge.source == state[edge.instance]] for edges in vector.participants]
            if all(leaving):
                enabled = [[edge for edge in edges if edge.guard(valuation)] for edges in leaving]
                found.extend(Operator(vector.label, edges) for edges in itertools.product(*enabled))
        return found

    def explore(self, most: int = 100_000) -> set[State]:
        """All reachable states."""
        seen = set(self.initial_states())
        waiting = list(seen)
        while waiting:
            for choice in self.choices(waiting.pop()):
                for outcome in choice.outcomes:
                    fresh = [state for state in outcome.successors if state not in seen]
                    seen.update(fresh)
                    waiting.extend(fresh)
            if len(seen) > most:
                raise ModelError(f"there are more than {most} reachable states")
        return seen

    def _initial_conditions(self, document: Json) -> list[Function]:
        layout, conditions = self.layout, list[Function]()
        for i, instance in enumerate(layout.instances):
            starts = [instance.locations.index(name) for name in instance.automaton["initial-locations"]]
            conditions.append(layout.at_slot(i, *starts))
            if "restrict-initial" in instance.automaton:
                conditions.append(compiled(instance.automaton["restrict-initial"]["exp"], layout.scope(i)))
        for i, slot in enumerate(layout.slots):
            if slot.initial is not None:
                conditions.append(layout.at_slot(i, slot.initial))
        if "restrict-initial" in document:
            conditions.append(compiled(document["restrict-initial"]["exp"], layout.scope(None)))
        return conditions

    def _successors(self, source: State, taken: list[tuple[Edge, Destination]]) -> list[State]:
        forks: list[tuple[list[Value], dict[int, Value]]] = [(list(source), {})]
        assignments = [assignment for _, destination in taken for assignment in destination.assignments]
        for now_round in sorted({assignment.round for assignment in assignments}):
            now = [assignment for assignment in assignments if assignment.round == now_round]
            forks = [after for slots, assigned in forks for after in self._assign(slots, assigned, now)]
        result: dict[State, None] = {}
        for slots, _ in forks:
            for edge, destination in taken:
                slots[edge.instance] = destination.location
            for slot, value in zip(self.layout.slots, slots, strict=True):
                if value not in slot.domain:
                    raise ModelError(
                        f"'{slot.name}' would get the value {value}, outside its domain, from {self.describe(source)}"
                    )
            result[tuple(slots)] = None
        return list(result)

    def _assign(
        self, slots: list[Value], assigned: dict[int, Value], now: list[Assignment]
    ) -> Iterator[tuple[list[Value], dict[int, Value]]]:
        valuation = Valuation(tuple(slots), assigned)
        written: dict[Leaf, list[Value]] = {}
        for assignment in now:
            place = assignment.tree
            for index in assignment.cell:
                cell = index(valuation)
                if not isinstance(place, list) or not 0 <= cell < len(place):
                    raise ModelError(f"array index {cell} is out of range, from {self.describe(tuple(slots))}")
                place = place[int(cell)]
            for leaf, values in self._values(place, assignment, valuation):
                # Two automata may give a transient variable two values at once: the last one counts.
                if leaf.transient:
                    written[leaf] = values
                elif written.setdefault(leaf, values) != values:
                    raise ModelError(
                        f"a variable is assigned two different values at once, from {self.describe(tuple(slots))}"
                    )
        for chosen in itertools.product(*written.values()):
            after, transients = list(slots), dict(assigned)
            for leaf, value in zip(written, chosen, strict=True):
                if leaf.transient:
                    transients[leaf.place] = value
                else:
                    after[leaf.place] = value
            yield after, transients

    def _values(self, place: Tree, assignment: Assignment, valuation: Valuation) -> Iterator[tuple[Leaf, list[Value]]]:
        lower = assignment.lower(valuation)
        if assignment.upper is None:
            yield from _flat(place, lower)
            return
        assert isinstance(place, Leaf)
        domain = self.layout.slots[place.place].domain
        upper = assignment.upper(valuation)
        values = [value for value in range(math.ceil(lower), math.floor(upper) + 1) if value in domain]
        if not values:
            raise ModelError(f"no value lies in the assigned interval {lower}..{upper}")
        yield place, list[Value](values)


def _flat(place: Tree, value: Any) -> Iterator[tuple[Leaf, list[Value]]]:
    if isinstance(place, list):
        for part, item in zip(place, value, strict=True):
            yield from _flat(part, item)
    else:
        yield place, [value]


def _distribution(state: State, edges: tuple[Edge, ...]) -> Iterator[tuple[Fraction, list[tuple[Edge, Destination]]]]:
    """The combinations of destinations that are possible, with their probabilities."""
    valuation = Valuation(state)
    weighted = []
    for edge in edges:
        values = [Fraction(destination.probability(valuation)) for destination in edge.destinations]
        total = sum(values, Fraction(0))
        if min(values) < 0 or abs(total - 1) > _TOLERANCE:
            raise ModelError(f"probabilities of an edge sum to {total}, or one is negative")
        weighted.append(
            [(value / total, (edge, destination)) for value, destination in zip(values, edge.destinations, strict=True)]
        )
    for combination in itertools.product(*weighted):
        probability = math.prod((value for value, _ in combination), start=Fraction(1))
        if probability:
            yield probability, [taken for _, taken in combination]


def _vectors(document: Json, layout: Layout) -> Iterator[Vector]:
    """Silent edges alone, and what the system's vectors put together."""
    edges = [
        _edges(i, layout, element.get("input-enable", [])) for i, element in enumerate(document["system"]["elements"])
    ]
    for own in edges:
        yield Vector(None, [[edge for edge in own if edge.action is None]])
    syncs = document["system"].get("syncs")
    if syncs is None:
        for action in document.get("actions", []) if len(edges) == 1 else []:
            yield Vector(action["name"], [[edge for edge in edges[0] if edge.action == action["name"]]])
        return
    for sync in syncs:
        parts = [(own, action) for own, action in zip(edges, sync["synchronise"], strict=True) if action is not None]
        if parts:
            yield Vector(sync.get("result"), [[edge for edge in own if edge.action == action] for own, action in parts])


def _edges(instance: int, layout: Layout, input_enabled: list[str]) -> list[Edge]:
    automaton, locations, scope = (
        layout.instances[instance].automaton,
        layout.instances[instance].locations,
        layout.scope(instance),
    )
    edges = []
    for edge in automaton["edges"]:
        guard = compiled(edge["guard"]["exp"], scope) if "guard" in edge else always(True)
        destinations = [_destination(instance, layout, scope, destination) for destination in edge["destinations"]]
        edges.append(Edge(instance, locations.index(edge["location"]), edge.get("action"), guard, destinations))
    for action, place in itertools.product(input_enabled, range(len(locations))):
        guards = [edge.guard for edge in edges if edge.action == action and edge.source == place]
        edges.append(Edge(instance, place, action, _none_of(guards), [Destination(place, always(1), [])]))
    return edges


def _none_of(guards: list[Function]) -> Function:
    return lambda v: not any(guard(v) for guard in guards)


def _destination(instance: int, layout: Layout, scope: Scope, destination: Json) -> Destination:
    probability = compiled(destination["probability"]["exp"], scope) if "probability" in destination else always(1)
    assignments = []
    for assignment in destination.get("assignments", []):
        cell, reference = list[Function](), assignment["ref"]
        while isinstance(reference, dict):
            cell.insert(0, compiled(reference["index"], scope))
            reference = reference["exp"]
        lower = compiled(assignment["value"] if "value" in assignment else assignment["lower-bound"], scope)
        upper = compiled(assignment["upper-bound"], scope) if "upper-bound" in assignment else None
        assignments.append(Assignment(layout.tree(instance, reference), cell, lower, upper, assignment.get("index", 0)))
    return Destination(layout.instances[instance].locations.index(destination["location"]), probability, assignments)
