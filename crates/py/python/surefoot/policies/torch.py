"""Policies that are `torch.nn.Module`s.

The module is copied, set to evaluation and traced (`trace.py`); the user's own is never changed. The policy is the
module's `forward` on one observation, a batch of one, as a function over the reals with the weights that are stored:
single and double precision as they are, half precision converted to single, which loses nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import MissingExtra, PolicyError
from .build import CHECKED, Options, Reference, build
from .inputs import Floats, Inputs, wrong_number
from .labels import match_components, match_labels
from .policy import Policy
from .spaces import ModelLike, as_model
from .trace import ForwardError, Traced, convert


def imported() -> Any:
    """The package torch."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("policies of PyTorch need the package torch: pip install surefoot[torch]") from error
    return torch


def from_torch(
    module: Any,
    model: Any,
    inputs: Any = None,
    labels: Any = None,
    filter: bool = False,
    *,
    ties: str = "first",
    semantics: str = "real",
    shape: Sequence[int] | None = None,
    output: int | str | None = None,
    components: Sequence[int] | None = None,
    check: int = CHECKED,
) -> Policy:
    """The policy of a module whose `forward` gives one score per action.

    `inputs` says what each of its inputs is (the model's variables by default), `labels` which action each output (the
    model's actions by default). `shape` is that of one observation where it is no vector, `output` which of several
    results of `forward` the scores are, and `components` the sizes of the choices where several are made at once.
    `check` is the number of observations at which our evaluation is compared with torch's.
    """
    described, options = as_model(model), Options(filter, ties, semantics, check)
    entries = Inputs.of(inputs, described)
    prepared, notes = prepare(module)
    traced, dtype, sizes = conversion(prepared, described, entries, inputs is not None, shape, output)
    if components is None:
        outputs = match_labels(labels, described, traced.outputs)
    elif sum(components) != traced.outputs:
        raise PolicyError(
            f"components={list(components)} are {sum(components)} scores, and the network has {traced.outputs} outputs"
        )
    else:
        outputs = match_components(labels, described, components)
    reference = torch_reference(prepared, dtype, sizes, traced, output)
    return build(
        traced.data,
        ".onnx",
        described,
        entries,
        outputs,
        options,
        f"torch ({type(module).__name__})",
        (*notes, *traced.notes),
        reference,
    )


def prepare(module: Any) -> tuple[Any, list[str]]:
    """A copy of the module in evaluation, on the CPU, in single or double precision; with what to tell about it."""
    torch = imported()
    if isinstance(module, torch.jit.ScriptModule):
        raise PolicyError("a TorchScript module cannot be traced; pass the torch.nn.Module that it was made from")
    if isinstance(module, type):
        raise PolicyError(f"{module.__name__} is a class; pass a module, with its weights")
    if not isinstance(module, torch.nn.Module):
        raise PolicyError(f"{type(module).__name__} is no torch.nn.Module")
    inner = getattr(module, "_orig_mod", module)
    if isinstance(inner, torch.nn.DataParallel):
        inner = inner.module
    notes = []
    try:
        prepared = _copied(inner)
    except Exception as error:
        raise PolicyError(
            f"the module cannot be copied ({error}), which is done so that yours is not changed; pass the part that "
            "scores the actions"
        ) from error
    if any(part.training for part in inner.modules()):
        notes.append("the module was in training mode; it is read as it is in evaluation, after module.eval()")
    stored = [*prepared.named_parameters(), *prepared.named_buffers()]
    if any(tensor.is_meta for _, tensor in stored):
        raise PolicyError("the module is on the 'meta' device, so it has no weights; load them first")
    for name, tensor in stored:
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise PolicyError(
                f"'{name}' has entries that are not finite numbers (nan or inf). Training has diverged: go back to an "
                "earlier checkpoint"
            )
    prepared = prepared.cpu().eval().requires_grad_(False)
    half = {tensor.dtype for _, tensor in stored if tensor.dtype in (torch.float16, torch.bfloat16)}
    if half:
        names = ", ".join(sorted(str(dtype).removeprefix("torch.") for dtype in half))
        notes.append(
            f"weights of type {names} are read as the same numbers in single precision, and compared with the module "
            "run in single precision"
        )
        prepared = prepared.float()
    return prepared, notes


