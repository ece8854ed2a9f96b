"""The Python package: import, calls, steps, batches.

Usage: package.py, by a Python in which the wheel is installed (`make bench-package`).

* import: seconds of `import surefoot` in a fresh interpreter, beside that of numpy, which it needs;
* calls: 10,000 times `verify` on a model of three states;
* steps: environment steps a second of `model.env`, beside the same environment written in Python by hand, random actions, with resets;
* batch: 200 small tasks on two workers beside one.

Prints a table and writes benchmarks/results/package.csv.
"""

import csv
import os
import pathlib
import statistics
import subprocess
import sys
import time

import gymnasium
import numpy

import surefoot

ROOT = pathlib.Path(__file__).resolve().parent.parent


def imports(what):
    """Seconds of an import in a fresh interpreter, the median of several."""
    code = f"import time; t = time.perf_counter(); import {what}; print(time.perf_counter() - t)"
    return statistics.median(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(9))


def corridor(length):
    """A corridor of so many cells."""
    m = surefoot.ModelBuilder("corridor")
    x = m.int("x", 0, length - 1, initial=length // 2)
    m.action("left").when(x > 0).do({x: x - 1})
    m.action("right").when(x < length - 1).outcomes((0.9, {x: x + 1}), (0.1, {}))
    return m.build()


class ByHand(gymnasium.Env):
    """The same corridor, as one would write it."""

    def __init__(self, length):
        self.length = length
        self.observation_space = gymnasium.spaces.Box(0.0, length - 1.0, (1,), numpy.float32)
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.steps = self.length // 2, 0
        return numpy.array([self.x], dtype=numpy.float32), {}

    def step(self, action):
        self.steps += 1
        if action == 0:
            self.x -= 1
        elif self.np_random.random() < 0.9:
            self.x += 1
        unsafe, goal = self.x == 0, self.x == self.length - 1
        reward = 1.0 if goal else -1.0 if unsafe else 0.0
        return numpy.array([self.x], dtype=numpy.float32), reward, goal or unsafe, self.steps >= 200, {}


def steps(env, count=200_000):
    """Steps a second under random actions."""
    actions = numpy.random.default_rng(0).integers(0, 2, count).tolist()
    env.reset(seed=0)
    begin = time.perf_counter()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()
    return count / (time.perf_counter() - begin)


def batch(workers):
    """Seconds of 200 small tasks."""
    tasks = [surefoot.Task.of("verify", corridor(2000 + 20 * i), name=str(i), never="x = 0", engine="explicit") for i in range(200)]
    begin = time.perf_counter()
    assert len(list(surefoot.batch(tasks, workers=workers))) == 200
    return time.perf_counter() - begin


def main():
    """Measures all."""
    rows = [("import numpy, s", imports("numpy")), ("import surefoot, s", imports("surefoot"))]
    model = corridor(3)
    begin = time.perf_counter()
    for _ in range(10_000):
        surefoot.verify(model, never="x = 0")
    rows.append(("verify of three states, s a call", (time.perf_counter() - begin) / 10_000))
    ours, theirs = steps(corridor(20).env(never="x = 0", goal="x = 19", max_steps=200)), steps(ByHand(20))
    rows += [("model.env, steps/s", ours), ("written by hand, steps/s", theirs), ("ratio", ours / theirs)]
    one, two = batch(1), batch(2)
    rows += [("200 tasks, one worker, s", one), ("200 tasks, two workers, s", two), ("ratio of workers", one / two)]
    rows.append(("load average", os.getloadavg()[0]))
    with (ROOT / "benchmarks/results/package.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["what", "value"])
        for name, value in rows:
            writer.writerow([name, f"{value:.6g}"])
            print(f"{name:40} {value:.6g}")


if __name__ == "__main__":
    main()
