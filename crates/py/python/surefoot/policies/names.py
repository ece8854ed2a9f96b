"""The names of PyTorch's operators: which are the same, which only move entries, and which ask for a shape."""

from __future__ import annotations

#: Functions and methods that only move entries of their first argument.
MOVES = frozenset(
    """
    broadcast_to chunk clone contiguous detach expand expand_as flatten flip getitem index_select movedim
    moveaxis narrow permute ravel repeat repeat_interleave reshape reshape_as roll select split squeeze swapaxes
    swapdims t tensor_split tile transpose unbind unflatten unsqueeze view view_as
    """.split()
)

#: Other names of operators.
SYNONYMS = {
    "adaptive_avg_pool1d": "adaptive_avg_pool",
    "adaptive_avg_pool2d": "adaptive_avg_pool",
    "avg_pool1d": "avg_pool",
    "avg_pool2d": "avg_pool",
    "clip": "clamp",
    "concat": "cat",
    "concatenate": "cat",
    "conv1d": "conv",
    "conv2d": "conv",
    "divide": "div",
    "double": "cast",
    "feature_alpha_dropout": "dropout",
    "float": "cast",
    "iadd": "add",
    "imul": "mul",
    "isub": "sub",
    "itruediv": "div",
    "long": "cast",
    "max_pool1d": "max_pool",
    "max_pool2d": "max_pool",
    "mm": "matmul",
    "multiply": "mul",
    "negative": "neg",
    "pos": "identity",
    "requires_grad": "identity",
    "subtract": "sub",
    "swish": "silu",
    "to": "cast",
    "true_divide": "div",
    "truediv": "div",
    "type": "cast",
    "type_as": "cast",
}

#: What may be asked of a tensor that depends on the observation: the answer does not depend on it.
SHAPE_QUERIES = frozenset(
    "size dim ndim shape dtype device numel nelement len ndimension is_floating_point get_device".split()
)

#: At the end these do not change which score is largest.
HEADS = ("softmax", "log_softmax")


def canonical(name: str) -> str:
    """An operator's own name: `relu_`, `__add__` and `iadd` have others."""
    plain = name.strip("_")
    return SYNONYMS.get(plain, plain)
