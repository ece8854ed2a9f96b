"""Policies as Stable-Baselines3, sb3-contrib, CleanRL and plain PyTorch leave them.

Usage: test_policies.py BINARY

Trains for a moment, exports by each way, and holds what `surefoot` makes of the file against torch: its choice for every observation, for the
tabular environments also every transition of the explored model against Gymnasium's own, and the verdict against reachability in those. ONNX
files are evaluated by onnxruntime too. Ends with a line 'N passed, N failed'.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import traceback

import gymnasium
import numpy
import onnxruntime
import torch
from sb3_contrib import QRDQN, MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

import policy_exports
from policy_environments import SIDE, Grid, observer, outcomes, tabular

# Scores of torch closer than this may be ordered by its rounding.
CLOSE = 1e-5
SMALL = {"net_arch": [16, 16]}
ALGORITHMS = {
    "DQN": lambda env: DQN("MlpPolicy", env, learning_starts=20, policy_kwargs=SMALL, seed=1, device="cpu"),
    "PPO": lambda env: PPO("MlpPolicy", env, n_steps=64, policy_kwargs=SMALL, seed=1, device="cpu"),
    "A2C": lambda env: A2C("MlpPolicy", env, policy_kwargs=SMALL, seed=1, device="cpu"),
    "QR-DQN": lambda env: QRDQN(
        "MlpPolicy", env, learning_starts=20, policy_kwargs={**SMALL, "n_quantiles": 7}, seed=1, device="cpu"
    ),
    "MaskablePPO": lambda env: MaskablePPO("MlpPolicy", env, n_steps=64, policy_kwargs=SMALL, seed=1, device="cpu"),
}


def masked(environment):
    every = numpy.ones(environment.action_space.n, dtype=bool)
    return ActionMasker(environment, lambda _: every)


def trained(algorithm, environment, steps=128):
    if algorithm == "MaskablePPO" and not hasattr(environment, "action_masks"):
        environment = masked(environment)
    model = ALGORITHMS[algorithm](environment)
    model.learn(steps)
    return model.policy.to("cpu").eval()


def surefoot(command, folder, *arguments, expected=(0,)):
    run = [BINARY, command, *map(str, arguments), "--quiet", "--json", "-"]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True)
    assert done.returncode in expected, f"{' '.join(run)}: {done.returncode}\n{done.stderr}{done.stdout}"
    return json.loads(done.stdout)


def write(folder, name, content):
    (folder / name).write_text(json.dumps(content))


def policy_file(folder, network, inputs, outputs, **more):
    entry = {"file": network, **more}
    write(folder, "policy.policy.json", {"networks": [entry], "inputs": inputs, "outputs": outputs})


def induced(folder):
    """The states and the transitions of the induced model: values by name, and probabilities of successors by state."""
    surefoot("induce", folder, "model.jani", "--policy", "policy.policy.json", "--mdp", "--out", "induced.tra")
    lines = (folder / "induced.sta").read_text().splitlines()
    names = lines[0].strip("()").split(",")
    states = []
    for line in lines[1:]:
        states.append(dict(zip(names, map(int, line.split(":")[1].strip("()").split(",")))))
    moves = {}
    for line in (folder / "induced.tra").read_text().splitlines()[1:]:
        source, choice, target, probability = line.split()[:4]
        moves.setdefault(int(source), {}).setdefault(int(choice), {})[int(target)] = float(probability)
    return states, moves


def chosen(folder, names):
    """What the policy chooses for each observation."""
    states, moves = induced(folder)
    result = {}
    for source, choices in moves.items():
        if states[source]["chosen"] >= 0:
            continue
        assert len(choices) == 1, "one choice per observation"
        (target,) = choices[0]
        result[tuple(states[source][name] for name in names)] = states[target]["chosen"]
    return result


def scores_of(policy, observations):
    """The scores that torch gives, as one array per choice."""
    with torch.no_grad():
        scores = policy_exports.Scores(policy)(observations)
    sizes = getattr(policy.action_space, "nvec", [scores.shape[1]])
    return [part.numpy() for part in torch.split(scores, list(map(int, sizes)), dim=1)]


def runtime(path, rows, sizes):
    """What onnxruntime chooses for each row: the action that a file computes, or the largest score of each choice."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (entry,) = session.get_inputs()
    batch = entry.shape[0] if entry.shape and isinstance(entry.shape[0], int) else 1
    result = []
    for row in rows:
        output = session.run(None, {entry.name: numpy.stack([row] * batch)})[0].reshape(batch, -1)[0]
        if numpy.issubdtype(output.dtype, numpy.integer):
            actions = output.tolist()
        else:
            actions = [int(numpy.argmax(part)) for part in numpy.split(output, numpy.cumsum(sizes)[:-1])]
        assert len(actions) == len(sizes), (output, sizes)
        choice = 0
        for action, size in zip(actions, sizes):
            choice = choice * size + action
        result.append(choice)
    return result


