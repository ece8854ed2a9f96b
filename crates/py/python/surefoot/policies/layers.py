"""Modules of `torch.nn` as calls of the operators that they stand for."""

from __future__ import annotations

from typing import Any

from ..errors import PolicyError
from .emit import refused

_ACTIVATION_ADVICE = (
    "Train with ReLU, Tanh, Sigmoid, Softplus, ELU, GELU or SiLU (in Stable-Baselines3: "
    "policy_kwargs=dict(activation_fn=torch.nn.ReLU))"
)
_HISTORY_ADVICE = (
    "Only feed-forward networks can be verified: train without memory, or put what must be remembered into the "
    "observation"
)

_WEIGHTS = ("weight", "bias")
_BATCH_NORM = ("batch_norm", ("running_mean", "running_var", "weight", "bias", "training", "eps"))
_CONV = ("conv", ("weight", "bias", "stride", "padding", "dilation", "groups"))
_MAX_POOL = ("max_pool", ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices"))

#: The operator of a module, and which of its attributes are arguments.
LAYERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Linear": ("linear", _WEIGHTS),
    "Conv1d": _CONV,
    "Conv2d": _CONV,
    "BatchNorm1d": _BATCH_NORM,
    "BatchNorm2d": _BATCH_NORM,
    "LayerNorm": ("layer_norm", ("normalized_shape", "weight", "bias", "eps")),
    "MaxPool1d": _MAX_POOL,
    "MaxPool2d": _MAX_POOL,
    "AvgPool1d": ("avg_pool", ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")),
    "AvgPool2d": (
        "avg_pool",
        ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"),
    ),
    "AdaptiveAvgPool1d": ("adaptive_avg_pool", ("output_size",)),
    "AdaptiveAvgPool2d": ("adaptive_avg_pool", ("output_size",)),
    "Embedding": ("embedding", ("weight",)),
    "ReLU": ("relu", ()),
    "ReLU6": ("relu6", ()),
    "LeakyReLU": ("leaky_relu", ("negative_slope",)),
    "PReLU": ("prelu", ("weight",)),
    "Hardtanh": ("hardtanh", ("min_val", "max_val")),
    "Hardsigmoid": ("hardsigmoid", ()),
    "Tanh": ("tanh", ()),
    "Sigmoid": ("sigmoid", ()),
    "LogSigmoid": ("logsigmoid", ()),
    "Softplus": ("softplus", ("beta", "threshold")),
    "ELU": ("elu", ("alpha",)),
    "CELU": ("celu", ("alpha",)),
    "SELU": ("selu", ()),
    "GELU": ("gelu", ("approximate",)),
    "SiLU": ("silu", ()),
    "Softmax": ("softmax", ("dim",)),
    "LogSoftmax": ("log_softmax", ("dim",)),
    "Flatten": ("flatten", ("start_dim", "end_dim")),
    "Unflatten": ("unflatten", ("dim", "unflattened_size")),
    "Dropout": ("dropout", ("p", "training")),
    "Identity": ("identity", ()),
}

_ACTIVATIONS = (
    "Mish",
    "Hardswish",
    "Softsign",
    "Hardshrink",
    "Softshrink",
    "Tanhshrink",
    "Threshold",
    "RReLU",
    "GLU",
    "Softmin",
)
_MEMORY = ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")


def layer_class(module: Any) -> type:
    """The class of a module, without what a parametrisation (weight or spectral norm) made of it."""
    kind = type(module)
    return kind.__mro__[1] if hasattr(module, "parametrizations") and kind.__name__.startswith("Parametrized") else kind


def layer_call(module: Any, owner: str) -> tuple[str, dict[str, Any]]:
    """The operator that a module of `torch.nn` is, and its arguments beside the entries."""
    import torch

    kind = layer_class(module)
    name = kind.__name__
    hooks = [what for what in ("_forward_hooks", "_forward_pre_hooks") if getattr(module, what, None)]
    if hooks:
        raise PolicyError(
            f"{owner} ({name}) has hooks, which may change what it computes; remove them before the policy is read"
        )
    if name not in LAYERS or getattr(torch.nn, name, None) is not kind:
        advice = "Return the scores from a module without it"
        if name in _ACTIVATIONS:
            advice = _ACTIVATION_ADVICE
        elif name in _MEMORY:
            advice = _HISTORY_ADVICE
        raise refused(owner, f"{name} is not read", advice)
    if getattr(module, "padding_mode", "zeros") != "zeros":
        raise refused(
            owner, f"{name} with padding_mode='{module.padding_mode}' is not read", "Use padding_mode='zeros'"
        )
    if name.startswith("BatchNorm") and module.running_mean is None:
        raise refused(
            owner,
            f"{name} normalises by the batch that it is given",
            "Use it with running statistics (track_running_stats=True)",
        )
    if name == "Embedding" and module.max_norm is not None:
        raise refused(
            owner, "Embedding with max_norm is not read, because it changes its own weights", "Use it without max_norm"
        )
    operator, attributes = LAYERS[name]
    return operator, {attribute: getattr(module, attribute) for attribute in attributes}


def refused_function(name: str, owner: str) -> PolicyError:
    """The error for a function or a method that is not read."""
    advice = "Return the scores from a module without it"
    if name.lower() in {activation.lower() for activation in _ACTIVATIONS}:
        advice = _ACTIVATION_ADVICE
    elif name in ("argmax", "topk", "sort", "argsort", "multinomial", "sample"):
        advice = "Return the scores of the actions; the largest one is taken"
    elif name in ("exp", "log", "logsumexp"):
        advice = "Return the scores as they are before it; only a softmax or log_softmax at the end is taken off"
    elif name in ("eq", "ne", "lt", "le", "gt", "ge", "where", "round", "floor", "ceil", "sign", "masked_fill"):
        advice = "It makes jumps; compute it in a variable of the model and take that as an input"
    elif name in ("pow", "square", "sqrt", "sin", "cos", "norm", "var", "std"):
        advice = "Compute it in a variable of the model and take that as an input"
    return refused(owner, f"'{name}' of what depends on the observation is not read", advice)
