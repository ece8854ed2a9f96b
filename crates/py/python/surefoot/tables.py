"""Models from the tables of Gymnasium's tabular environments: FrozenLake, CliffWalking, Taxi, and any other that has
``P``.

``env.unwrapped.P[state][action]`` is a list of ``(probability, next state, reward, terminated)``. The model has

* an integer ``state``, or several variables that it is put together from (``shape={"row": 4, "col": 12}``, the last one
  changing fastest);
* the automaton ``episode``, at ``running`` until a step terminates, and then at ``over``, where nothing happens; the
  transient variable ``done`` says so, too;
* with ``reward=True`` the variable ``reward``: what the last step earned, 0 before the first. Falling from the cliff is
  ``reward = -100``, an illegal pick-up of the taxi ``reward = -10``. A start condition then has to say ``reward = 0``,
  or it means all values.

The table's probabilities are floats; the fractions that they stand for are recovered, and must sum to one exactly. Runs
start where ``initial_state_distrib`` is positive. There is one edge for each state and action: 64 for FrozenLake, 192
for CliffWalking, 3000 for Taxi, which is a document of 600 kB that takes a tenth of a second to read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .builder import ModelBuilder
from .errors import ModelError
from .expressions import Expr, Name
from .functions import all_of, any_of
from .model import Model

_LABELS = {
    "FrozenLake": ("left", "down", "right", "up"),
    "CliffWalking": ("up", "right", "down", "left"),
    "Taxi": ("south", "north", "east", "west", "pickup", "dropoff"),
}
# Larger denominators are no probabilities that somebody meant.
_LARGEST_DENOMINATOR = 10_000
_CLOSE = Fraction(1, 10**9)


class Entry(NamedTuple):
    """An outcome of an action."""

    successor: int
    reward: Fraction
    terminated: bool


Row = dict[Entry, Fraction]


class TableModel(Model):
    """A model of a tabular environment."""

    def __init__(
        self,
        jani: str,
        shape: Mapping[str, int],
        rows: Mapping[tuple[int, int], Row],
        notes: Sequence[str],
    ) -> None:
        super().__init__(jani)
        self.notes = tuple(notes)
        """What was inferred from the table."""
        self._shape = dict(shape)
        self.observed = tuple(shape)
        entries = [entry for row in rows.values() for entry in row]
        self.rewards = tuple(sorted({entry.reward for entry in entries}))
        """The rewards that the table has."""
        self._ends: dict[int, set[Fraction]] = {}
        for entry in entries:
            if entry.terminated:
                self._ends.setdefault(entry.successor, set()).add(entry.reward)

    @property
    def state(self) -> Expr:
        """The number of the state in the table, as an expression."""
        first, *rest = self._shape
        number: Expr = self[first]
        for name in rest:
            number = number * self._shape[name] + self[name]
        return number

    @property
    def goal(self) -> Expr:
        """That the episode ended in a state in which it ends with the largest reward."""
        return self._ended(lambda rewards: max(rewards) == self._best())

    @property
    def failure(self) -> Expr:
        """That the episode ended elsewhere, as in a hole of FrozenLake. Nowhere, if it ends in no other state."""
        return self._ended(lambda rewards: max(rewards) < self._best())

    def _best(self) -> Fraction:
        return max((max(rewards) for rewards in self._ends.values()), default=Fraction(0))

    def _ended(self, wanted: Callable[[set[Fraction]], bool]) -> Expr:
        states = [state for state, rewards in sorted(self._ends.items()) if wanted(rewards)]
        return self.at("episode", "over") & any_of([self.is_state(state) for state in states])

    def is_state(self, number: int) -> Expr:
        """That the table's state is this one."""
        return all_of([self[name] == value for name, value in self.decode(number).items()])

    def decode(self, number: int) -> dict[str, int]:
        """The values of the variables for a state of the table."""
        return decoded(number, self._shape)


def decoded(number: int, shape: Mapping[str, int]) -> dict[str, int]:
    """The digits of a number in a mixed radix, the last one changing fastest.

    >>> decoded(25, {"row": 4, "col": 12})
    {'row': 2, 'col': 1}
    """
    values = {}
    for name, size in reversed(list(shape.items())):
        number, values[name] = divmod(number, size)
    return dict(reversed(values.items()))


