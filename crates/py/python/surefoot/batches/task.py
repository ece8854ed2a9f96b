"""Questions that can be sent elsewhere, and what came of them."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .. import _native, questions, results
from ..calls import Call, translated
from ..errors import Error, UsageError
from ..results import Result

try:
    VERSION = version("surefoot")
except PackageNotFoundError:  # From a source tree.
    VERSION = ""

#: The questions that can be sent, and what they are answered with.
KINDS: dict[str, type[Result]] = {
    "verify": results.VerifyResult,
    "bounds": results.BoundsResult,
    "abstract": results.AbstractResult,
    "ctl": results.CtlResult,
    "simulate": results.SimulateResult,
    "explore": results.ExploreResult,
}


@dataclass(frozen=True)
class Answer:
    """What the engines said, as it is sent and kept; read like their own outcome."""

    exit: int
    result: str
    text: str
    notes: list[str]
    interrupted: bool = False


@dataclass(frozen=True)
class Task:
    """A question that can be sent elsewhere: everything that it is about is in it.

    >>> import surefoot
    >>> m = surefoot.ModelBuilder("walk")
    >>> x = m.int("x", 0, 9, initial=5)
    >>> _ = m.action("right").when(x < 9).do({x: x + 1})
    >>> task = Task.of("verify", m.build(), never=x == 9)
    >>> task.answer().verdict
    'violated'
    """

    name: str
    call: Call
    #: Seconds after which whoever answers is ended.
    most_seconds: float | None = None
    key: str = field(default="", compare=False)

    @staticmethod
    def of(command: str, model: Any, policy: Any = None, *, name: str | None = None, **options: Any) -> Task:
        """The task of a question: its name and its arguments. Files that paths name are read where it is answered."""
        if command not in KINDS:
            raise UsageError(f"a task is one of {', '.join(KINDS)}, not {command!r}")
        call = questions._call(command, model, policy, options)
        # Texts of expressions, and nothing that only this process has.
        words = call.words()
        call = Call(command, tuple(words[1:]), {}, call.files)
        limit = options.get("time_limit")
        most = None if limit is None else 1.1 * float(limit) + 10
        return Task(name or f"{command} {_shown(options)}".strip(), call, most, _key(words, call.files))

    def answer(self) -> Result:
        """Answers it here."""
        return self.result(self.call.run())

    def result(self, answer: _native.Outcome | Answer) -> Result:
        """The result of an answer from elsewhere."""
        return KINDS[self.call.command](self.call, answer)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Item:
    """What came of a task: a result, or why there is none."""

    task: Task
    result: Result | None
    error: str | None
    seconds: float
    #: Whether it was taken from the folder of an earlier run.
    kept: bool = False

    @property
    def name(self) -> str:
        """The task's name."""
        return self.task.name

    @property
    def verdict(self) -> str | None:
        """The verdict; ``None`` where there is no result."""
        return None if self.result is None else self.result.verdict


def grid(
    command: str,
    model: Any,
    policies: Mapping[str, Any],
    questions: Mapping[str, Mapping[str, Any]],
    seeds: Sequence[int] = (0,),
    **options: Any,
) -> Iterator[Task]:
    """Policies times questions times seeds; names are joined by slashes."""
    for (policy_name, policy), (name, question), seed in itertools.product(policies.items(), questions.items(), seeds):
        parts = [policy_name, name, *([f"seed {seed}"] if len(seeds) > 1 else [])]
        yield Task.of(command, model, policy, name="/".join(parts), seed=seed, **{**options, **question})


def work(words: Sequence[str], files: Mapping[str, bytes]) -> Answer | str:
    """Answers in a process or on a machine of its own; a text says what is wrong."""
    try:
        outcome = _native.run(list(words), dict(files))
    except _native.NativeError as error:
        return _told(translated(error))
    return Answer(outcome.exit, outcome.result, outcome.text, outcome.notes, outcome.interrupted)


def _told(error: Error) -> str:
    return f"{type(error).__name__}: {error}"


def _shown(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items() if value is not None)


def _key(words: Sequence[str], files: Mapping[str, bytes]) -> str:
    """What tells a task from others: the words, what is in memory, and the version. Files that paths name are compared when an answer is taken."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    return hashlib.sha256(json.dumps([VERSION, list(words), hashes]).encode()).hexdigest()