def compare(found, observations, parts, evaluated=None):
    """Choices against torch's scores and against what onnxruntime chooses; how many were too close to tell."""
    close = 0
    assert len(found) == len(observations), (len(found), len(observations))
    for index, observation in enumerate(observations):
        choice, expected = found[observation], 0
        clear = True
        for part in parts:
            row = part[index]
            first, second = numpy.sort(row)[::-1][:2]
            clear &= bool(first - second > CLOSE * max(1.0, abs(first)))
            expected = expected * len(row) + int(numpy.argmax(row))
        if clear:
            assert choice == expected, f"at {observation}: {choice}, torch has {expected}"
            if evaluated is not None:
                assert choice == evaluated[index], f"at {observation}: {choice}, onnxruntime has {evaluated[index]}"
        close += not clear
    assert close <= len(observations) // 4, f"{close} of {len(observations)} scores are too close to compare"
    return close


def grid_case(algorithm, observations, actions, way):
    """Every observation of the grid, by one way of exporting."""

    def run(folder):
        policy = policy_of(algorithm, observations, actions)
        points = [(x, y) for x in range(SIDE) for y in range(SIDE)]
        tensor, _ = policy.obs_to_tensor(numpy.array(points, dtype=policy.observation_space.dtype))
        export, suffix = policy_exports.WAYS[way]
        inputs = export(policy, tensor[:1], folder / f"network{suffix}")
        encoded = inputs == "features" and observations == "multi"
        listed = [{"one_hot": name} for name in "xy"] if encoded else ["x", "y"]
        labels = ["right", "up", "left", "down"]
        outputs = {"labels": labels}
        if actions == "multi":
            names = [["left", "stay", "right"], ["down", "rest", "up"]]
            labels = [f"{a}_{b}" for a in names[0] for b in names[1]]
            outputs = {"components": names}
        write(folder, "model.jani", observer([("x", 0, SIDE - 1), ("y", 0, SIDE - 1)], labels))
        policy_file(folder, f"network{suffix}", listed, outputs)
        parts = scores_of(policy, tensor)
        second = None
        if suffix == ".onnx":
            rows = policy_exports.features(policy, tensor) if inputs == "features" else tensor
            second = runtime(folder / "network.onnx", rows.numpy(), [part.shape[1] for part in parts])
        compare(chosen(folder, "xy"), points, parts, second)

    return run


CACHE = {}


def policy_of(algorithm, observations, actions):
    key = (algorithm, observations, actions)
    if key not in CACHE:
        CACHE[key] = trained(algorithm, Grid(observations, actions))
    return CACHE[key]


TABLES = {
    "FrozenLake": (lambda: gymnasium.make("FrozenLake-v1"), "s", 5),
    "CliffWalking": (lambda: gymnasium.make("CliffWalking-v1"), "s", 47),
    "Taxi": (lambda: gymnasium.make("Taxi-v3" if "Taxi-v3" in gymnasium.registry else "Taxi-v4"), "s", 0),
}


