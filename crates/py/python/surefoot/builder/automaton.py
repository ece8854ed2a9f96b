"""Automata: locations, edges between them, and variables of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..expressions import At, Expr, Name, Value, condition, lift
from ..functions import all_of
from ..place import fault, here
from ..values import Json
from .declare import Declarations, check_name, fits, suggestion
from .edges import EdgeBuilder

if TYPE_CHECKING:
    from .system import ModelBuilder

_ONLY = "on"
"""The location of an automaton for which none is named."""


class AutomatonBuilder(Declarations):
    """A part of a model that moves by itself, or together with others.

    >>> from surefoot.builder import ModelBuilder
    >>> m = ModelBuilder("lift")
    >>> door = m.automaton("door", locations=["closed", "open"])
    >>> door.action("open").at("closed").do(to="open")
    >>> print(door.at("open"))
    door at open
    """

    def __init__(self, model: ModelBuilder, name: str) -> None:
        super().__init__(model, name)
        self.name, self.place = name, here()
        self._model = model
        self._locations: dict[str, list[Json]] = {}
        self._first: list[str] = []
        self._start: list[Expr] = []
        self.edges: list[EdgeBuilder] = []

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise fault(f"the automaton '{self.name}' is not compared; {self.name}.at('...') is that it is at a location")

    __ne__ = __eq__

    def location(self, name: str, *, initial: bool = False, values: Mapping[Name, Value] | None = None) -> str:
        """A location; ``values`` are those of transient variables there. The first location is the initial one, unless
        others are said to be.
        """
        if check_name(name, "a location") in self._locations:
            raise fault(f"the automaton '{self.name}' has a location '{name}' already")
        written = []
        for variable, value in (values or {}).items():
            expr = self.visible(lift(value, variable))
            declared = self.find(variable.name).jani if isinstance(variable, Name) else {}
            if not declared.get("transient"):
                raise fault(
                    f"'{variable}' is no transient variable: only those have values at locations; assign to it on edges"
                )
            if not fits(expr, variable.kind):
                raise fault(f"'{variable}' is of type {variable.kind} and is given '{expr}' of type {expr.kind}")
            written.append({"ref": variable.jani, "value": expr.jani})
        self._locations[name] = written
        if initial:
            self._first.append(name)
        return name

    def known_location(self, name: str) -> str:
        """A location by its name."""
        if name not in self._locations:
            raise fault(
                f"the automaton '{self.name}' has no location {name!r}{suggestion(str(name), list(self._locations))}"
            )
        return name

    def at(self, location: str) -> Expr:
        """That the automaton is at a location, as a condition."""
        return At(self.name, self.known_location(location), self._model)

    def action(self, name: str) -> EdgeBuilder:
        """Starts an edge with an action. Edges of several automata with the same action happen together, unless
        :meth:`ModelBuilder.sync` says otherwise.
        """
        edge = EdgeBuilder(self, self._model.known_action(name))
        self.edges.append(edge)
        return edge

    def silent(self) -> EdgeBuilder:
        """Starts an edge without an action: a move of the environment's, which no policy chooses and nobody waits
        for.
        """
        edge = EdgeBuilder(self, None)
        self.edges.append(edge)
        return edge

    def start(self, *conditions: Value) -> None:
        """Restricts where runs start, also over the automaton's own variables."""
        self._start.extend(self.visible(condition(each)) for each in conditions)

    def has(self, action: str) -> bool:
        """Whether it has edges with an action."""
        return any(edge.action == action for edge in self.edges)

    def written(self) -> Json:
        """The automaton as JANI."""
        locations = self._locations or {_ONLY: []}
        edges: list[Json] = []
        for edge in self.edges:
            what = f"the action '{edge.action}'" if edge.action is not None else "the silent edge"
            if not edge.destinations:
                raise fault(
                    f"{what} does nothing; say what, by do({{...}}) or outcomes(...), or that nothing changes, by do()",
                    edge.place,
                )
            if not edge.sources and len(locations) > 1:
                raise fault(
                    f"'{self.name}' has several locations; say by at(...) from which of them {what} leads", edge.place
                )
            edges.extend(edge.written(source) for source in edge.sources or locations)
        jani: dict[str, Json] = {"name": self.name}
        if self._variables:
            jani["variables"] = [declared.jani for declared in self._variables.values()]
        if self._start:
            jani["restrict-initial"] = {"exp": all_of(self._start).jani}
        given = [
            {"name": name, **({"transient-values": values} if values else {})} for name, values in locations.items()
        ]
        return {**jani, "locations": given, "initial-locations": self._first or [next(iter(locations))], "edges": edges}
