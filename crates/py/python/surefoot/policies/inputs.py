"""The inputs of a network: which expression over the state each of them is.

An entry is what a policy file may have there: a variable's name, a JANI expression, a number, a location, or a one-hot
encoding, which takes one network input per value. Objects with an attribute `jani` (expressions built in Python) are
entries too.

*Features* are the numbers that the network is fed with. `Inputs.features` computes them for states that were drawn from
the variables' ranges, so that the check of a policy goes through the same inputs as the engines do. What cannot be
computed here (locations, constants of a model) is drawn itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import PolicyError
from .ranges import range_of
from .spaces import (
    ModelLike,
    VariableLike,
    element_of,
    listed,
    observable,
    references,
    shape_of,
    suggestion,
    variable_named,
)

Floats: TypeAlias = NDArray[np.float64]
Json: TypeAlias = Any
State: TypeAlias = Mapping[str, Floats]

#: What stands for a range that has no end.
OPEN_RANGE = 16.0


class _NotComputed(Exception):
    """An expression that needs more than the variables."""


_BINARY: dict[str, Callable[[Floats, Floats], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.mod,
    "min": np.minimum,
    "max": np.maximum,
    "=": np.equal,
    "≠": np.not_equal,
    "<": np.less,
    "≤": np.less_equal,
    ">": np.greater,
    "≥": np.greater_equal,
    "∧": np.logical_and,
    "∨": np.logical_or,
    "⇒": lambda left, right: np.logical_or(np.logical_not(left), right),
}
_UNARY: dict[str, Callable[[Floats], Any]] = {
    "¬": np.logical_not,
    "abs": np.abs,
    "sgn": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "trc": np.trunc,
}


def evaluate(entry: Json, state: State) -> Floats:
    """The value of an expression in each of the states.

    >>> evaluate({"op": "-", "left": "x", "right": 1}, {"x": np.array([3.0, 4.0])}).tolist()
    [2.0, 3.0]
    """
    if isinstance(entry, (bool, int, float)):
        return np.full(len(next(iter(state.values()))) if state else 1, float(entry))
    if not isinstance(entry, (str, Mapping)):
        raise _NotComputed(repr(entry))
    parts: Any = entry if isinstance(entry, Mapping) else {}
    operator = parts.get("op")
    if operator in _BINARY and {"left", "right"} <= set(parts):
        with np.errstate(all="ignore"):
            result = _BINARY[operator](evaluate(parts["left"], state), evaluate(parts["right"], state))
        return np.asarray(result, dtype=np.float64)
    if operator in _UNARY and "exp" in parts:
        return np.asarray(_UNARY[operator](evaluate(parts["exp"], state)), dtype=np.float64)
    if operator == "ite":
        condition, then, otherwise = (evaluate(parts[key], state) for key in ("if", "then", "else"))
        return np.where(condition != 0, then, otherwise)
    cell = _cell(entry, state)
    if cell is None or cell.ndim != 1:
        raise _NotComputed(repr(entry))
    return cell


def _cell(entry: Json, state: State) -> Floats | None:
    """A variable, a cell of an array, or a part of an array of arrays."""
    if isinstance(entry, str):
        local = [name for name in state if name.endswith(f".{entry}")]
        return state.get(entry, state[local[0]] if len(local) == 1 else None)
    if entry.get("op") == "aa":
        array, index = _cell(entry["exp"], state), evaluate(entry["index"], state).astype(np.int64)
        if array is None or array.ndim < 2 or not bool(((index >= 0) & (index < array.shape[1])).all()):
            return None
        return np.asarray(array[np.arange(len(array)), index])
    if "variable" not in entry:
        return None
    automaton = entry.get("automaton")
    own = f"{automaton}#{entry['index']}" if "index" in entry else automaton
    array = state.get(entry["variable"] if automaton is None else f"{own}.{entry['variable']}")
    return array if array is None or "cell" not in entry else np.asarray(array[:, entry["cell"]])


def one_hot_range(entry: Mapping[str, Any], model: ModelLike) -> tuple[int, int]:
    """The smallest and the largest value that a one-hot encoding has an input for."""
    known = range_of(entry["one_hot"], model)
    lower, upper = entry.get("from"), entry.get("to")
    if (lower is None or upper is None) and known is None:
        raise PolicyError(
            f"the range of {entry['one_hot']!r} is not known, so the number of inputs of its one-hot encoding is not "
            "either; add 'from' and 'to'"
        )
    first = int(lower) if lower is not None else (known or (0, 0))[0]
    last = int(upper) if upper is not None else (known or (0, 0))[1]
    if last < first:
        raise PolicyError(
            f"the one-hot encoding of {entry['one_hot']!r} goes from {first} to {last}, which is no range"
        )
    return first, last


def as_json(entry: object, model: ModelLike, place: str) -> list[Json]:
    """An entry as policy files have it; an array is all its cells."""
    automaton, name = getattr(entry, "automaton", None), getattr(entry, "name", None)
    if automaton and name:
        # A local variable's own notation leaves its automaton out.
        return as_json(f"{automaton}.{name}", model, place)
    jani = getattr(entry, "jani", None)
    if jani is not None:
        return [jani]
    if isinstance(entry, np.generic):
        return as_json(entry.item(), model, place)
    if isinstance(entry, (bool, int, float)):
        if not np.isfinite(entry):
            raise PolicyError(f"{place} is {entry}; numbers must be finite")
        return [entry]
    if isinstance(entry, str):
        variable = variable_named(model, entry)
        if variable is None:
            if entry in getattr(model, "constants", ()):
                return [entry]
            names = [known.name for known in model.variables]
            raise PolicyError(f"{place}, '{entry}', is no variable of the model{suggestion(entry, names)}")
        return references(variable)
    if isinstance(entry, Mapping):
        if "one_hot" in entry:
            unknown = sorted(set(entry) - {"one_hot", "from", "to", "comment"})
            if unknown:
                raise PolicyError(
                    f"{place}: a one-hot encoding has 'one_hot', 'from' and 'to'; found {', '.join(map(str, unknown))}"
                )
            inner = as_json(entry["one_hot"], model, place)
            if len(inner) != 1:
                raise PolicyError(f"{place}: the one-hot encoding of an array; encode its cells one by one")
            return [{**{key: value for key, value in entry.items() if key != "comment"}, "one_hot": inner[0]}]
        return [{str(key): value.jani if hasattr(value, "jani") else value for key, value in entry.items()}]
    if hasattr(entry, "shape") and isinstance(entry, Iterable) and not isinstance(entry, np.ndarray):
        return [cell for part in entry for cell in as_json(part, model, place)]
    raise PolicyError(
        f"{place} is a {type(entry).__name__}; expected the name of a variable, an expression (JANI, or built in "
        "Python), a number, or "
        '{"one_hot": "x"}'
    )


@dataclass(frozen=True)
class Inputs:
    """Entries, and how many network inputs each is."""

    entries: tuple[Json, ...]
    widths: tuple[int, ...]

    @staticmethod
    def of(entries: object, model: ModelLike) -> Inputs:
        """The entries as given; the model's variables in order for `None`."""
        if entries is None:
            listed_entries: Sequence[object] = [variable.name for variable in observable(model)]
        elif isinstance(entries, (str, Mapping)) or not isinstance(entries, Sequence):
            raise PolicyError(f"inputs are a list with one entry per network input; found {entries!r}")
        else:
            listed_entries = entries
        json: list[Json] = []
        for place, entry in enumerate(listed_entries):
            json.extend(as_json(entry, model, f"input {place}"))
        if not json:
            raise PolicyError(
                "a network needs at least one input; inputs=[...] is empty, or the model has no variables"
            )
        widths = []
        for entry in json:
            first, last = one_hot_range(entry, model) if isinstance(entry, Mapping) and "one_hot" in entry else (0, 0)
            widths.append(last - first + 1)
        return Inputs(tuple(json), tuple(widths))

    @property
    def size(self) -> int:
        """The number of network inputs."""
        return sum(self.widths)

    def values(self, states: State, model: ModelLike, seed: int) -> Floats:
        """One column per entry: its value, or that of what is encoded; drawn where it cannot be computed."""
        count = len(next(iter(states.values()))) if states else 1
        random = np.random.default_rng(seed)
        columns = []
        for entry in self.entries:
            encoded = isinstance(entry, Mapping) and "one_hot" in entry
            try:
                columns.append(evaluate(entry["one_hot"] if encoded else entry, states))
            except _NotComputed:
                first, last = one_hot_range(entry, model) if encoded else (0, 3)
                columns.append(random.integers(first, last + 1, count).astype(np.float64))
        return np.stack(columns, axis=1)

    def features(self, values: Floats, model: ModelLike) -> Floats:
        """What the network is fed with, given the values of the entries."""
        parts: list[Floats] = []
        for column, entry in enumerate(self.entries):
            value = values[:, column : column + 1]
            if isinstance(entry, Mapping) and "one_hot" in entry:
                first, last = one_hot_range(entry, model)
                value = (value == np.arange(first, last + 1)).astype(np.float64)
            parts.append(value)
        return np.concatenate(parts, axis=1)