def _copied(module: Any) -> Any:
    """A copy that shares nothing that running it changes.

    Tensors that belong to a computation of gradients cannot be copied deeply, and modules keep some from their last run
    (SB3 its last distribution): what holds them is copied one level deep, or detached.
    """
    torch = imported()
    memo: dict[int, Any] = {}
    for part in module.modules():
        for name, value in vars(part).items():
            if name.startswith("_") or isinstance(value, (str, int, float, torch.nn.Module)):
                continue
            if isinstance(value, torch.Tensor):
                memo[id(value)] = value.detach().clone()
                continue
            try:
                copy.deepcopy(value)
            except Exception:
                memo[id(value)] = copy.copy(value)
    return copy.deepcopy(module, memo)


def conversion(
    prepared: Any, model: ModelLike, inputs: Inputs, given: bool, shape: Sequence[int] | None, output: int | str | None
) -> tuple[Traced, Any, tuple[int, ...]]:
    """The graph, the type of observations and their shape."""
    torch = imported()
    sizes = (inputs.size,) if shape is None else tuple(int(size) for size in shape)
    if int(np.prod(sizes)) != inputs.size:
        raise PolicyError(f"shape={list(sizes)} is {int(np.prod(sizes))} numbers, and the inputs are {inputs.size}")
    # Training code feeds single precision unless the weights are double. A table is asked by integers.
    floats = [tensor.dtype for tensor in prepared.parameters() if tensor.is_floating_point()]
    types = [floats[0] if floats else torch.float32, torch.int64]
    failure = None
    for dtype in types:
        try:
            return convert(prepared, torch.zeros((1, *sizes), dtype=dtype), output), dtype, sizes
        except ForwardError as error:
            failure = failure or error
    first = first_linear(prepared)
    if first is not None and shape is None and first[1] != inputs.size:
        raise wrong_number(
            model, inputs, given, first[1], f"its first layer is '{first[0]}', Linear({first[1]}, {first[2]})"
        ) from failure
    raise PolicyError(
        f"the module's forward fails on an observation of shape {[1, *sizes]}: {failure}. If observations have another "
        "shape, say so: shape=(channels, height, "
        "width)"
    ) from failure


def first_linear(module: Any) -> tuple[str, int, int] | None:
    """The first linear layer: its name and sizes."""
    torch = imported()
    for name, part in module.named_modules():
        if isinstance(part, torch.nn.Linear):
            return name or "the module", int(part.in_features), int(part.out_features)
    return None


def torch_reference(
    prepared: Any, dtype: Any, sizes: Sequence[int], traced: Traced, output: int | str | None, against: str = "torch"
) -> Reference:
    """Torch's own evaluation, one observation at a time."""
    torch = imported()

    def scores_by(module: Any, kind: Any) -> Any:
        def scores(_: Floats, features: Floats) -> Floats:
            rows = []
            with torch.no_grad():
                for row in features:
                    result = module(torch.tensor(row).to(kind).reshape(1, *sizes))
                    result = result if output is None else result[output]
                    rows.append(result.reshape(-1).to(torch.float64).numpy())
            return np.stack(rows)

        return scores

    doubles = None
    try:
        doubled = copy.deepcopy(prepared).double()
        kind = torch.float64 if dtype.is_floating_point else dtype
        example = scores_by(doubled, kind)
        example(np.zeros((1, 1)), np.zeros((1, int(np.prod(sizes)))))
        doubles = example
    except Exception:
        # Its forward converts to single precision by itself: then there is nothing to measure rounding by.
        doubles = None
    return Reference(against, scores_by(prepared, dtype), doubles, dtype == torch.float64, traced.slack, traced.head)
