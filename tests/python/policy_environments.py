"""Environments for policies under test, beside Gymnasium's own, whose models examples/gymnasium/toy_text.py makes.

`Grid` has integer observations of every kind of space, and `observer` is a model that shows a policy's choice for each observation.
"""

import pathlib
import sys

import gymnasium
import numpy
from gymnasium import spaces

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "gymnasium"))
from toy_text import binary, bounded, document, outcomes, tabular  # noqa: E402

__all__ = ["SIDE", "Grid", "observer", "outcomes", "tabular"]
SIDE = 50


class Grid(gymnasium.Env):
    """A square that is left at its far corner; observations are the coordinates, actions are four moves or one per axis."""

    def __init__(self, observations="box", actions="discrete"):
        self.observation_space = {
            "box": lambda: spaces.Box(0, SIDE - 1, (2,), numpy.int64),
            "float": lambda: spaces.Box(0, SIDE - 1, (2,), numpy.float32),
            "multi": lambda: spaces.MultiDiscrete([SIDE, SIDE]),
        }[observations]()
        self.moves = [(1, 0), (0, 1), (-1, 0), (0, -1)]
        self.multi = actions == "multi"
        self.action_space = spaces.MultiDiscrete([3, 3]) if self.multi else spaces.Discrete(4)

    def observation(self):
        return numpy.array([self.x, self.y], dtype=self.observation_space.dtype)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y, self.steps = (*self.np_random.integers(0, SIDE, 2).tolist(), 0)
        return self.observation(), {}

    def move(self, action):
        return tuple(int(part) - 1 for part in action) if self.multi else self.moves[int(action)]

    def step(self, action):
        dx, dy = self.move(action)
        self.x, self.y = (min(SIDE - 1, max(0, value)) for value in (self.x + dx, self.y + dy))
        self.steps += 1
        done = self.x == self.y == SIDE - 1
        return self.observation(), 1.0 if done else -0.01, done, self.steps > 40, {}

    def action_masks(self):
        return numpy.ones(6 if self.multi else 4, dtype=bool)


def observer(variables, labels):
    """A model that shows a choice: from every observation, each action only notes itself."""
    edges = [
        {
            "location": "asked",
            "action": label,
            "destinations": [{"location": "answered", "assignments": [{"ref": "chosen", "value": index}]}],
        }
        for index, label in enumerate(labels)
    ]
    declared = [bounded(name, low, high) for name, low, high in variables] + [bounded("chosen", -1, len(labels) - 1, -1)]
    initial = binary("=", "chosen", -1)
    return document("observer", "lts", declared, labels, edges, ["asked", "answered"], initial)