def draw_states(model: ModelLike, count: int, seed: int) -> dict[str, Floats]:
    """States for a check: all where they are few, else the two corners of the ranges and random ones between."""
    random = np.random.default_rng(seed)
    variables = observable(model)
    ranges = [_ends(variable) for variable in variables]
    number = 1.0
    for variable, (low, high, whole) in zip(variables, ranges):
        number *= high - low + 1 if whole and not shape_of(variable) else np.inf
    if number <= count:
        grid = np.meshgrid(*(np.arange(low, high + 1) for low, high, _ in ranges), indexing="ij")
        return {variable.name: axis.reshape(-1) for variable, axis in zip(variables, grid)}
    states: dict[str, Floats] = {}
    for variable, (low, high, whole) in zip(variables, ranges):
        shape = (count, *shape_of(variable))
        drawn = (
            random.integers(int(low), int(high) + 1, shape).astype(np.float64)
            if whole
            else random.uniform(low, high, shape)
        )
        if count > 2:
            drawn[0], drawn[1] = low, high
        states[variable.name] = drawn
    return states


def _ends(variable: VariableLike) -> tuple[float, float, bool]:
    """The range to draw from, and whether only integers are in it. A range with one end is drawn near that end."""
    element = element_of(variable)
    if element == "bool":
        return 0.0, 1.0, True
    lower, upper = variable.lower, variable.upper
    low = float(lower) if lower is not None else (-OPEN_RANGE if upper is None else float(upper) - 2 * OPEN_RANGE)
    high = float(upper) if upper is not None else low + 2 * OPEN_RANGE
    return low, high, element == "int"


