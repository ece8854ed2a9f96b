"""Activations and normalisations of PyTorch as ONNX nodes.

What ONNX stores as an attribute it stores in single precision. Torch, too, rounds such numbers where tensors are
single, so that loses nothing there; in double precision the function is written in another way, or refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .emit import Emitter
from .graph import Value


class Activations(Emitter):
    """Functions of each entry, and of each layer."""

    def relu(self, x: Value, inplace: bool = False) -> Value:
        return self.elementwise("Relu", x)

    def tanh(self, x: Value) -> Value:
        return self.elementwise("Tanh", x)

    def sigmoid(self, x: Value) -> Value:
        return self.elementwise("Sigmoid", x)

    def relu6(self, x: Value, inplace: bool = False) -> Value:
        return self.clamp(x, 0, 6)

    def hardtanh(self, x: Value, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Value:
        return self.clamp(x, min_val, max_val)

    def hardsigmoid(self, x: Value, inplace: bool = False) -> Value:
        self.note(f"{self.owner}: Hardsigmoid's factor 1/6 is the nearest single, of a relative error of 3e-8")
        self.slack += 1e-7
        return self.node("HardSigmoid", [self.value(x)], alpha=float(np.float32(1 / 6)), beta=0.5)

    def leaky_relu(self, x: Value, negative_slope: float = 0.01, inplace: bool = False) -> Value:
        if self.dtype == "float32":
            return self.node("LeakyRelu", [self.value(x)], alpha=float(np.float32(negative_slope)))
        return self.node("PRelu", [self.value(x), self.value([negative_slope], part="slope")])

    def prelu(self, x: Value, weight: Any) -> Value:
        inner = len(x.shape) - 2
        slopes = weight.reshape(-1, *[1] * inner) if weight.numel() > 1 and inner > 0 else weight
        return self.node("PRelu", [self.value(x), self.value(slopes, part="slope")])

    def elu(self, x: Value, alpha: float = 1.0, inplace: bool = False) -> Value:
        return self.node("Elu", [self.value(x)], alpha=self.single("alpha", alpha))

    def celu(self, x: Value, alpha: float = 1.0, inplace: bool = False) -> Value:
        return self.node("Celu", [self.value(x)], alpha=self.single("alpha", alpha))

    def selu(self, x: Value, inplace: bool = False) -> Value:
        alpha, gamma = self.single("alpha", 1.6732632423543772), self.single("gamma", 1.0507009873554805)
        return self.node("Selu", [self.value(x)], alpha=alpha, gamma=gamma)

    def gelu(self, x: Value, approximate: str = "none") -> Value:
        return self.node("Gelu", [self.value(x)], approximate=approximate)

    def silu(self, x: Value, inplace: bool = False) -> Value:
        entries = self.value(x)
        return self.node("Mul", [entries, self.node("Sigmoid", [entries])])

    def softplus(self, x: Value, beta: float = 1.0, threshold: float = 20.0) -> Value:
        if threshold != 20:
            raise self.refuse(f"Softplus with a threshold of {threshold}, where it jumps", "Use the threshold 20")
        self.note(f"{self.owner}: Softplus without torch's jump at 20, which is at most 2.07e-9")
        self.slack += 1e-7
        if beta == 1:
            return self.elementwise("Softplus", x)
        inner = self.node("Mul", [self.value(x), self.value(beta, part="beta")])
        return self.node("Div", [self.node("Softplus", [inner]), self.value(beta, part="beta")])

    def logsigmoid(self, x: Value) -> Value:
        return self.node("Neg", [self.node("Softplus", [self.node("Neg", [self.value(x)])])])

    def layer_norm(
        self, x: Value, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5
    ) -> Value:
        entries, axis = self.value(x), -len(tuple(normalized_shape))
        scale = np.ones(tuple(normalized_shape)) if weight is None else weight
        if self.dtype == "float32":
            parts = [entries, self.value(scale, part="weight")]
            parts += [] if bias is None else [self.value(bias, part="bias")]
            return self.node("LayerNormalization", parts, axis=axis, epsilon=float(np.float32(eps)))
        # In doubles epsilon is none that an attribute can have, so the function is written out.
        axes = self.graph.constant(np.arange(axis, 0, dtype=np.int64), f"{self.owner}.axes")
        sizes = [*x.shape[:axis], *[1] * -axis]
        centred = self.node("Sub", [entries, self.node("ReduceMean", [entries, axes], sizes, keepdims=1)])
        variance = self.node("ReduceMean", [self.node("Mul", [centred, centred]), axes], sizes, keepdims=1)
        deviation = self.node("Sqrt", [self.node("Add", [variance, self.value(eps, part="epsilon")], sizes)], sizes)
        result = self.node("Mul", [self.node("Div", [centred, deviation]), self.value(scale, part="weight")])
        return result if bias is None else self.node("Add", [result, self.value(bias, part="bias")])

    def batch_norm(
        self,
        x: Value,
        running_mean: Any,
        running_var: Any,
        weight: Any = None,
        bias: Any = None,
        training: bool = False,
        momentum: float = 0.1,
        eps: float = 1e-5,
    ) -> Value:
        if training or running_mean is None:
            raise self.refuse(
                "normalises by the batch that it is given",
                "Use a BatchNorm with running statistics, in evaluation mode (.eval())",
            )
        count = x.shape[1]
        scale = np.ones(count) if weight is None else weight
        shift = np.zeros(count) if bias is None else bias
        epsilon = float(np.float32(eps)) if self.dtype == "float32" else 0.0
        variance = running_var if self.dtype == "float32" else running_var + eps
        parts = [(scale, "weight"), (shift, "bias"), (running_mean, "mean"), (variance, "variance")]
        constants = [self.value(number, part=part) for number, part in parts]
        return self.node("BatchNormalization", [self.value(x), *constants], epsilon=epsilon)
