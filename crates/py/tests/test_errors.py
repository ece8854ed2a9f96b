"""What is wrong is told by exceptions of one family, in Python's own words."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from conftest import Example

import surefoot


def walk() -> surefoot.Model:
    m = surefoot.ModelBuilder("walk")
    x = m.int("x", 0, 9, initial=5)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9).do({x: x + 1})
    return m.build()


def test_unknown_options_are_named_with_what_was_meant() -> None:
    with pytest.raises(surefoot.UsageError, match="did you mean 'engine'"):
        surefoot.verify(walk(), never="x = 9", enigne="cegar")  # type: ignore[call-arg]
    with pytest.raises(surefoot.UsageError, match="max_depth is for engine bmc") as caught:
        surefoot.verify(walk(), never="x = 9", max_depth=3)
    assert "--" not in str(caught.value)
    with pytest.raises(surefoot.UsageError, match="engine"):
        surefoot.verify(walk(), never="x = 9", engine="magic")  # type: ignore[arg-type]


def test_conditions_are_checked_with_their_place() -> None:
    with pytest.raises(surefoot.InputError, match="y"):
        surefoot.verify(walk(), never="y = 9")
    with pytest.raises(surefoot.InputError):
        surefoot.verify(walk(), never="x = ")
    with pytest.raises(ValueError):
        surefoot.verify(walk(), never="x + 1")


def test_wrong_types_are_refused() -> None:
    for model in (None, 7, [], object()):
        with pytest.raises(surefoot.UsageError, match=r"surefoot\.Model or the path"):
            surefoot.verify(model)
    with pytest.raises(surefoot.UsageError, match="constants is a dictionary"):
        surefoot.verify(walk(), never="x = 9", constants=[("a", 1)])  # type: ignore[arg-type]
    with pytest.raises(surefoot.UsageError, match="never cannot be"):
        surefoot.verify(walk(), never=object())  # type: ignore[arg-type]
    for limit in (math.nan, math.inf, -1.0, "soon"):
        with pytest.raises(surefoot.UsageError, match="time_limit"):
            surefoot.verify(walk(), never="x = 9", time_limit=limit)  # type: ignore[arg-type]


def test_files_that_are_not_there(reservoir: Example) -> None:
    with pytest.raises(surefoot.InputError, match="cannot read"):
        surefoot.verify("nowhere.jani")
    with pytest.raises(surefoot.Error, match="nowhere"):
        surefoot.verify(reservoir.model, "nowhere.policy.json", properties=reservoir.properties)
    with pytest.raises(surefoot.InputError):
        surefoot.certify("nowhere.cert", reservoir.model, reservoir.policy, properties=reservoir.properties)


def test_unknown_is_no_reason_for_a_certificate() -> None:
    result = surefoot.verify(walk(), never="x = 9", engine="bmc", max_depth=1)
    assert result.unknown
    with pytest.raises(surefoot.InputError, match="nothing was decided"):
        result.save_certificate("never.cert")


def test_nonsense_never_ends_the_interpreter() -> None:
    chance = random.Random(7)
    nonsense: list[Any] = [
        None, True, 0, -1, 10**30, 0.5, math.nan, math.inf, "", "x", "--engine", "\0", "\udcff", b"x", [], {}, {"x": 1}, (), object(),
        lambda: 0, range(3), "x = 9", "<model>", "a" * 10_000,
    ]  # fmt: skip
    names = ["engine", "never", "start", "goal", "constants", "property", "properties", "seed", "threads", "within", "filter", "slice", "witness"]
    for _ in range(400):
        options = {name: chance.choice(nonsense) for name in chance.sample(names, chance.randint(1, 3))}
        ask = chance.choice([surefoot.verify, surefoot.explore, surefoot.simulate, surefoot.check])
        try:
            result = ask(walk(), chance.choice([None, None, *nonsense]), time_limit=1, **options)
            assert result.verdict in ("holds", "violated", "unknown", None)
        except surefoot.Error:
            pass


def test_names_like_options_are_files() -> None:
    with pytest.raises(surefoot.InputError, match=r"cannot read \./-m\.jani"):
        surefoot.verify("-m.jani", never="x = 3")


def test_progress_is_a_function_or_a_truth_value() -> None:
    wrong: Any = "yes"
    with pytest.raises(surefoot.UsageError, match="progress is True, False or a function"):
        surefoot.verify(walk(), never="x = 9", progress=wrong)


def test_actions_are_integers() -> None:
    env = walk().env(never="x = 9")
    env.reset(seed=0)
    for wrong in (1.7, "0", None, 2, -1):
        with pytest.raises(surefoot.UsageError):
            env.step(wrong)
