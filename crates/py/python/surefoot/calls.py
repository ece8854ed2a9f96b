"""From a question in Python to a task of the engines, and back.

A question is what the command line would be told: a command, files, options. Options have the command line's names with underscores; values are
written as the command line reads them, so that there is one reader and one set of rules. What is in memory stays there: it is held under names
in angle brackets, which results list among their inputs.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any

from . import _native
from .errors import Error, InputError, InternalError, UsageError
from .expressions import Expr

#: Options that are on or off on the command line.
SWITCHES = frozenset({"filter", "slice", "falsify"})
#: Options that are conditions or numbers over the state, as text or as an expression.
TEXTS = frozenset({"never", "start", "goal", "weights", "reward", "formula", "property", "region"})
#: Options that may be given several times.
REPEATED = frozenset({"properties", "policy"})

Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Call:
    """What the engines are asked: kept by results, so that the same can be asked again."""

    command: str
    positional: tuple[str, ...]
    options: Mapping[str, object]
    files: Mapping[str, bytes] = field(repr=False)

    def words(self) -> list[str]:
        """The command line."""
        words = [*self.command.split(), *self.positional]
        for name, value in self.options.items():
            words.extend(_words(name, value))
        return words

    def having(self, **options: object) -> Call:
        """The same with other options."""
        return Call(self.command, self.positional, {**self.options, **options}, self.files)

    def run(self, progress: bool | Progress | None = None, raise_interrupt: bool = False) -> _native.Outcome:
        """Asks.

        The interpreter is free meanwhile. Ctrl-C ends the search with what it has found so far; with ``raise_interrupt``
        that is a ``KeyboardInterrupt``, and a second Ctrl-C always is.
        """
        report, close = _reporter(progress, self.command)
        try:
            outcome = _native.run(self.words(), dict(self.files), report)
        except _native.NativeError as error:
            raise translated(error) from None
        except UnicodeEncodeError as error:
            raise UsageError(f"an option is no text: {error}") from None
        finally:
            close()
        if outcome.interrupted and raise_interrupt:
            raise KeyboardInterrupt(outcome.text.splitlines()[0])
        return outcome


def translated(error: _native.NativeError) -> Error:
    """An error of the engines as one of ours, with options spelt as Python has them."""
    kind, message = error.args
    if kind == "usage":
        text = re.sub(r"\n+(Usage:|For more information)[^\n]*", "", message)
        return UsageError(pythonic(text.removeprefix("error: ").strip()))
    if kind == "internal":
        return InternalError(f"{message}\nthis is a bug in Surefoot, not in your model; there is no verdict. Please report it")
    return InputError(pythonic(message.removeprefix("error: ")))


def pythonic(text: str) -> str:
    """A message with options as keywords: ``--time-limit`` is ``time_limit``."""
    return re.sub(r"--([a-z][a-z0-9-]*)", lambda found: found[1].replace("-", "_"), text)


def _words(name: str, value: object) -> Iterable[str]:
    option = "--" + name.replace("_", "-")
    if name in TEXTS and isinstance(value, bool):
        # What a comparison of things that are no expressions comes to.
        raise UsageError(f"{name} is a text or an expression over the model's variables, and not Python's {value}")
    if value is None or value is False and name not in SWITCHES:
        return
    if name == "constants":
        if not isinstance(value, Mapping):
            raise UsageError(f"constants is a dictionary of names and values, not {type(value).__name__}")
        for constant, number in value.items():
            yield f"--const={constant}={_text(f'constants[{constant!r}]', number)}"
    elif name in SWITCHES and isinstance(value, bool):
        yield f"{option}={'on' if value else 'off'}"
    elif value is True:
        yield option
    elif name in REPEATED and isinstance(value, (list, tuple)):
        for one in value:
            yield f"{option}={_text(name, one)}"
    else:
        yield f"{option}={_text(name, value)}"


def _text(name: str, value: object) -> str:
    """A value as the command line reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, Integral, Fraction, Decimal)):
        return str(value)
    if isinstance(value, float):
        # Every digit that the number has, and no exponent.
        return format(Decimal(repr(value)), "f") if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value) if isinstance(os.fspath(value), str) else os.fsdecode(value)
    if isinstance(value, Expr):
        return str(value)
    raise UsageError(f"{name} cannot be {value!r} (of type {type(value).__name__})")


def _reporter(progress: bool | Progress | None, command: str) -> tuple[Callable[[str], None] | None, Callable[[], None]]:
    """Who is told how far it is: a callback, tqdm where it is there, or nobody."""
    if progress is None or progress is False:
        return None, lambda: None
    if callable(progress):
        tell = progress
        return lambda event: tell(json.loads(event)), lambda: None
    if progress is not True:
        raise UsageError(f"progress is True, False or a function, not {progress!r}")
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return lambda event: print(json.loads(event)["line"], file=sys.stderr), lambda: None
    bar = tqdm(desc=command, bar_format="{desc}: {elapsed} {postfix}", leave=False)
    return lambda event: bar.set_postfix_str(json.loads(event)["line"]), bar.close