def wrong_number(model: ModelLike, inputs: Inputs, given: bool, expected: int, layer: str) -> PolicyError:
    """The error for a network that takes another number of inputs than there are."""
    names = [variable.name for variable in observable(model)]
    if given:
        text = f"inputs={listed([str(entry) for entry in inputs.entries])} are {inputs.size} numbers"
    else:
        count = f"{len(names)} variable{'s' * (len(names) != 1)}"
        text = f"the model has {count} ({listed(names)}), which are {inputs.size} numbers"
    text += f", and the network takes {expected} ({layer})"
    fitting = []
    for name in names:
        ends = range_of(name, model)
        if ends is not None and ends[1] - ends[0] + 1 == expected:
            fitting.append((name, ends))
    if fitting:
        name, ends = fitting[0]
        return PolicyError(
            f"{text}. '{name}' has {expected} values, {ends[0]} to {ends[1]}: if the network was trained on its "
            "one-hot encoding, as "
            f"Stable-Baselines3 does for Discrete observations, say inputs=[{{'one_hot': '{name}'}}]; if it was "
            f"trained on {expected} numbers, "
            "list them: inputs=[...]"
        )
    return PolicyError(f"{text}. List what each network input is, in order: inputs=['x', {{'one_hot': 'y'}}, ...]")
