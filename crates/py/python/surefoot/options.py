"""The options of questions, as the command line has them; *The command line* in the book says what each means.

Names are the command line's with underscores. Texts of conditions may be expressions of the builder. Limits are in seconds and megabytes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from .expressions import Expr

Path = Union[str, "os.PathLike[str]"]
Text = Union[str, "Expr"]
Number = Union[int, float, Fraction, Decimal, str]


class Limits(TypedDict, total=False):
    """What may be spent, and the seed."""

    time_limit: float | None
    memory_limit: int | None
    threads: int | None
    seed: int


class Question(Limits, total=False):
    """What a question is about."""

    properties: Path | Sequence[Path] | Mapping[str, Any] | None
    property: str | int | None
    never: Text | None
    start: Text | None
    goal: Text | None
    constants: Mapping[str, int | float | bool | Fraction | str] | None
    filter: bool | None
    goal_terminal: bool
    ignore_predicates: bool
    plaja_compat: bool


class Certifying(TypedDict, total=False):
    """Certificates."""

    certificate: Path | None
    certify: bool


class Refinement(TypedDict, total=False):
    """How predicates are found."""

    preset: str | None
    epsilon: float | None
    order: str | None
    relaxed_check: bool
    predicates: Path | Sequence[Text] | None
    predicates_out: Path | None
    checkpoint: Path | None
    falsify: bool | None
    max_iterations: int | None


class Oracle(TypedDict, total=False):
    """Other people's solvers."""

    oracle: Literal["builtin", "z3", "cvc5", "marabou", "highs", "paper"] | None
    python: Path | None


class Page(TypedDict, total=False):
    """A page that shows the result."""

    report: Path | None
    drawing: Path | None


class Verify(Question, Certifying, Refinement, Oracle, Page, total=False):
    """Of :func:`surefoot.verify`."""

    engine: Literal["auto", "explicit", "cegar", "bmc"]
    slice: bool
    max_depth: int | None
    witness: Literal["shortest", "likeliest"] | None
    per_start: Path | None
    always_reach: bool
    within: int | None
    formula: str | None
    assume: Literal["no-errors"] | None


class Bounds(Question, Certifying, Refinement, Page, total=False):
    """Of :func:`surefoot.bounds`."""

    engine: Literal["auto", "explicit", "partial", "cegar"]
    slice: bool
    within: int | None
    p_max: Number | None
    precision: float | None
    exact: bool
    mean: bool
    weights: Text | None
    expect: Literal["max", "min"] | None
    reward: Text | None
    assume: Literal["no-errors"] | None
    algorithm: Literal["auto", "paper"] | None
    p_eps: float | None
    p_step: float | None
    p_init: float | None
    exact_policy: bool
    explicit_values: int | None
    concrete_states: int | None


class Abstract(Question, Certifying, Oracle, Page, total=False):
    """Of :func:`surefoot.abstract`."""

    predicates: Path | Sequence[Text] | None
    method: str | None
    graph: Path | None
    count: Literal["pair", "operator"] | None
    expand_unsafe: bool
    first_unsafe: bool
    max_states: int | None
    deadlocks: bool
    distributions: bool
    assume: Literal["no-errors"] | None


class Ctl(Question, Page, total=False):
    """Of :func:`surefoot.ctl`."""

    method: Literal["auto", "exact", "monolithic", "compositional"]
    jobs: int | None
    solver: Path | None
    write_lp: Path | None
    assume: Literal["no-errors"] | None


class Simulate(Question, total=False):
    """Of :func:`surefoot.simulate`."""

    runs: int
    steps: int
    traces: Path | None


class Decide(Limits, Certifying, total=False):
    """Of :func:`surefoot.decide`."""

    activation: str | None
    witness: Path | None


class Certify(Question, total=False):
    """Of :func:`surefoot.certify`."""

    assume: Literal["no-errors"] | None
    network: Path | None


class Diff(Question, total=False):
    """Of :func:`surefoot.diff`."""

    engine: Literal["auto", "explicit", "region"] | None
    region: Text | None
    invariant: Path | None
    prove: bool


class Explain(Question, total=False):
    """Of :func:`surefoot.explain`."""

    state: str | Mapping[str, int | bool] | None
    run: Any
    step: int
