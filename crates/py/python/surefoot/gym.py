"""Models as Gymnasium environments: compiled steps, so that what is trained on is what is verified.

A step takes an action, and goes on to the next choice: states in which only the environment can move are passed by.
Where several edges are possible one is taken at random; ``verify`` looks at all of them. An episode ends in an unsafe
state, in a goal, or where nothing can happen, which is also where the action that is chosen is not possible
(``action_masks`` says which are). It is cut off after ``max_steps`` steps.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._native import Environment, NativeError
from .calls import Call, translated
from .errors import MissingExtra, ModelError, UsageError
from .expressions import Expr
from .model import MODEL, Model
from .observations import observations
from .values import Json

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise MissingExtra("Model.env needs Gymnasium: pip install gymnasium") from error

Encoding: TypeAlias = Literal["box", "one-hot", "discrete"]

# Start states that are ends are drawn again, up to so many times.
_MOST_DRAWS = 10_000


class ModelEnv(gymnasium.Env[Any, Any]):
    """A model to act in.

    * ``observation``: expressions over the state, or their text, one number each; by default all variables, and the
      locations of automata that have several;
    * ``encoding``: ``"box"`` for these numbers; ``"one-hot"`` for a vector with one place for each value of each, which
      must be integers; ``"discrete"`` for a single one as a number from 0;
    * ``reward``: an expression whose value in the state that a step enters is earned; ``goal_reward``,
      ``unsafe_reward``, ``stuck_reward`` are earned at an end, ``step_reward`` by every step;
    * ``never``, ``goal``, ``start``, ``constants``: as in questions;
    * ``actions``: the labels in the order of the action space, by default all of the model's. Others are moves of the
      environment.

    ``info`` has the ``standing`` (``"choice"``, ``"goal"``, ``"unsafe"``, ``"stuck"`` or ``"cut"``) and the ``state``
    by names. ``reset`` takes a state as ``options={"state": {...}}``. The same seed makes the same run.

    >>> from surefoot.builder import ModelBuilder
    >>> m = ModelBuilder("corridor")
    >>> x = m.int("x", 0, 9, initial=4)
    >>> m.action("left").when(x > 0).do({x: x - 1})
    >>> m.action("right").when(x < 9).outcomes((0.9, {x: x + 1}), (0.1, {}))
    >>> env = m.build().env(never=x == 0, goal=x == 9)
    >>> env.observation_space, env.action_space
    (Box(0.0, 9.0, (1,), float32), Discrete(2))
    >>> _ = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> info["state"], info["standing"], env.action_masks().tolist()
    ({'x': 3}, 'choice', [True, True])
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        model: Model,
        *,
        observation: Sequence[Expr | str] | Expr | str | None = None,
        encoding: Encoding = "box",
        reward: Expr | str | None = None,
        goal: Expr | str | None = None,
        never: Expr | str | None = None,
        start: Expr | str | None = None,
        constants: Mapping[str, Any] | None = None,
        actions: Sequence[str] | None = None,
        max_steps: int = 1000,
        goal_reward: float = 1.0,
        unsafe_reward: float = -1.0,
        stuck_reward: float = -1.0,
        step_reward: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        self.model = model
        self.actions = tuple(actions) if actions is not None else model.actions
        """The labels of the actions."""
        if not self.actions:
            raise ModelError("the model has no action that could be chosen")
        self.render_mode = render_mode
        self._observed = observations(model, observation)
        self._encoding = encoding
        self._low, self._high = (
            np.array(ends, dtype=np.float32) for ends in zip(*(each.bounds for each in self._observed), strict=True)
        )
        self.action_space = spaces.Discrete(len(self.actions))
        self.observation_space = self._space()
        question = {"never": never, "goal": goal, "start": start, "constants": constants}
        words = Call("", (MODEL,), question, {}).words()
        texts = [each.text for each in self._observed]
        earned = None if reward is None else str(reward)
        rewards = (float(goal_reward), float(unsafe_reward), float(stuck_reward), float(step_reward))
        try:
            self._native = Environment(words, model.files(), list(self.actions), texts, earned, *rewards, max_steps)
        except NativeError as error:
            raise translated(error) from None
        self._seeded = False

    @property
    def inputs(self) -> list[Json]:
        """What the observation is, as the inputs of a policy file; for :func:`surefoot.policy`."""
        return [{"one_hot": each.jani} if self._encoding != "box" else each.jani for each in self._observed]

    @property
    def state(self) -> dict[str, int | bool]:
        """The state, by names."""
        return self._native.state()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins a run in a random start state, or in a given one."""
        super().reset(seed=seed)
        if seed is not None:
            seed %= 2**64
        elif not self._seeded:
            seed = int(self.np_random.integers(2**63))
        self._seeded = True
        standing = ""
        try:
            if options is not None and "state" in options:
                self._native.reset(seed)
                seen, standing = self._native.load(options["state"])
                return self._shown(seen), self._info(standing)
            for _ in range(_MOST_DRAWS):
                seen, standing = self._native.reset(seed)
                if standing == "choice":
                    return self._shown(seen), self._info(standing)
                seed = None
        except NativeError as error:
            raise translated(error) from None
        raise ModelError(
            f"of {_MOST_DRAWS} start states that were drawn, none has a choice: the last one is {standing}, "
            f"{self.state}"
        )

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes an action, and goes on to the next choice."""
        if not self._seeded:
            raise UsageError("reset comes before step")
        try:
            seen, earned, standing = self._native.step(operator.index(action))
        except NativeError as error:
            raise translated(error) from None
        except (OverflowError, TypeError, ValueError):
            raise UsageError(f"{action!r} is no action: they are the numbers 0 to {len(self.actions) - 1}") from None
        return (
            self._shown(seen),
            float(earned),
            standing in ("goal", "unsafe", "stuck"),
            standing == "cut",
            self._info(standing),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are possible, as MaskablePPO asks for it."""
        return self._native.mask()

    def render(self) -> str | None:
        """The state as text."""
        return (
            ", ".join(f"{name}={value}" for name, value in self.state.items()) if self.render_mode == "ansi" else None
        )

    def _info(self, standing: str) -> dict[str, Any]:
        return {"standing": standing, "state": self._native.state()}

    def _space(self) -> spaces.Space[Any]:
        if self._encoding == "box":
            return spaces.Box(self._low, self._high, dtype=np.float32)
        if self._encoding not in ("one-hot", "discrete"):
            raise UsageError(f"the encoding of observations is 'box', 'one-hot' or 'discrete', not {self._encoding!r}")
        open_ends = [each.text for each in self._observed if not each.is_finite]
        if open_ends:
            raise ModelError(f"'{open_ends[0]}' is no integer with known bounds, so it has no place for each value")
        sizes = (self._high - self._low + 1).astype(np.int64)
        if self._encoding == "one-hot":
            self._offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
            return spaces.Box(0.0, 1.0, (int(sizes.sum()),), dtype=np.float32)
        if len(sizes) != 1:
            raise UsageError(f"a discrete observation is one number, and {len(sizes)} are observed")
        return spaces.Discrete(int(sizes[0]))

    def _shown(self, seen: NDArray[np.float32]) -> Any:
        if self._encoding == "box":
            return seen
        places = (seen - self._low).astype(np.int64)
        if self._encoding == "discrete":
            return places[0]
        shown = np.zeros(self.observation_space.shape or (), dtype=np.float32)
        shown[self._offsets + places] = 1.0
        return shown
