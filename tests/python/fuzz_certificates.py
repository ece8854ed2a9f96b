"""Mutants of certificates: no checker accepts one of a claim that is false.

Usage: fuzz_certificates.py BINARY MODELS [--first SEED] [--models N] [--variants N] [--mutants N] [--keep FOLDER] [--differences]

BINARY is `surefoot`, MODELS the example `models` of the crate testkit, which writes random models. For each of these that is safe there are certificates: of
`verify` (each engine), and of prover.py, which finds its own. They must be accepted, those of `verify` by both checkers. Then the model or the network is changed a little. Where exploration
says that the changed one is unsafe, the certificate, with its hashes put right, is one of a false claim, and so are all its mutants: lines, tokens and numbers are changed at
random, most of them in the line that a checker complained about. Likewise for runs of unsafe models, which are changed until they are safe. Ends with a line of counts; the exit code is 1 if a false claim was accepted, or a checker refused a true certificate.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import certificate_files
import prover
from random_instances import Instance

check = prover.check
COMPARISONS, SIGNS, CONNECTIVES, EXTREMES = ["<", "≤", ">", "≥", "=", "≠"], ["+", "-"], ["∧", "∨"], ["min", "max"]
TOKENS = [".", "*", "e", "*0", "*@", "b0", "b1", "=0", "=@", "?0", "^0.0", "^1.0", ">0:0", ">0:@", ">0:-", ">0:!", "f0*1", "g0:0*1", "1<0", "2<0"]


class Checkers:
    """Both checkers, and what was asked of them."""

    def __init__(self, binary):
        self.binary, self.counts = binary, collections.Counter()

    def python(self, certificate, arguments):
        code, said = check.opinion(check.parse([str(certificate), *map(str, arguments)]))
        assert "internal" not in said, (certificate, said)
        return ("accepted", "rejected", "error")[code], said

    def rust(self, certificate, arguments):
        return certificate_files.opinion([self.binary, "certify", certificate, *arguments, "--quiet"])

    def both(self, certificate, arguments):
        return {"python": self.python(certificate, arguments), "rust": self.rust(certificate, arguments)}


def verdict(binary, arguments, *more):
    """What exploration says of the model: its exit code."""
    command = [binary, "verify", *arguments, "--quiet", *more]
    return subprocess.run([str(part) for part in command], capture_output=True, timeout=120).returncode


# Changed models.

def places(node, path=()):
    """Where numbers, operators, guards and truth values of edges, initial values and properties stand."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "guard":
                yield (*path, name), "guard"
            if name == "op" and any(value in group for group in (COMPARISONS, SIGNS, CONNECTIVES, EXTREMES)):
                yield (*path, name), "op"
            elif name not in ("name", "jani-version", "index", "type", "features", "functions"):
                yield from places(value, (*path, name))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from places(value, (*path, i))
    elif isinstance(node, (bool, int)):
        yield path, "value"


def changed_model(jani, chance):
    jani = json.loads(json.dumps(jani))
    found = list(places(jani))
    path, kind = chance.choice([place for place in found if place[0][0] == "automata"] if chance.random() < 0.6 else found)
    owner = jani
    for step in path[:-1]:
        owner = owner[step]
    old = owner[path[-1]]
    if kind == "guard":
        del owner["guard"]
    elif kind == "op":
        group = next(group for group in (COMPARISONS, SIGNS, CONNECTIVES, EXTREMES) if old in group)
        owner["op"] = chance.choice([op for op in group if op != old])
    else:
        owner[path[-1]] = not old if isinstance(old, bool) else old + chance.choice([-2, -1, 1, 2])
    return jani


def changed_network(text, chance):
    lines = text.splitlines()
    number = chance.randrange(7, len(lines))
    fields = lines[number].split(",")
    at = chance.randrange(len(fields) - 1)
    fields[at] = str(float(fields[at]) + chance.choice([-1, 1, -0.25, 0.25, 1e-8]))
    lines[number] = ",".join(fields)
    return "\n".join(lines) + "\n"


def unsafe_somewhere(jani, number, state, system, chance):
    """A model in which a state that is reached is unsafe: some of its values are."""
    jani = json.loads(json.dumps(jani))
    globals_of = [v["name"] for v in jani["variables"] if v["name"] in system.model.slots]
    chosen = chance.sample(globals_of, min(len(globals_of), chance.choice([1, 2, 3])))
    values = [(name, state[system.model.slots.index(name)]) for name in chosen]
    here = True
    for name, value in values:
        value = bool(value) if system.model.bools[system.model.slots.index(name)] else value
        here = {"op": "∧", "left": here, "right": {"op": "=", "left": name, "right": value}}
    expression = jani["properties"][number]["expression"]
    expression["reach"] = {"op": "∨", "left": expression["reach"], "right": here} if chance.random() < 0.5 else here
    return jani


