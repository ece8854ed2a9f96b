"""Does a model do what an environment does?

A proof is about the model. :func:`conform` drives the environment, and checks after every step that the model allows
what happened. What it finds is a difference; that it finds none is evidence, not a proof: it has seen only the runs
that it made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .differences import Conformance, Difference
from .errors import UsageError
from .expressions import Expr
from .interpret import State
from .model import Model
from .possibilities import Possibilities
from .tables import TableModel

__all__ = ["Conformance", "Difference", "conform"]

Observe = Callable[[Any, Any, Mapping[str, Any]], Mapping[str, Any]]

# Replays that shrinking may take.
_MOST_REPLAYS = 500


def conform(
    env: Any,
    model: Model,
    *,
    observe: Observe | None = None,
    actions: Sequence[str] | Mapping[str, Any] | None = None,
    policy: Any = None,
    episodes: int = 100,
    max_steps: int = 200,
    seed: int = 0,
    masked: bool | None = None,
    terminated: Expr | None = None,
    constants: Mapping[str, Any] | None = None,
) -> Conformance:
    """Drives a Gymnasium environment, and compares each step with the model.

    * ``observe(env, observation, info)`` gives the model's state as a dictionary, or the part of it that can be seen;
      by default the numbers of the observation are the variables in their order. An array is a list, a location
      ``"<automaton>"``.
    * ``actions``: the labels in the order of the environment's actions, or a dictionary from labels to actions; by
      default those of the model.
    * ``policy``: a function from observations to actions, or something that has ``predict`` as Stable-Baselines3's
      models do. Every second episode is its.
    * ``masked``: only actions that the model has are tried; by default where the environment has ``action_masks``,
      which are compared, too. Else every action is tried everywhere, and one that the model does not have is a
      difference.
    * ``terminated``: the condition under which episodes should end.

    >>> import gymnasium
    >>> from surefoot.model import Model
    >>> env = gymnasium.make("CliffWalking-v1")
    >>> conform(env, Model.from_gym(env), episodes=10).agrees
    True
    """
    if terminated is None and isinstance(model, TableModel):
        terminated = model.at("episode", "over")
    return _Comparison(
        env, model, observe or _default(model), _pairs(env, model, actions), masked, terminated, constants
    ).run(policy, episodes, max_steps, seed)


class _Found(Exception):
    """A difference, on its way out of an episode."""

    def __init__(self, difference: Difference) -> None:
        self.difference = difference


class _Comparison:
    """An environment and a model, side by side."""

    def __init__(
        self,
        env: Any,
        model: Model,
        observe: Observe,
        actions: Mapping[str, Any],
        masked: bool | None,
        terminated: Expr | None,
        constants: Mapping[str, Any] | None,
    ) -> None:
        self.env, self.observe, self.actions = env, observe, actions
        self.labels = list(actions)
        self.has_masks = hasattr(getattr(env, "unwrapped", env), "action_masks")
        self.masked = self.has_masks if masked is None else masked
        self.terminated = None if terminated is None else terminated.jani
        self.possibilities = Possibilities(model, self.labels, constants)
        self.steps = 0

    def run(self, policy: Any, episodes: int, max_steps: int, seed: int) -> Conformance:
        for episode in range(episodes):
            random = np.random.default_rng([seed, episode])
            follow = policy if episode % 2 else None
            taken: list[str] = []

            def choose(
                observation: Any,
                possible: set[str],
                random: Any = random,
                follow: Any = follow,
                taken: list[str] = taken,
            ) -> str | None:
                if len(taken) == max_steps:
                    return None
                label = self._followed(follow, observation) if follow is not None else self._drawn(random, possible)
                if label is not None:
                    taken.append(label)
                return label

            found = self._episode(seed + episode, choose)
            if found is not None:
                return Conformance(self._shrunk(found), episode + 1, self.steps)
        return Conformance(None, episodes, self.steps)

    def _drawn(self, random: Any, possible: set[str]) -> str | None:
        labels = [label for label in self.labels if label in possible] if self.masked else self.labels
        return str(random.choice(labels)) if labels else None

    def _followed(self, policy: Any, observation: Any) -> str:
        action = (
            policy.predict(observation, deterministic=True)[0] if hasattr(policy, "predict") else policy(observation)
        )
        for label, known in self.actions.items():
            if np.array_equal(known, action):
                return label
        raise UsageError(f"the policy chose {action!r}, which is no action of {list(self.actions.values())}")

    def _replayed(self, seed: int, actions: Sequence[str]) -> Difference | None:
        """Takes given actions; one that the model does not have is passed over where only those count that it has."""
        waiting = list(actions)

        def choose(_: Any, possible: set[str]) -> str | None:
            while waiting and self.masked and waiting[0] not in possible:
                waiting.pop(0)
            return waiting.pop(0) if waiting else None

        return self._episode(seed, choose)

    def _episode(self, seed: int, choose: Callable[[Any, set[str]], str | None]) -> Difference | None:
        """Plays until there is a difference or no next action."""
        taken: list[str] = []
        states: set[State] = set()

        def found(
            kind: Any, message: str, observed: Mapping[str, Any], before: set[State], allowed: set[State]
        ) -> _Found:
            described = [
                tuple(map(self.possibilities.interpreter.describe, sorted(each, key=repr)))
                for each in (before, allowed)
            ]
            return _Found(
                Difference(
                    kind, seed, tuple(taken), described[0], dict(observed), described[1], message, len(taken), True
                )
            )

        try:
            observation, info = self.env.reset(seed=seed)
            observed = self.observe(self.env, observation, info)
            states = self.possibilities.starts(self.possibilities.seen(observed))
            if not states:
                raise found("start", "the environment starts where the model does not", observed, set(), set())
            while True:
                possible = self.possibilities.possible(states)
                self._compare_masks(found, observed, states, possible)
                label = choose(observation, possible)
                if label is None:
                    return None
                taken.append(label)
                observation, _, terminated, truncated, info = self.env.step(self.actions[label])
                self.steps += 1
                before, observed = states, self.observe(self.env, observation, info)
                if label not in possible:
                    raise found(
                        "action",
                        f"the environment takes '{label}' where the model does not have it",
                        observed,
                        before,
                        set(),
                    )
                allowed = self.possibilities.after(before, label, bool(terminated))
                states = self.possibilities.agreeing(allowed, self.possibilities.seen(observed))
                if not states:
                    raise found("step", f"'{label}' leads where the model does not", observed, before, allowed)
                if self.terminated is not None and bool(terminated) not in self.possibilities.holds(
                    self.terminated, states
                ):
                    word = "ends" if terminated else "goes on"
                    raise found(
                        "terminated",
                        f"the episode {word} after '{label}', and in the model it does not",
                        observed,
                        before,
                        states,
                    )
                if terminated or truncated:
                    return None
        except _Found as difference:
            return difference.difference

    def _compare_masks(self, found: Any, observed: Mapping[str, Any], states: set[State], possible: set[str]) -> None:
        if not self.has_masks:
            return
        mask = getattr(self.env, "unwrapped", self.env).action_masks()
        for label, allowed in zip(self.labels, mask, strict=True):
            if bool(allowed) != (label in possible):
                word = (
                    "possible in the environment, and not in the model"
                    if allowed
                    else "possible in the model, and not in the environment"
                )
                raise found("mask", f"the action '{label}' is {word}", observed, states, states)

    def _shrunk(self, first: Difference) -> Difference:
        """The same kind of difference after fewer actions, as few as leaving some out comes to."""
        again = self._replayed(first.seed, first.actions)
        if again is None:
            return replace(first, reproducible=False)
        best, size, replays = again, max(len(again.actions) // 2, 1), 0
        while replays < _MOST_REPLAYS:
            for begin in range(0, len(best.actions), size):
                replays += 1
                shorter = self._replayed(best.seed, best.actions[:begin] + best.actions[begin + size :])
                if shorter is not None and shorter.kind == first.kind and len(shorter.actions) < len(best.actions):
                    best = shorter
                    break
            else:
                if size == 1:
                    break
                size = max(size // 2, 1)
        return replace(best, shrunk_from=len(first.actions))


def _pairs(env: Any, model: Model, actions: Sequence[str] | Mapping[str, Any] | None) -> dict[str, Any]:
    """Labels with the environment's actions."""
    chosen = actions if actions is not None else model.actions
    unknown = [label for label in chosen if label not in model.actions]
    if unknown:
        raise UsageError(f"the model has no action '{unknown[0]}'; it has {', '.join(model.actions)}")
    if isinstance(chosen, Mapping):
        return dict(chosen)
    count, first = getattr(env.action_space, "n", None), int(getattr(env.action_space, "start", 0))
    if count is None:
        raise UsageError(f"the environment's actions are {env.action_space}; give a dictionary from labels to actions")
    if count != len(chosen):
        raise UsageError(
            f"the environment has {count} actions, and these are {len(chosen)}: {', '.join(chosen)}; 'actions' names "
            "them in order"
        )
    return {label: first + place for place, label in enumerate(chosen)}


def _default(model: Model) -> Observe:
    """The observation's numbers as the variables in their order."""
    if isinstance(model, TableModel):
        return lambda env, observation, info: model.decode(int(observation))
    names = [cell for variable in model.variables if not variable.transient for cell in variable.cells]

    def observe(env: Any, observation: Any, info: Mapping[str, Any]) -> dict[str, Any]:
        values = np.ravel(observation)
        if len(values) != len(names):
            raise UsageError(
                f"an observation has {len(values)} numbers, and the model {len(names)} variables: {', '.join(names)}; "
                "give 'observe'"
            )
        return dict(zip(names, values.tolist(), strict=True))

    return observe
