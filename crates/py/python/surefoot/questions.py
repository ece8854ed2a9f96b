"""The questions that can be asked of a model and a policy.

Each takes a model (:class:`surefoot.Model`, or the path of a JANI file), a policy in any form that :func:`surefoot.policy` takes, and the options of
the command of the same name. Each gives a :class:`surefoot.Result`. ``progress=True`` shows how far it is; a function is called with every event.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import results
from .builder.declare import parts
from .calls import Call, Progress
from .errors import UsageError
from .expressions import Expr, Name
from .model import Model
from .policies import POLICY, Policy, as_policy
from .results import Result
from .traces import Trace

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import options

ModelLike = Any
PolicyLike = Any

MODEL, PROPERTIES, PREDICATES, WITNESS, QUERY = "<model>", "<properties>", "<predicates>", "<witness>", "<query>"
#: What the second of two policies is called.
NEW = "<new>"


def verify(
    model: ModelLike,
    policy: PolicyLike = None,
    *,
    progress: bool | Progress | None = None,
    raise_interrupt: bool = False,
    **options: Unpack[options.Verify],
) -> results.VerifyResult:
    """Is any unsafe state reachable from any start state, whatever the environment does?

    >>> import surefoot
    >>> m = surefoot.ModelBuilder("walk")
    >>> x = m.int("x", 0, 9)
    >>> m.action("left").when(x > 0).do({x: x - 1})
    >>> m.action("right").when(x < 9).do({x: x + 1})
    >>> m.start(x == 5)
    >>> surefoot.verify(m.build(), never=x == 9).witness.actions
    ('right', 'right', 'right', 'right')
    """
    call = _call("verify", model, policy, options)
    return results.VerifyResult(call, call.run(progress, raise_interrupt))


def bounds(
    model: ModelLike,
    policy: PolicyLike = None,
    *,
    progress: bool | Progress | None = None,
    raise_interrupt: bool = False,
    **options: Unpack[options.Bounds],
) -> results.BoundsResult:
    """How likely is it at most that an unsafe state is reached?"""
    call = _call("bounds", model, policy, options)
    history: list[tuple[float, float, float]] = []

    def note(event: dict[str, Any]) -> None:
        lower, upper = event.get("lower"), event.get("upper")
        if isinstance(lower, float | int) and isinstance(upper, float | int):
            history.append((event["seconds"], float(lower), float(upper)))
        if callable(progress):
            progress(event)

    outcome = call.run(progress if progress is True else note, raise_interrupt)
    return results.BoundsResult(call, outcome, tuple(history))


def abstract(
    model: ModelLike,
    policy: PolicyLike = None,
    *,
    progress: bool | Progress | None = None,
    raise_interrupt: bool = False,
    **options: Unpack[options.Abstract],
) -> results.AbstractResult:
    """The policy predicate abstraction for given predicates."""
    call = _call("abstract", model, policy, options)
    return results.AbstractResult(call, call.run(progress, raise_interrupt))


def ctl(
    model: ModelLike,
    formula: str | None = None,
    policy: PolicyLike = None,
    *,
    progress: bool | Progress | None = None,
    raise_interrupt: bool = False,
    **options: Unpack[options.Ctl],
) -> results.CtlResult:
    """Does a formula of bounded CTL hold in all start states?"""
    call = _call("ctl", model, policy, {**options, "formula": formula})
    return results.CtlResult(call, call.run(progress, raise_interrupt))


def simulate(
    model: ModelLike,
    policy: PolicyLike = None,
    *,
    progress: bool | Progress | None = None,
    raise_interrupt: bool = False,
    **options: Unpack[options.Simulate],
) -> results.SimulateResult:
    """Random runs: what they show is no proof."""
    call = _call("simulate", model, policy, options)
    return results.SimulateResult(call, call.run(progress, raise_interrupt))


def explore(
    model: ModelLike,
    policy: PolicyLike = None,
    *,
    progress: bool | Progress | None = None,
    raise_interrupt: bool = False,
    **options: Unpack[options.Question],
) -> results.ExploreResult:
    """Visits all reachable states and counts them."""
    call = _call("explore", model, policy, options)
    return results.ExploreResult(call, call.run(progress, raise_interrupt))


def check(model: ModelLike, policy: PolicyLike = None, **options: Unpack[options.Question]) -> results.CheckResult:
    """Reads everything and says what it is."""
    call = _call("check", model, policy, options)
    return results.CheckResult(call, call.run())


def explain(model: ModelLike, policy: PolicyLike = None, **options: Unpack[options.Explain]) -> results.ExplainResult:
    """What a choice of the policy in a state hinges on."""
    given: dict[str, Any] = dict(options)
    state, files = given.get("state"), {}
    if isinstance(state, Mapping):
        given["state"] = ", ".join(f"{name}={str(value).lower()}" for name, value in state.items())
    if given.get("run") is not None and not isinstance(given["run"], (str, os.PathLike)):
        files[WITNESS] = _witness(given["run"])
        given["run"] = WITNESS
    call = _call("explain", model, policy, given, files)
    return results.ExplainResult(call, call.run())


def diff(
    model: ModelLike,
    old: PolicyLike,
    new: PolicyLike,
    *,
    progress: bool | Progress | None = None,
    raise_interrupt: bool = False,
    **options: Unpack[options.Diff],
) -> results.DiffResult:
    """Do two policies choose alike, and does a proof about the first hold of the second?

    In every reachable state, or with ``region`` in every state of a condition; with ``invariant`` (a certificate) or
    ``prove``: is the invariant that proves the first safe inductive under the second?
    """
    call = _call("diff", model, old, options)
    given, held = dict(call.options), dict(call.files)
    if "policy" not in given:
        raise UsageError("diff compares two policies, and the first is missing")
    second, files = _policy(new, model, NEW)
    held.update(files)
    call = Call(call.command, call.positional, {**given, "policy": [given["policy"], second]}, held)
    return results.DiffResult(call, call.run(progress, raise_interrupt))


def replay(
    witness: Result | Trace | Mapping[str, Any] | str | os.PathLike[str],
    model: ModelLike,
    policy: PolicyLike = None,
    **options: Unpack[options.Question],
) -> results.ReplayResult:
    """Steps through a run in exact arithmetic: is it one of the model under the policy?"""
    if isinstance(witness, (str, os.PathLike)):
        call = _call("replay", model, policy, options, {}, (os.fspath(witness),))
    else:
        call = _call("replay", model, policy, options, {WITNESS: _witness(witness)}, (WITNESS,))
    return results.ReplayResult(call, call.run())


def certify(
    certificate: str | os.PathLike[str],
    model: ModelLike,
    policy: PolicyLike = None,
    **options: Unpack[options.Certify],
) -> results.CertifyResult:
    """What the independent checker says of a certificate."""
    call = _call("certify", model, policy, options, {}, (os.fspath(certificate),))
    return results.CertifyResult(call, call.run())


def decide(
    query: Mapping[str, Any] | list[Mapping[str, Any]] | str | os.PathLike[str],
    network: Policy | str | os.PathLike[str],
    *,
    progress: bool | Progress | None = None,
    raise_interrupt: bool = False,
    **options: Unpack[options.Decide],
) -> results.DecideResult:
    """Single questions about a network: is there an input with a wanted property?

    The query is that of the command line: a path, or what would be in the file.
    """
    files: dict[str, bytes] = {}
    if isinstance(query, (Mapping, list)):
        files[QUERY] = json.dumps(query).encode()
        query = QUERY
    if isinstance(network, Policy):
        if len(network.networks) != 1:
            raise UsageError(f"decide is about one network, and the policy has {len(network.networks)}")
        [(name, data)] = network.networks.items()
        files[name] = data
        network = name
    call = Call("decide", (os.fspath(query),), {**options, "network": network}, files)
    return results.DecideResult(call, call.run(progress, raise_interrupt))


def _witness(witness: Result | Trace | Mapping[str, Any]) -> bytes:
    if isinstance(witness, Result):
        return witness.to_json().encode()
    record = witness.to_json() if isinstance(witness, Trace) else witness
    return json.dumps(record).encode()


def _call(
    command: str,
    model: ModelLike,
    policy: PolicyLike,
    options: Mapping[str, Any],
    files: Mapping[str, bytes] | None = None,
    before: tuple[str, ...] = (),
) -> Call:
    """The call of a question about a model."""
    given, held = dict(options), dict(files or {})
    if isinstance(model, (str, os.PathLike)):
        place = os.fspath(model)
    elif isinstance(model, Model):
        place = MODEL
        held.update(model.files())
    else:
        raise UsageError(f"a model is a surefoot.Model or the path of a JANI file, not {type(model).__name__}")
    if isinstance(model, Model):
        for name, value in given.items():
            _check_members(name, value, model)
    properties = given.get("properties")
    if isinstance(properties, Mapping):
        held[PROPERTIES] = json.dumps(properties).encode()
        given["properties"] = PROPERTIES
    predicates = given.get("predicates")
    if isinstance(predicates, (list, tuple)):
        held[PREDICATES] = json.dumps([_jani(predicate) for predicate in predicates]).encode()
        given["predicates"] = PREDICATES
    if policy is not None:
        given["policy"], files_of_policy = _policy(policy, model, POLICY)
        held.update(files_of_policy)
    # A file whose name begins like an option is one.
    files_named = (f"./{file}" if file.startswith("-") else file for file in (*before, place))
    return Call(command, tuple(files_named), given, held)


def _policy(policy: PolicyLike, model: ModelLike, name: str) -> tuple[str, dict[str, bytes]]:
    """Where a policy is, and what is in memory of it: then it has that name."""
    if isinstance(policy, (str, os.PathLike)) and str(os.fspath(policy)).endswith((".policy.json", ".jani2nnet")):
        return os.fspath(policy), {}
    read = as_policy(policy, model if isinstance(model, Model) else Model.from_jani(model))
    return name, read.files(name)


def _check_members(option: str, value: object, model: Model) -> None:
    """That an expression of another model does not count other members by the same name."""
    if not isinstance(value, Expr):
        return
    known = {variable.name: variable.members for variable in model.variables}
    for part in parts(value):
        if isinstance(part, Name) and part.members is not None and known.get(part.name, part.members.names) != part.members.names:
            raise UsageError(f"{option}: '{part.name}' is of another model, where it has other members; use {model.name}'s own")


def _jani(predicate: object) -> object:
    found = getattr(predicate, "jani", None)
    if found is None:
        raise UsageError(f"a predicate is an expression of the builder, not {predicate!r}; texts go into a file")
    return found
