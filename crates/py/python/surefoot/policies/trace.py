"""From a `torch.nn.Module` to an ONNX graph, by tracing: nothing is pickled, nothing is executed but the module's own
`forward`.

`torch.fx` runs `forward` once with stand-ins, which gives the list of its operators; a branch that depends on the
observation stops it. The list is then run with one observation, for types and shapes, and each operator that depends on
the observation becomes nodes (`operators.py`). What does not depend on it is a constant, as torch computed it.

Soundness: an operator is read only where it is known by name and object. What changes its argument in place is read
only where nothing looks at the argument afterwards.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import PolicyError
from .emit import contains_value, tree, type_name
from .graph import Graph, Value
from .layers import layer_call, refused_function
from .names import HEADS, MOVES, SHAPE_QUERIES, canonical
from .operators import Operators


@dataclass(frozen=True)
class Traced:
    """The file, the number of its inputs and outputs, what was taken off its end, and what to tell about it."""

    data: bytes
    inputs: int
    outputs: int
    head: str | None
    notes: tuple[str, ...]
    slack: float


def traced_graph(module: Any) -> Any:
    """The operators of a module, as `torch.fx` lists them."""
    import torch
    from torch import fx

    root = torch.nn.Sequential(module)
    try:
        return fx.GraphModule(root, fx.Tracer().trace(root))
    except PolicyError:
        raise
    except Exception as error:
        raise PolicyError(
            f"{type(module).__name__} cannot be traced by torch.fx: {_first_line(error)}. Its forward takes a branch, "
            "a loop or an assertion that depends on "
            "the observation, or calls code outside torch. Pass the part that scores the actions (such as "
            "module.actor), write forward without it, "
            "or export to ONNX yourself and use Policy.from_file"
        ) from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


class _Conversion:
    def __init__(self, listed: Any, example: Any) -> None:
        self.listed = listed
        self.example = example
        self.operators = Operators(Graph())
        self.symbols: dict[Any, Any] = {}
        self.results: dict[Any, Any] = {}
        #: Softmaxes, before it is known whether they stand at the end: their name, axis and scores.
        self.heads: dict[Value, tuple[str, int, Value]] = {}
        self.order = {node: place for place, node in enumerate(listed.graph.nodes)}

    def run(self, output: int | str | None) -> Traced:
        """Node by node; each is also computed by torch, for its type and shape."""
        import torch
        from torch import fx

        conversion = self

        class Recorder(fx.Interpreter):
            def run_node(self, n: Any) -> Any:
                # What is not read is refused before torch looks at shapes, whose errors say less.
                if n.op == "call_module":
                    layer_call(conversion.listed.get_submodule(n.target), conversion.owner(n))
                result = super().run_node(n)
                conversion.results[n] = result
                if n.op != "output":
                    conversion.convert(n)
                return result

        recorder = Recorder(self.listed)
        recorder.extra_traceback = False
        with torch.no_grad():
            try:
                recorder.run(self.example)
            except PolicyError:
                raise
            except Exception as error:
                raise ForwardError(_first_line(error)) from error
        last = next(node for node in self.listed.graph.nodes if node.op == "output")
        return self.finish(last.args[0], output)

    def symbol(self, argument: Any) -> Any:
        """An argument of a node: a value of the graph where it depends on the observation, else what torch computed."""
        from torch import fx

        def look(part: Any) -> Any:
            if isinstance(part, fx.Node):
                return self.symbols.get(part, self.results.get(part))
            return part

        return tree(look, argument)

    def owner(self, node: Any) -> str:
        """Where a node comes from, as the user knows it."""
        if node.op == "call_module":
            return str(node.target).removeprefix("0").lstrip(".") or "the module"
        stack = node.meta.get("nn_module_stack") or {}
        path = str(list(stack.values())[-1][0]) if stack else ""
        path = path.removeprefix("0").lstrip(".")
        return f"{path}.{node.name}" if path else str(node.name)

    def convert(self, node: Any) -> None:
        operators = self.operators
        operators.owner, operators.result = self.owner(node), self.results[node]
        if node.op == "placeholder":
            self.symbols[node] = operators.graph.input(
                "observation", type_name(self.example), tuple(self.example.shape)
            )
            return
        if node.op == "get_attr":
            return
        arguments = [self.symbol(argument) for argument in node.args]
        options = {key: self.symbol(argument) for key, argument in node.kwargs.items()}
        if not contains_value((arguments, list(options.values()))):
            return
        if "input" in options:
            arguments.insert(0, options.pop("input"))
        name, more = self.name(node)
        if name is None:
            return
        self.check_in_place(node, name)
        if any(argument in self.heads for argument in (*arguments, *options.values()) if isinstance(argument, Value)):
            raise operators.refuse(
                "reads the result of a softmax", "A softmax is taken off only at the end; return the scores before it"
            )
        if name in MOVES:
            function = self.move(node, name)
            if name in ("expand_as", "view_as", "reshape_as"):
                arguments[1] = self.results[node.args[1]]
            self.symbols[node] = (
                arguments[0][arguments[1]]
                if name == "getitem" and isinstance(arguments[0], (tuple, list))
                else operators.move(function, arguments[0], arguments[1:], {**more, **options})
            )
            if self.symbols[node] is None:
                raise operators.refuse(
                    "reads the place of a largest entry", "Return the scores of the actions; the largest one is taken"
                )
            return
        if name in HEADS:
            head = Value(f"{operators.owner}.{node.name}", operators.dtype, tuple(operators.result.shape))
            self.heads[head] = (name, self.axis(node, arguments, {**more, **options}), arguments[0])
            self.symbols[node] = head
            return
        method = getattr(operators, name, None)
        if method is None or name.startswith("_"):
            raise refused_function(name, operators.owner)
        try:
            self.symbols[node] = method(*arguments, **more, **options)
        except TypeError as error:
            raise operators.refuse(f"'{name}' with these arguments is not read ({_first_line(error)})") from error

    def name(self, node: Any) -> tuple[str | None, dict[str, Any]]:
        """The operator's name, and a module's own arguments; no name for what is asked of a shape."""
        import torch
        import torch.nn.functional

        if node.op == "call_module":
            return layer_call(self.listed.get_submodule(node.target), self.operators.owner)
        if node.op == "call_method":
            if node.target in SHAPE_QUERIES:
                return None, {}
            return canonical(node.target), {}
        function = node.target
        name = str(getattr(function, "__name__", function))
        if function is getattr and node.args[1] in SHAPE_QUERIES:
            return None, {}
        if function is getattr and node.args[1] in ("T", "mT"):
            return "transpose", {}
        if function is len or name in SHAPE_QUERIES:
            return None, {}
        known = any(getattr(place, name, None) is function for place in (torch, torch.nn.functional, operator))
        if not known:
            raise refused_function(name, self.operators.owner)
        return canonical(name), {}

    def move(self, node: Any, name: str) -> Any:
        """The function itself, to be run on the numbers of the entries."""
        if node.op == "call_module":
            module = self.listed.get_submodule(node.target)
            return lambda entries, **_: module(entries)
        if node.op == "call_method":
            return lambda entries, *arguments, **options: getattr(entries, node.target)(*arguments, **options)
        if node.target is getattr:
            return lambda entries, *_: getattr(entries, node.args[1])
        return node.target

    def axis(self, node: Any, arguments: list[Any], options: Mapping[str, Any]) -> int:
        dim = options.get("dim", arguments[1] if len(arguments) > 1 else None)
        rank = len(self.results[node].shape)
        # Without an axis torch takes 0 for vectors, grids and batches of grids, else 1.
        return int(dim) % rank if dim is not None else (0 if rank in (0, 1, 3) else 1)

    def check_in_place(self, node: Any, name: str) -> None:
        """Refuses what changes its argument, where something looks at that argument later."""
        changed = node.op == "call_method" and str(node.target).endswith("_") and not str(node.target).endswith("__")
        changed = (
            changed
            or bool(node.kwargs.get("inplace"))
            or str(getattr(node.target, "__name__", "")) in ("iadd", "imul", "isub", "itruediv")
        )
        if node.op == "call_function":
            changed = (
                changed
                or str(getattr(node.target, "__name__", "")).endswith("_")
                or node.args[1:2] == (True,)
                and name == "relu"
            )
        if node.op == "call_module":
            changed = changed or bool(getattr(self.listed.get_submodule(node.target), "inplace", False))
        if not changed:
            return
        # Views share their storage with what they are views of, and results are kept, so that no storage is used twice.
        own = _storages(self.results[node])
        for other, result in self.results.items():
            later = [user for user in other.users if user is not node and self.order[user] > self.order[node]]
            if other is not node and later and own & _storages(result):
                raise self.operators.refuse(
                    f"'{name}' changes '{self.owner(other)}' in place, which is read again afterwards",
                    "Write it without changing in place (inplace=False)",
                )

    def finish(self, returned: Any, wanted: int | str | None) -> Traced:
        """The output: the one that is there, or the one that is asked for."""
        import torch

        operators = self.operators
        operators.owner = "the result of forward"
        if isinstance(returned, (tuple, list, Mapping)):
            keys = list(returned) if isinstance(returned, Mapping) else list(range(len(returned)))
            if wanted is None or wanted not in keys:
                raise PolicyError(
                    f"forward returns {len(keys)} things ({', '.join(map(repr, keys))}), and the policy is the scores "
                    "of the actions; say which one it is: "
                    f"output={keys[0]!r}"
                )
            things: dict[Any, Any] = dict(zip(keys, returned.values() if isinstance(returned, Mapping) else returned))
            returned = things[wanted]
        symbol, result = self.symbol(returned), self.results.get(returned)
        head = None
        if isinstance(symbol, Value) and symbol in self.heads:
            head, axis, symbol = self.heads[symbol]
            if axis != len(symbol.shape) - 1:
                raise operators.refuse("a softmax over another axis than the last", "Take it over the actions (dim=-1)")
            operators.note(f"the {head} at the end is taken off: it does not change which score is largest")
        if not isinstance(symbol, Value):
            what = (
                "does not depend on the observation"
                if isinstance(result, torch.Tensor)
                else f"is a {type(result).__name__}"
            )
            raise PolicyError(f"what forward returns {what}; expected one tensor, the scores of the actions")
        if max(symbol.shape, default=1) != symbol.size or symbol.size < 1:
            raise PolicyError(
                f"forward returns a tensor of shape {list(symbol.shape)} for one observation; expected one score per "
                "action: [1, actions]"
            )
        operators.owner = "scores"
        operators.result = torch.zeros(symbol.shape)
        if not symbol.dtype.startswith("float"):
            raise PolicyError(
                f"forward returns {symbol.dtype} numbers; expected the scores of the actions, not the action"
            )
        output = operators.graph.node("Identity", "scores", [symbol], symbol.dtype, symbol.shape)
        data = operators.graph.to_bytes(output)
        return Traced(data, int(self.example.numel()), symbol.size, head, tuple(operators.notes), operators.slack)


def _storages(result: Any) -> set[int]:
    """Where the numbers of a result are stored."""
    found: set[int] = set()
    tree(
        lambda part: found.add(part.untyped_storage().data_ptr()) if hasattr(part, "untyped_storage") else None, result
    )
    return found


class ForwardError(Exception):
    """The module's own forward does not take an observation of this shape."""


def convert(module: Any, example: Any, output: int | str | None = None) -> Traced:
    """The graph of a module, for observations of the example's shape and type.

    It is made twice: numbers that are drawn in `forward` look like constants, but come out differently.
    """
    import torch

    with torch.random.fork_rng(devices=[]):
        first, second = (_Conversion(traced_graph(module), example).run(output) for _ in range(2))
    if first.data != second.data:
        raise PolicyError(
            f"the forward of {type(module).__name__} draws random numbers; pass the deterministic part, which scores "
            "the actions"
        )
    return first
