"""Expressions: what is written, what it means, and what Python must not be asked."""

from __future__ import annotations

import enum
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from surefoot.builder import ModelBuilder
from surefoot.errors import ModelError
from surefoot.expressions import Expr
from surefoot.functions import all_of, any_of, ceil, floor, ite, maximum, minimum


class Light(enum.Enum):
    RED = 7
    GREEN = 3


@pytest.fixture
def m() -> ModelBuilder:
    return ModelBuilder("test")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x, b: x + 1 - (x - 2), "x + 1 - (x - 2)"),
        (lambda x, b: (x + 1) * 2 / 3, "(x + 1) * 2 / 3"),
        (lambda x, b: x * (x / 2), "x * (x / 2)"),
        (lambda x, b: -((x + 1) ** 2), "-((x + 1) ^ 2)"),
        (lambda x, b: (-x) ** 2, "(-x) ^ 2"),
        (lambda x, b: 2**x, "2 ^ x"),
        (lambda x, b: x - -3, "x - -3"),
        (lambda x, b: x // 2 % 3, "floor(x / 2) % 3"),
        (lambda x, b: 7 // x, "floor(7 / x)"),
        (lambda x, b: 7 % x, "7 % x"),
        (lambda x, b: abs(x), "abs(x)"),
        (lambda x, b: math.floor(x / 2), "floor(x / 2)"),
        (lambda x, b: math.ceil(x / 2), "ceil(x / 2)"),
        (lambda x, b: math.trunc(x / 2), "trc(x / 2)"),
        (lambda x, b: floor(x) + ceil(x), "x + x"),
        (lambda x, b: +x, "x"),
        (lambda x, b: 0.1 * x, "0.1 * x"),
        (lambda x, b: x * Fraction(1, 3), "x * (1/3)"),
        (lambda x, b: x + Decimal("0.25"), "x + 0.25"),
        (lambda x, b: x + np.float32(0.1), "x + 0.1"),
        (lambda x, b: np.int64(3) - x, "3 - x"),
        (lambda x, b: np.int64(3) < x, "x > 3"),
        (lambda x, b: x * 1e-7, "x * 1e-07"),
        (lambda x, b: x == 2.0, "x = 2"),
        (lambda x, b: (x < 1) & b | ~b & (x != 2), "x < 1 & b | !b & x != 2"),
        (lambda x, b: (b | b) & ~(x == 1), "(b | b) & !(x = 1)"),
        (lambda x, b: (x > 1) == b, "(x > 1) = b"),
        (lambda x, b: ~b == b, "(!b) = b"),
        (lambda x, b: b ^ (x > 1), "b != (x > 1)"),
        (lambda x, b: b.implies(b.implies(b)), "b => b => b"),
        (lambda x, b: (b.implies(b)).implies(b), "(b => b) => b"),
        (lambda x, b: np.bool_(True) & b, "b & true"),
        (lambda x, b: minimum(x, 2, x + 1), "min(min(x, 2), x + 1)"),
        (lambda x, b: maximum(0, x), "max(0, x)"),
        (lambda x, b: ite(b, x, -x) > 1, "ite(b, x, -x) > 1"),
        (lambda x, b: x.isin([1, 2]), "x = 1 | x = 2"),
        (lambda x, b: any_of([]), "false"),
        (lambda x, b: all_of([b]), "b"),
        (lambda x, b: b.as_int() + 1, "ite(b, 1, 0) + 1"),
        (lambda x, b: sum([x, x, x]), "0 + x + x + x"),
    ],
)
def test_text(m: ModelBuilder, make: Any, text: str) -> None:
    assert str(make(m.int("x", 0, 9), m.bool("b"))) == text


def test_jani(m: ModelBuilder) -> None:
    x = m.int("x", 0, 9)
    assert (x * Fraction(1, 3)).jani == {"op": "*", "left": "x", "right": {"op": "/", "left": 1, "right": 3}}
    assert (-x <= 0.5).jani == {"op": "≤", "left": {"op": "-", "left": 0, "right": "x"}, "right": 0.5}
    assert (x + 1 + 2).jani == {"op": "+", "left": {"op": "+", "left": "x", "right": 1}, "right": 2}


def test_numbers_are_exact(m: ModelBuilder) -> None:
    x = m.real("x")
    assert (x + 10**30).jani["right"] == 10**30
    assert (x + Fraction(10**30, 3)).jani["right"] == {"op": "/", "left": 10**30, "right": 3}
    # A decimal with more digits than a float has is no JSON float.
    assert (x + Decimal("0.12345678901234567890123")).jani["right"]["op"] == "/"


