"""Random policies for random models, and options: what `verify` and the checkers are asked in tests."""

import json
import pathlib
import random

from certificate_files import nnet


class Instance:
    """A model with a property, perhaps a policy, and options; `arguments` are those of every command."""

    def __init__(self, model, folder, seed):
        self.chance = random.Random(seed)
        self.model, self.folder = pathlib.Path(model), pathlib.Path(folder)
        self.jani = json.loads(self.model.read_text(encoding="utf-8"))
        properties = len(self.jani["properties"])
        self.arguments = [self.model, "--property", str(self.chance.randrange(properties))]
        if self.chance.random() < 0.3:
            self.arguments.append("--goal-terminal")
        self.inputs = [self.model]
        labels = [action["name"] for action in self.jani["actions"]]
        if labels and self.chance.random() < 0.85:
            self.write_policy(labels)

    def write_policy(self, labels):
        chance = self.chance
        chance.shuffle(labels)
        labels = labels[:chance.randint(min(2, len(labels)), len(labels))]
        networks = []
        if chance.random() < 0.3:
            reach = chance.choice(self.jani["properties"])["expression"]["reach"]
            if "t0" not in json.dumps(reach) and "t1" not in json.dumps(reach):
                networks.append({**self.network("when.nnet", len(labels)), "when": reach})
        if not networks or chance.random() < 0.8:
            networks.append(self.network("net.nnet", len(labels)))
        policy = {"networks": networks, "outputs": {"labels": labels}, "filter": chance.random() < 0.5, "ties": chance.choice(["first", "first", "any"])}
        path = self.folder / "p.policy.json"
        path.write_text(json.dumps(policy), encoding="utf-8")
        self.arguments += ["--policy", path]
        self.inputs += [path, *(self.folder / network["file"] for network in networks)]
        if chance.random() < 0.1:
            self.arguments += ["--filter", chance.choice(["on", "off"])]

    def network(self, name, outputs):
        """Few small weights, with ties, fractions that are no floats, and numbers of very different sizes."""
        chance, inputs = self.chance, [self.input() for _ in range(self.chance.randint(1, 4))]
        style = chance.choice([[-1, 0, 1], [k / 4 for k in range(-8, 9)], [k / 10 for k in range(-9, 10)], [0, 1e-8, 1e8, -1, 1]])
        layers, width = [], len(inputs)
        for size in [*(chance.randint(1, 5) for _ in range(chance.randrange(3))), outputs]:
            rows = [[chance.choice(style) for _ in range(width)] for _ in range(size)]
            if size > 1 and chance.random() < 0.25:
                rows[-1] = list(rows[0])
            layers.append((rows, [chance.choice(style) for _ in range(size)]))
            width = size
        (self.folder / name).write_text(nnet(layers, len(inputs)))
        entry = {"file": name, "inputs": inputs}
        return {**entry, "weights": "f32"} if chance.random() < 0.2 else entry

    def input(self):
        chance, elements = self.chance, [element["automaton"] for element in self.jani["system"]["elements"]]
        leaves = [{"location": name, "index": elements[:i].count(name)} for i, name in enumerate(elements)]
        for variable in self.jani["variables"]:
            if isinstance(variable["type"], dict) and variable["type"]["kind"] == "array":
                leaves += [{"op": "aa", "exp": variable["name"], "index": i} for i in range(len(variable["initial-value"]["elements"]))]
            elif not variable.get("transient"):
                leaves += [variable["name"]] * 3
        form = chance.choice(leaves)
        if chance.random() < 0.6:
            return form
        scaled = {"op": chance.choice("*/"), "left": form, "right": chance.choice([2, 3, 7, -1, 0.5])}
        return {"op": chance.choice("+-"), "left": scaled, "right": chance.choice([*leaves, 1, 0.1])}
