"""Models: what an agent acts in, and what is asked about.

A :class:`Model` is a JANI document that was checked when it was made, and never changes. It is built in Python
(:class:`surefoot.ModelBuilder`), read from JANI (:meth:`Model.from_jani`) or made from the table of a Gymnasium
environment (:meth:`Model.from_gym`); in each case the same reader has read it.
"""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from . import jani as document_of
from ._native import NativeError, run
from .calls import translated
from .errors import ModelError
from .expressions import At, Expr, lift
from .jani import Variable
from .values import Json

if TYPE_CHECKING:
    from .gym import ModelEnv
    from .tables import TableModel

MODEL = "<model>"
"""The name under which the engines are given a model."""


class Model:
    """A model.

    >>> from surefoot.builder import ModelBuilder
    >>> m = ModelBuilder("corridor")
    >>> x = m.int("x", 0, 9, initial=4)
    >>> m.action("left").when(x > 0).do({x: x - 1})
    >>> m.action("right").when(x < 9).outcomes((0.9, {x: x + 1}), (0.1, {}))
    >>> model = m.build()
    >>> model
    <Model corridor: actions left, right; x: int 0..9>
    >>> print(model["x"] == 0)
    x = 0
    """

    observed: tuple[str, ...] | None = None
    """The variables that an agent sees where nothing else is said; ``None`` for all, and the locations of automata."""

    def __init__(self, jani: str, *, check: bool = True) -> None:
        self._jani = jani
        self.document = document_of.parse(jani)
        """The JANI document, with decimals as fractions. It is not to be changed."""
        if check:
            self.check()

    @classmethod
    def from_jani(cls, source: str | os.PathLike[str] | Mapping[str, Any], *, check: bool = True) -> Model:
        """The model of a file, of a text, or of a document as Python's dictionaries have it.

        A text is told from a path by its first character, ``{``. ``check=False`` leaves it to the first question to
        find mistakes. Files that properties name, such as policies, are not brought along: give them with the question.

        Raises :class:`ModelError` where it cannot be read, with the place in the document.
        """
        if isinstance(source, Mapping):
            try:
                text = json.dumps(source, ensure_ascii=False, allow_nan=False)
            except (TypeError, ValueError, RecursionError) as error:
                raise ModelError(f"the dictionary is no JSON: {error}") from error
            return Model(text, check=check)
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return Model(source, check=check)
        if isinstance(source, (str, os.PathLike)):
            try:
                text = pathlib.Path(source).read_text(encoding="utf-8")
            except (OSError, ValueError) as error:
                raise ModelError(f"the model cannot be read: {error}") from error
            return Model(text, check=check)
        raise ModelError(f"a model is a path, a text or a dictionary, not {type(source).__name__}")

    @staticmethod
    def from_gym(
        env: Any,
        *,
        name: str | None = None,
        actions: Sequence[str] | None = None,
        shape: Mapping[str, int] | None = None,
        reward: bool = False,
    ) -> TableModel:
        """The model of a Gymnasium environment that has its transitions as a table; see :mod:`surefoot.tables`."""
        from .tables import from_gym

        return from_gym(env, name=name, actions=actions, shape=shape, reward=reward)

    def check(self) -> str:
        """Has the engines read the model, and returns what they say it is; raises :class:`ModelError` where it is
        wrong.
        """
        text, problems = _read(self._jani)
        if problems and self.document.get("properties"):
            # Properties may name policies, which are files elsewhere; a question brings its own.
            document = {**json.loads(self._jani), "properties": []}
            text, without = _read(json.dumps(document, ensure_ascii=False))
            problems = problems if without else []
        if problems:
            raise ModelError("\n".join(problems))
        return text

    @property
    def jani(self) -> str:
        """The JANI text."""
        return self._jani

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.document.get("name", ""))

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The labels that a policy can choose, in the order in which they are declared."""
        return document_of.actions(self.document)

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables: the global ones, then those of each automaton."""
        return document_of.variables(self.document)

    @cached_property
    def constants(self) -> dict[str, Any]:
        """The constants with their values; ``None`` where a question has to give one."""
        return dict(document_of.constants(self.document))

    def __getitem__(self, name: str) -> Any:
        """A variable as an expression, or an array of such: ``model["x"] > 3``, ``model["cells"][2]``."""
        for variable in self.variables:
            if variable.name == name:
                return variable.reference
        known = [variable.name for variable in self.variables]
        near = get_close_matches(name, known, 1)
        raise ModelError(
            f"the model has no variable '{name}'; "
            + (f"did you mean '{near[0]}'?" if near else f"it has {', '.join(known)}")
        )

    def at(self, automaton: str, location: str) -> Expr:
        """That an automaton is at a location, as a condition."""
        return At(automaton, location)

    def one_hot(self, value: Expr | str) -> dict[str, Json]:
        """Inputs of a policy: one for every value of an integer variable or expression, 1 at its value and 0 elsewhere.

        That is how Stable-Baselines3 shows ``Discrete`` observations to a network.
        """
        expr = lift(self[value] if isinstance(value, str) else value)
        if expr.kind != "int":
            raise ModelError(f"'{expr}' is no integer; only integers have one input for each value")
        return {"one_hot": expr.jani}

    def files(self) -> dict[str, bytes]:
        """The model as a file in memory, as the engines are given it."""
        return {MODEL: self._jani.encode()}

    def write(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Writes the JANI text to a file, which then is the same model for the command line and for other tools."""
        target = pathlib.Path(path)
        target.write_text(self._jani, encoding="utf-8")
        return target

    def env(
        self,
        *,
        observation: Sequence[Expr | str] | Expr | str | None = None,
        encoding: Literal["box", "one-hot", "discrete"] = "box",
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
    ) -> ModelEnv:
        """The model as a Gymnasium environment: what is trained on is what is verified. :class:`surefoot.gym.ModelEnv`
        explains the options.
        """
        from .gym import ModelEnv

        return ModelEnv(
            self,
            observation=observation,
            encoding=encoding,
            reward=reward,
            goal=goal,
            never=never,
            start=start,
            constants=constants,
            actions=actions,
            max_steps=max_steps,
            goal_reward=goal_reward,
            unsafe_reward=unsafe_reward,
            stuck_reward=stuck_reward,
            step_reward=step_reward,
            render_mode=render_mode,
        )

    def _repr_html_(self) -> str:
        from surefoot.notebook import model_html

        return model_html(self)

    def __repr__(self) -> str:
        shown = [str(variable) for variable in self.variables[:8]] + ["..."] * (len(self.variables) > 8)
        labels = [*self.actions[:8], *["..."] * (len(self.actions) > 8)]
        parts = f"actions {', '.join(labels) or 'none'}; {', '.join(shown) or 'no variables'}"
        return f"<{type(self).__name__} {self.name}: {parts}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self._jani == other._jani

    def __hash__(self) -> int:
        return hash(self._jani)


def _read(text: str) -> tuple[str, list[str]]:
    """What the engines say of a document, and what is wrong with it."""
    try:
        outcome = run(["check", MODEL], {MODEL: text.encode()})
    except NativeError as error:
        raise translated(error) from None
    found = json.loads(outcome.result)
    problems = [problem for problem in found["diagnostics"] if problem["severity"] == "error"]
    return outcome.text, [] if found["readable"] else list(map(_shown, problems))


def _shown(problem: Mapping[str, Any]) -> str:
    """What is wrong with a document, and where."""
    place = f"\n --> {problem['file']}:{problem['line']}:{problem['column']}" if problem.get("file") is not None else ""
    return str(problem["message"]) + place + (f"\nhelp: {problem['help']}" if problem.get("help") else "")
