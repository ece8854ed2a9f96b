"""Whether our evaluation of a network agrees with the one that the policy was trained by.

Both are asked at observations drawn from the variables' ranges. Ours is the function over the reals, evaluated in
doubles. Theirs runs in single precision, so a difference is expected; what counts is whether rounding explains it.

*The bound.* Theirs is evaluated twice, as it runs and in doubles. The largest difference between the two is what single
precision did to it, cancellation included: that is measured, not estimated. Ours may differ from theirs by eight times
that, plus four units in the last place of the largest score in single precision. What runs in doubles itself may differ
by 1e-9 of the largest score. Where theirs cannot be run in doubles, 1e-4 of the largest score is allowed; both at least
of 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import PolicyError
from .inputs import Floats
from .labels import Outputs

MEASURED_FACTOR = 8.0
LAST_PLACES = 4.0
WITHOUT_DOUBLES = 1e-4
BETWEEN_DOUBLES = 1e-9


@dataclass(frozen=True)
class Agreement:
    """What the check at load found.

    `absolute` and `relative` are the largest differences of a score (relative to the largest score of that
    observation), `tolerance` what rounding explains. `choices` counts the observations at which the largest score is
    another one, and `margin` is the largest lead that theirs has there: within rounding, so these are ties in all but
    name.
    """

    points: int
    absolute: float
    relative: float
    tolerance: float
    choices: int
    margin: float | None
    against: str

    def __str__(self) -> str:
        where = f"at {self.points} observations"
        if self.choices == 0:
            same = f"the same choice {where}"
        else:
            same = f"another choice at {self.choices} of {self.points} observations"
            same += f", where theirs leads by {self.margin:.3g} at most"
        differ = f"scores differ by {self.absolute:.3g} at most ({self.relative:.3g} relative)"
        return f"agrees with {self.against}: {same}; {differ}"


def described(names: Sequence[str], values: Floats) -> str:
    """An observation for a message."""
    shown = [f"{name} = {value:g}" for name, value in zip(names, values.tolist())]
    return ", ".join(shown[:16]) + (", ..." if len(shown) > 16 else "")


def tolerance(theirs: Floats, in_doubles: Floats | None, double: bool) -> float:
    """What rounding explains; `double` says that theirs runs in double precision."""
    largest = float(np.abs(theirs).max(initial=0.0))
    if double:
        return BETWEEN_DOUBLES * max(1.0, largest)
    if in_doubles is None:
        return WITHOUT_DOUBLES * max(1.0, largest)
    measured = float(np.abs(theirs - in_doubles).max(initial=0.0))
    return MEASURED_FACTOR * measured + LAST_PLACES * 2.0**-23 * largest


def compare(
    ours: Floats,
    theirs: Floats,
    in_doubles: Floats | None,
    outputs: Outputs,
    names: Sequence[str],
    values: Floats,
    against: str,
    double: bool = False,
    slack: float = 0.0,
) -> Agreement:
    """The agreement of two evaluations, or an error with the observation at which they differ most.

    `slack` is added to what is allowed, for functions that are read as another one with a known difference.
    """
    if ours.shape != theirs.shape:
        raise PolicyError(
            f"the network that was read has {ours.shape[1]} outputs, {against} gives {theirs.shape[1]}; please report "
            "this"
        )
    if not bool(np.isfinite(theirs).all()):
        row = int(np.argwhere(~np.isfinite(theirs))[0][0])
        raise PolicyError(
            f"{against} gives {theirs[row].tolist()} at {described(names, values[row])}; scores must be finite"
        )
    differences = np.abs(ours - theirs).max(axis=1, initial=0.0)
    sizes = np.maximum(np.abs(theirs).max(axis=1, initial=0.0), 1e-30)
    allowed = tolerance(theirs, in_doubles, double) + slack
    worst = int(differences.argmax())
    if differences[worst] > allowed:
        raise PolicyError(
            f"the network that was read is not the one that {against} computes: at {described(names, values[worst])} "
            "the scores are "
            f"{_short(ours[worst])}, {against} gives {_short(theirs[worst])}; they differ by {differences[worst]:.3g}, "
            "rounding explains "
            f"{allowed:.3g}. If inputs=[...] and the observation are in the same order, please report this; check=0 "
            "skips the comparison"
        )
    margins = [
        _lead(theirs[row], outputs)
        for row in range(len(ours))
        if outputs.choice(ours[row].tolist()) != outputs.choice(theirs[row].tolist())
    ]
    relative = float((differences / sizes).max(initial=0.0))
    return Agreement(
        len(ours), float(differences[worst]), relative, allowed, len(margins), max(margins, default=None), against
    )


def _short(scores: Floats) -> str:
    return "[" + ", ".join(f"{score:.6g}" for score in scores.tolist()[:8]) + (", ...]" if len(scores) > 8 else "]")


def _lead(scores: Floats, outputs: Outputs) -> float:
    """How far the largest score leads; of several choices at once, the closest of them."""
    leads, start = [], 0
    for size in outputs.components or (len(scores),):
        part = np.sort(scores[start : start + size])
        leads.append(float(part[-1] - part[-2]) if size > 1 else float("inf"))
        start += size
    return min(leads)
