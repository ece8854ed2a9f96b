"""Modules of PyTorch: torch, onnxruntime and the engines agree; what has no exact form is refused by name."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest

from surefoot.errors import PolicyError
from surefoot.policies import Policy, as_policy, build
from test_policies_standins import Model, Variable, numbers

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional
torch.set_num_threads(1)


def runtime_scores(policy: Policy, points: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The scores by onnxruntime, after the `onnx` package has found the file valid."""
    onnx, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    (data,) = policy.networks.values()
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    (entry,) = session.get_inputs()
    dtype = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64}[entry.type]
    rows = [session.run(None, {entry.name: point.astype(dtype).reshape(1, *shape)})[0].reshape(-1) for point in points]
    return np.stack(rows).astype(np.float64)


def settled(norm: Any) -> Any:
    for tensor, (low, high) in (
        (norm.running_mean, (-1, 1)),
        (norm.running_var, (0.3, 2)),
        (norm.weight.data, (0.5, 2)),
        (norm.bias.data, (-1, 1)),
    ):
        tensor.uniform_(low, high)
    return norm


class Functional(nn.Module):
    """`forward` as a function of layers."""

    def __init__(self, function: Any, **layers: Any) -> None:
        super().__init__()
        self.function = function
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x: Any) -> Any:
        return self.function(self, x)


def with_buffers(module: Any, **buffers: Any) -> Any:
    for name, tensor in buffers.items():
        module.register_buffer(name, tensor)
    return module


def dueling(m: Any, x: Any) -> Any:
    hidden = torch.relu(m.body(x))
    advantage = m.advantage(hidden)
    return m.value(hidden) + advantage - advantage.mean(dim=1, keepdim=True)


def residual(m: Any, x: Any) -> Any:
    x = m.first(x)
    for block in (m.one, m.two):
        x = x + block(F.relu(x))
    return m.last(x)


def several_heads(m: Any, x: Any) -> Any:
    a, b = m.body(x).chunk(2, dim=-1)
    low = torch.minimum(a, b).clamp(min=-0.5)
    return m.last(torch.cat([low, torch.stack([a.sum(-1), b.amax(dim=1)], dim=1)], dim=-1))


LAYERS = {
    "ReLU": nn.ReLU,
    "ReLU in place": lambda: nn.ReLU(inplace=True),
    "LeakyReLU": nn.LeakyReLU,
    "PReLU": lambda: nn.PReLU(8),
    "one PReLU": nn.PReLU,
    "ReLU6": nn.ReLU6,
    "Hardtanh": lambda: nn.Hardtanh(-0.3, 0.7),
    "Hardsigmoid": nn.Hardsigmoid,
    "Tanh": nn.Tanh,
    "Sigmoid": nn.Sigmoid,
    "LogSigmoid": nn.LogSigmoid,
    "Softplus": nn.Softplus,
    "Softplus by 2": lambda: nn.Softplus(beta=2),
    "ELU": nn.ELU,
    "ELU 0.5": lambda: nn.ELU(0.5),
    "SELU": nn.SELU,
    "CELU": lambda: nn.CELU(0.5),
    "GELU": nn.GELU,
    "GELU by tanh": lambda: nn.GELU("tanh"),
    "SiLU": nn.SiLU,
    "LayerNorm": lambda: nn.Sequential(nn.LayerNorm(8), nn.ReLU()),
    "LayerNorm alone": lambda: nn.LayerNorm(8, elementwise_affine=False),
    "BatchNorm": lambda: nn.Sequential(settled(nn.BatchNorm1d(8)), nn.ReLU()),
    "BatchNorm after tanh": lambda: nn.Sequential(nn.Tanh(), settled(nn.BatchNorm1d(8))),
    "Dropout": lambda: nn.Sequential(nn.Dropout(0.4), nn.ReLU()),
    "nested": lambda: nn.Sequential(nn.Identity(), nn.Sequential(nn.ReLU(), nn.Linear(8, 8)), nn.Tanh()),
    "parametrised": lambda: nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(8, 8)), nn.ReLU()),
    "Linear without bias": lambda: nn.Sequential(nn.Linear(8, 8, bias=False), nn.ReLU()),
}
#: Without a single-precision constant these have no file in double precision.
SINGLE_ONLY = {"SELU"}
#: onnxruntime has no kernel for these in double precision.
NO_KERNEL = {
    "LeakyReLU",
    "PReLU",
    "one PReLU",
    "Hardsigmoid",
    "Softplus",
    "Softplus by 2",
    "LogSigmoid",
    "ELU",
    "ELU 0.5",
    "CELU",
    "GELU",
    "GELU by tanh",
}


