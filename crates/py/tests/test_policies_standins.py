"""What the tests of policies share: stand-ins for models, as small as policies need them, and a JANI model that shows a
choice.
"""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    name: str
    kind: str = "int"
    lower: float | None = 0
    upper: float | None = 9
    shape: tuple[int, ...] = ()
    element: str = ""
    transient: bool = False
    automaton: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "element", self.element or self.kind)


@dataclass(frozen=True)
class Model:
    variables: tuple[Variable, ...]
    actions: tuple[str, ...]


def numbers(count: int, actions: int, low: float = -6, high: float = 6) -> Model:
    """Integers v0, v1, ... and actions a0, a1, ..."""
    variables = tuple(Variable(f"v{place}", "int", low, high) for place in range(count))
    return Model(variables, tuple(f"a{place}" for place in range(actions)))


def observer(model: Model) -> bytes:
    """From every observation, each action only notes itself."""

    def bounded(name: str, low: float | None, high: float | None, **more: object) -> dict[str, object]:
        return {
            "name": name,
            "type": {"kind": "bounded", "base": "int", "lower-bound": low, "upper-bound": high},
            **more,
        }

    edges = [
        {
            "location": "asked",
            "action": label,
            "destinations": [{"location": "answered", "assignments": [{"ref": "chosen", "value": place}]}],
        }
        for place, label in enumerate(model.actions)
    ]
    last = len(model.actions) - 1
    document = {
        "jani-version": 1,
        "name": "observer",
        "type": "lts",
        "actions": [{"name": label} for label in model.actions],
        "variables": [
            *(bounded(v.name, v.lower, v.upper) for v in model.variables),
            bounded("chosen", -1, last, **{"initial-value": -1}),
        ],
        "properties": [],
        "automata": [
            {
                "name": "world",
                "locations": [{"name": "asked"}, {"name": "answered"}],
                "initial-locations": ["asked"],
                "edges": edges,
            }
        ],
        "restrict-initial": {"exp": {"op": "=", "left": "chosen", "right": -1}},
        "system": {
            "elements": [{"automaton": "world"}],
            "syncs": [{"synchronise": [label], "result": label} for label in model.actions],
        },
    }
    return json.dumps(document).encode()