def test_names_that_are_words_of_the_language_are_quoted(m: ModelBuilder) -> None:
    odd = [m.bool(name) for name in ("at", "U", "not", "two words", "2nd", "a.b", "ä")]
    assert str(all_of(odd)) == '"at" & "U" & "not" & "two words" & "2nd" & a.b & ä'


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x, b, a: 0 < x < 5, "two comparisons|(a < x) & (x < b)"),
        (lambda x, b, a: b and x, "write & for 'and'"),
        (lambda x, b, a: not b, "~ for 'not'"),
        (lambda x, b, a: x if b else 1, "ite(c, a, b)"),
        (lambda x, b, a: x in (1, 2), "x.isin"),
        (lambda x, b, a: max(x, 2), "maximum"),
        (lambda x, b, a: bool(x), "truth value"),
        (lambda x, b, a: x & b, "'x' is a number where a condition is needed"),
        (lambda x, b, a: b + 1, "'b' is a truth value where a number is needed; (b).as_int()"),
        (lambda x, b, a: x == True, "cannot be compared"),  # noqa: E712
        (lambda x, b, a: b == 1, "cannot be compared"),
        (lambda x, b, a: b < b, "have no order"),
        (lambda x, b, a: ~x, "compare it"),
        (lambda x, b, a: x == None, "None is no expression"),  # noqa: E711
        (lambda x, b, a: x + "1", "'1' is no expression"),
        (lambda x, b, a: x + float("nan"), "nan is no number of a model"),
        (lambda x, b, a: x + np.array([1, 2]), "is no expression"),
        (lambda x, b, a: x / 0, "divided by zero"),
        (lambda x, b, a: x % -2, "divide by a positive one"),
        (lambda x, b, a: ite(x, 1, 2), "where a condition is needed"),
        (lambda x, b, a: ite(b, 1, b), "always of one kind"),
        (lambda x, b, a: minimum(), "no smallest or largest"),
        (lambda x, b, a: a + 1, "unsupported operand"),
        (lambda x, b, a: 1 + x + a, "'a' is an array"),
        (lambda x, b, a: a[3], "no index 3: they count from 0 to 2"),
        (lambda x, b, a: a[-1], "no index -1"),
        (lambda x, b, a: a[x / 2], "must be an integer"),
        (lambda x, b, a: a[0, 0], "fewer dimensions"),
    ],
)
def test_traps(m: ModelBuilder, wrong: Any, message: str) -> None:
    x, b, a = m.int("x", 0, 9), m.bool("b"), m.int_array("a", 3, 0, 1, initial=0)
    with pytest.raises((ModelError, TypeError)) as caught:
        wrong(x, b, a)
    assert any(part in str(caught.value) for part in message.split("|")), str(caught.value)


def test_errors_name_the_line(m: ModelBuilder) -> None:
    x = m.int("x", 0, 9)
    with pytest.raises(ModelError) as caught:
        _ = (x > 1) and (x < 3)
    line = caught.tb.tb_lineno
    assert str(caught.value).startswith(f"{__file__}:{line}: ")


def test_enumerations(m: ModelBuilder) -> None:
    light, lamp = m.enum("light", ["red", "green"]), m.enum("lamp", Light)
    assert str(light == "green") == "light = 1"
    assert str("red" != light) == "light != 0"
    assert str(lamp == Light.RED) == "lamp = 0"
    assert str(lamp.isin([Light.GREEN, "RED"])) == "lamp = 1 | lamp = 0"
    assert str(ite(lamp == Light.RED, "GREEN", lamp)) == "ite(lamp = 0, 1, lamp)"
    for wrong in ("blue", Light.RED):
        with pytest.raises(ModelError, match="no member of 'light', which has red, green"):
            _ = light == wrong


def test_arrays(m: ModelBuilder) -> None:
    x = m.int("x", 0, 1)
    board = m.int_array("board", (2, 3), 0, 9, initial=[[1, 2, 3], [4, 5, 6]])
    assert str(board[x, 2]) == str(board[x][2]) == "board[x][2]"
    assert [str(cell) for cell in board[1]] == ["board[1][0]", "board[1][1]", "board[1][2]"]
    assert len(board) == 2
    assert board[0, x].jani == {"op": "aa", "exp": {"op": "aa", "exp": "board", "index": 0}, "index": "x"}


def test_expressions_are_keys_by_identity(m: ModelBuilder) -> None:
    x, y = m.int("x", 0, 9), m.int("y", 0, 9)
    keys: dict[Expr, int] = {x: 1, y: 2, x + 1: 3}
    assert keys[x] == 1 and keys[y] == 2 and len(keys) == 3
    assert len({x, y, x}) == 2


def test_long_chains_do_not_nest(m: ModelBuilder) -> None:
    x = m.int("x", 0, 9999)
    condition = x == 0
    for value in range(1, 5000):
        condition = condition | (x == value)
    assert len(str(condition).split("|")) == 5000
    depth, node = 0, condition.jani
    while isinstance(node, dict):
        depth, node = depth + 1, node["left"]
    assert depth < 20


def test_deep_expressions_are_refused_politely(m: ModelBuilder) -> None:
    x = m.int("x", 0, 9)
    deep = x
    for _ in range(100_000):
        deep = -deep
    with pytest.raises(ModelError, match="nested too deeply"):
        _ = deep.jani
    with pytest.raises(ModelError, match="nested too deeply"):
        str(deep)
