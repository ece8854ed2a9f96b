"""Runs as sequences of states and decisions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

from .errors import MissingExtra

if TYPE_CHECKING:
    import pandas

Value = int | bool | Fraction | str


def exact(value: object) -> Fraction:
    """A number of a result object: an integer, or a fraction in text."""
    return Fraction(value) if isinstance(value, (int, str)) else Fraction(str(value))


def _value(value: object) -> Value:
    if isinstance(value, (bool, int)):
        return value
    number = exact(value)
    return int(number) if number.denominator == 1 else number


def state_of(record: Mapping[str, Any]) -> dict[str, Value]:
    """A state of a result object by names; locations of automata by the automaton's name in angle brackets."""
    state: dict[str, Value] = {f"<{automaton}>": location for automaton, location in record.get("locations", {}).items()}
    state.update((name, _value(value)) for name, value in record.items() if name != "locations")
    return state


@dataclass(frozen=True)
class Decision:
    """What the policy said in a state."""

    chosen: tuple[str, ...]
    scores: Mapping[str, Fraction]
    runner_up: str | None
    margin: Fraction | None


@dataclass(frozen=True)
class Step:
    """A state, and what led to it; the first one of a run has neither action nor decision."""

    state: Mapping[str, Value]
    action: str | None = None
    probability: Fraction | None = None
    decision: Decision | None = None


class Trace(Sequence[Step]):
    """A run: a sequence of steps, the start state first."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record
        steps = [Step(state_of(record["start"]))]
        for step in record["steps"]:
            probability = step.get("probability")
            steps.append(
                Step(
                    state_of(step["state"]),
                    step.get("label"),
                    None if probability is None else Fraction(probability),
                    _decision(step.get("policy")),
                )
            )
        self._steps = tuple(steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def __repr__(self) -> str:
        return f"Trace of {len(self) - 1} steps: {' '.join(str(step.action or 'tau') for step in self._steps[1:])}"

    @property
    def states(self) -> tuple[Mapping[str, Value], ...]:
        """All states."""
        return tuple(step.state for step in self._steps)

    @property
    def actions(self) -> tuple[str | None, ...]:
        """All actions; ``None`` for silent steps."""
        return tuple(step.action for step in self._steps[1:])

    def rows(self) -> list[dict[str, object]]:
        """One dictionary a step: ``action``, ``probability``, the variables, ``score[label]`` and ``margin`` of the decision taken."""
        rows: list[dict[str, object]] = []
        first = self._steps[0].state
        # Automata that stay where they are say nothing.
        still = {name for name in first if name.startswith("<") and all(state[name] == first[name] for state in self.states)}
        for step in self._steps:
            row: dict[str, object] = {"action": step.action, "probability": step.probability}
            row.update((name, value) for name, value in step.state.items() if name not in still)
            if step.decision is not None:
                row.update((f"score[{label}]", float(score)) for label, score in step.decision.scores.items())
                row["margin"] = None if step.decision.margin is None else float(step.decision.margin)
            rows.append(row)
        return rows

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a table, where pandas is there."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("to_pandas needs pandas: pip install pandas") from None
        return pandas.DataFrame(self.rows())

    def to_json(self) -> Mapping[str, Any]:
        """As the result object has it."""
        return self._record

    def _repr_html_(self) -> str:
        from .notebook import trace_html

        return trace_html(self)


def _decision(record: Mapping[str, Any] | None) -> Decision | None:
    if not record or "scores" not in record:
        return None
    margin = record.get("margin")
    return Decision(
        tuple(record.get("chosen", ())),
        {label: _score(score) for label, score in record["scores"].items()},
        record.get("runner_up"),
        None if margin is None else _score(margin),
    )


def _score(score: Mapping[str, Any]) -> Fraction:
    """The exact score; of smooth networks, the double that is told."""
    found = score.get("exact")
    return Fraction(found) if found is not None else Fraction(score["float"])
