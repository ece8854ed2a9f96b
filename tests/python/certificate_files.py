"""Certificates as files, for tests: read, written, and with an index that fits what is beside them. Knows nothing of what makes one right."""

import gzip
import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKER = ROOT / "tools" / "check.py"


def write(path, lines):
    """Lines, the first of them possibly an object; the same bytes every time."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def read(path):
    """The index, and the other lines."""
    index, *lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return json.loads(index), lines


def hashes(*paths):
    return {pathlib.Path(path).name: hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() for path in paths}


def opinion(command):
    """What a checker says: its first word, and all it says."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, encoding="utf-8", timeout=600)
    word = {0: "accepted", 1: "rejected", 2: "error"}.get(done.returncode)
    assert word is not None and "Traceback" not in done.stderr and "internal" not in done.stdout, (command, done.returncode, done.stdout, done.stderr)
    return word, done.stdout + done.stderr


def python_opinion(certificate, arguments):
    word, said = opinion([sys.executable, "-B", CHECKER, certificate, *arguments])
    assert said.startswith(word), said
    return word, said


# Small JANI models.

def binary(op, left, right):
    return {"op": op, "left": left, "right": right}


def bounded(name, low, high, initial=None):
    node = {"name": name, "type": {"kind": "bounded", "base": "int", "lower-bound": low, "upper-bound": high}}
    return node if initial is None else {**node, "initial-value": initial}


def edge(assignments, guard=None, action=None, probabilities=None, **more):
    """One edge of an automaton with the one location `l`; one list of (variable, value) per destination."""
    lists = assignments if probabilities else [assignments]
    value = lambda v: {"lower-bound": v[0], "upper-bound": v[1]} if isinstance(v, tuple) else {"value": v}
    destinations = [{"location": "l", "assignments": [{"ref": name, **value(v)} for name, v in each]} for each in lists]
    for destination, probability in zip(destinations, probabilities or []):
        destination["probability"] = {"exp": probability}
    node = {"location": "l", "destinations": destinations, **more}
    if guard is not None:
        node["guard"] = {"exp": guard}
    return node if action is None else {**node, "action": action}


def model(variables, edges, actions=(), **more):
    automaton = {"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": edges}
    return {"jani-version": 1, "name": "tiny", "type": "mdp", "actions": [{"name": a} for a in actions], "variables": variables, "automata": [automaton],
            "system": {"elements": [{"automaton": "m"}]}, **more}


def safety(start, reach, **more):
    return [{"name": "p", "expression": {"op": "PA", "start": start, "reach": reach, **more}}]


def nnet(layers, inputs):
    """A `.nnet` text of layers (weights, bias)."""
    sizes = [inputs, *(len(bias) for _, bias in layers)]
    rows = [[len(layers), inputs, sizes[-1], max(sizes)], sizes, [0], [0] * inputs, [9] * inputs, [0] * (inputs + 1), [1] * (inputs + 1)]
    for weights, bias in layers:
        rows += [*weights, *([b] for b in bias)]
    return "".join(",".join(map(str, row)) + ",\n" for row in rows)


class Folder:
    """A folder with a model, perhaps a policy, and certificates about it."""

    def __init__(self, path, jani, policy=None, network=None):
        self.path, self.jani, self.policy = path, jani, policy
        (path / "model.jani").write_text(json.dumps(jani, ensure_ascii=False), encoding="utf-8")
        self.arguments, self.inputs = [path / "model.jani"], [path / "model.jani"]
        if policy is not None:
            (path / "net.nnet").write_text(nnet(*network))
            (path / "p.policy.json").write_text(json.dumps({"network": "net.nnet", **policy}))
            self.arguments += ["--policy", path / "p.policy.json"]
            self.inputs += [path / "p.policy.json", path / "net.nnet"]

    def index(self, **changes):
        """The index of a certificate about the model's only property; changes to `semantics` stand by themselves."""
        policy, variables = self.policy or {}, [v["name"] for v in self.jani["variables"] if not v.get("transient")]
        semantics = {"ties": policy.get("ties", "first") if policy else None, "filter": policy.get("filter", False) if policy else None, "goal_terminal": False,
                     "initial_only": False, "assume_no_errors": False}
        index = {"format": "surefoot-certificate", "version": 1, "claim": "unreachable", "verdict": "holds", "tool": "by hand", "engine": "by hand",
                 "inputs": hashes(*self.inputs), "constants": {}, "property": {"index": 0, "name": "p"}, "semantics": semantics, "slots": ["m", *variables],
                 "locations": 1, "actions": [a["name"] for a in self.jani["actions"]], "outputs": policy["outputs"]["labels"] if policy else []}
        for name, value in changes.items():
            (semantics if name in semantics else index)[name] = value
        return index

    def certificate(self, lines, **changes):
        path = self.path / "proof.cert"
        write(path, [self.index(**changes), *lines])
        return path
