"""The operators of PyTorch that are read: to the activations come grids, reductions and integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .activations import Activations
from .emit import type_name
from .graph import Value


class Operators(Activations):
    """All of them."""

    def conv(
        self,
        x: Value,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Value:
        rank = len(x.shape) - 2
        steps = _sizes(dilation, rank)
        if padding == "same":
            totals = [step * (size - 1) for step, size in zip(steps, weight.shape[2:])]
            before = [total // 2 for total in totals]
            pads = [*before, *(total - start for total, start in zip(totals, before))]
        else:
            pads = _sizes(0 if padding == "valid" else padding, rank) * 2
        parts = [
            self.value(x),
            self.value(weight, part="weight"),
            *([] if bias is None else [self.value(bias, part="bias")]),
        ]
        return self.node("Conv", parts, strides=_sizes(stride, rank), pads=pads, dilations=steps, group=groups)

    def max_pool(
        self,
        x: Value,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Value:
        rank = len(x.shape) - 2
        if ceil_mode or return_indices:
            raise self.refuse("max pooling with ceil_mode or return_indices", "Use it without them")
        return self.node(
            "MaxPool",
            [self.value(x)],
            kernel_shape=_sizes(kernel_size, rank),
            strides=_sizes(stride or kernel_size, rank),
            pads=_sizes(padding, rank) * 2,
            dilations=_sizes(dilation, rank),
        )

    def avg_pool(
        self,
        x: Value,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> Value:
        rank = len(x.shape) - 2
        if ceil_mode or divisor_override is not None:
            raise self.refuse("average pooling with ceil_mode or divisor_override", "Use it without them")
        return self.node(
            "AveragePool",
            [self.value(x)],
            kernel_shape=_sizes(kernel_size, rank),
            strides=_sizes(stride or kernel_size, rank),
            pads=_sizes(padding, rank) * 2,
            count_include_pad=int(count_include_pad),
        )

    def adaptive_avg_pool(self, x: Value, output_size: Any) -> Value:
        if any(size != 1 for size in _sizes(output_size, len(x.shape) - 2)):
            raise self.refuse(
                f"adaptive average pooling to {output_size}",
                "Only to one entry (1) is there; use AvgPool with a kernel",
            )
        return self.node("GlobalAveragePool", [self.value(x)])

    # Reductions.

    def _reduced(self, operator: str, x: Value, dim: Any, keepdim: bool) -> Value:
        rank = len(x.shape)
        axes = (
            list(range(rank))
            if dim is None
            else [int(axis) % rank for axis in (dim if isinstance(dim, (list, tuple)) else [dim])]
        )
        index = self.graph.constant(np.array(axes, dtype=np.int64), f"{self.owner}.axes")
        shape = [1 if axis in axes else size for axis, size in enumerate(x.shape) if keepdim or axis not in axes]
        entries = self.value(x, type_name(self.result))
        return self.node(operator, [entries, index], shape, keepdims=int(keepdim))

    def mean(self, x: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
        return self._reduced("ReduceMean", x, dim, keepdim)

    def sum(self, x: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
        return self._reduced("ReduceSum", x, dim, keepdim)

    def amax(self, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
        return self._reduced("ReduceMax", x, dim, keepdim)

    def amin(self, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
        return self._reduced("ReduceMin", x, dim, keepdim)

    def max(self, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return self._extremum("ReduceMax", "Max", x, dim, keepdim)

    def min(self, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return self._extremum("ReduceMin", "Min", x, dim, keepdim)

    def _extremum(self, reduction: str, binary: str, x: Any, dim: Any, keepdim: bool) -> Any:
        if isinstance(dim, Value) or hasattr(dim, "detach"):
            return self.elementwise(binary, x, dim)
        if dim is None:
            return self._reduced(reduction, x, None, False)
        # Torch gives the entries and their places; the places have no exact form, and who reads them is refused.
        self.result = self.result[0]
        return (self._reduced(reduction, x, dim, keepdim), None)

    # Integers.

    def embedding(self, x: Any, weight: Any, *_: Any, **__: Any) -> Value:
        if isinstance(weight, Value) or weight.dtype.is_floating_point is False:
            raise self.refuse("an Embedding with a table that is not fixed", "Only fixed tables can be verified")
        return self.node("Gather", [self.value(weight, part="weight"), self.value(x, "int64")], axis=0)

    def one_hot(self, x: Any, num_classes: int = -1) -> Value:
        if num_classes < 0:
            raise self.refuse("one_hot without num_classes, which depends on the observation", "Say num_classes=...")
        depth = self.graph.constant(np.array(num_classes, dtype=np.int64), f"{self.owner}.depth")
        values = self.graph.constant(np.array([0, 1], dtype=np.int64), f"{self.owner}.values")
        return self.node("OneHot", [self.value(x, "int64"), depth, values], axis=-1)


def _sizes(value: Any, rank: int) -> list[int]:
    return [int(value)] * rank if isinstance(value, int) else [int(size) for size in value]
