"""Random models, built in Python, against the engines: states, choices and transitions that the interpreter finds are
those that ``explore`` counts, conditions mean the same as text and as JANI, and compiled environments only do what the
interpreter allows.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest
from surefoot._native import Environment, NativeError, run
from surefoot.builder import ModelBuilder, between
from surefoot.errors import ModelError
from surefoot.expressions import Expr, Name
from surefoot.functions import all_of, any_of, ceil, floor, ite, maximum, minimum
from surefoot.interpret import Interpreter
from surefoot.interpret.evaluate import Valuation
from surefoot.model import Model
from surefoot.possibilities import Possibilities

SEEDS = range(60)


class Generator:
    """A random model; everything that the builder can say may be in it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.m = ModelBuilder(f"random {seed}")
        self.bounds: dict[Name, tuple[int, int]] = {}
        self.half = self.m.const("half", Fraction(1, 2))
        self.n = self.m.const("n", 2)
        self.never_first = 0
        self.ints: list[Expr] = []
        self.truths: list[Expr] = []
        self.variables()

    def variables(self) -> None:
        pick, m = self.random, self.m
        for i in range(pick.randint(1, 3)):
            low = pick.randint(-2, 1)
            high = low + pick.randint(1, 3)
            initial = pick.choice([None, low, high])
            x = m.int(f"x{i}", low, high, initial=initial)
            self.never_first = self.never_first if i else low + (initial == low)
            self.bounds[x] = (low, high)
            self.ints.append(x)
        self.truths += [m.bool(f"b{i}", initial=pick.choice([None, True, False])) for i in range(pick.randint(1, 2))]
        self.cells = m.int_array("cells", 3, 0, 2, initial=[pick.randint(0, 2) for _ in range(3)])
        self.flags = m.bool_array("flags", (1, 2), initial=False)
        self.light = m.enum("light", ["red", "green", "at"], initial="green")
        self.ints += [self.cells[0], self.cells[minimum(maximum(self.ints[0], 0), 2)], self.light]
        self.truths.append(self.flags[0, 1])

    def number(self, depth: int) -> Expr:
        pick = self.random
        if depth == 0 or pick.random() < 0.2:
            return pick.choice([*self.ints, self.ints[0] * 0 + pick.randint(-2, 3), self.n + 0])
        a, b = self.number(depth - 1), self.number(depth - 1)
        return pick.choice(
            [
                lambda: a + b,
                lambda: a - b,
                lambda: a * b,
                lambda: -a,
                lambda: abs(a),
                lambda: minimum(a, b),
                lambda: maximum(a, b),
                lambda: a % 3,
                lambda: a // 2,
                lambda: ceil(a * self.half),
                lambda: floor(a / 4 + 0.25),
                lambda: a**2,
                lambda: 2 - a + 0 - b,
                lambda: ite(self.truth(depth - 1), a, b),
                lambda: self.truth(depth - 1).as_int(),
            ]
        )()

    def truth(self, depth: int) -> Expr:
        pick = self.random
        if depth == 0 or pick.random() < 0.2:
            return pick.choice([*self.truths, self.light == "red", self.light != "at"])
        a, b = self.truth(depth - 1), self.truth(depth - 1)
        x, y = self.number(depth - 1), self.number(depth - 1)
        return pick.choice(
            [
                lambda: a & b,
                lambda: a | b,
                lambda: ~a,
                lambda: a ^ b,
                lambda: a.implies(b),
                lambda: a == b,
                lambda: x == y,
                lambda: x != y,
                lambda: x < y,
                lambda: x <= y + Fraction(1, 3),
                lambda: x > y,
                lambda: 3 >= x,
                lambda: x.isin([0, 2, y]),
                lambda: any_of([a, b, x > 1]),
                lambda: all_of([a, b]),
                lambda: ite(a, b, x > y),
            ]
        )()

    def clamped(self, variable: Expr, low: int, high: int) -> Any:
        if self.random.random() < 0.15:
            return (
                between(self.number(1) + 0 * self.ints[0], high) if self.random.random() < 0.5 else between(low, high)
            )
        value = self.number(2) + 0 * self.ints[0]
        return value if self.random.random() < 0.03 else minimum(maximum(value, low), high)

    def updates(self) -> Any:
        pick = self.random
        written: dict[Expr, Any] = {}
        for x, (low, high) in self.bounds.items():
            if pick.random() < 0.5:
                written[x] = self.clamped(x, low, high)
        if pick.random() < 0.4:
            written[self.truths[0]] = self.truth(2)
        if pick.random() < 0.4:
            written[self.cells[pick.choice([0, 1, self.light])]] = self.clamped(self.light, 0, 2)
        if pick.random() < 0.3:
            written[self.light] = pick.choice(["red", "green", "at", ite(self.truth(1), "red", self.light)])
        return written if pick.random() < 0.8 else [written, {self.flags[0, 1]: self.truth(2)}]

    def outcomes(self, targets: list[str | None]) -> list[tuple[Any, ...]]:
        weights = self.random.choice(
            [[0.5, 0.5], [0.1, 0.2, 0.7], [Fraction(1, 3), Fraction(2, 3)], [self.half, self.half], [1, 0]]
        )
        return [(weight, self.updates(), self.random.choice(targets)) for weight in weights]

    def build(self) -> Model:
        pick, m = self.random, self.m
        door = m.automaton("door", locations=["closed", "open"]) if pick.random() < 0.5 else None
        for action in ("go", "stay", None):
            for _ in range(pick.randint(1, 2)):
                edge = (m.action(action) if action else m.silent()).when(self.truth(2))
                if pick.random() < 0.5:
                    edge.do(self.updates())
                else:
                    edge.outcomes(*self.outcomes([None]))
        if door is not None:
            own = door.int("own", 0, 1, initial=0)
            door.action("go").at("closed").do({own: 1 - own}, to="open")
            door.action("go").at("open").when(own == 1).outcomes((0.25, {}, "closed"), (0.75, {own: 0}))
            door.action("turn").at("closed", "open").when(self.truths[0]).do(to="closed")
            self.truths.append(door.at("open"))
            if pick.random() < 0.5:
                m.sync("both", {door: "turn", m._main(): "stay"})
        if pick.random() < 0.3:
            m.start(self.ints[0] != self.never_first)
        return m.build()


