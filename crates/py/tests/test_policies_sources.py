"""NumPy weights, files, labels, inputs, and which source a thing is."""

from __future__ import annotations

import json
import pathlib
import struct
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from surefoot import _native
from surefoot.errors import Error, PolicyError
from surefoot.policies import POLICY, Policy, as_policy
from surefoot.policies.arrays import ACTIVATIONS
from surefoot.policies.inputs import Inputs, draw_states
from surefoot.policies.labels import match_components, match_labels
from test_policies_standins import Model, Variable, numbers, observer

RANDOM = np.random.default_rng(7)


def layers(*sizes: int, dtype: Any = np.float64) -> list[tuple[np.ndarray, np.ndarray]]:
    return [
        (RANDOM.normal(size=(b, a)).astype(dtype), RANDOM.normal(size=b).astype(dtype))
        for a, b in zip(sizes, sizes[1:])
    ]


# NumPy.


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations(activation: str, dtype: Any) -> None:
    policy = Policy.from_numpy(layers(2, 8, 6, 3, dtype=dtype), model=numbers(2, 3), activation=activation)
    assert policy.agreement is not None and policy.agreement.absolute <= policy.agreement.tolerance
    assert policy.agreement.absolute < (1e-4 if dtype == np.float32 else 1e-12)


def test_ways_to_give_weights() -> None:
    pairs = layers(2, 8, 3)
    model = numbers(2, 3)
    policy = Policy.from_numpy(pairs, model=model)
    assert policy == Policy.from_numpy([w for w, _ in pairs], [b for _, b in pairs], model=model)
    assert policy == as_policy(pairs, model) == as_policy([part for pair in pairs for part in pair], model)
    assert policy == Policy.from_numpy([(w.tolist(), b.tolist()) for w, b in pairs], model=model)
    assert (
        policy
        == Policy.from_numpy(pairs, model=model, activation=["relu"])
        == Policy.from_numpy(pairs, model=model, activation=["relu", "identity"])
    )
    assert policy != Policy.from_numpy(pairs, model=model, activation="tanh")
    without = Policy.from_numpy([w for w, _ in pairs], model=model)
    assert without == Policy.from_numpy([w for w, _ in pairs], [None, np.zeros(3)], model=model)


def test_numbers_are_kept_exactly() -> None:
    half = [(np.array([[0.1], [0.2]], np.float16), np.array([1, 2]))]
    model = numbers(1, 2)
    assert Policy.from_numpy(half, model=model) == Policy.from_numpy(
        [(half[0][0].astype(np.float32), np.array([1, 2], np.float32))], model=model
    )
    # An integer that single precision does not have makes doubles of all.
    large = Policy.from_numpy([(np.array([[2**24 + 1], [0]]), None)], model=model)
    assert large.scores([1.0]).tolist() == [2**24 + 1, 0]
    assert Policy.from_numpy([(np.array([[0.1], [0.3]]), None)], model=model).scores([3.0])[0] == pytest.approx(
        0.1 * 3, abs=1e-17
    )