def check(
    module: Any, model: Model, shape: tuple[int, ...] | None = None, kernels: bool = True, **options: Any
) -> Policy:
    policy = Policy.from_torch(module, model, shape=shape, **options)
    agreement = policy.agreement
    assert agreement is not None and agreement.points == 256 or agreement is not None and agreement.points == 169
    assert agreement.absolute <= agreement.tolerance < 1e-3 and (
        agreement.choices == 0 or (agreement.margin or 0) <= 2 * agreement.tolerance
    )
    random = np.random.default_rng(5)
    sizes = shape or (policy.network.inputs,)
    points = random.integers(0, 5, (20, policy.network.inputs)).astype(np.float64)
    ours = policy.scores(points)
    if kernels:
        theirs = runtime_scores(policy, points, sizes)
        assert np.abs(ours - theirs).max() <= max(1e-5, 1e-5 * np.abs(theirs).max())
    assert (policy.scores(points[0]) == ours[0]).all()
    return policy


@pytest.mark.parametrize("double", [False, True], ids=["single", "double"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str, double: bool) -> None:
    torch.manual_seed(3)
    module = nn.Sequential(nn.Linear(2, 8), LAYERS[name](), nn.Linear(8, 3))
    module = module.double() if double else module
    if double and name in SINGLE_ONLY:
        with pytest.raises(PolicyError, match=r"1: its alpha .* \.float\(\)"):
            Policy.from_torch(module, numbers(2, 3))
        return
    policy = check(module, numbers(2, 3), kernels=not (double and name in NO_KERNEL))
    assert policy.agreement is not None
    if double and name not in ("Hardsigmoid", "LogSigmoid", "Softplus", "Softplus by 2"):
        assert policy.agreement.absolute < 1e-13


SHAPES = {
    "dueling": lambda: Functional(dueling, body=nn.Linear(2, 8), value=nn.Linear(8, 1), advantage=nn.Linear(8, 3)),
    "residual": lambda: Functional(
        residual, first=nn.Linear(2, 8), one=nn.Linear(8, 8), two=nn.Linear(8, 8), last=nn.Linear(8, 3)
    ),
    "heads": lambda: Functional(several_heads, body=nn.Linear(2, 8), last=nn.Linear(6, 3)),
    "functions": lambda: Functional(
        lambda m, x: F.linear(torch.tanh(F.leaky_relu(m.a(x), 0.2)), m.b.weight, m.b.bias),
        a=nn.Linear(2, 8),
        b=nn.Linear(8, 3),
    ),
    "methods": lambda: Functional(lambda m, x: m.b(m.a(x).relu().tanh().abs()), a=nn.Linear(2, 8), b=nn.Linear(8, 3)),
    "in place": lambda: Functional(lambda m, x: m.b(F.relu_(m.a(x).add_(1.0))), a=nn.Linear(2, 8), b=nn.Linear(8, 3)),
    "in place beside": lambda: Functional(
        lambda m, x: m.b(torch.cat((m.r(m.a(x)), x), 1)), a=nn.Linear(2, 8), r=nn.ReLU(inplace=True), b=nn.Linear(10, 3)
    ),
    "scaling": lambda: with_buffers(
        Functional(lambda m, x: m.a(((x - m.mean) / m.std).clamp(-1.5, 1.5)), a=nn.Linear(2, 3)),
        mean=torch.tensor([0.3, -1.7]),
        std=torch.tensor([1.7, 2.3]),
    ),
    "scalars": lambda: Functional(
        lambda m, x: 2 * m.b(torch.relu(0.5 * m.a(x) - 1)) + 0.25, a=nn.Linear(2, 8), b=nn.Linear(8, 3)
    ),
    "moves": lambda: Functional(
        lambda m, x: m.b(
            m.a(x)
            .view(x.size(0), 4, 2)
            .transpose(1, 2)
            .flip(-1)[:, :, 1:]
            .reshape(x.shape[0], -1)
            .unsqueeze(1)
            .squeeze(1)
        ),
        a=nn.Linear(2, 8),
        b=nn.Linear(6, 3),
    ),
    "observation again": lambda: Functional(
        lambda m, x: m.b(torch.cat((torch.relu(m.a(x)), x), 1)), a=nn.Linear(2, 8), b=nn.Linear(10, 3)
    ),
    "columns": lambda: Functional(
        lambda m, x: m.b(torch.relu(m.a(x[:, [1, 0, 1]]) + x[..., :1])), a=nn.Linear(3, 8), b=nn.Linear(8, 3)
    ),
    "log_softmax": lambda: nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 3), nn.LogSoftmax(dim=-1)),
    "softmax": lambda: Functional(lambda m, x: torch.softmax(m.a(x) / 2, dim=1), a=nn.Linear(2, 3)),
    "matmul": lambda: Functional(
        lambda m, x: torch.relu(x @ m.a.weight.t() + m.a.bias) @ m.b,
        a=nn.Linear(2, 8),
        b=nn.Parameter(torch.randn(8, 3)),
    ),
    "linear only": lambda: nn.Linear(2, 3),
    "residual GELU": lambda: Functional(
        lambda m, x: m.b(m.a(x) + m.c(F.gelu(m.a(x)))), a=nn.Linear(2, 8), c=nn.Linear(8, 8), b=nn.Linear(8, 3)
    ),
    "largest of": lambda: Functional(lambda m, x: m.a(x).view(1, 3, 4).max(dim=2)[0], a=nn.Linear(2, 12)),
    "mean of quantiles": lambda: Functional(lambda m, x: m.a(x).view(-1, 5, 3).mean(dim=1), a=nn.Linear(2, 15)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    torch.manual_seed(3)
    policy = (
        check(SHAPES[name](), numbers(2, 3), kernels=True)
        if "softmax" not in name
        else Policy.from_torch(SHAPES[name](), numbers(2, 3))
    )
    if "softmax" in name:
        assert (
            any("taken off" in note for note in policy.notes)
            and policy.agreement is not None
            and policy.agreement.choices == 0
        )


def test_convolutions() -> None:
    torch.manual_seed(3)
    module = nn.Sequential(
        nn.Conv2d(1, 4, 2, padding=1),
        settled(nn.BatchNorm2d(4)),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 4, (2, 1), stride=1, groups=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(8, 3),
    )
    check(module, numbers(9, 3, 0, 1), shape=(1, 3, 3))
    signal = nn.Sequential(
        nn.Conv1d(2, 4, 3, padding="same", dilation=2),
        nn.Tanh(),
        nn.AvgPool1d(2),
        nn.Conv1d(4, 3, 2),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
    )
    check(signal, numbers(12, 3), shape=(2, 6))


def test_embeddings_take_integers() -> None:
    torch.manual_seed(3)
    embedding = Functional(
        lambda m, x: m.b(torch.relu(m.a(x + 6)).flatten(1)), a=nn.Embedding(13, 4), b=nn.Linear(8, 3)
    )
    policy = check(embedding, numbers(2, 3))
    assert policy.inputs == ("v0", "v1")
    check(
        Functional(lambda m, x: m.a(F.one_hot(x.long(), 13).float().flatten(1)), a=nn.Linear(26, 3)),
        numbers(2, 3, 0, 12),
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_converted_exactly(dtype: Any) -> None:
    torch.manual_seed(3)
    module = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3)).to(dtype)
    policy = Policy.from_torch(module, numbers(2, 3))
    assert policy == Policy.from_torch(copy.deepcopy(module).float(), numbers(2, 3))
    assert next(module.parameters()).dtype == dtype and any("single precision" in note for note in policy.notes)


