"""The model as a whole: what is declared for all, which automata there are, and what happens together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..expressions import Expr, Name, Value, condition, lift
from ..functions import all_of
from ..model import Model
from ..place import Place, fault, here
from ..values import Json, Kind
from .automaton import AutomatonBuilder
from .declare import Declarations, check_name, known, parts, suggestion
from .edges import EdgeBuilder


class Sync(NamedTuple):
    """Actions of automata that happen together, under a label or silently."""

    result: str | None
    parts: dict[str, str]
    place: Place


class ModelBuilder(Declarations):
    """A model that is being written.

    Most models need one automaton without locations: :meth:`action`, :meth:`silent` and :meth:`start` are those of the
    model itself then. ``actions`` fixes the order of the labels, which is otherwise that of their first use: a policy's
    outputs and ``Discrete`` actions are counted by it.
    """

    def __init__(self, name: str, *, actions: Sequence[str] | None = None) -> None:
        super().__init__(None, None)
        self.name, self._place = check_name(name, "a model"), here()
        self._actions: list[str] = []
        self._fixed = False
        for action in actions or ():
            self.known_action(action)
        self._fixed = actions is not None
        self._automata: dict[str, AutomatonBuilder] = {}
        self._syncs: list[Sync] = []
        self._restrictions: list[Expr] = []

    def const(self, name: str, value: Value | None = None, *, kind: Kind | None = None) -> Name:
        """A constant. One without a value needs a ``kind``, and each question then gives its value."""
        check_name(name, "a constant")
        if value is None:
            if kind not in ("bool", "int", "real"):
                raise fault(f"the constant '{name}' has no value, so its kind must be said: 'bool', 'int' or 'real'")
            return self._constant(name, kind, None)
        expr = self.visible(lift(value))
        exact = known(expr)
        if exact is None:
            raise fault(f"the constant '{name}' is '{expr}', which has no value before the model is used")
        found: Kind = (
            "bool" if isinstance(exact, bool) else "int" if exact.denominator == 1 and kind != "real" else "real"
        )
        if kind is not None and kind != found:
            raise fault(f"the constant '{name}' is of type {kind}, and its value {expr} is not")
        return self._constant(name, found, exact)

    def automaton(self, name: str, *, locations: Sequence[str] = ()) -> AutomatonBuilder:
        """A part of the model with edges, and perhaps locations and variables, of its own. The first location is the
        initial one.
        """
        if check_name(name, "an automaton") in self._automata:
            raise fault(f"there is an automaton '{name}' already, declared at {self._automata[name].place}")
        automaton = self._automata[name] = AutomatonBuilder(self, name)
        for location in locations:
            automaton.location(location)
        return automaton

    def _main(self) -> AutomatonBuilder:
        """The automaton of the actions that are the model's own."""
        return self._automata[self.name] if self.name in self._automata else self.automaton(self.name)

    def action(self, name: str) -> EdgeBuilder:
        """Starts an edge with an action: ``m.action("left").when(x > 0).do({x: x - 1})``."""
        return self._main().action(name)

    def silent(self) -> EdgeBuilder:
        """Starts an edge without an action: a move of the environment's."""
        return self._main().silent()

    def known_action(self, name: str) -> str:
        """An action by its name, which is declared by its first use unless the model's actions are fixed."""
        if check_name(name, "an action") not in self._actions:
            if self._fixed:
                raise fault(f"there is no action '{name}'{suggestion(name, self._actions)}")
            self._actions.append(name)
        return name

    def start(self, *conditions: Value) -> None:
        """Restricts where runs start: all conditions hold there. What no condition and no ``initial`` speaks of may
        have any value.
        """
        for each in conditions:
            expr = condition(each)
            owners = {part.automaton for part in parts(expr) if isinstance(part, Name) and part.automaton is not None}
            if len(owners) > 1:
                raise fault(
                    f"'{expr}' is about variables of {' and '.join(sorted(owners))} alone; declare them in the model"
                )
            if owners and next(iter(owners)) in self._automata:
                self._automata[next(iter(owners))].start(expr)
            else:
                self._restrictions.append(self.visible(expr))

    def sync(self, result: str | None, actions: Mapping[AutomatonBuilder, str]) -> None:
        """Has actions of automata happen together, as one action ``result``, or silently for ``None``.

        Actions that are named here happen only so; all others happen in all automata that have them at once.
        """
        if result is not None:
            self.known_action(result)
        named: dict[str, str] = {}
        for automaton, action in actions.items():
            if not isinstance(automaton, AutomatonBuilder) or self._automata.get(automaton.name) is not automaton:
                raise fault(f"{automaton!r} is no automaton of this model")
            named[automaton.name] = self.known_action(action)
        if not named:
            raise fault("at least one automaton has to take part")
        self._syncs.append(Sync(result, named, here()))

    def document(self) -> dict[str, Json]:
        """The model as a JANI document."""
        automata = list(self._automata.values()) or [self._main()]
        arrays = any(declared.is_array for each in (self, *automata) for declared in each._variables.values())
        document: dict[str, Json] = {
            "jani-version": 1,
            "name": self.name,
            "type": "mdp",
            "features": [*["arrays"] * arrays, "derived-operators"],
            "actions": [{"name": name} for name in self._actions],
        }
        if self._constants:
            document["constants"] = list(self._constants.values())
        document["variables"] = [declared.jani for declared in self._variables.values()]
        if self._restrictions:
            document["restrict-initial"] = {"exp": all_of(self._restrictions).jani}
        document["automata"] = [automaton.written() for automaton in automata]
        document["system"] = {
            "elements": [{"automaton": automaton.name} for automaton in automata],
            "syncs": self._vectors(automata),
        }
        return document

    def _vectors(self, automata: list[AutomatonBuilder]) -> list[Json]:
        for sync in self._syncs:
            for name, action in sync.parts.items():
                if not self._automata[name].has(action):
                    raise fault(f"the automaton '{name}' has no edge with the action '{action}'", sync.place)
        taken = {action for sync in self._syncs for action in sync.parts.values()}
        vectors = []
        for action in self._actions:
            members = [action if automaton.has(action) else None for automaton in automata]
            if action not in taken and any(members):
                vectors.append({"synchronise": members, "result": action})
        for sync in self._syncs:
            vector: dict[str, Json] = {"synchronise": [sync.parts.get(automaton.name) for automaton in automata]}
            vectors.append(vector if sync.result is None else {**vector, "result": sync.result})
        return vectors

    def build(self) -> Model:
        """The model. The engines have read it, as they read any JANI file."""
        try:
            text = json.dumps(self.document(), ensure_ascii=False, indent=1)
        except RecursionError:
            raise fault("an expression is nested too deeply; keep parts of it in variables", self._place) from None
        return Model(text)