@pytest.mark.parametrize(
    ("weights", "biases", "message"),
    [
        (
            [np.zeros((8, 2)), np.zeros((3, 7))],
            [np.zeros(8), np.zeros(3)],
            r"layer 1 has weights of shape \[3, 7\], so it takes 7 inputs, and layer 0 .*\[8, 2\], so it gives 8",
        ),
        (
            [np.zeros((8, 2)), np.zeros((3, 8))],
            [np.zeros(7), np.zeros(3)],
            r"layer 0 has weights of shape \[8, 2\], so 8 outputs, and biases of shape \[7\]",
        ),
        (
            [np.zeros((2, 8)), np.zeros((8, 3))],
            [np.zeros(8), np.zeros(3)],
            r"layer 0 .*shape \[2, 8\] and biases of shape \[8\]: the matrices are transposed.*w\.T",
        ),
        ([np.zeros((2, 3))], None, r"layer 0 .*shape \[2, 3\] and there are 2 inputs: the matrix is transposed"),
        ([np.zeros((8, 2))], [], "1 matrices and 0 vectors"),
        ([np.zeros(3)], None, r"layer 0's weights have shape \[3\]; expected a matrix"),
        ([], None, "no layers"),
        (np.zeros((3, 2)), None, "weights are a list"),
        ([np.array([[1.0, np.nan]])], None, r"layer 0's weights: entry \[0, 1\] is nan.*diverged"),
        (
            [np.zeros((3, 2)), np.zeros((3, 3))],
            [np.zeros(3), np.array([0, np.inf, 0])],
            r"layer 1's biases: entry 1 is inf",
        ),
        ([np.array([["a", "b"]])], None, "real numbers"),
        ([np.zeros((3, 5))], None, r"2 variables \(v0, v1\), which are 2 numbers, and the network takes 5 \(layer 0"),
    ],
)
def test_wrong_shapes_name_the_layer(weights: Any, biases: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Policy.from_numpy(weights, biases, model=numbers(2, 3))


def test_wrong_activations() -> None:
    with pytest.raises(PolicyError, match="activation 'mish' is not read; expected one of relu, tanh"):
        Policy.from_numpy(layers(2, 4, 3), model=numbers(2, 3), activation="mish")
    with pytest.raises(
        PolicyError, match=r"3 activations for 2 layers; expected one for each layer but the last \(1\)"
    ):
        Policy.from_numpy(layers(2, 4, 3), model=numbers(2, 3), activation=["relu"] * 3)


# The policy itself.


def test_a_policy_does_not_change() -> None:
    policy = Policy.from_numpy(layers(2, 3), model=numbers(2, 3))
    with pytest.raises(AttributeError):
        policy.text = ""  # type: ignore[misc]
    with pytest.raises(TypeError):
        policy.networks["<network>.onnx"] = b""  # type: ignore[index]
    assert set(policy.files()) == {POLICY, "<network>.onnx"} and json.loads(policy.text)["network"] == "<network>.onnx"
    assert "2 inputs, 3 labels (a0, a1, a2)" in repr(policy) and "agrees with numpy" in repr(policy)
    assert as_policy(policy, numbers(2, 3)) is policy
    with pytest.raises(PolicyError, match="a Policy already, so filter cannot"):
        as_policy(policy, numbers(2, 3), filter=True)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[1, 2, 3]], r"shape \[1, 3\]; expected \[2\] or \[points, 2\]"),
        ([1, float("nan")], "point 0 has nan as input 1"),
        ([[0, 0], [float("inf"), 0]], "point 1 has inf as input 0"),
        (["a", "b"], "array of numbers"),
        (None, "shape"),
        ([[1], [2, 3]], "array of numbers"),
    ],
)
def test_points_that_are_none(points: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Policy.from_numpy(layers(2, 3), model=numbers(2, 3)).scores(points)


def test_what_is_written_is_read_again(tmp_path: pathlib.Path) -> None:
    model = numbers(2, 3)
    policy = Policy.from_numpy(
        layers(2, 8, 3), model=model, filter=True, ties="any", inputs=["v1", {"op": "/", "left": "v0", "right": 4}]
    )
    path = policy.write(tmp_path / "new", "pilot")
    assert path.name == "pilot.policy.json" and sorted(file.name for file in path.parent.iterdir()) == [
        "pilot.onnx",
        "pilot.policy.json",
    ]
    again = Policy.from_file(path, model)
    assert again.filter and again.ties == "any" and again.labels == policy.labels and again.inputs == policy.inputs
    assert (
        list(again.networks.values()) == list(policy.networks.values())
        and (again.scores([1, 2]) == policy.scores([1, 2])).all()
    )
    for one in (policy, again):
        assert (
            _native.run(["check", "<model>", "--policy", POLICY], {"<model>": observer(model), **one.files()}).exit == 0
        )
    with pytest.raises(PolicyError, match="no name of a file"):
        policy.write(tmp_path, "a/b")


# Files.


def nnet(path: pathlib.Path) -> None:
    lines = ["// test", "2,2,3,4,", "2,4,3,", "0,", "-6,-6,", "6,6,", "0,0,0,", "1,1,1,"]
    for outputs, inputs in ((4, 2), (3, 4)):
        lines += [",".join(f"{value:.3f}" for value in RANDOM.normal(size=inputs)) + "," for _ in range(outputs)]
        lines += [f"{value:.3f}," for value in RANDOM.normal(size=outputs)]
    path.write_text("\n".join(lines) + "\n")


def safetensors(path: pathlib.Path, names: list[str]) -> None:
    header, data = {}, b""
    for name, (weight, bias) in zip(names, layers(2, 4, 3, dtype=np.float32)):
        for part, array in (("weight", weight), ("bias", bias)):
            header[f"{name}.{part}"] = {
                "dtype": "F32",
                "shape": list(array.shape),
                "data_offsets": [len(data), len(data) + array.nbytes],
            }
            data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def test_networks_in_files(tmp_path: pathlib.Path) -> None:
    model = numbers(2, 3)
    nnet(tmp_path / "net.nnet")
    policy = as_policy(tmp_path / "net.nnet", model)
    assert policy.agreement is None and policy.source == "net.nnet" and list(policy.networks) == ["<network>.nnet"]
    assert policy.notes and policy.scores([0, 0]).shape == (3,)
    safetensors(tmp_path / "net.safetensors", ["0", "2"])
    with pytest.raises(PolicyError, match="activation"):
        as_policy(tmp_path / "net.safetensors", model)
    stated = as_policy(str(tmp_path / "net.safetensors"), model, activation="tanh")
    assert json.loads(stated.text)["networks"] == [{"file": "<network>.safetensors", "activation": "tanh"}]
    assert (
        stated.scores([1, 2]) != as_policy(tmp_path / "net.safetensors", model, activation="relu").scores([1, 2])
    ).any()
    for one in (policy, stated):
        assert (
            _native.run(["check", "<model>", "--policy", POLICY], {"<model>": observer(model), **one.files()}).exit == 0
        )
    with pytest.raises(PolicyError, match=r"3 variables .* takes 2 \('net\.nnet' says so\)"):
        as_policy(tmp_path / "net.nnet", numbers(3, 3))
    assert as_policy(tmp_path / "net.nnet", numbers(3, 3), inputs=["v2", 0.5]).inputs == ("v2", 0.5)


def test_onnx_with_several_outputs(tmp_path: pathlib.Path) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")

    class Two(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = torch.nn.Linear(2, 3), torch.nn.Linear(2, 3)

        def forward(self, x: Any) -> Any:
            return self.a(x), self.b(x)

    module, path = Two(), tmp_path / "two.onnx"
    torch.onnx.export(
        module, (torch.zeros(1, 2),), path, dynamo=False, opset_version=17, output_names=["first", "second"]
    )
    with pytest.raises(PolicyError, match="several outputs"):
        as_policy(path, numbers(2, 3))
    policy = as_policy(path, numbers(2, 3), output="second")
    assert np.allclose(policy.scores([1, 2]), module.b(torch.tensor([1.0, 2.0])).detach().numpy(), atol=1e-6)
    assert (
        _native.run(
            ["check", "<model>", "--policy", POLICY], {"<model>": observer(numbers(2, 3)), **policy.files()}
        ).exit
        == 0
    )


def test_plaja_files_stay_as_they_are(tmp_path: pathlib.Path) -> None:
    nnet(tmp_path / "net.nnet")
    content = {
        "file": "net.nnet",
        "input": [{"name": "v0", "automaton": None}, {"name": "v1", "automaton": None}],
        "elements": [4],
        "output": ["a0", "a1", "a2"],
    }
    (tmp_path / "p.jani2nnet").write_text(json.dumps(content))
    model = numbers(2, 3)
    policy = as_policy(tmp_path / "p.jani2nnet", model)
    assert policy.labels == ("a0", "a1", "a2") and policy.scores([0, 0]).shape == (3,)
    files = {"<model>": observer(model), **policy.files()}
    assert _native.run(["check", "<model>", "--policy", POLICY], files).exit == 0
    assert as_policy(policy.write(tmp_path / "out"), model) == policy
    # The engines still compare the sizes of the hidden layers.
    content["elements"] = [5]
    (tmp_path / "p.jani2nnet").write_text(json.dumps(content))
    files |= as_policy(tmp_path / "p.jani2nnet", model).files()
    assert _native.run(["check", "<model>", "--policy", POLICY], files).exit == 2


def test_several_networks(tmp_path: pathlib.Path) -> None:
    nnet(tmp_path / "near.nnet")
    nnet(tmp_path / "far.nnet")
    when = {"op": "<", "left": 0, "right": "v0"}
    content = {
        "networks": [{"file": "far.nnet", "when": when}, "near.nnet"],
        "inputs": ["v0", "v1"],
        "outputs": {"labels": ["a0", "a1", "a2"]},
    }
    (tmp_path / "p.policy.json").write_text(json.dumps(content))
    model = numbers(2, 3)
    policy = as_policy(tmp_path / "p.policy.json", model)
    assert list(policy.networks) == ["<network-0>.nnet", "<network-1>.nnet"]
    with pytest.raises(PolicyError, match="has 2 networks"):
        policy.scores([0, 0])
    assert as_policy(policy.write(tmp_path / "out"), model) == policy
    assert (
        _native.run(["check", "<model>", "--policy", POLICY], {"<model>": observer(model), **policy.files()}).exit == 0
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.zip", b"", r"checkpoint: Stable-Baselines3 saves pickles.*PPO\.load"),
        ("p.pt", b"", "checkpoint: PyTorch saves pickles"),
        ("p.pkl", b"", "pickles"),
        ("p.keras", b"", "tf2onnx"),
        ("p.txt", b"", r"no network that is read; expected \.onnx"),
        ("p.onnx", b"nonsense", "no ONNX model"),
        ("p.onnx", b"", "no graph"),
        ("p.nnet", b"nonsense", "p?"),
        ("p.policy.json", b"[", "no JSON"),
        ("p.policy.json", b"[]", "no policy file"),
        ("p.policy.json", b"{}", "names no network"),
        ("p.policy.json", b'{"network": 3}', "found 3"),
        (
            "p.policy.json",
            b'{"network": "gone.onnx"}',
            "there is no file '.*gone.onnx'; in its folder there are: p.policy.json",
        ),
    ],
)
def test_files_that_are_not_read(tmp_path: pathlib.Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PolicyError, match=message):
        as_policy(tmp_path / name, numbers(2, 3))


def test_files_that_are_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(PolicyError, match="there is no file"):
        as_policy(tmp_path / "gone.onnx", numbers(2, 3))
    (tmp_path / "folder.onnx").mkdir()
    with pytest.raises(PolicyError, match="cannot be read"):
        as_policy(tmp_path / "folder.onnx", numbers(2, 3))
    (tmp_path / "p.policy.json").write_text("{}")
    with pytest.raises(PolicyError, match="says itself what inputs, filter are"):
        as_policy(tmp_path / "p.policy.json", numbers(2, 3), inputs=["v0"], filter=True)


# Labels.

MOVES = Model((), ("left", "right", "jump"))


def test_labels_by_order_and_by_name() -> None:
    assert match_labels(None, MOVES, 3).labels == ("left", "right", "jump")
    assert match_labels(["jump", "left"], MOVES, 2).labels == ("jump", "left")
    assert match_labels({"right": 1, "jump": 0}, MOVES, 2).labels == ("jump", "right")
    assert (
        match_components(
            [["le", "ri"], ["ft", "ght"]], Model((), ("left", "leght", "rift", "right")), [2, 2], ""
        ).labels[3]
        == "right"
    )


@pytest.mark.parametrize(
    ("labels", "count", "message"),
    [
        (None, 2, r"2 outputs and the model has 3 actions \(left, right, jump\)"),
        (["left"], 2, r"1 labels \(left\) for a network with 2 outputs"),
        (["left", "rihgt"], 2, r"label 1, 'rihgt', is no action of the model; did you mean 'right'\?"),
        (["left", "north"], 2, "there are: left, right, jump"),
        (["left", "left"], 2, "label 1, 'left', stands twice"),
        (["left", 3], 2, "label 1 is 3"),
        ("left", 1, "labels are a list"),
        ({"left": 0, "right": 0}, 2, "each once"),
        ({"left": 1, "right": 2}, 2, r"from 0 to 1, each once; found \[1, 2\]"),
    ],
)
def test_labels_that_do_not_fit(labels: Any, count: int, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        match_labels(labels, MOVES, count)


# Inputs.

STATE = Model(
    (
        Variable("x", "int", 0, 3),
        Variable("flag", "bool", None, None),
        Variable("board", "array", 0, 2, (2, 2), "int"),
        Variable("wagon#1.load", "int", 0, 5, automaton="wagon#1"),
        Variable("secret", "int", 0, 5, transient=True),
    ),
    ("go",),
)


def test_all_variables_by_default() -> None:
    inputs = Inputs.of(None, STATE)
    assert (
        inputs.size == 7
        and inputs.entries[:2] == ("x", "flag")
        and inputs.entries[-1] == {"variable": "load", "automaton": "wagon", "index": 1}
    )
    states = draw_states(STATE, 50, 1)
    values = inputs.values(states, STATE, 1)
    assert values.shape == (50, 7) and "secret" not in states
    assert (values[:, 3] == states["board"][:, 0, 1]).all() and (values[:, 6] == states["wagon#1.load"]).all()
    assert values[0].tolist() == [0.0] * 7 and values[1].tolist() == [3, 1, 2, 2, 2, 2, 5]


def test_expressions_and_encodings() -> None:
    class Expression:
        jani = {
            "op": "ite",
            "if": {"op": "≥", "left": "x", "right": 2},
            "then": {"op": "min", "left": "x", "right": 2},
            "else": {"op": "abs", "exp": -3},
        }

    entries = [
        Expression(),
        {"one_hot": "x"},
        {"one_hot": {"op": "+", "left": "x", "right": "flag"}},
        {"location": "wagon"},
        np.float64(0.5),
        "load",
    ]
    inputs = Inputs.of(entries, STATE)
    assert inputs.widths == (1, 4, 5, 1, 1, 1) and inputs.size == 13
    states = draw_states(STATE, 50, 1)
    values = inputs.values(states, STATE, 1)
    features = inputs.features(values, STATE)
    x = states["x"].astype(int)
    assert (features[:, 0] == np.where(x >= 2, 2, 3)).all() and (features[:, 1:5] == np.eye(4)[x]).all()
    assert (features[:, 5:10].argmax(1) == x + states["flag"]).all() and (features[:, 11] == 0.5).all()


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (["z"], "input 0, 'z', is no variable of the model; there are: x, flag, board"),
        (["x", "flga"], "input 1, 'flga', .*did you mean 'flag'"),
        ("x", "inputs are a list"),
        ([], "at least one input"),
        ([None], "input 0 is a NoneType; expected the name of a variable"),
        ([float("nan")], "input 0 is nan"),
        ([{"one_hot": "board"}], "one-hot encoding of an array"),
        ([{"one_hot": "x", "until": 3}], "found until"),
        ([{"one_hot": "x", "from": 3, "to": 1}], "from 3 to 1"),
        ([{"one_hot": {"op": "/", "left": "x", "right": 2}}], "add 'from' and 'to'"),
    ],
)
def test_inputs_that_are_none(entries: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        Inputs.of(entries, STATE)


# Which source a thing is.


@pytest.mark.parametrize("thing", [3, None, object(), {}, [], [1, 2], "", b"x", np.zeros((2, 2))])
def test_things_that_are_no_policies(thing: Any) -> None:
    with pytest.raises(PolicyError) as raised:
        as_policy(thing, numbers(2, 3))
    assert isinstance(raised.value, Error) and isinstance(raised.value, ValueError)


def test_a_model_is_needed() -> None:
    with pytest.raises(PolicyError, match="int is none: expected something with 'actions'"):
        as_policy(layers(2, 3), 3)


def test_nothing_is_imported_that_is_not_used() -> None:
    code = """
import sys
from types import SimpleNamespace as Thing
from surefoot.policies import as_policy
model = Thing(actions=("a", "b"), variables=(Thing(name="x", kind="int", lower=0, upper=3),))
as_policy([([[1.0], [2.0]], [0.0, 1.0])], model)
assert not {"torch", "stable_baselines3", "gymnasium", "onnx", "pandas"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
