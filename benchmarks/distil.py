"""Small ReLU networks that imitate written-down policies, for instances that come with no network.

Usage: distil.py [--out DIR] [--seed N] [--only TEXT] [--again]

The networks of the papers on refinement are not published, except two. These have the same shapes: Blocksworld with 4, 6
and 8 blocks, reading costs or not, and the 8-puzzle without costs, two hidden layers of 16, 32 or 64 neurons each.

Blocksworld's teacher puts a block on the table while fewer than two blocks are there; otherwise it chooses the clear block
of the highest number, and if it reads costs, a block that failed often loses to one of a number smaller by one or two. The
8-puzzle's brings the empty cell to the last one, and turns aside where that would bring tile 3 to cell 7. Both teachers
are safe; whether a network is, nobody knows before it is verified.

Imitation is not Q-learning: decisions that do not depend on costs are learned without error and with wide margins, so these
networks may be easier to verify than the papers' of the same size.

Writes one folder per network with an `.nnet` file, for `surefoot zoo generate DOMAIN networks=FOLDER`, to
target/bench/distilled. States are drawn at random, costs from their whole range. Prints how often network and teacher agree
on states drawn anew. The same seed gives the same networks, on the same machine at least. A network that is there is
kept, unless --again.
"""

import os

# Several threads would add up in any order.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import pathlib
import time

import numpy

import nnet

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "bench/distilled"
BOUND = 12
STEPS, BATCH, SAMPLES = 4000, 256, 60_000
SMOOTH = 0.02


