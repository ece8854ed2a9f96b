"""PyTorch's operators as ONNX nodes: one method per operator, named and called as `torch.nn.functional` has it.

A tensor that depends on the observation is a `Value`; everything else (weights, sizes, scalars) is itself. A method
gets these, and the result that torch computed for one observation, of which only type and shape are looked at.
Operators that only move entries have one method for all: they are run on the entries' numbers, which shows where each
entry of the result comes from.

To support another operator, add a method here, and its module to `layers.py` if it has one. Whatever is not here is
refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import PolicyError
from .graph import Graph, Value
from .onnx import is_single

ACCEPTED = (
    "Linear, Conv, BatchNorm and LayerNorm; ReLU, LeakyReLU, PReLU, ReLU6, Hardtanh, Hardsigmoid, Tanh, Sigmoid, "
    "Softplus, ELU, SELU, CELU, GELU and "
    "SiLU; Embedding, pooling, Dropout (in evaluation), Flatten and other moves; sums, products with constants, means, "
    "maxima, clamps"
)


def refused(owner: str, what: str, advice: str) -> PolicyError:
    """The error for an operator that has no place here."""
    return PolicyError(f"{owner}: {what}. {advice}. Accepted are {ACCEPTED}")


def tree(function: Callable[[Any], Any], value: Any) -> Any:
    """The same lists, tuples and slices, with the function applied to what is in them."""
    if isinstance(value, (list, tuple)):
        parts = [tree(function, part) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    if isinstance(value, slice):
        return slice(tree(function, value.start), tree(function, value.stop), tree(function, value.step))
    return function(value)


def contains_value(value: Any) -> bool:
    """Whether something depends on the observation."""
    found = False

    def look(part: Any) -> None:
        nonlocal found
        found = found or isinstance(part, Value)

    tree(look, value)
    return found


def type_name(tensor: Any) -> str:
    """A torch type as NumPy calls it."""
    return str(tensor.dtype).removeprefix("torch.")


class Emitter:
    """Writes nodes into a graph. `owner` and `result` are those of the operator at work."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.owner = ""
        self.result: Any = None
        self.notes: list[str] = []
        self.slack = 0.0

    # What all of them use.

    @property
    def dtype(self) -> str:
        """The element type of the result."""
        return type_name(self.result)

    def note(self, text: str) -> None:
        """Something that the user should know; once."""
        if text not in self.notes:
            self.notes.append(text)

    def refuse(self, what: str, advice: str = "Return the scores from a module without it") -> PolicyError:
        return refused(self.owner, what, advice)

    def value(self, argument: Any, dtype: str | None = None, part: str = "constant") -> Value:
        """An argument as a value of the graph, in this element type."""
        wanted = dtype or self.dtype
        if isinstance(argument, Value):
            return self.graph.cast(argument, wanted, self.owner)
        if hasattr(argument, "detach"):
            argument = argument.detach().cpu().numpy()
        return self.graph.constant(np.asarray(argument).astype(wanted), f"{self.owner}.{part}")

    def node(
        self, operator: str, inputs: Sequence[Value | None], shape: Sequence[int] | None = None, **attributes: Any
    ) -> Value:
        """A node whose result has the type, and unless said otherwise the shape, of the operator's result."""
        return self.graph.node(
            operator, self.owner, inputs, self.dtype, self.result.shape if shape is None else shape, **attributes
        )

    def elementwise(self, operator: str, *arguments: Any) -> Value:
        return self.node(operator, [self.value(argument) for argument in arguments])

    def single(self, name: str, number: float) -> float:
        """An attribute: ONNX has these in single precision, and so has torch where tensors are."""
        if self.dtype == "float32":
            return float(np.float32(number))
        if not is_single(number):
            raise self.refuse(
                f"its {name} is {number}, which ONNX cannot store in double precision", "Convert the module by .float()"
            )
        return float(number)

    # Moves.

    def move(self, function: Callable[..., Any], x: Value, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What only moves entries of its first argument."""
        if contains_value((list(arguments), list(options.values()))):
            raise self.refuse(
                "looks up a place that depends on the observation", "Only torch.nn.Embedding and one_hot can do that"
            )
        return self._moved(lambda entries: function(entries[0], *arguments, **options), [x])

    def _moved(self, function: Callable[[list[Any]], Any], sources: Sequence[Value]) -> Any:
        import torch

        starts = np.cumsum([0, *(source.size for source in sources)]).tolist()
        numbers = [
            torch.arange(start, start + source.size).reshape(source.shape) for start, source in zip(starts, sources)
        ]
        return tree(lambda entries: self._picked(sources, entries.numpy()), function(numbers))

    def _picked(self, sources: Sequence[Value], places: Any) -> Value:
        """The value whose entries are those of the sources at these places."""
        first, total = sources[0], sum(source.size for source in sources)
        in_order = bool(np.array_equal(places.reshape(-1), np.arange(total)))
        if len(sources) == 1 and in_order and places.shape == first.shape:
            return first
        graph, owner, dtype = self.graph, self.owner, first.dtype
        flat = [self._reshaped(source, (source.size,)) for source in sources]
        joined = flat[0] if len(flat) == 1 else graph.node("Concat", owner, flat, dtype, (total,), axis=0)
        if not in_order:
            index = graph.constant(places.reshape(-1).astype(np.int64), f"{owner}.places")
            joined = graph.node("Gather", owner, [joined, index], dtype, (places.size,), axis=0)
        return self._reshaped(joined, places.shape)

    def _reshaped(self, value: Value, shape: Sequence[int]) -> Value:
        if value.shape == tuple(shape):
            return value
        sizes = self.graph.constant(np.array(shape, dtype=np.int64), f"{self.owner}.shape")
        return self.graph.node("Reshape", self.owner, [value, sizes], value.dtype, shape)

    def cat(self, tensors: Sequence[Any], dim: int = 0, **_: Any) -> Value:
        import torch

        return self._joined(lambda parts: torch.cat(parts, dim), tensors)

    def stack(self, tensors: Sequence[Any], dim: int = 0) -> Value:
        import torch

        return self._joined(lambda parts: torch.stack(parts, dim), tensors)

    def _joined(self, function: Callable[[list[Any]], Any], tensors: Sequence[Any]) -> Value:
        result: Value = self._moved(function, [self.value(tensor) for tensor in tensors])
        return result

    # Arithmetic.

    def add(self, x: Any, y: Any, alpha: Any = 1) -> Value:
        return self.elementwise("Add", x, y if alpha == 1 else self._scaled(y, alpha))

    def sub(self, x: Any, y: Any, alpha: Any = 1) -> Value:
        return self.elementwise("Sub", x, y if alpha == 1 else self._scaled(y, alpha))

    def rsub(self, x: Any, y: Any) -> Value:
        return self.elementwise("Sub", y, x)

    def _scaled(self, x: Any, factor: Any) -> Any:
        if not isinstance(x, Value):
            return x * factor
        return self.node("Mul", [self.value(x), self.value(factor)], x.shape)

    def mul(self, x: Any, y: Any) -> Value:
        return self.elementwise("Mul", x, y)

    def div(self, x: Any, y: Any, rounding_mode: str | None = None) -> Value:
        if rounding_mode is not None:
            raise self.refuse("divides and rounds", "Rounding makes jumps; compute it in a variable of the model")
        return self.elementwise("Div", x, y)

    def neg(self, x: Value) -> Value:
        return self.elementwise("Neg", x)

    def abs(self, x: Value) -> Value:
        return self.elementwise("Abs", x)

    def maximum(self, x: Any, y: Any) -> Value:
        return self.elementwise("Max", x, y)

    def minimum(self, x: Any, y: Any) -> Value:
        return self.elementwise("Min", x, y)

    def clamp(self, x: Any, min: Any = None, max: Any = None) -> Value:
        result = self.value(x)
        if isinstance(min, (int, float)) and isinstance(max, (int, float)) and not self._apart(min, max):
            # The engines need the distance of the bounds in between, which is no double here: lower + relu(x - lower) -
            # relu(x - upper) does without.
            lower, upper = self.value(min), self.value(max)
            above = [self.node("Relu", [self.node("Sub", [result, bound])]) for bound in (lower, upper)]
            return self.node("Add", [self.node("Sub", above), lower])
        for operator, bound in (("Max", min), ("Min", max)):
            if bound is not None:
                result = self.node(operator, [result, self.value(bound)])
        return result

    def _apart(self, lower: float, upper: float) -> bool:
        """Whether the distance of two bounds is a double; or they are in the wrong order, where torch takes the upper
        one.
        """
        low, high = (float(np.asarray(bound).astype(self.dtype)) for bound in (lower, upper))
        return low > high or Fraction(high) - Fraction(low) == Fraction(high - low)

    def linear(self, x: Any, weight: Any, bias: Any = None) -> Value:
        if isinstance(weight, Value) or isinstance(bias, Value):
            raise self.refuse("its weights depend on the observation", "Only fixed weights can be verified")
        entries = self.value(x)
        if len(entries.shape) == 2:
            parts = [entries, self.value(weight, part="weight")]
            return self.node("Gemm", parts if bias is None else [*parts, self.value(bias, part="bias")], transB=1)
        result = self.node("MatMul", [entries, self.value(weight.t().contiguous(), part="weight")])
        return result if bias is None else self.node("Add", [result, self.value(bias, part="bias")])

    def matmul(self, x: Any, y: Any) -> Value:
        return self.elementwise("MatMul", x, y)

    def addmm(self, bias: Any, x: Any, y: Any) -> Value:
        return self.node("Add", [self.node("MatMul", [self.value(x), self.value(y)]), self.value(bias)])

    # Types, and what does nothing in evaluation.

    def cast(self, x: Any, *_: Any, **__: Any) -> Value:
        if self.dtype not in ("float32", "float64", "int64"):
            raise self.refuse(f"converts to {self.dtype}", "Single and double precision and int64 are there")
        if self.dtype == "float32" and isinstance(x, Value) and x.dtype == "float64":
            self.note(
                "conversions from double to single precision are left out, as all rounding is: the network is a "
                "function over the reals"
            )
        return self.value(x)

    def dropout(self, x: Value, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
        if training and p > 0:
            raise self.refuse(
                "drops entries at random also in evaluation", "Say training=self.training, or use torch.nn.Dropout"
            )
        return x

    def identity(self, x: Value, *_: Any, **__: Any) -> Value:
        return x