def from_gym(
    env: Any,
    *,
    name: str | None = None,
    actions: Sequence[str] | None = None,
    shape: Mapping[str, int] | None = None,
    reward: bool = False,
) -> TableModel:
    """The model of an environment with a table; :mod:`surefoot.tables` says what is in it.

    ``actions`` are the labels in the order of the environment's actions; the known environments have names for theirs,
    others ``a0``, ``a1``, ...
    """
    inner = getattr(env, "unwrapped", env)
    table = getattr(inner, "P", None)
    if table is None:
        raise ModelError(
            f"{type(inner).__name__} has no table of transitions, env.unwrapped.P; write its model with "
            "surefoot.ModelBuilder, "
            "and compare the two with surefoot.conform"
        )
    notes: list[str] = []
    rows = _rows(table, notes)
    count = 1 + max(state for state, _ in rows)
    used = dict(shape) if shape is not None else {"state": count}
    if math.prod(used.values()) != count:
        raise ModelError(f"the table has {count} states, and {' x '.join(map(str, used.values()))} is not as many")
    kind = type(inner).__name__.removesuffix("Env")
    labels = _labels(kind, 1 + max(action for _, action in rows), actions)
    m = ModelBuilder(name or kind, actions=labels)
    variables = {each: m.int(each, 0, size - 1) for each, size in used.items()}
    done = m.bool("done", initial=False, transient=True)
    episode = m.automaton("episode")
    episode.location("running")
    episode.location("over", values={done: True})
    earned = _reward_variable(m, rows) if reward else None
    for (state, action), row in rows.items():
        guard = [variables[each] == value for each, value in decoded(state, used).items()]
        outcomes = [
            (probability, _updates(variables, earned, state, entry, used), "over" if entry.terminated else "running")
            for entry, probability in _merged(row, keep_rewards=reward).items()
        ]
        edge = episode.action(labels[action]).at("running").when(*guard)
        if len(outcomes) == 1:
            edge.do(outcomes[0][1], to=outcomes[0][2])
        else:
            edge.outcomes(*outcomes)
    starts = _starts(inner, count, notes)
    if len(starts) < count:
        m.start(
            any_of(
                [all_of([variables[each] == value for each, value in decoded(state, used).items()]) for state in starts]
            )
        )
    return TableModel(json.dumps(m.document(), ensure_ascii=False), used, rows, notes)


def _labels(kind: str, count: int, actions: Sequence[str] | None) -> list[str]:
    if actions is None:
        known = _LABELS.get(kind, ())
        return list(known) if len(known) == count else [f"a{action}" for action in range(count)]
    if len(actions) != count or len(set(actions)) != count:
        raise ModelError(f"the table has {count} actions; {list(actions)} are not as many different labels")
    return list(actions)


def _rows(table: Any, notes: list[str]) -> dict[tuple[int, int], Row]:
    """The table with exact probabilities."""
    read: dict[float, Fraction] = {}
    rows: dict[tuple[int, int], Row] = {}
    for state, by_action in table.items() if isinstance(table, Mapping) else enumerate(table):
        for action, outcomes in by_action.items() if isinstance(by_action, Mapping) else enumerate(by_action):
            row: Row = {}
            for probability, successor, reward, terminated in outcomes:
                exact = read.setdefault(float(probability), _fraction(float(probability)))
                if exact:
                    entry = Entry(int(successor), Fraction(str(reward)), bool(terminated))
                    row[entry] = row.get(entry, Fraction(0)) + exact
            if outcomes and sum(row.values()) != 1:
                raise ModelError(
                    f"the probabilities of action {action} in state {state} of the table sum to {sum(row.values())}, "
                    "not to 1"
                )
            if outcomes:
                rows[int(state), int(action)] = row
    if not rows:
        raise ModelError("the table of transitions is empty")
    for found, exact in sorted(read.items()):
        if Fraction(found) != exact:
            notes.append(f"the probability {found!r} of the table was read as {exact}")
    return rows


def _fraction(probability: float) -> Fraction:
    if not 0 <= probability <= 1 + 1e-9:
        raise ModelError(f"the table has the probability {probability}")
    exact = Fraction(probability).limit_denominator(_LARGEST_DENOMINATOR)
    return exact if abs(exact - Fraction(probability)) < _CLOSE else Fraction(repr(probability))


def _merged(row: Row, keep_rewards: bool) -> Row:
    """The row, with outcomes put together that differ only in what is not kept."""
    result: Row = {}
    for entry, probability in row.items():
        kept = entry if keep_rewards else entry._replace(reward=Fraction(0))
        result[kept] = result.get(kept, Fraction(0)) + probability
    return result


def _reward_variable(m: ModelBuilder, rows: Mapping[tuple[int, int], Row]) -> Name:
    rewards = {entry.reward for row in rows.values() for entry in row} | {Fraction(0)}
    if any(reward.denominator != 1 for reward in rewards):
        raise ModelError(
            "only rewards that are integers can be a variable, and the table has "
            f"{', '.join(map(str, sorted(rewards)))}"
        )
    return m.int("reward", int(min(rewards)), int(max(rewards)), initial=0)


def _updates(
    variables: Mapping[str, Name], earned: Name | None, state: int, entry: Entry, shape: Mapping[str, int]
) -> dict[Name, int]:
    """The new values: only of what changes, which is easier to read and to compute with."""
    before, after = decoded(state, shape), decoded(entry.successor, shape)
    updates = {variables[each]: value for each, value in after.items() if value != before[each]}
    return updates if earned is None else {**updates, earned: int(entry.reward)}


def _starts(inner: Any, count: int, notes: list[str]) -> list[int]:
    distribution = getattr(inner, "initial_state_distrib", None)
    if distribution is None:
        notes.append("the environment does not say where it starts, so every state is a start state")
        return list(range(count))
    return [state for state, probability in enumerate(distribution) if probability > 0]