class Blocks:
    """Blocksworld: hand-empty, table-counter, positions, clear flags, costs; the table, then the blocks."""

    domain = "blocksworld"

    def __init__(self, blocks, aware):
        self.blocks, self.aware = blocks, aware
        self.labels = 1 + blocks
        self.ranges = [(0, 1), (0, blocks)] + [(0, blocks)] * blocks + [(0, 1)] * blocks + [(0, BOUND)] * blocks * aware
        self.settings = [f"blocks={blocks}", f"bound={BOUND}", f"costs={'aware' if aware else 'ignoring'}"]
        self.name = f"bw{blocks}{'c' if aware else ''}"

    def states(self, random, count):
        """Towers cut out of a random order, few or many of them; in half of the states the last block is in the hand."""
        n, rows = self.blocks, numpy.arange(count)
        order = random.permuted(numpy.tile(numpy.arange(n), (count, 1)), axis=1)
        bottom = random.random((count, n)) < random.random((count, 1))
        bottom[:, 0] = True
        held = random.random(count) < 0.5
        place, clear = numpy.zeros((count, n), int), numpy.zeros((count, n), int)
        for k in range(n):
            block, below = order[:, k], order[:, k - 1]
            place[rows, block] = numpy.where(bottom[:, k], 1, numpy.where(below < block, below + 2, below + 1))
            clear[rows, block] = bottom[:, k + 1] if k + 1 < n else 1
        last, before = order[:, -1], order[:, -2]
        table = bottom.sum(axis=1) - (held & bottom[:, -1])
        place[rows, last] = numpy.where(held, 0, place[rows, last])
        clear[rows, last] = ~held
        clear[rows, before] |= held
        parts = [(~held).astype(int)[:, None], table[:, None], place, clear]
        if self.aware:
            parts.append(random.integers(0, BOUND + 1, (count, n)))
        return numpy.concatenate(parts, axis=1)

    def teacher(self, states):
        """The label for each state."""
        n = self.blocks
        score = numpy.arange(n) + 100.0 * (states[:, 2 + n:2 + 2 * n] - 1)
        if self.aware:
            score = score - 2.5 * numpy.maximum(states[:, 2 + 2 * n:] - BOUND // 3, 0) / (BOUND - BOUND // 3)
        to_table = (states[:, 0] == 0) & (states[:, 1] < 2)
        return numpy.where(to_table, 0, 1 + score.argmax(axis=1))


class Tiles:
    """The 8-puzzle: cells of the empty cell and of tiles 1 to 8; left, right, up, down."""

    domain, name, labels = "tiles", "tiles", 4
    ranges = [(0, 8)] * 9
    settings = ["costs=ignoring"]

    def states(self, random, count):
        """Arrangements; in three of ten the empty cell is put where a wrong move is unsafe."""
        states = random.permuted(numpy.tile(numpy.arange(9), (count, 1)), axis=1)
        rows = numpy.flatnonzero(random.random(count) < 0.3)
        other = (states[rows] == 7).argmax(axis=1)
        states[rows, other] = states[rows, 0]
        states[rows, 0] = 7
        return states

    def teacher(self, states):
        """The label for each state."""
        left, right, up, down = range(4)
        empty, third = states[:, 0], states[:, 3]
        lower = (empty < 6) & ((empty % 3 == 2) | (states[:, 8] > empty))
        wanted = numpy.where(lower, down, right)
        wanted = numpy.where(empty == 8, numpy.where(states[:, 1] < states[:, 2], left, up), wanted)
        return numpy.where((empty == 7) & (third == 8), up, wanted)


def train(random, task, width):
    """A network, by Adam on cross entropy with smoothed labels."""
    states = task.states(random, SAMPLES)
    labels = task.teacher(states)
    low, high = numpy.array(task.ranges, float).T
    points = ((2 * states - low - high) / (high - low)).astype(numpy.float32)
    sizes = [points.shape[1], width, width, task.labels]
    weights = [random.normal(0, numpy.sqrt(2 / a), (b, a)).astype(numpy.float32) for a, b in zip(sizes, sizes[1:])]
    biases = [numpy.zeros(b, numpy.float32) for b in sizes[1:]]
    parameters = weights + biases
    first, second = ([numpy.zeros_like(p) for p in parameters] for _ in range(2))
    rest = SMOOTH / task.labels
    for step in range(1, STEPS + 1):
        chosen = random.integers(0, SAMPLES, BATCH)
        layers = [points[chosen]]
        for w, b in zip(weights[:-1], biases[:-1]):
            layers.append(numpy.maximum(layers[-1] @ w.T + b, 0))
        scores = layers[-1] @ weights[-1].T + biases[-1]
        slope = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        slope /= slope.sum(axis=1, keepdims=True)
        slope -= rest
        slope[numpy.arange(BATCH), labels[chosen]] -= 1 - SMOOTH
        slope /= BATCH
        gradients = []
        for index in (2, 1, 0):
            gradients.append((slope.T @ layers[index] + 1e-5 * weights[index], slope.sum(axis=0)))
            slope = (slope @ weights[index]) * (layers[index] > 0)
        gradients = [g[0] for g in gradients[::-1]] + [g[1] for g in gradients[::-1]]
        rate = 0.01 * min(1.0, 1.2 - step / STEPS) / (1 - 0.9 ** step) * numpy.sqrt(1 - 0.999 ** step)
        for p, g, m, v in zip(parameters, gradients, first, second):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            p -= (rate * m / (numpy.sqrt(v) + 1e-8)).astype(numpy.float32)
    # The scaling of inputs goes into the first layer; weights stay numbers of single precision.
    exact = [w.astype(float) for w in weights]
    shift = exact[0] @ ((low + high) / (high - low))
    exact[0] = exact[0] * (2 / (high - low))
    return nnet.Network([w.astype(numpy.float32).astype(float) for w in exact],
                        [b.astype(numpy.float32).astype(float) for b in [biases[0] - shift, *biases[1:]]])


def agreement(random, task, network):
    """The share of fresh states on which network and teacher agree."""
    states = task.states(random, 20_000)
    return float((network.values(states.astype(float)).argmax(axis=1) == task.teacher(states)).mean())


def tasks():
    """What is imitated, by name."""
    made = [Blocks(n, False) for n in (4, 6, 8)] + [Tiles()] + [Blocks(n, True) for n in (4, 6, 8)]
    return {task.name: task for task in made}


def distilled(task, width, seed=1, out=OUT, again=False):
    """The folder of a network, trained where it is not there yet."""
    folder = pathlib.Path(out) / f"{task.name}_{width}_{seed}"
    path = folder / f"{task.name}_{width}.nnet"
    if path.exists() and not again:
        return folder
    begin = time.process_time()
    random = numpy.random.default_rng([seed, width, *task.name.encode()])
    network = train(random, task, width)
    folder.mkdir(parents=True, exist_ok=True)
    nnet.write(network, task.ranges, path)
    share = 100 * agreement(random, task, network)
    print(f"{path.name}: {share:.2f} % as the teacher, {time.process_time() - begin:.1f} s", flush=True)
    return folder


def main():
    """Trains what is missing."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=OUT)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="names that begin so, as bw8c or bw4_16")
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    for name, task in tasks().items():
        for width in (16, 32, 64):
            if f"{name}_{width}".startswith(given.only):
                distilled(task, width, given.seed, given.out, given.again)


if __name__ == "__main__":
    main()