def test_the_users_module_stays_as_it_is() -> None:
    module = nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 3)).train()
    before = copy.deepcopy(module.state_dict())
    policy = Policy.from_torch(module, numbers(2, 3))
    assert all(part.training for part in module.modules()) and all(
        parameter.requires_grad for parameter in module.parameters()
    )
    assert all(torch.equal(before[key], tensor) for key, tensor in module.state_dict().items())
    assert any("training mode" in note for note in policy.notes)
    assert not any("training mode" in note for note in Policy.from_torch(module.eval(), numbers(2, 3)).notes)


def test_files_are_the_same_for_the_same_module() -> None:
    module = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
    first, second = (Policy.from_torch(module, numbers(2, 3)) for _ in range(2))
    assert first == second and hash(first) == hash(second) and first.files() == second.files()


REFUSED = {
    "Mish": (nn.Sequential(nn.Linear(2, 8), nn.Mish(), nn.Linear(8, 3)), r"^1: Mish is not read\. Train with ReLU"),
    "deep": (nn.Sequential(nn.Sequential(nn.Linear(2, 3), nn.Hardswish())), r"^0\.1: Hardswish is not read"),
    "GRU": (Functional(lambda m, x: m.g(x)[0], g=nn.GRU(2, 3)), r"^g: GRU is not read.*feed-forward"),
    "square": (
        Functional(lambda m, x: m.a(x**2), a=nn.Linear(2, 3)),
        r"'pow' of what depends on the observation.*variable of the model",
    ),
    "where": (Functional(lambda m, x: torch.where(x > 0, x, 2 * x), a=nn.Linear(2, 3)), r"'gt' .* jumps"),
    "exp": (Functional(lambda m, x: torch.exp(m.a(x)), a=nn.Linear(2, 3)), r"'exp' .*before it"),
    "argmax": (Functional(lambda m, x: m.a(x).argmax(-1), a=nn.Linear(2, 3)), r"'argmax' .*Return the scores"),
    "place of the largest": (
        Functional(lambda m, x: m.a(x).max(dim=1)[1], a=nn.Linear(2, 3)),
        r"place of a largest entry",
    ),
    "softmax inside": (
        Functional(lambda m, x: m.a(torch.softmax(x, -1)), a=nn.Linear(2, 3)),
        r"reads the result of a softmax",
    ),
    "random": (Functional(lambda m, x: F.dropout(m.a(x)), a=nn.Linear(2, 3)), r"at random also in evaluation"),
    "branch": (
        Functional(lambda m, x: m.a(x) if x.sum() > 0 else -m.a(x), a=nn.Linear(2, 3)),
        r"cannot be traced by torch\.fx.*branch",
    ),
    "item": (Functional(lambda m, x: m.a(x) * x[0, 0].item(), a=nn.Linear(2, 3)), r"'item'"),
    "in place, read again": (
        Functional(lambda m, x: torch.add((y := m.a(x)).relu_(), y), a=nn.Linear(2, 3)),
        r"'relu' changes 'a' in place",
    ),
    "in place of a view": (
        Functional(lambda m, x: torch.add(F.relu((y := m.a(x)).view(1, 3), inplace=True), y), a=nn.Linear(2, 3)),
        r"changes 'a' in place",
    ),
    "two results": (
        Functional(lambda m, x: (m.a(x), m.b(x)), a=nn.Linear(2, 3), b=nn.Linear(2, 1)),
        r"returns 2 things \(0, 1\).*output=0",
    ),
    "constant": (Functional(lambda m, x: m.a.bias, a=nn.Linear(2, 3)), r"does not depend on the observation"),
    "matrix": (Functional(lambda m, x: m.a(x).view(1, 2, 2), a=nn.Linear(2, 4)), r"shape \[1, 2, 2\]"),
    "product": (
        Functional(lambda m, x: m.a(x) * m.b(x), a=nn.Linear(2, 3), b=nn.Linear(2, 3)),
        r"node 'mul' \(Mul\): multiplies two values",
    ),
    "training BatchNorm": (
        nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3, track_running_stats=False)),
        r"^1: BatchNorm1d normalises by the batch",
    ),
    "Softplus": (nn.Sequential(nn.Linear(2, 3), nn.Softplus(threshold=5)), r"threshold of 5"),
    "attention": (
        Functional(lambda m, x: m.a(x, x, x)[0], a=nn.MultiheadAttention(2, 1)),
        r"a: MultiheadAttention is not read",
    ),
    "own operator": (Functional(lambda m, x: m.a(torch.fft.fft(x).real), a=nn.Linear(2, 3)), r"fft_fft|'fft"),
    "tanh skip": (
        Functional(lambda m, x: m.b(m.a(x) + torch.tanh(m.a(x))), a=nn.Linear(2, 8), b=nn.Linear(8, 3)),
        r"skip connection",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_exact_form_is_refused_by_name(name: str) -> None:
    module, message = REFUSED[name]
    with pytest.raises(PolicyError, match=message):
        Policy.from_torch(module, numbers(2, 3))


def test_weights_that_are_no_numbers_are_named() -> None:
    module = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
    for value in (float("nan"), float("inf")):
        module[2].weight.data[1, 4] = value
        with pytest.raises(PolicyError, match=r"'2\.weight' .*diverged"):
            Policy.from_torch(module, numbers(2, 3))


def test_random_numbers_are_noticed() -> None:
    state = torch.random.get_rng_state()
    for noise in (lambda x: torch.randn(3), lambda x: torch.rand(x.size(0), 3), torch.rand_like):
        module = Functional(lambda m, x, noise=noise: (y := m.a(x)) + noise(y), a=nn.Linear(2, 3, device="cpu"))
        with pytest.raises(PolicyError, match=r"draws random numbers|'rand_like'|cannot be traced by torch\.fx: rand"):
            Policy.from_torch(module, numbers(2, 3), check=0)
    torch.random.set_rng_state(state)
    Policy.from_torch(nn.Sequential(nn.Dropout(0.5), nn.Identity()), numbers(2, 2))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_hooks_are_refused() -> None:
    module = nn.Sequential(nn.Linear(2, 3))
    module[0].register_forward_hook(lambda m, x, y: y + 1)
    with pytest.raises(PolicyError, match=r"^0 \(Linear\) has hooks"):
        Policy.from_torch(module, numbers(2, 3))


def test_one_of_several_results() -> None:
    torch.manual_seed(3)
    module = Functional(lambda m, x: (m.b(x), m.a(x)), a=nn.Linear(2, 3), b=nn.Linear(2, 1))
    point = np.array([[2.0, -1.0]])
    expected = module.a(torch.tensor(point).float()).detach().numpy()
    assert np.allclose(check(module, numbers(2, 3), output=1).scores(point), expected, atol=1e-6)


def test_numbers_of_inputs_and_outputs_are_explained() -> None:
    module = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 3))
    with pytest.raises(
        PolicyError,
        match=r"2 variables \(v0, v1\).*takes 10 \(its first layer is '0', Linear\(10, 8\)\).*List what each",
    ):
        Policy.from_torch(module, numbers(2, 3))
    table = Model((Variable("s", "int", 0, 9),), ("a0", "a1", "a2"))
    with pytest.raises(
        PolicyError, match=r"'s' has 10 values, 0 to 9.*inputs=\[\{'one_hot': 's'\}\]; if it was trained on 10 numbers"
    ):
        Policy.from_torch(module, table)
    policy = check_table(Policy.from_torch(module, table, inputs=[{"one_hot": "s"}]))
    assert policy.inputs == ({"one_hot": "s"},)
    with pytest.raises(PolicyError, match=r"3 outputs and the model has 2 actions \(a0, a1\)"):
        Policy.from_torch(nn.Linear(2, 3), numbers(2, 2))
    with pytest.raises(PolicyError, match=r"shape=\[3\] is 3 numbers, and the inputs are 2"):
        Policy.from_torch(nn.Linear(2, 3), numbers(2, 3), shape=(3,))
    with pytest.raises(PolicyError, match=r"forward fails on an observation of shape \[1, 2\]"):
        Policy.from_torch(nn.Sequential(nn.Conv2d(1, 1, 1)), numbers(2, 3))


