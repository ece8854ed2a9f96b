"""Policies that are arrays of weights and biases: multi-layer perceptrons.

A layer computes `W x + b` with `W` as [outputs, inputs], the way `torch.nn.Linear` stores it; Keras and JAX store the
transpose, which is noticed where the sizes tell. Numbers are kept as they are, single or double precision; half
precision and integers become the smaller of the two that has them exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import PolicyError
from .build import CHECKED, Options, Reference, build
from .graph import Graph, Value, check_finite
from .inputs import Floats, Inputs, wrong_number
from .labels import match_components, match_labels
from .onnx import Array
from .policy import Policy
from .spaces import as_model

_erf = np.vectorize(math.erf, otypes=[np.float64])


def _elu(x: Array) -> Array:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def _gelu_tanh(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))


#: Activations: the ONNX operator, its attributes, and the function.
ACTIVATIONS: dict[str, tuple[str, dict[str, Any], Callable[[Array], Array]]] = {
    "relu": ("Relu", {}, lambda x: np.maximum(x, 0)),
    "tanh": ("Tanh", {}, np.tanh),
    "sigmoid": ("Sigmoid", {}, lambda x: 1 / (1 + np.exp(-x))),
    "softplus": ("Softplus", {}, lambda x: np.logaddexp(x, 0)),
    "elu": ("Elu", {"alpha": 1.0}, _elu),
    "gelu": ("Gelu", {"approximate": "none"}, lambda x: np.asarray(0.5 * x * (1 + _erf(x / math.sqrt(2))))),
    "gelu_tanh": ("Gelu", {"approximate": "tanh"}, _gelu_tanh),
    "silu": ("Mul", {}, lambda x: x / (1 + np.exp(-x))),
    "identity": ("", {}, lambda x: x),
}


def from_numpy(
    weights: Sequence[Any],
    biases: Sequence[Any] | None = None,
    activation: str | Sequence[str] = "relu",
    *,
    model: Any,
    inputs: Any = None,
    labels: Any = None,
    filter: bool = False,
    ties: str = "first",
    semantics: str = "real",
    components: Sequence[int] | None = None,
    check: int = CHECKED,
) -> Policy:
    """The policy of a multi-layer perceptron.

    `weights` are the matrices, [outputs, inputs] each, and `biases` the vectors (`None` where a layer has none); or
    `weights` are pairs of both. `activation` stands between the layers; a list has one for each layer but the last, or
    for each.

    >>> from types import SimpleNamespace as Thing
    >>> model = Thing(actions=("left", "right"), variables=(Thing(name="x", kind="int", lower=0, upper=4),))
    >>> policy = from_numpy([[[1.0], [-1.0]]], [[0.0, 4.0]], model=model)
    >>> policy.scores([1]).tolist()
    [1.0, 3.0]
    """
    described, options = as_model(model), Options(filter, ties, semantics, check)
    layers = _layers(weights, biases)
    functions = _activations(activation, len(layers))
    entries = Inputs.of(inputs, described)
    if layers[0][0].shape[1] != entries.size:
        _check_transposed(layers, entries.size, functions)
        raise wrong_number(
            described,
            entries,
            inputs is not None,
            layers[0][0].shape[1],
            f"layer 0 has weights of shape {list(layers[0][0].shape)}",
        )
    count = layers[-1][0].shape[0]
    outputs = (
        match_labels(labels, described, count)
        if components is None
        else match_components(labels, described, components)
    )
    data = _graph(layers, functions)
    dtype = layers[0][0].dtype

    def scores(features: Floats, kind: Any) -> Floats:
        x = features.astype(kind)
        for (weight, bias), function in zip(layers, functions):
            x = ACTIVATIONS[function][2](x @ weight.astype(kind).T + bias.astype(kind))
        return x.astype(np.float64)

    reference = Reference(
        "numpy",
        lambda _, features: scores(features, dtype),
        lambda _, features: scores(features, np.float64),
        dtype == np.float64,
    )
    return build(data, ".onnx", described, entries, outputs, options, "numpy", (), reference)


def _array(value: Any, name: str) -> Array:
    try:
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    except (TypeError, ValueError) as error:
        raise PolicyError(f"{name} is no array of numbers: {error}") from error
    if array.dtype.kind not in "fiub":
        raise PolicyError(f"{name} has type {array.dtype}; expected real numbers")
    if array.dtype not in (np.float32, np.float64):
        single, double = array.astype(np.float32), array.astype(np.float64)
        array = single if array.dtype == np.float16 or np.array_equal(single.astype(np.float64), double) else double
    check_finite(array, name)
    return array


def _layers(weights: Sequence[Any], biases: Sequence[Any] | None) -> list[tuple[Array, Array]]:
    """Matrices and vectors, checked against each other, all in one precision."""
    if (
        isinstance(weights, np.ndarray)
        and weights.dtype != object
        or not isinstance(weights, (Sequence, np.ndarray))
        or isinstance(weights, str)
    ):
        raise PolicyError("weights are a list with one matrix per layer, or with one pair (matrix, biases) per layer")
    pairs: list[tuple[Any, Any]]
    if biases is not None:
        if len(weights) != len(biases):
            raise PolicyError(
                f"{len(weights)} matrices and {len(biases)} vectors of biases; expected one vector per matrix, None "
                "where there is none"
            )
        pairs = list(zip(weights, biases))
    elif all(isinstance(entry, (tuple, list)) and len(entry) == 2 and np.ndim(entry[0]) == 2 for entry in weights):
        pairs = [(entry[0], entry[1]) for entry in weights]
    elif [np.ndim(entry) for entry in weights] == [2, 1] * (len(weights) // 2) and len(weights) % 2 == 0:
        pairs = list(zip(weights[::2], weights[1::2]))
    else:
        pairs = [(entry, None) for entry in weights]
    if not pairs:
        raise PolicyError("the network has no layers")
    layers = []
    for place, (matrix, vector) in enumerate(pairs):
        weight = _array(matrix, f"layer {place}'s weights")
        if weight.ndim != 2 or 0 in weight.shape:
            raise PolicyError(
                f"layer {place}'s weights have shape {list(weight.shape)}; expected a matrix, [outputs, inputs]"
            )
        bias = np.zeros(weight.shape[0], weight.dtype) if vector is None else _array(vector, f"layer {place}'s biases")
        layers.append((weight, bias.reshape(-1) if 1 in bias.shape and bias.ndim == 2 else bias))
    _check_shapes(layers)
    wide = any(part.dtype == np.float64 for layer in layers for part in layer)
    dtype = np.float64 if wide else np.float32
    return [(weight.astype(dtype), bias.astype(dtype)) for weight, bias in layers]


def _check_shapes(layers: Sequence[tuple[Array, Array]]) -> None:
    for place, (weight, bias) in enumerate(layers):
        before = layers[place - 1][0] if place else None
        if bias.shape == (weight.shape[0],) and (before is None or weight.shape[1] == before.shape[0]):
            continue
        if _fit_transposed(layers):
            raise PolicyError(
                f"layer {place} has weights of shape {list(weight.shape)} and biases of shape {list(bias.shape)}: the "
                "matrices are transposed, [inputs, outputs] "
                "as Keras and JAX store them; pass them as [outputs, inputs]: [w.T for w in weights]"
            )
        if bias.shape != (weight.shape[0],):
            raise PolicyError(
                f"layer {place} has weights of shape {list(weight.shape)}, so {weight.shape[0]} outputs, and biases of "
                f"shape {list(bias.shape)}"
            )
        assert before is not None
        raise PolicyError(
            f"layer {place} has weights of shape {list(weight.shape)}, so it takes {weight.shape[1]} inputs, and layer "
            f"{place - 1} has weights of shape "
            f"{list(before.shape)}, so it gives {before.shape[0]}; expected [outputs, inputs] of matrices that follow "
            "each other"
        )


def _fit_transposed(layers: Sequence[tuple[Array, Array]]) -> bool:
    chain = all(a[0].shape[1] == b[0].shape[0] for a, b in zip(layers, layers[1:]))
    return chain and all(bias.shape == (weight.shape[1],) for weight, bias in layers)


def _check_transposed(layers: Sequence[tuple[Array, Array]], size: int, functions: Sequence[str]) -> None:
    """One layer without biases fits itself either way; its number of inputs tells."""
    weight, bias = layers[0]
    if len(layers) == 1 and weight.shape[0] == size and not bias.any():
        raise PolicyError(
            f"layer 0 has weights of shape {list(weight.shape)} and there are {size} inputs: the matrix is transposed; "
            "pass it as [outputs, inputs]: weights.T"
        )


def _activations(activation: str | Sequence[str], layers: int) -> list[str]:
    names = [activation] * (layers - 1) if isinstance(activation, str) else list(activation)
    if len(names) not in (layers - 1, layers):
        raise PolicyError(
            f"{len(names)} activations for {layers} layers; expected one for each layer but the last ({layers - 1}), "
            "or for each"
        )
    names += ["identity"] * (layers - len(names))
    for name in [*names, *([activation] if isinstance(activation, str) else [])]:
        if name not in ACTIVATIONS:
            raise PolicyError(f"activation {name!r} is not read; expected one of {', '.join(ACTIVATIONS)}")
    return names


def _graph(layers: Sequence[tuple[Array, Array]], functions: Sequence[str]) -> bytes:
    graph = Graph()
    dtype = str(layers[0][0].dtype)
    value: Value = graph.input("observation", dtype, (1, layers[0][0].shape[1]))
    for place, ((weight, bias), function) in enumerate(zip(layers, functions)):
        shape, owner = (1, weight.shape[0]), f"layer{place}"
        parts = [value, graph.constant(weight, f"{owner}.weight"), graph.constant(bias, f"{owner}.bias")]
        value = graph.node("Gemm", owner, parts, dtype, shape, transB=1)
        operator, attributes, _ = ACTIVATIONS[function]
        if function == "silu":
            gate = graph.node("Sigmoid", f"{owner}.sigmoid", [value], dtype, shape)
            value = graph.node("Mul", f"{owner}.silu", [value, gate], dtype, shape)
        elif operator:
            value = graph.node(operator, f"{owner}.{function}", [value], dtype, shape, **attributes)
    return graph.to_bytes(value)