def change(instance, chance, original, system, explored):
    """Changes the model or one of its networks on disk."""
    for path, text in original.items():
        path.write_text(text, encoding="utf-8")
    networks = [path for path in original if path.suffix == ".nnet"]
    jani = json.loads(original[instance.model])
    if explored.proved and chance.random() < 0.2:
        jani = unsafe_somewhere(jani, system.question.index, chance.choice(sorted(explored.states)), system, chance)
    elif networks and chance.random() < 0.3:
        path = chance.choice(networks)
        path.write_text(changed_network(original[path], chance))
    else:
        for _ in range(chance.choice([1, 1, 2, 3])):
            jani = changed_model(jani, chance)
    instance.model.write_text(json.dumps(jani, ensure_ascii=False), encoding="utf-8")


# Changed certificates.

def other_number(text, chance):
    value = int(text)
    return str(chance.choice([value + 1, value - 1, value + 1, value - 1, 0, value * 2, -value, chance.randrange(12)]))


def changed_token(token, tokens, chance):
    numbers = list(re.finditer(r"-?\d+", token))
    if numbers and chance.random() < 0.6:
        match = chance.choice(numbers)
        return token[:match.start()] + other_number(match.group(), chance) + token[match.end():]
    return chance.choice([*tokens, *TOKENS])


def mutant(lines, chance, worst):
    """Lines with one to three changes, about half of them where a checker complained."""
    lines = list(lines)
    if lines[0].startswith("{"):
        return [json.dumps(changed_run(json.loads(lines[0]), chance)), *lines[1:]]
    for _ in range(chance.choice([1, 1, 2, 3])):
        at = worst if worst is not None and worst < len(lines) and chance.random() < 0.5 else chance.randrange(len(lines))
        words, kind = lines[at].split(" "), chance.random()
        others = [word for line in lines if line[:1] == lines[at][:1] for word in line.split(" ")[1:]]
        if kind < 0.1:
            del lines[at]
        elif kind < 0.15:
            lines.insert(at, lines[chance.randrange(len(lines))])
        elif kind < 0.2:
            lines[at] = chance.choice(lines)
        elif kind < 0.3 and words[0] in ("t", "c"):
            lines[at] = words[0] + " " + chance.choice([".", "*", "*0", "*@", "*0,1,2", "=0", "e .", f"={chance.randrange(4)}"])
        elif len(words) > 1:
            position = chance.randrange(1, len(words))
            if kind < 0.75:
                words[position] = changed_token(words[position], others, chance)
            elif kind < 0.85:
                del words[position]
            elif kind < 0.95:
                words.insert(position, chance.choice([*others, *TOKENS]))
            else:
                second = chance.randrange(1, len(words))
                words[position], words[second] = words[second], words[position]
            lines[at] = " ".join(words)
        if not lines:
            return ["end 0 0"]
    if chance.random() < 0.8:
        # Counts that fit, so that more than the last line is looked at.
        counts = [sum(line.startswith(f"{letter} ") for line in lines) for letter in "rs"]
        lines = [line for line in lines if not line.startswith("end")] + [f"end {counts[0]} {counts[1]}"]
    return lines


def changed_run(run, chance):
    """A run with other states, edges or outcomes, or with steps left out, repeated or exchanged."""
    steps = run["steps"]
    for _ in range(chance.choice([1, 1, 2, 3])):
        kind, at = chance.random(), chance.randrange(len(steps)) if steps else 0
        if steps and kind < 0.15:
            del steps[at]
        elif steps and kind < 0.25:
            steps.insert(at, json.loads(json.dumps(chance.choice(steps))))
        elif steps and kind < 0.4:
            steps[at].pop("policy", None)
        else:
            parts = [run["start"], *(step[part] for step in steps for part in ("state", "edges") if step.get(part))]
            part = chance.choice(parts)
            name = chance.choice([name for name in part if name != "locations"] or [None])
            if name is not None:
                value = part[name]
                part[name] = not value if isinstance(value, bool) else (value or 0) + chance.choice([-1, 1])
    return run


def changed_index(index, chance):
    index = json.loads(json.dumps(index))
    name = chance.choice([*index, *index["semantics"]])
    owner = index if name in index else index["semantics"]
    owner[name] = chance.choice([None, True, False, 0, "first", "any", "holds", "reachable", [], {}])
    return index


# The campaign.

