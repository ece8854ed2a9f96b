"""Gymnasium's toy-text environments as JANI models.

Usage: toy_text.py ENVIRONMENT --out FOLDER [--network FILE]

Writes FOLDER/model.jani, and FOLDER/policy.policy.json for a network that takes the state as it is (an exported Stable-Baselines3 policy). The
transitions are those of `env.unwrapped.P`: one integer for the state, one label per action, and the location `over` where an episode has terminated.
"""

import argparse
import json
import pathlib
from fractions import Fraction


def bounded(name, low, high, initial=None):
    kind = {"kind": "bounded", "base": "int", "lower-bound": low, "upper-bound": high}
    return {"name": name, "type": kind, **({} if initial is None else {"initial-value": initial})}


def binary(op, left, right):
    return {"op": op, "left": left, "right": right}


def document(name, kind, variables, labels, edges, locations, initial=None):
    """A model of one automaton whose labels are its actions."""
    return {
        "jani-version": 1,
        "name": name,
        "type": kind,
        "actions": [{"name": label} for label in labels],
        "variables": variables,
        **({} if initial is None else {"restrict-initial": {"exp": initial}}),
        "properties": [],
        "automata": [
            {
                "name": "world",
                "locations": [{"name": location} for location in locations],
                "initial-locations": [locations[0]],
                "edges": edges,
            }
        ],
        "system": {
            "elements": [{"automaton": "world"}],
            "syncs": [{"synchronise": [label], "result": label} for label in labels],
        },
    }


def outcomes(row):
    """Gymnasium's list of outcomes as exact probabilities of distinct ones: its thirds are floats, and sums must be one."""
    result = {}
    for probability, successor, _, terminated in row:
        fraction = Fraction(probability).limit_denominator(1000)
        assert abs(fraction - Fraction(probability)) < Fraction(1, 10**12), probability
        key = (int(successor), bool(terminated))
        result[key] = result.get(key, 0) + fraction
    assert sum(result.values()) == 1, row
    return {key: value for key, value in result.items() if value}


def tabular(name, environment):
    """The model and its labels. Every state is a start state; a property or `--start` says where runs begin."""
    table = environment.unwrapped.P
    labels = [f"a{action}" for action in sorted(table[0])]
    edges = []
    for state, row in table.items():
        for action, label in enumerate(labels):
            destinations = []
            for (successor, terminated), probability in outcomes(row[action]).items():
                destination = {
                    "location": "over" if terminated else "running",
                    "assignments": [{"ref": "s", "value": successor}],
                }
                if probability != 1:
                    destination["probability"] = {"exp": binary("/", probability.numerator, probability.denominator)}
                destinations.append(destination)
            guard = {"exp": binary("=", "s", int(state))}
            edges.append({"location": "running", "action": label, "guard": guard, "destinations": destinations})
    return document(name, "mdp", [bounded("s", 0, len(table) - 1)], labels, edges, ["running", "over"]), labels


def main():
    import gymnasium

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("environment")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--network", default="policy.onnx", help="what the policy file calls the network")
    arguments = parser.parse_args()
    model, labels = tabular(arguments.environment, gymnasium.make(arguments.environment))
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "model.jani").write_text(json.dumps(model, indent=1, ensure_ascii=False))
    policy = {"network": arguments.network, "inputs": ["s"], "outputs": {"labels": labels}}
    (arguments.out / "policy.policy.json").write_text(json.dumps(policy, indent=2))
    print(f"wrote {arguments.out / 'model.jani'} and {arguments.out / 'policy.policy.json'}")


if __name__ == "__main__":
    main()
