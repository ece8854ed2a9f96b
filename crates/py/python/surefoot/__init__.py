"""Surefoot proves a neural action policy safe in its environment, or shows how it fails.

A model is what the agent acts in (:class:`Model`, :class:`ModelBuilder`), a policy is what it does (:func:`policy`), and questions are functions:
:func:`verify`, :func:`bounds`, :func:`ctl` and others. Answers are typed (:class:`Result`); what goes wrong is an :class:`Error`.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from .batches import Cells, Item, Task, batch, combine, grid
from .builder import ModelBuilder, between
from .conform import Conformance, Difference, conform
from .errors import Error, InputError, InternalError, MissingExtra, ModelError, PolicyError, UsageError
from .expressions import Expr
from .functions import all_of, any_of, ceil, floor, ite, maximum, minimum
from .model import Model
from .policies import Policy
from .policies import as_policy as policy
from .questions import abstract, bounds, certify, check, ctl, decide, diff, explain, explore, replay, simulate, verify
from .results import Interval, Result
from .traces import Decision, Step, Trace

try:
    __version__ = version("surefoot")
except PackageNotFoundError:  # From a source tree.
    __version__ = "0.0.0"

__all__ = [
    "Cells",
    "Conformance",
    "Decision",
    "Difference",
    "Error",
    "Expr",
    "InputError",
    "InternalError",
    "Interval",
    "Item",
    "MissingExtra",
    "Model",
    "ModelBuilder",
    "ModelError",
    "Policy",
    "PolicyError",
    "Result",
    "Step",
    "Task",
    "Trace",
    "UsageError",
    "abstract",
    "all_of",
    "any_of",
    "batch",
    "between",
    "bounds",
    "ceil",
    "certify",
    "check",
    "combine",
    "conform",
    "ctl",
    "decide",
    "diff",
    "explain",
    "explore",
    "floor",
    "grid",
    "ite",
    "maximum",
    "minimum",
    "policy",
    "replay",
    "simulate",
    "verify",
]
