"""What a comparison of an environment with a model found, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .errors import UsageError
from .interpret import Value

# States that are listed in a report.
_SHOWN = 5


@dataclass(frozen=True)
class Difference:
    """Something that an environment does and its model does not allow."""

    kind: Literal["start", "step", "action", "mask", "terminated"]
    seed: int
    """``env.reset(seed=seed)`` and ``actions`` lead to it."""
    actions: tuple[str, ...]
    before: tuple[Mapping[str, Value], ...]
    """The states that the model may have been in."""
    observed: Mapping[str, Any]
    """What the environment shows."""
    allowed: tuple[Mapping[str, Value], ...]
    """What the model allows."""
    message: str
    shrunk_from: int
    """How many actions led to it when it was found."""
    reproducible: bool
    """Whether the same seed and actions led to it again."""

    @property
    def step(self) -> int:
        """At which step; 0 is the reset."""
        return len(self.actions)

    def __str__(self) -> str:
        lines = [
            self.message,
            f"  after    env.reset(seed={self.seed})" + (f", then {', '.join(self.actions)}" if self.actions else ""),
        ]
        if self.kind != "start":
            lines.append(f"  from     {_listed(self.before)}")
        lines += [f"  env      {_line(self.observed)}", f"  model    {_listed(self.allowed)}"]
        if self.shrunk_from > len(self.actions):
            lines.append(f"  (shrunk from {self.shrunk_from} steps)")
        if not self.reproducible:
            lines.append(
                "  (the environment did not do it again with the same seed: it does not take all its randomness from "
                "there)"
            )
        return "\n".join(lines)


@dataclass(frozen=True)
class Conformance:
    """What a comparison found."""

    difference: Difference | None
    episodes: int
    steps: int

    @property
    def agrees(self) -> bool:
        """Whether no difference was found."""
        return self.difference is None

    def __bool__(self) -> bool:
        raise UsageError("a comparison is no truth value: ask for .agrees, or look at .difference")

    def __str__(self) -> str:
        what = f"{self.steps} steps in {self.episodes} episodes"
        return (
            f"no difference in {what}" if self.difference is None else f"a difference, after {what}:\n{self.difference}"
        )


def _line(state: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in state.items())


def _listed(states: Sequence[Mapping[str, Any]]) -> str:
    shown = [_line(state) for state in states[:_SHOWN]]
    more = [f"... ({len(states)} states)"] if len(states) > _SHOWN else []
    return "\n           ".join([*shown, *more]) or "nothing"