def table_case(name, algorithm, ways):
    """A tabular environment: transitions and verdict too."""

    def run(folder):
        make, _, unsafe = TABLES[name]
        environment = make()
        policy = trained(algorithm, environment)
        model, labels = tabular(name, environment)
        write(folder, "model.jani", model)
        table = environment.unwrapped.P
        states = sorted(table)
        tensor, _ = policy.obs_to_tensor(numpy.array(states))
        (scores,) = scores_of(policy, tensor)
        for way in ways:
            export, suffix = policy_exports.WAYS[way]
            inputs = export(policy, tensor[:1], folder / f"network{suffix}")
            if inputs is None:
                continue
            policy_file(folder, f"network{suffix}", ["s"] if inputs == "observation" else [{"one_hot": "s"}], {"labels": labels})
            choices = check_transitions(folder, table, scores)
            check_verdict(folder, table, choices, unsafe)

    return run


def check_transitions(folder, table, scores):
    """The induced model is Gymnasium's table under torch's choices, where these are clear; returns the choices."""
    states, moves = induced(folder)
    location = next(name for name in states[0] if name != "s")
    running = min(state[location] for state in states)
    choices, clear = {}, 0
    for source, found in moves.items():
        state = states[source]
        if state[location] != running:
            # Files of that format have a loop where nothing goes on.
            assert found == {0: {source: 1.0}}, "nothing goes on when the episode is over"
            continue
        assert list(found) == [0], "one choice per state"
        seen = {(states[t]["s"], states[t][location] != running): p for t, p in found[0].items()}
        row = scores[state["s"]]
        order = numpy.argsort(-row, kind="stable")
        possible = [a for a in order if row[order[0]] - row[a] <= CLOSE * max(1.0, abs(row[order[0]]))]
        clear += len(possible) == 1
        fitting = [a for a in possible if same(outcomes(table[state["s"]][a]), seen)]
        assert fitting, f"state {state['s']}: {seen} is what none of the actions {possible} gives"
        choices[state["s"]] = fitting[0]
    assert set(choices) == set(table), "every state is explored"
    assert clear >= len(choices) * 3 // 4, f"only {clear} of {len(choices)} choices are clear"
    return choices


def same(expected, seen):
    return set(expected) == set(seen) and all(abs(float(p) - seen[key]) < 1e-12 for key, p in expected.items())


def check_verdict(folder, table, choices, unsafe):
    """`verify` against reachability under these choices, from one start state."""
    start = next(s for s in table if s != unsafe)
    reached, open_states = {start}, [start]
    while open_states:
        state = open_states.pop()
        for successor, terminated in outcomes(table[state][choices[state]]):
            if successor not in reached:
                reached.add(successor)
                if not terminated:
                    open_states.append(successor)
    condition = lambda value: {"op": "=", "left": "s", "right": value}
    expression = {"op": "PA", "file": "policy.policy.json", "start": condition(start), "reach": condition(unsafe)}
    write(folder, "never.jani", {"properties": [{"name": "never", "expression": expression}]})
    result = surefoot("verify", folder, "model.jani", "--properties", "never.jani", expected=(0, 1))
    assert result["verdict"] == ("violated" if unsafe in reached else "holds"), (result["verdict"], sorted(reached))


def module_case(module, inputs, exporters, ranges=((-6, 6), (-6, 6)), shape=(2,)):
    """A plain PyTorch module over small integers, by each of these exporters."""

    def run(folder):
        torch.manual_seed(3)
        network = module().eval()
        points = list(itertools.product(*(range(low, high + 1) for low, high in ranges)))
        tensor = torch.tensor(points, dtype=inputs).reshape(-1, *shape)
        with torch.no_grad():
            scores = network(tensor).numpy()
        names, labels = [f"v{i}" for i in range(len(ranges))], [f"a{i}" for i in range(scores.shape[1])]
        write(folder, "model.jani", observer([(name, *ends) for name, ends in zip(names, ranges)], labels))
        for exporter in exporters:
            policy_exports.onnx(network, tensor[:1], folder / "network.onnx", exporter)
            policy_file(folder, "network.onnx", names, {"labels": labels})
            second = runtime(folder / "network.onnx", tensor.numpy(), [scores.shape[1]])
            compare(chosen(folder, names), points, [scores], second)

    return run


