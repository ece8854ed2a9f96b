"""A model whose number of states can be chosen: counters that move up and down, one at a time, without a policy."""

import json


def model(counters, top):
    """`top + 1` to the power of `counters` states, all of them reached."""
    names = [f"c{index}" for index in range(counters)]

    def edge(name, action, guard, value):
        return {"location": "l", "action": action, "guard": {"exp": guard},
                "destinations": [{"location": "l", "assignments": [{"ref": name, "value": value}]}]}

    edges = [one for name in names for one in (
        edge(name, f"{name}_up", {"op": "<", "left": name, "right": top}, {"op": "+", "left": name, "right": 1}),
        edge(name, f"{name}_down", {"op": "<", "left": 0, "right": name}, {"op": "-", "left": name, "right": 1}))]
    bounded = {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": top}
    return {
        "jani-version": 1, "name": "counters", "type": "lts",
        "actions": [{"name": f"{name}_{way}"} for name in names for way in ("up", "down")],
        "variables": [{"name": name, "type": bounded, "initial-value": 0} for name in names],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}],
        "system": {"elements": [{"automaton": "a"}]},
    }


def predicates(counters, top):
    """All comparisons of a counter with a number: they tell all states apart."""
    return [{"op": "≥", "left": f"c{index}", "right": bound} for index in range(counters) for bound in range(1, top + 1)]


def unsafe(counters, top):
    """A condition that holds nowhere, and is not seen to hold nowhere at once."""
    return " + ".join(f"c{index}" for index in range(counters)) + f" > {counters * top}"


def write(folder, counters, top):
    """Model and predicates in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.jani").write_text(json.dumps(model(counters, top)), encoding="utf-8")
    (folder / "predicates.json").write_text(json.dumps(predicates(counters, top)), encoding="utf-8")
