"""The ONNX writer against the `onnx` package: what is written is valid, exact, and always the same bytes."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from surefoot.errors import PolicyError
from surefoot.policies import external, onnx, wire
from surefoot.policies.graph import Graph

onnx_package = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def small(dtype: str) -> bytes:
    random = np.random.default_rng(3)
    graph = Graph()
    x = graph.input("observation", dtype, (1, 3))
    w = graph.constant(random.normal(size=(4, 3)).astype(dtype), "layer.weight")
    b = graph.constant(random.normal(size=4).astype(dtype), "layer.bias")
    y = graph.node("Gemm", "layer", [x, w, b], dtype, (1, 4), transB=1)
    z = graph.node("Relu", "layer", [y], dtype, (1, 4))
    axes = graph.constant(np.array([1]), "axes")
    return graph.to_bytes(graph.node("ReduceMean", "mean", [z, axes], dtype, (1, 1), keepdims=1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_files_are_valid_and_deterministic(dtype: str) -> None:
    data = small(dtype)
    assert data == small(dtype)
    model = onnx_package.load_from_string(data)
    onnx_package.checker.check_model(model, full_check=True)
    assert model.opset_import[0].version == onnx.OPERATOR_SET and model.ir_version == onnx.IR_VERSION
    # Names that are wanted twice are told apart.
    assert [node.name for node in model.graph.node] == ["layer", "layer_2", "mean"]
    session = runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
    assert session.run(None, {"observation": np.ones((1, 3), dtype)})[0].shape == (1, 1)


@pytest.mark.parametrize(
    "array",
    [
        np.array(1.5),
        np.zeros((2, 0, 3), np.float32),
        np.array([1, -(2**62)]),
        np.array([True, False]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([1e-320, -0.0]),
        np.array([1.0], ">f8"),
    ],
)
def test_constants_are_stored_bit_by_bit(array: np.ndarray) -> None:
    graph = Graph()
    x = graph.input("x", "float64", (1,))
    graph.constant(array, "c")
    model = onnx_package.load_from_string(graph.to_bytes(graph.node("Identity", "y", [x], "float64", (1,))))
    stored = onnx_package.numpy_helper.to_array(model.graph.initializer[0])
    assert stored.shape == array.shape and stored.dtype == array.dtype.newbyteorder("=")
    assert stored.tobytes() == array.astype(stored.dtype).tobytes()


def test_what_would_be_rounded_is_refused() -> None:
    with pytest.raises(PolicyError, match="single precision does not have"):
        onnx.node("Elu", "e", ["x"], ["y"], {"alpha": 0.1})
    with pytest.raises(PolicyError, match="float16"):
        onnx.element_type("float16")
    with pytest.raises(PolicyError, match=r"layer 2: entry \[0, 1\] is inf"):
        Graph().constant(np.array([[1.0, np.inf]]), "layer 2")


def test_messages_survive_reading_and_writing() -> None:
    data = small("float32")
    assert wire.encode(wire.decode(data)) == data
    for cut in (1, 7, len(data) // 2, len(data) - 1):
        with pytest.raises(wire.Malformed):
            wire.decode(data[:cut] + b"\xff" * 11)
    assert [field.value for field in wire.decode(wire.integer(1, -1))] == [2**64 - 1]


def with_external_data(folder: pathlib.Path, location: str) -> bytes:
    model = onnx_package.load_from_string(small("float32"))
    onnx_package.save_model(
        model, str(folder / "net.onnx"), save_as_external_data=True, location=location, size_threshold=0
    )
    return (folder / "net.onnx").read_bytes()


def test_external_data_is_put_inside(tmp_path: pathlib.Path) -> None:
    data = with_external_data(tmp_path, "net.onnx.data")
    inside = external.with_weights(data, tmp_path)
    point = {"observation": np.array([[0.5, -1, 2]], np.float32)}
    found = [
        runtime.InferenceSession(file, providers=["CPUExecutionProvider"]).run(None, point)[0]
        for file in (inside, small("float32"))
    ]
    assert (found[0] == found[1]).all()
    # A file without external data stays as it is.
    assert external.with_weights(small("float32"), tmp_path) == small("float32")


def test_external_data_elsewhere_is_refused(tmp_path: pathlib.Path) -> None:
    data = with_external_data(tmp_path, "net.onnx.data")
    (tmp_path / "net.onnx.data").rename(tmp_path / "moved")
    with pytest.raises(PolicyError, match="belongs beside the model"):
        external.with_weights(data, tmp_path)
    (tmp_path / "net.onnx.data").write_bytes(b"short")
    with pytest.raises(PolicyError, match="has only 5 bytes"):
        external.with_weights(data, tmp_path)
    for location in ("../a", "/etc/passwd", "a\\b"):
        changed = data.replace(b"net.onnx.data", location.encode().ljust(13, b"x"))
        with pytest.raises(PolicyError, match="refused"):
            external.with_weights(changed, tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "net.onnx.data").symlink_to(tmp_path / "moved")
    with pytest.raises(PolicyError, match="leads out"):
        external.with_weights(data, tmp_path / "inner")
    with pytest.raises(PolicyError, match="no ONNX model"):
        external.with_weights(b"\x0f" * 40, tmp_path)