def normalised_case(folder):
    """A policy trained behind VecNormalize, exported with the normalisation in front; and with it in the policy file."""
    environment = VecNormalize(DummyVecEnv([lambda: Grid("float")]), clip_obs=1.25)
    model = PPO("MlpPolicy", environment, n_steps=64, policy_kwargs=SMALL, seed=1, device="cpu")
    model.learn(128)
    policy = model.policy.to("cpu").eval()
    points = [(x, y) for x in range(SIDE) for y in range(SIDE)]
    observations = numpy.array(points, dtype=numpy.float32)
    # As the environment normalises them.
    normal = torch.tensor(environment.normalize_obs(observations), dtype=torch.float32)
    parts = scores_of(policy, normal)
    assert float(normal.abs().max()) == 1.25, "some of them are clipped"
    labels = ["right", "up", "left", "down"]
    write(folder, "model.jani", observer([("x", 0, SIDE - 1), ("y", 0, SIDE - 1)], labels))
    mean = environment.obs_rms.mean
    deviation = numpy.sqrt(environment.obs_rms.var + environment.epsilon)
    module = policy_exports.Normalised(policy, mean, deviation, 1.25)
    for exporter in (True, False):
        policy_exports.onnx(module, torch.tensor(observations[:1]), folder / "network.onnx", exporter)
        policy_file(folder, "network.onnx", ["x", "y"], {"labels": labels})
        second = runtime(folder / "network.onnx", observations, [4])
        compare(chosen(folder, "xy"), points, parts, second)
    policy_exports.scores_old(policy, normal[:1], folder / "network.onnx")

    def entry(name, index):
        scaled = {"op": "/", "left": {"op": "-", "left": name, "right": float(mean[index])}, "right": float(deviation[index])}
        return {"op": "min", "left": {"op": "max", "left": scaled, "right": -1.25}, "right": 1.25}

    policy_file(folder, "network.onnx", [entry("x", 0), entry("y", 1)], {"labels": labels})
    compare(chosen(folder, "xy"), points, parts)


def settled(norm):
    """A normalisation that has seen data: numbers whose roots are not rational."""
    for tensor, (low, high) in (
        (norm.running_mean, (-1, 1)), (norm.running_var, (0.3, 2)), (norm.weight.data, (0.5, 2)), (norm.bias.data, (-1, 1))
    ):
        tensor.uniform_(low, high)
    return norm


class Residual(torch.nn.Module):
    """Two blocks `x + W f(x)`, as residual networks have them."""

    def __init__(self, activation):
        super().__init__()
        layer = torch.nn.Linear
        self.first, self.last = layer(2, 8), layer(8, 3)
        self.blocks = torch.nn.ModuleList([torch.nn.Sequential(layer(8, 8), activation(), layer(8, 8)) for _ in range(2)])

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = x + block(x)
        return self.last(x)


def sequential(*middle, width=8):
    return lambda: torch.nn.Sequential(torch.nn.Linear(2, width), *[make() for make in middle], torch.nn.Linear(width, 3))


class Dueling(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU())
        self.value, self.advantage = torch.nn.Linear(8, 1), torch.nn.Linear(8, 3)

    def forward(self, x):
        hidden = self.body(x)
        advantage = self.advantage(hidden)
        return self.value(hidden) + advantage - advantage.mean(dim=1, keepdim=True)


class Embedding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.linear = torch.nn.Embedding(13, 4), torch.nn.Linear(8, 3)

    def forward(self, x):
        return self.linear(torch.relu(self.table(x + 6)).flatten(1))


class CleanRL(torch.nn.Module):
    """The actor of CleanRL's ppo.py, and its way to act: the logits of a categorical distribution."""

    def __init__(self):
        super().__init__()
        layer = torch.nn.Linear
        self.actor = torch.nn.Sequential(layer(2, 16), torch.nn.Tanh(), layer(16, 16), torch.nn.Tanh(), layer(16, 3))

    def forward(self, x):
        return torch.log_softmax(self.actor(x), dim=-1)


