"""A small model all of whose names are made to be markup, script, or something else than they look like."""

from __future__ import annotations

import json
from pathlib import Path

SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"
QUOTES = "\"quotes' & <b>bold</b> `${alert(1)}`"
CLOSING = "</script></style></title><!-- --><svg onload=alert(1)>"
TURNED = "safe\u202etxt.exe\u2066\u200b"  # turns the direction of what follows; the last sign cannot be seen
LONG = "x" * 300
PROTOTYPE, CONSTRUCTOR = "__proto__", "constructor"
ACTIONS = [SCRIPT, QUOTES, TURNED, PROTOTYPE, "javascript:alert(1)", "a" * 120]
VARIABLES = [SCRIPT, QUOTES, IMAGE, TURNED, LONG, PROTOTYPE, CONSTRUCTOR, "hasOwnProperty", CLOSING, "#state=1", "a,b=c"]
LOCATIONS = [SCRIPT, "&lt;b&gt;", "\u202eback", "toString"]


def model() -> dict[str, object]:
    """One variable counts to 6 by all actions; an automaton walks over its locations beside it. Unsafe at 6."""
    counter = SCRIPT

    def at_most(value: int) -> dict[str, object]:
        return {"op": "≤", "left": counter, "right": value}

    def edge(action: str, by: int) -> dict[str, object]:
        up = [{"ref": counter, "value": {"op": "+", "left": counter, "right": by}}]
        return {"location": LOCATIONS[0], "action": action, "guard": {"exp": at_most(6 - by)}, "destinations": [
            {"location": LOCATIONS[0], "assignments": up, "probability": {"exp": {"op": "/", "left": 3, "right": 4}}},
            {"location": LOCATIONS[0], "probability": {"exp": {"op": "/", "left": 1, "right": 4}}}]}

    bounded = {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 6}
    walk = [{"location": here, "action": ACTIONS[0], "destinations": [{"location": there}]}
            for here, there in zip(LOCATIONS, [*LOCATIONS[1:], LOCATIONS[0]], strict=True)]
    return {
        "jani-version": 1, "name": SCRIPT + QUOTES + TURNED, "type": "mdp",
        "actions": [{"name": name} for name in ACTIONS],
        "variables": [{"name": name, "type": bounded, "initial-value": 0} for name in VARIABLES],
        "automata": [
            {"name": IMAGE, "locations": [{"name": LOCATIONS[0]}], "initial-locations": [LOCATIONS[0]],
             "edges": [edge(name, 1 + at % 2) for at, name in enumerate(ACTIONS)]},
            {"name": QUOTES, "locations": [{"name": name} for name in LOCATIONS], "initial-locations": [LOCATIONS[0]], "edges": walk}],
        "system": {"elements": [{"automaton": IMAGE}, {"automaton": QUOTES}], "syncs": [
            {"synchronise": [ACTIONS[0], ACTIONS[0]], "result": ACTIONS[0]},
            *({"synchronise": [name, None], "result": name} for name in ACTIONS[1:])]},
    }


def properties(unsafe: int) -> dict[str, object]:
    reach = {"op": "=", "left": SCRIPT, "right": unsafe}
    start: dict[str, object] = {"op": "=", "left": VARIABLES[0], "right": 0}
    for name in VARIABLES[1:]:
        start = {"op": "∧", "left": start, "right": {"op": "=", "left": name, "right": 0}}
    return {"properties": [{"name": CLOSING + TURNED, "expression": {"op": "PA", "file": "hostile.policy.json", "start": start, "reach": reach}}]}


def write(folder: Path) -> tuple[object, ...]:
    """Model, properties and policy in a folder whose name is one more; gives the words of a command line that name them."""
    inside = folder / "<b>&'hostile'"
    inside.mkdir(parents=True, exist_ok=True)
    (inside / "model.jani").write_text(json.dumps(model()), encoding="utf-8")
    (inside / "properties.jani").write_text(json.dumps(properties(6)), encoding="utf-8")
    # A network of two inputs, one hidden neuron and an output per action.
    outputs = len(ACTIONS)
    lines = [f"2,2,{outputs},{outputs},", f"2,1,{outputs},", "0,", "0,0,", "6,6,", "0,0,0,", "1,1,1,", "1,1,", "0,",
             *(f"{at / 8}," for at in range(outputs)), *(f"{(outputs - at) / 4}," for at in range(outputs))]
    (inside / "net.nnet").write_text("\n".join(lines) + "\n")
    policy = {"network": "net.nnet", "inputs": [SCRIPT, QUOTES], "outputs": {"labels": ACTIONS}, "filter": True}
    (inside / "hostile.policy.json").write_text(json.dumps(policy), encoding="utf-8")
    return (inside / "model.jani", "--properties", inside / "properties.jani", "--policy", inside / "hostile.policy.json")