def check_table(policy: Policy) -> Policy:
    # All ten states are looked at.
    assert policy.agreement is not None and policy.agreement.points == 10
    return policy


def test_a_wrong_network_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights changed by as little as 1e-4 on the way are found, with the observation."""
    torch.manual_seed(3)
    module = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
    from surefoot.policies import torch as source

    for place, change in itertools.product((0, 2), (1e-4, 1.0)):
        wrong = copy.deepcopy(module)
        wrong[place].weight.data[1, 1] += change
        convert = source.convert
        monkeypatch.setattr(
            source, "convert", lambda _, example, output=None, wrong=wrong: convert(wrong, example, output)
        )
        with pytest.raises(
            PolicyError, match=r"not the one that torch computes: at v0 = -?\d+, v1 = -?\d+ the scores are"
        ):
            Policy.from_torch(module, numbers(2, 3))
        assert Policy.from_torch(module, numbers(2, 3), check=0).agreement is None
        monkeypatch.undo()


def test_choices_that_differ_by_rounding_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two outputs that are the same function in two orders of summation: single precision prefers one or the other."""
    torch.manual_seed(3)
    row = torch.randn(1, 2)
    module = nn.Sequential(nn.Linear(2, 2, bias=False))
    module[0].weight.data = torch.cat([row, row * (1 + 2**-23)])
    agreement = Policy.from_torch(module, numbers(2, 2)).agreement
    assert agreement is not None and (
        agreement.choices == 0 or agreement.margin is not None and agreement.margin < 1e-5
    )