def cases():
    nn = torch.nn
    both = (True, False)
    for algorithm in ALGORITHMS:
        for way in policy_exports.WAYS:
            supported = not (way == "heads" and "DQN" in algorithm) and not (way == "safetensors" and algorithm == "QR-DQN")
            if supported:
                yield f"{algorithm}, integers, {way}", grid_case(algorithm, "box", "discrete", way)
        for way in ("whole policy, dynamo=False", "scores") if algorithm in ("DQN", "PPO") else ("scores, dynamo=False",):
            yield f"{algorithm}, one-hot, {way}", grid_case(algorithm, "multi", "discrete", way)
    yield "PPO, one-hot, heads", grid_case("PPO", "multi", "discrete", "heads")
    for algorithm in ("PPO", "A2C", "MaskablePPO"):
        for way in ("whole policy, dynamo=False", "scores"):
            yield f"{algorithm}, two choices, {way}", grid_case(algorithm, "box", "multi", way)
    yield "PPO, two choices, whole policy", grid_case("PPO", "box", "multi", "whole policy")
    for algorithm in ALGORITHMS:
        ways = ["whole policy, dynamo=False", "scores, dynamo=False", "heads", "safetensors"]
        yield f"{algorithm}, FrozenLake", table_case("FrozenLake", algorithm, ways)
        yield f"{algorithm}, CliffWalking", table_case("CliffWalking", algorithm, ways[:1] + ways[3:])
        yield f"{algorithm}, Taxi", table_case("Taxi", algorithm, ways[:1])
    for name, make, exporters in (
        ("tanh", nn.Tanh, both), ("sigmoid", nn.Sigmoid, both), ("softplus", nn.Softplus, both), ("ELU", nn.ELU, both),
        ("softplus with beta", lambda: nn.Softplus(beta=2), both), ("SELU", nn.SELU, both), ("SiLU", nn.SiLU, both),
        ("GELU", nn.GELU, (True, False, 11)), ("GELU by tanh", lambda: nn.GELU("tanh"), (True, False, 11)),
        ("LeakyReLU", nn.LeakyReLU, both), ("PReLU", nn.PReLU, both), ("Hardtanh", nn.Hardtanh, both), ("ReLU6", nn.ReLU6, both),
        ("Hardsigmoid", nn.Hardsigmoid, both),
        ("LayerNorm", lambda: nn.Sequential(nn.LayerNorm(8), nn.ReLU()), (True, False, 11)),
        ("BatchNorm", lambda: nn.Sequential(settled(nn.BatchNorm1d(8)), nn.ReLU()), both),
        ("BatchNorm after tanh", lambda: nn.Sequential(nn.Tanh(), settled(nn.BatchNorm1d(8))), both),
    ):
        yield f"PyTorch, {name}", module_case(sequential(make), torch.float32, exporters)
    for name, make in (("ReLU", nn.ReLU), ("GELU", nn.GELU), ("SiLU", nn.SiLU), ("softplus", nn.Softplus)):
        yield f"PyTorch, residual {name}", module_case(lambda make=make: Residual(make), torch.float32, both)
    convolution = lambda: nn.Sequential(
        nn.Conv2d(1, 4, 2, padding=1), settled(nn.BatchNorm2d(4)), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 2), nn.Tanh(),
        nn.Flatten(), nn.Linear(4, 3),
    )
    yield "PyTorch, convolutions", module_case(convolution, torch.float32, both, ((0, 1),) * 9, (1, 3, 3))
    yield "PPO, VecNormalize", normalised_case
    yield "PyTorch, dueling", module_case(Dueling, torch.float32, both)
    yield "PyTorch, embedding", module_case(Embedding, torch.int64, both)
    yield "CleanRL, logits", module_case(CleanRL, torch.float32, both)


def main():
    passed = failed = 0
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, run in cases():
        if only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(pathlib.Path(folder))
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    torch.set_num_threads(1)
    sys.exit(main())
