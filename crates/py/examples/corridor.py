"""A corridor with a pit: a network by NumPy, a verdict, a run, a probability. `python corridor.py`."""

from __future__ import annotations

import numpy as np

import surefoot


def main() -> None:
    """Asks, and shows what comes of it."""
    m = surefoot.ModelBuilder("corridor")
    x = m.int("x", 0, 9)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < 9).outcomes((0.9, {x: x + 1}), (0.1, {x: x - 1}))
    m.start(x >= 4)
    model = m.build()
    hidden = (np.array([[1.0], [-1.0]]), np.array([-3.0, 5.0]))
    output = (np.array([[-1.0, 0.2], [1.0, 0.0]]), np.zeros(2))
    policy = surefoot.policy([hidden, output], model)
    result = surefoot.verify(model, policy, never=x == 0)
    if result.witness is not None:
        for step in result.witness:
            print(step.action, step.state["x"])
    bound = surefoot.bounds(model, policy, never=x == 0, start=x == 4, within=8)
    print(result.verdict, bound.value)


if __name__ == "__main__":
    main()
