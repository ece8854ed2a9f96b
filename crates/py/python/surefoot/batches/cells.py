"""One start set cut into cells, and their verdicts put together again.

Soundness: the first and the last part of a variable's range are open to the outside, so that the cells cover all values whatever its bounds are. Together they
hold only if each of them holds, or was found to have no start state; one that is missing, or anything else that is no violation, leaves the whole *unknown*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from ..errors import UsageError
from ..model import Model
from ..notation import name_to_text
from ..results import BoundsResult, Interval, Verdict
from .task import Item, Task

#: What the engines say of a cell in which there is none.
EMPTY = "InputError: the start set is empty: no state satisfies the start condition"


@dataclass(frozen=True)
class Cells:
    """A question whose start set is cut along the ranges of some integer variables, each into so many parts."""

    command: str
    model: Model
    policy: Any
    start: Any
    parts: dict[str, int]
    options: dict[str, Any]

    @staticmethod
    def of(command: str, model: Model, policy: Any = None, *, start: Any, parts: dict[str, int], **options: Any) -> Cells:
        """The start set has to be said: cells are parts of it."""
        if command not in ("verify", "bounds"):
            raise UsageError(f"cells are for verify and bounds, not {command!r}")
        refused = [name for name in ("expect", "mean", "weights") if options.get(name)]
        if refused:
            raise UsageError(f"cells are about the largest probability: {refused[0]} cannot be put together again")
        known = {variable.name: variable for variable in model.variables}
        for name, count in parts.items():
            variable = known.get(name)
            if variable is None or variable.kind != "int" or variable.lower is None or variable.upper is None:
                raise UsageError(f"parts: {name!r} is no bounded integer variable of the model")
            if count < 1:
                raise UsageError(f"parts: {name!r} is cut into at least one part, not {count}")
        return Cells(command, model, policy, start, parts, options)

    def __iter__(self) -> Iterator[Task]:
        known = {variable.name: variable for variable in self.model.variables}
        ranges = [list(_ranges(name, int(known[name].lower), int(known[name].upper), n)) for name, n in self.parts.items()]  # type: ignore[arg-type]
        for cell in product(*ranges):
            condition = " & ".join(cell)
            start = f"({self.start}) & {condition}" if condition else str(self.start)
            yield Task.of(self.command, self.model, self.policy, name=condition or "all", start=start, **self.options)


def _ranges(name: str, lower: int, upper: int, parts: int) -> Iterator[str]:
    size = upper - lower + 1
    parts = min(parts, size)
    quoted = name_to_text(name)
    for part in range(parts):
        low, high = lower + part * size // parts, lower + (part + 1) * size // parts - 1
        ends = [f"{quoted} >= {low}"] * (part > 0) + [f"{quoted} <= {high}"] * (part < parts - 1)
        yield " & ".join(ends) or "true"


@dataclass(frozen=True)
class Combined:
    """What the cells come to."""

    verdict: Verdict
    #: Of probabilities: the largest.
    value: Interval | None
    items: tuple[Item, ...]
    #: The names of the cells that nothing is known of.
    open: tuple[str, ...]


def is_empty(item: Item) -> bool:
    """Whether a cell was found to have no start state."""
    return item.error is not None and item.error.startswith(EMPTY)


def combine(cells: Cells, items: Iterable[Item]) -> Combined:
    """Puts the verdicts of all cells together.

    A single violation violates; all must hold for the whole to hold. Probabilities are bounded by the largest of the ends.
    """
    found = tuple(items)
    by_key = {item.task.key: item for item in found}
    parts = [(task.name, by_key.get(task.key)) for task in cells]
    real = [(name, item) for name, item in parts if item is None or not is_empty(item)]
    if not real:
        raise UsageError("no cell has a start state")
    verdicts = {None if item is None else item.verdict for _, item in real}
    verdict: Verdict
    if "violated" in verdicts:
        verdict = "violated"
    elif verdicts == {"holds"}:
        verdict = "holds"
    else:
        verdict = "unknown"
    left = tuple(name for name, item in real if item is None or item.verdict not in ("holds", "violated"))
    return Combined(verdict, _largest([item for _, item in real]) if cells.command == "bounds" else None, found, left)


def _largest(items: list[Item | None]) -> Interval:
    lower: float | Fraction = 0
    upper: float | Fraction = 0
    for item in items:
        result = None if item is None else item.result
        value = result.value if isinstance(result, BoundsResult) else None
        lower = max(lower, value.lower if value else 0)
        upper = max(upper, value.upper if value else 1)
    return Interval(lower, upper)