def test_strange_arguments() -> None:
    model = numbers(2, 3)
    with pytest.raises(PolicyError, match="is a class"):
        Policy.from_torch(nn.Linear, model)
    with pytest.raises(PolicyError, match="no torch.nn.Module"):
        Policy.from_torch(torch.zeros(2), model)
    with pytest.raises(PolicyError, match="TorchScript"):
        Policy.from_torch(torch.jit.trace(nn.Linear(2, 3), torch.zeros(1, 2)), model)
    with pytest.raises(PolicyError, match="no weights; load them"):
        Policy.from_torch(nn.Linear(2, 3, device="meta"), model)
    for options, message in (
        ({"ties": "last"}, "ties is 'last'"),
        ({"semantics": "float16"}, "semantics"),
        ({"filter": "yes"}, "filter"),
        ({"check": -1}, "check"),
    ):
        with pytest.raises(PolicyError, match=message):
            Policy.from_torch(nn.Linear(2, 3), model, **options)
    assert as_policy(nn.DataParallel(nn.Linear(2, 3)), model).source == "torch (DataParallel)"


def test_several_choices_at_once() -> None:
    torch.manual_seed(3)
    model = Model(numbers(2, 0).variables, ("lu", "ld", "su", "sd", "ru", "rd"))
    policy = Policy.from_torch(nn.Linear(2, 5), model, components=[3, 2])
    assert '"components"' in policy.text and policy.labels == model.actions
    with pytest.raises(PolicyError, match=r"components=\[3, 3\] are 6 scores, and the network has 5"):
        Policy.from_torch(nn.Linear(2, 5), model, components=[3, 3])
    assert build.CHECKED == 256
