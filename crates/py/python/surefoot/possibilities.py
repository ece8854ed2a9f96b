"""What a model allows after an action, when only a part of the state may be seen.

What is known of the model's state is the set of all states that agree with everything that was seen. It is exact: it
comes from the interpreter, and not from samples. A step is one of :class:`surefoot.gym.ModelEnv`'s: the action or a
move of the environment, and then moves of the environment until there is a choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from .errors import ModelError, UsageError
from .interpret import Interpreter, Operator, State, Value
from .interpret.evaluate import Valuation
from .jani import Variable
from .model import Model

_MOST_STATES = 20_000
# Reals are seen as floats; equal is what differs by no more than this.
_TOLERANCE = Fraction(1, 10**6)


class Possibilities:
    """The states of a model, as far as they can be told apart by what is seen."""

    def __init__(self, model: Model, labels: Sequence[str], constants: Mapping[str, Any] | None) -> None:
        self._model, self._labels = model, frozenset(labels)
        self.interpreter = Interpreter(model.document, constants)
        self._slots = {name: place for place, name in enumerate(self.interpreter.names)}
        self._variables: dict[str, Variable] = {
            variable.name: variable for variable in model.variables if not variable.transient
        }
        self._after: dict[tuple[State, str], tuple[frozenset[State], frozenset[State]]] = {}
        self._enabled: dict[State, list[Operator]] = {}
        self._starts: frozenset[State] | None = None

    def seen(self, state: Mapping[str, Any]) -> dict[int, Value]:
        """What was seen, by slots: cells of arrays one by one, names of members and locations as numbers."""
        found: dict[int, Value] = {}
        for name, value in state.items():
            variable = self._variables.get(name)
            if variable is not None and variable.shape:
                cells = np.asarray(value, dtype=object).ravel()
                if len(cells) != len(variable.cells):
                    raise UsageError(f"'{name}' has {len(variable.cells)} cells, and {len(cells)} values were observed")
                found.update(
                    (self._slots[cell], self._value(cell, item, variable))
                    for cell, item in zip(variable.cells, cells, strict=True)
                )
            elif name in self._slots:
                found[self._slots[name]] = self._value(name, value, variable)
            else:
                raise UsageError(f"the model has no variable '{name}'; there are {', '.join(self._slots)}")
        return found

    def _value(self, name: str, value: Any, variable: Variable | None) -> Value:
        domain = self.interpreter.layout.slots[self._slots[name]].domain
        if isinstance(value, str):
            names = self._locations(name) if variable is None else variable.members or ()
            if value not in names:
                raise UsageError(f"'{value}' is no value of '{name}'")
            return names.index(value)
        if domain.kind == "bool":
            if value not in (0, 1):
                raise UsageError(f"{value!r} is no truth value, and '{name}' is one")
            return bool(value)
        if isinstance(value, Integral):
            return int(value)
        number = float(value)
        if not math.isfinite(number):
            raise UsageError(f"'{name}' was observed as {number}")
        return int(number) if number.is_integer() else Fraction(number)

    def _locations(self, name: str) -> Sequence[str]:
        return next(
            instance.locations for instance in self.interpreter.layout.instances if f"<{instance.name}>" == name
        )

    def agreeing(self, states: Iterable[State], seen: Mapping[int, Value]) -> set[State]:
        """Those states that look as what was seen."""
        slots = self.interpreter.layout.slots

        def agrees(state: State, place: int, value: Value) -> bool:
            if slots[place].domain.kind == "real":
                return -_TOLERANCE <= state[place] - value <= _TOLERANCE
            return state[place] == value

        return {state for state in states if all(agrees(state, place, value) for place, value in seen.items())}

    def starts(self, seen: Mapping[int, Value]) -> set[State]:
        """The first choices of runs that look as what was seen."""
        slots = self.interpreter.layout.slots
        sizes = [1 if slot.initial is not None else slot.domain.size() for slot in slots]
        if math.prod(sizes) <= _MOST_STATES:
            if self._starts is None:
                self._starts = self.settled(self.interpreter.initial_states())[0]
            return self.agreeing(self._starts, seen)
        # Too many to list: then a run is taken to be at its start still, and not where the environment has moved it.
        exact = {place: value for place, value in seen.items() if slots[place].domain.kind != "real"}
        return self.agreeing(self.settled(self.interpreter.initial_states(exact))[0], seen)

    def after(self, states: Iterable[State], label: str, ended: bool) -> set[State]:
        """Where an action may lead; where the episode has ended, perhaps before the next choice."""
        found: set[State] = set()
        for state in states:
            if (state, label) not in self._after:
                self._after[state, label] = self._step(state, label)
            settled, passed = self._after[state, label]
            found |= passed if ended else settled
            if len(found) > _MOST_STATES:
                raise ModelError(
                    f"more than {_MOST_STATES} states agree with what was seen; let observe show more of the state"
                )
        return found

    def _step(self, state: State, label: str) -> tuple[frozenset[State], frozenset[State]]:
        moves = [
            operator
            for operator in self.enabled(state)
            if operator.label == label or operator.label not in self._labels
        ]
        return self.settled(self._successors(state, moves))

    def _successors(self, state: State, operators: Iterable[Operator]) -> set[State]:
        choices = (self.interpreter.choice(state, operator) for operator in operators)
        return {successor for choice in choices for outcome in choice.outcomes for successor in outcome.successors}

    def settled(self, states: Iterable[State]) -> tuple[frozenset[State], frozenset[State]]:
        """Where moves of the environment lead, until there is a choice or an end; and everything on the way."""
        waiting = list(dict.fromkeys(states))
        passed, settled = set(waiting), set[State]()
        while waiting:
            state = waiting.pop()
            moves = [] if self.possible([state]) else self.enabled(state)
            if not moves:
                settled.add(state)
            fresh = self._successors(state, moves) - passed
            passed |= fresh
            waiting.extend(fresh)
        return frozenset(settled), frozenset(passed)

    def enabled(self, state: State) -> list[Operator]:
        """The operators that are possible in a state."""
        if state not in self._enabled:
            self._enabled[state] = self.interpreter.enabled(state)
        return self._enabled[state]

    def possible(self, states: Iterable[State]) -> set[str]:
        """The actions that some of the states have."""
        return {
            operator.label for state in states for operator in self.enabled(state) if operator.label is not None
        } & self._labels

    def holds(self, condition: Any, states: Iterable[State]) -> set[bool]:
        """The truth values that a condition has in the states."""
        function = self.interpreter.condition(condition)
        return {bool(function(Valuation(state))) for state in states}