def certificates(binary, instance, chance, loaded, explored):
    """Certificates of a safe instance: of the engines that write one, and our own. Each as a list, the index first."""
    found, path = {}, instance.folder / "found.cert"
    for engine in ("explicit", "cegar"):
        path.unlink(missing_ok=True)
        code = verdict(binary, instance.arguments, "--engine", engine, "--certificate", path, "--time-limit", "20")
        if code in (0, 1) and path.exists():
            index, lines = certificate_files.read(path)
            found[engine] = [index, *lines]
    if explored is None:
        return found
    try:
        found["by trial"] = [prover.index(*loaded), *prover.Prover(loaded[0], explored, chance).certificate()]
    except check.Rejected:
        pass
    return found


def campaign(given):
    checkers, wrong = Checkers(given.binary), []
    counts = checkers.counts
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([given.generator, str(given.first), str(given.models), str(folder)], check=True)
        for seed in range(given.first, given.first + given.models):
            place = folder / f"at{seed}"
            place.mkdir()
            instance, chance = Instance(folder / f"{seed}.jani", place, seed), random.Random(seed)
            code = verdict(given.binary, instance.arguments, "--engine", "explicit")
            if code not in (0, 1):
                continue
            path = place / "mutant.cert"

            def ask(lines):
                certificate_files.write(path, lines)
                said = checkers.both(path, instance.arguments)
                counts["questions"] += 1
                if (said["python"][0] == "accepted") != (said["rust"][0] == "accepted"):
                    counts["different opinions"] += 1
                    if given.differences:
                        print("DIFFERENT", seed, *said.values(), flush=True)
                return said

            def complain(what, said, lines):
                wrong.append(f"seed {seed}, {what}: {said}")
                print(f"WRONG {wrong[-1]}", flush=True)
                if given.keep:
                    kept = pathlib.Path(given.keep) / f"{seed}-{len(wrong)}"
                    kept.mkdir(parents=True)
                    certificate_files.write(kept / "mutant.cert", lines)
                    for file in instance.inputs:
                        (kept / file.name).write_bytes(file.read_bytes())
                    (kept / "arguments").write_text(" ".join(map(str, instance.arguments)))
            loaded = prover.load(instance.arguments)
            explored = prover.Explored(loaded[0])
            if explored.proved != (code == 0):
                complain("exploration", "the explicit engine says something else than ours", [])
                continue
            found = certificates(given.binary, instance, chance, loaded, explored if explored.proved else None)
            counts["runs" if code else "invariants"] += len(found)
            original = {path: path.read_text(encoding="utf-8") for path in instance.inputs}
            for name, lines in found.items():
                said = ask(lines)
                counts["true certificates"] += 1
                # What we find by trial may rest on what only our checker knows.
                must = ["python"] if name == "by trial" else said
                counts["by trial, and not for both"] += name == "by trial" and said["rust"][0] != "accepted"
                if any(said[who][0] != "accepted" for who in must):
                    complain(f"true certificate ({name})", said, lines)
                for _ in range(given.mutants):
                    counts["mutants of true claims"] += 1
                    counts["accepted, and true"] += ask([lines[0], *mutant(lines[1:], chance, None)])["python"][0] == "accepted"
            for _ in range(given.variants if found else 0):
                # Most changes do no harm.
                for _ in range(12):
                    change(instance, chance, original, loaded[0], explored)
                    counts["variants"] += 1
                    if verdict(given.binary, instance.arguments, "--engine", "explicit") == 1 - code:
                        break
                else:
                    continue
                counts["variants with another verdict"] += 1
                hashes = certificate_files.hashes(*instance.inputs)
                for name, lines in found.items():
                    index, worst = {**lines[0], "inputs": hashes}, None
                    tried = [index, *lines[1:]]
                    for number in range(given.mutants + 1):
                        said = ask(tried)
                        counts["mutants of false claims"] += 1
                        if any(word == "accepted" for word, _ in said.values()):
                            complain(f"false claim ({name})", said, tried)
                        complaint = re.search(r"line (\d+)", said["python"][1])
                        counts["reached the body"] += complaint is not None
                        worst = int(complaint.group(1)) - 2 if complaint and number == 0 else worst
                        changed = changed_index(index, chance) if chance.random() < 0.03 else index
                        tried = [changed, *mutant(lines[1:], chance, worst)]
            for file, text in original.items():
                file.write_text(text, encoding="utf-8")
    print(", ".join(f"{name}: {count}" for name, count in counts.items()))
    print(f"{counts['mutants of false claims']} mutants of false claims, {len(wrong)} wrong answers")
    return 1 if wrong or not counts["variants with another verdict"] else 0


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("generator", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--keep")
    parser.add_argument("--differences", action="store_true", help="show where one checker accepts and the other does not")
    for name, default in (("first", 0), ("models", 40), ("variants", 3), ("mutants", 8)):
        parser.add_argument(f"--{name}", type=int, default=default)
    return campaign(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
