"""Where in the user's Python something was written.

Models are built by calls from the user's program. What is wrong with them is told with the line of that program, so
every part of a model keeps its place, and every complaint begins with one. A place is the first frame of the call stack
that is not this package's.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from .errors import ModelError

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def here() -> Place:
    """The line of the user's program that is being run."""
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


def fault(message: str, place: Place | None = None) -> ModelError:
    """The exception for something wrong at a place: the line that is being run, unless another one is to blame."""
    return ModelError(f"{place or here()}: {message}")
