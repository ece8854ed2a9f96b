"""What the engines answered, as typed objects.

A result is what the command line would write with ``--json`` (:meth:`Result.to_json`), with names for what people ask of it. A verdict is
``"holds"``, ``"violated"`` or ``"unknown"``, and never a truth value: ``if verify(...)`` raises, because unknown is neither.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NoReturn

from . import _native
from .calls import Call
from .errors import Error, InputError
from .traces import Trace, Value, state_of

Verdict = Literal["holds", "violated", "unknown"]


class UnclearTruth(Error, TypeError):
    """A result was used as a truth value."""


@dataclass(frozen=True)
class Interval:
    """Bounds that are guaranteed: floats rounded outward, or exact fractions."""

    lower: float | Fraction
    upper: float | Fraction

    @property
    def width(self) -> float:
        """How far the ends are apart."""
        return float(self.upper) - float(self.lower)

    def __contains__(self, value: float | Fraction) -> bool:
        return self.lower <= value <= self.upper

    def __str__(self) -> str:
        if self.lower == self.upper:
            return str(self.lower)
        return f"[{self.lower}, {self.upper}]"


def interval(record: Mapping[str, Any] | None) -> Interval | None:
    """An interval of a result object."""
    if record is None:
        return None

    def end(value: object) -> float | Fraction:
        if value == "infinity":
            return float("inf")
        return Fraction(value) if isinstance(value, str) else float(value)  # type: ignore[arg-type]

    return Interval(end(record["lo"]), end(record["hi"]))


class Result:
    """What every question is answered with."""

    def __init__(self, call: Call, outcome: _native.Outcome) -> None:
        self._call = call
        self._record: dict[str, Any] = json.loads(outcome.result)
        #: The same for people, as the command line shows it.
        self.text: str = outcome.text
        #: Warnings and notices.
        self.notes: tuple[str, ...] = tuple(outcome.notes)
        #: Whether Ctrl-C ended it.
        self.interrupted: bool = outcome.interrupted

    @property
    def verdict(self) -> Verdict | None:
        """``"holds"``, ``"violated"``, ``"unknown"``; ``None`` where nothing is decided."""
        found: Verdict | None = self._record["verdict"]
        return found

    @property
    def holds(self) -> bool:
        """Whether the verdict is *holds*."""
        return self.verdict == "holds"

    @property
    def violated(self) -> bool:
        """Whether the verdict is *violated*."""
        return self.verdict == "violated"

    @property
    def unknown(self) -> bool:
        """Whether the verdict is *unknown*: :attr:`reason` says why."""
        return self.verdict == "unknown"

    @property
    def reason(self) -> str | None:
        """Why nothing is known."""
        found: str | None = self._record["reason"]
        return found

    @property
    def engine(self) -> str | None:
        """What decided it."""
        found: str | None = self._record["engine"]
        return found

    @property
    def seconds(self) -> float:
        """How long it took."""
        return float(self._record["seconds"])

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the verdict takes for granted."""
        return tuple(self._record["assumptions"])

    @property
    def statistics(self) -> Mapping[str, Any]:
        """Figures: which, depends on what decided."""
        found: Mapping[str, Any] = self._record["statistics"]
        return found

    @property
    def inputs(self) -> Mapping[str, str]:
        """All that was read, with its SHA-256 hash."""
        found: Mapping[str, str] = self._record["inputs"]
        return found

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The result object as JSON (see *The result object* in the book); written to a file where a path is given."""
        text = json.dumps(self._record, ensure_ascii=False, indent=2) + "\n"
        if path is not None:
            self._spare_inputs(path)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def _spare_inputs(self, path: str | os.PathLike[str]) -> None:
        """That nothing is written over a file that was read."""
        for name in self.inputs:
            if os.path.exists(name) and os.path.exists(path) and os.path.samefile(name, path):
                raise InputError(f"{os.fspath(path)} would overwrite the input {name}; give another file")

    def to_dict(self) -> Mapping[str, Any]:
        """The result object."""
        return self._record

    def __bool__(self) -> NoReturn:
        raise UnclearTruth(
            f"a result is no truth value: the verdict is {self.verdict!r}, and unknown is neither true nor false. "
            "Ask for .holds, .violated or .unknown, or compare .verdict"
        )

    def __repr__(self) -> str:
        first = self.text.splitlines()[0] if self.text else str(self.verdict)
        return f"<{type(self).__name__} {first}>"

    def __str__(self) -> str:
        return self.text.rstrip()

    def _repr_html_(self) -> str:
        from .notebook import result_html

        return result_html(self)


class Certified(Result):
    """A result that a certificate can be written of."""

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        """What is said of the certificate, where one was asked for and written."""
        found: Mapping[str, Any] | None = self._record.get("certificate")
        return found

    def save_certificate(self, path: str | os.PathLike[str]) -> Mapping[str, Any]:
        """Writes a certificate of the verdict, for ``surefoot-checker`` and ``tools/check.py``, and has it checked.

        Where none was asked for when the question was, the question is answered anew: the same input and seed give the same verdict.
        """
        if self.verdict not in ("holds", "violated"):
            raise InputError(f"there is no certificate of {self.verdict!r}: nothing was decided")
        self._spare_inputs(path)
        written = self.certificate
        if written is not None and written.get("file"):
            shutil.copyfile(written["file"], path)
            return written
        again = Result(self._call, self._call.having(certificate=os.fspath(path), certify=True).run())
        found: Mapping[str, Any] | None = again.to_dict().get("certificate")
        if again.inputs != self.inputs:
            pathlib.Path(path).unlink(missing_ok=True)
            changed = next(name for name in (*again.inputs, *self.inputs) if again.inputs.get(name) != self.inputs.get(name))
            raise InputError(f"there is no certificate of this verdict any more: {changed} has changed since; ask again")
        if again.verdict != self.verdict or found is None:
            why = again.to_dict().get("no_certificate") or again.reason or "nothing was decided this time"
            raise InputError(f"there is no certificate: {why}")
        return found


class VerifyResult(Certified):
    """Of :func:`surefoot.verify`."""

    @property
    def witness(self) -> Trace | None:
        """The run that shows it, replayed in exact arithmetic; ``None`` where there is none to show."""
        return _trace(self._record)

    @property
    def value(self) -> Interval | None:
        """The probability, where the property is about one."""
        return interval(self._record.get("value"))

    @property
    def invariant(self) -> Mapping[str, Any] | None:
        """The invariant that proves it, where refinement did."""
        found: Mapping[str, Any] | None = self._record.get("invariant")
        return found

    @property
    def goal(self) -> Mapping[str, int] | None:
        """From how many start states the goal is reached."""
        found: Mapping[str, int] | None = self._record.get("goal")
        return found


class BoundsResult(Certified):
    """Of :func:`surefoot.bounds`."""

    def __init__(self, call: Call, outcome: _native.Outcome, history: tuple[tuple[float, float, float], ...] = ()) -> None:
        super().__init__(call, outcome)
        #: Seconds, lower and upper bound, as they became known.
        self.history = history

    @property
    def value(self) -> Interval | None:
        """The interval that contains the value asked for."""
        return interval(self._record.get("value"))

    @property
    def mean(self) -> Interval | None:
        """The mean over all start states, where it was asked for."""
        over = self._record.get("over_starts")
        return None if over is None else interval(over["mean"])

    @property
    def start(self) -> Mapping[str, Value] | None:
        """The start state whose value is reported."""
        witness = self._record["witness"]
        return None if witness is None else state_of(witness["start"])


class CtlResult(Result):
    """Of :func:`surefoot.ctl`."""

    @property
    def witness(self) -> Trace | None:
        """The run that shows a violation, where one run does; :meth:`to_dict` has trees of runs."""
        return _trace(self._record)


class AbstractResult(Certified):
    """Of :func:`surefoot.abstract`."""

    @property
    def predicates(self) -> tuple[str, ...]:
        """The predicates, in words."""
        return tuple(self._record["predicates"])

    @property
    def states(self) -> int:
        """Abstract states that are reached."""
        return int(self.statistics["reachable_states"])


class SimulateResult(Result):
    """Of :func:`surefoot.simulate`."""

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return int(self.statistics["runs"])

    def share(self, of: Literal["goal", "unsafe", "stopped"]) -> float | None:
        """The share of the runs that reach the goal, reach an unsafe state, or stop elsewhere; ``None`` where it was not asked."""
        found = self.statistics.get(f"{of}_share")
        return None if found is None else float(found["mean"])

    @property
    def witness(self) -> Trace | None:
        """The first run that reaches what is looked for."""
        return _trace(self._record)


class DecideResult(Certified):
    """Of :func:`surefoot.decide`."""

    @property
    def answers(self) -> tuple[str, ...]:
        """``"sat"``, ``"unsat"``, ``"timed-out"`` or ``"unknown"`` per query."""
        return tuple(answer["answer"] for answer in self._record["answers"])

    @property
    def answer(self) -> str:
        """The answer to a single query."""
        if len(self.answers) != 1:
            raise InputError(f"there are {len(self.answers)} answers: use .answers")
        return self.answers[0]


class ExploreResult(Result):
    """Of :func:`surefoot.explore`."""

    @property
    def states(self) -> int:
        """Reachable states."""
        return int(self.statistics["reachable_states"])


class CertifyResult(Result):
    """Of :func:`surefoot.certify`."""

    @property
    def accepted(self) -> bool:
        """Whether the checker accepts the certificate."""
        return self.text.startswith("accepted")


class ReplayResult(Result):
    """Of :func:`surefoot.replay`."""

    @property
    def real(self) -> bool:
        """Whether the run is one of the model under the policy, in exact arithmetic."""
        return bool(self._record.get("real"))


class CheckResult(Result):
    """Of :func:`surefoot.check`."""


class ExplainResult(Result):
    """Of :func:`surefoot.explain`."""


class DiffResult(Result):
    """Of :func:`surefoot.diff`."""

    @property
    def alike(self) -> bool | None:
        """Whether both policies choose alike; ``None`` where that is not known, or an invariant was asked about."""
        found: bool | None = self._record.get("alike")
        return found

    @property
    def inductive(self) -> bool | None:
        """Whether the invariant is inductive under the new policy, which is safe then; ``None`` where that is not known, or was not asked."""
        found: bool | None = (self._record.get("invariant") or {}).get("inductive")
        return found

    @property
    def state(self) -> Mapping[str, Any] | None:
        """A state that tells the policies apart, by variables."""
        found: dict[str, Any] | None = (self._record.get("difference") or {}).get("state")
        return found

    @property
    def chosen(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """What the old and the new policy choose there."""
        found = self._record.get("difference")
        return None if found is None else (tuple(found["old"] or ()), tuple(found["new"] or ()))

    @property
    def differing(self) -> int | None:
        """In how many reachable states they differ, under either of them."""
        found = self._record.get("reachable")
        return None if found is None else int(found["union"]["differing"])

    @property
    def witness(self) -> Trace | None:
        """A shortest run to a state that tells them apart, where reachable states were looked at."""
        return _trace(self._record)


def _trace(record: Mapping[str, Any]) -> Trace | None:
    witness = record.get("witness")
    return Trace(witness) if isinstance(witness, dict) and witness.get("kind") == "run" else None
