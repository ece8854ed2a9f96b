"""What can happen: edges, from where, under which condition, and with which outcomes.

Every call of ``action`` starts an edge. Several edges of one action that are possible in the same state are a choice
that nobody controls; several outcomes of one edge are left to chance. What an edge does not assign stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

from ..expressions import Array, Expr, Name, Value, check_members, condition, lift, number
from ..functions import all_of
from ..place import fault, here
from ..values import Json
from .declare import fits, known

if TYPE_CHECKING:
    from .automaton import AutomatonBuilder


class Between(NamedTuple):
    """Any integer of an interval."""

    lower: Value
    upper: Value


def between(lower: Value, upper: Value) -> Between:
    """For an update: any integer from ``lower`` to ``upper``, both included, and nobody controls which."""
    return Between(lower, upper)


Assigned: TypeAlias = Union[Value, Between]
Updates: TypeAlias = Union[Mapping[Any, Assigned], Sequence[Mapping[Any, Assigned]]]
"""New values of variables, all computed from the old ones; a list of such is done one after the other."""


class Destination(NamedTuple):
    """An outcome."""

    probability: Expr | None
    assignments: list[Json]
    to: str | None


class EdgeBuilder:
    """An edge that is being written: ``m.action("left").when(x > 0).do({x: x - 1})``."""

    def __init__(self, automaton: AutomatonBuilder, action: str | None) -> None:
        self._automaton, self.action, self.place = automaton, action, here()
        self.sources: tuple[str, ...] = ()
        self.guards: list[Expr] = []
        self.destinations: list[Destination] = []

    def at(self, *locations: str) -> EdgeBuilder:
        """From which location of the automaton the edge leads; from each of several."""
        self.sources = tuple(self._automaton.known_location(location) for location in locations)
        return self

    def when(self, *conditions: Value) -> EdgeBuilder:
        """Under which conditions it is possible: all of them."""
        self.guards.extend(self._automaton.visible(condition(each)) for each in conditions)
        return self

    @property
    def guard(self) -> Expr | None:
        """The condition, if there is one."""
        return all_of(self.guards) if self.guards else None

    def do(self, updates: Updates | None = None, *, to: str | None = None) -> None:
        """What happens: new values of variables, and the automaton's next location. ``do()`` changes nothing."""
        self._once()
        self.destinations = [self._destination(None, updates, to)]

    def outcomes(self, *outcomes: tuple[Any, ...]) -> None:
        """What may happen: ``(probability, updates)`` or ``(probability, updates, location)`` for each outcome.

        Probabilities are exact, and sum to one: ``Fraction(1, 3)`` is a third, ``0.1`` is a tenth.
        """
        self._once()
        found = []
        for outcome in outcomes:
            if not isinstance(outcome, (tuple, list)) or len(outcome) not in (2, 3):
                raise fault(
                    f"an outcome is (probability, updates) or (probability, updates, location), not {outcome!r}"
                )
            chance = self._automaton.visible(number(outcome[0]))
            found.append(self._destination(chance, outcome[1], outcome[2] if len(outcome) == 3 else None))
        _check_sum([destination.probability for destination in found])
        self.destinations = found

    def _once(self) -> None:
        if self.destinations:
            raise fault(
                "it is said already what this edge does; several outcomes are one call of outcomes(), another edge is "
                "another call of action()"
            )

    def _destination(self, probability: Expr | None, updates: Updates | None, to: str | None) -> Destination:
        if to is not None:
            self._automaton.known_location(to)
        groups = updates if isinstance(updates, (list, tuple)) else [{} if updates is None else updates]
        assignments: list[Json] = []
        for index, group in enumerate(groups):
            if not isinstance(group, Mapping):
                raise fault(
                    f"updates are a dictionary from variables to new values, or a list of such, not {updates!r}"
                )
            written: list[Json] = []
            for target, value in group.items():
                assignment = self._assignment(target, value)
                if assignment["ref"] in written:
                    raise fault(
                        f"'{target}' is assigned twice at once; a list of dictionaries is done one after the other"
                    )
                written.append(assignment["ref"])
                assignments.append({**assignment, "index": index} if index else assignment)
        return Destination(probability, assignments, to)

    def _assignment(self, target: Any, value: Any) -> dict[str, Json]:
        place = self._automaton.find(target).reference if isinstance(target, str) else target
        if isinstance(place, Array):
            raise fault(f"'{place.base.name}' is an array; assign to its cells, as in {{{place.base.name}[0]: ...}}")
        base = place.operands[0] if isinstance(place, Expr) and place.op == "cell" else place
        if not isinstance(base, Name) or not base.assignable:
            raise fault(f"'{target}' is no variable, so it cannot be given a value")
        self._automaton.visible(place)
        declared = self._automaton.find(base.name)
        if isinstance(target, str) and declared.is_array:
            raise fault(f"'{target}' is an array; assign to its cells, as in {{{target}[0]: ...}}")
        if isinstance(value, Between):
            if base.kind != "int":
                raise fault(f"'{base.name}' is of type {base.kind}; only integers are given any value of an interval")
            ends = [self._fitting(base, place, end) for end in value]
            smallest, largest = (known(end) for end in ends)
            if smallest is not None and largest is not None and smallest > largest:
                raise fault(f"there is nothing between {ends[0]} and {ends[1]}")
            return {"ref": place.jani, "lower-bound": ends[0].jani, "upper-bound": ends[1].jani}
        expr = self._fitting(base, place, value)
        self._automaton.check_bounds(expr, str(place), declared.lower, declared.upper)
        return {"ref": place.jani, "value": expr.jani}

    def _fitting(self, base: Name, place: Expr, value: Any) -> Expr:
        expr = self._automaton.visible(lift(value, base))
        check_members(base, expr)
        if not fits(expr, base.kind):
            hint = {"int": "; // divides integers, and floor and ceil round", "bool": "; compare it", "real": ""}[
                base.kind
            ]
            if expr.kind == "bool":
                hint = f"; ({expr}).as_int() counts it as 0 or 1"
            raise fault(f"'{place}' is of type {base.kind} and is given '{expr}' of type {expr.kind}{hint}")
        return expr

    def written(self, source: str) -> Json:
        """The edge from one of its sources, as JANI."""
        edge: dict[str, Json] = {"location": source}
        if self.action is not None:
            edge["action"] = self.action
        if self.guard is not None:
            edge["guard"] = {"exp": self.guard.jani}
        edge["destinations"] = []
        for destination in self.destinations:
            written: dict[str, Json] = {"location": destination.to or source}
            if destination.probability is not None:
                written["probability"] = {"exp": destination.probability.jani}
            if destination.assignments:
                written["assignments"] = destination.assignments
            edge["destinations"].append(written)
        return edge


def _check_sum(probabilities: list[Expr | None]) -> None:
    if not probabilities:
        raise fault("an action has at least one outcome")
    values = [known(each) for each in probabilities if each is not None]
    exact = [Fraction(value) for value in values if value is not None]
    negative = [value for value in exact if value < 0]
    if negative:
        raise fault(f"the probability {negative[0]} is negative")
    total = sum(exact, Fraction(0))
    if total == 1 or (len(exact) < len(values) and total < 1):
        return
    close = [value.limit_denominator(1000) for value in exact]
    written = ", ".join(f"Fraction({value.numerator}, {value.denominator})" for value in close)
    hint = (
        f"; floats are decimals here, so write {written}"
        if sum(close) == 1 and abs(total - 1) < Fraction(1, 10**6)
        else ""
    )
    raise fault(f"the probabilities sum to {total if total.denominator < 10**6 else float(total)!s}, not to 1{hint}")