def counted(interpreter: Interpreter) -> dict[str, int]:
    states = interpreter.explore(20_000)
    choices = {state: interpreter.choices(state) for state in states}
    return {
        "start_states": len(interpreter.initial_states()),
        "reachable_states": len(states),
        "choices": sum(map(len, choices.values())),
        "transitions": sum(
            len({state for outcome in choice.outcomes for state in outcome.successors})
            for found in choices.values()
            for choice in found
        ),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_random_models_mean_the_same_to_the_engines(seed: int) -> None:
    generator = Generator(seed)
    model = generator.build()
    interpreter = Interpreter(model.document)
    try:
        expected = counted(interpreter)
    except ModelError:
        assert interpreter.initial_states(), "only models with a start state are of interest"
        with pytest.raises(NativeError):
            run(["explore", "<model>"], model.files())
        return
    outcome = run(["explore", "<model>"], model.files())
    found = json.loads(outcome.result)["statistics"]
    assert {name: found[name] for name in expected} == expected
    states = interpreter.explore()
    for _ in range(10):
        condition = generator.truth(3)
        holds = interpreter.condition(condition.jani)
        reachable = any(holds(Valuation(state)) for state in states)
        verdict = json.loads(
            run(["verify", "<model>", f"--never={condition}", "--engine=explicit"], model.files()).result
        )["verdict"]
        assert verdict == ("violated" if reachable else "holds"), str(condition)


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled_environments_do_what_the_interpreter_allows(seed: int) -> None:
    model = Generator(seed).build()
    labels = [label for label in model.actions if label != "stay"]
    possibilities = Possibilities(model, labels, None)
    environment = Environment(["<model>"], model.files(), labels, ["x0"], None, 1.0, -1.0, -1.0, 0.0, 1000)
    try:
        for start in range(10):
            _, standing = environment.reset(start)
            # A run in which the environment moves for ever is cut somewhere on the way.
            if standing == "cut":
                continue
            states = possibilities.starts(possibilities.seen(environment.state()))
            assert len(states) == 1
            for action in random.Random(start).choices(range(len(labels)), k=20):
                if standing != "choice":
                    break
                assert environment.mask().tolist() == [label in possibilities.possible(states) for label in labels]
                _, _, standing = environment.step(action)
                allowed = possibilities.after(states, labels[action], standing == "cut")
                # Where the action is not possible, and the environment has no move, the run stays.
                states = possibilities.agreeing(allowed or states, possibilities.seen(environment.state()))
                assert len(states) == 1
    except (NativeError, ModelError):
        with pytest.raises(ModelError):
            counted(possibilities.interpreter)
