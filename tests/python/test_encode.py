"""Encoded systems as Storm sees them, and SMV as its manual has it.

Usage: test_encode.py BINARY

Runs `surefoot encode --target storm` on the examples, builds the files with Storm's sparse, dd and hybrid engines, and compares the probability that
Storm computes with what `surefoot bounds` says of the original under its policy. SMV is evaluated here, by brute force over inputs and next states: the reachable states are as many as the original has under its
policy, and one of them is unsafe where `surefoot verify` says so. Ends with a line 'N passed, N failed'.
"""

import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

import stormpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRIVER = ROOT / "crates" / "experiments" / "src" / "checkers.py"


def example(name, *more):
    folder = ROOT / "examples" / name
    return [folder / "model.jani", "--properties", folder / "properties.jani", *more]


CASES = {
    "lift": (example("lift"), ("sparse", "hybrid")),
    "parking": (example("parking"), ("sparse",)),
    "reservoir": (example("reservoir"), ("sparse", "dd", "hybrid")),
    "reservoir, careful": (example("reservoir", "--policy", ROOT / "examples" / "reservoir" / "careful.jani2nnet"), ("sparse", "dd")),
    "courier, few charges": (example("courier", "--start", "charge >= 4000 and charge <= 4200 and position = 0 and bumps = 0"), ("sparse",)),
}


def surefoot(command, arguments):
    run = [BINARY, command, *map(str, arguments), "--quiet", "--json", "-"]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, (run, done.returncode, done.stderr)
    return json.loads(done.stdout)


def checked(path, engine):
    """What Storm says of a file, by the driver."""
    run = [sys.executable, "-I", str(DRIVER), str(path), engine, "300"]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, (run, done.stdout, done.stderr)
    return json.loads(done.stdout)


def check_case(arguments, engines, folder):
    bounds = surefoot("bounds", [*arguments, "--engine", "explicit"])["value"]
    for starts in ("initial", "edges"):
        path = folder / f"{starts}.jani"
        encoded = surefoot("encode", [*arguments, "--target", "storm", "--starts", starts, "--out", path])
        assert encoded["exact"] is True and encoded["score_error"] == "0"
        # Unsafe states are not left by Storm: it stops where the question is answered.
        for engine in engines if starts == "initial" else engines[:1]:
            found = checked(path, engine)
            assert bounds["lo"] - 1e-6 <= found["value"] <= bounds["hi"] + 1e-6, (engine, starts, bounds, found)


class Smv:
    """A module of SMV: statements as Python functions of variables, inputs and next values."""

    TOKEN = re.compile(r"\s*(->|!=|<=|>=|:=|[A-Za-z_]\w*|\d+|.)")
    # Operators from the weakest to the strongest, as the manual lists them.
    LEVELS = [["->"], ["?"], ["|"], ["&"], ["=", "!=", "<", ">", "<=", ">="], ["+", "-"], ["*", "mod"]]
    PYTHON = {"|": "or", "&": "and", "=": "==", "mod": "%"}

    def __init__(self, text):
        self.domains, self.inputs, self.defined, self.statements, section = {}, {}, {}, {}, None
        for line in (line for line in text.splitlines() if not line.startswith("--")):
            word, _, rest = line.strip().rstrip(";").partition(" ")
            if line in ("MODULE main", "VAR", "IVAR", "DEFINE"):
                section = line
            elif section in ("VAR", "IVAR") and line.startswith("  "):
                domain = rest.removeprefix(": ")
                low, _, high = domain.partition("..")
                values = [False, True] if domain == "boolean" else range(int(low), int(high) + 1)
                (self.domains if section == "VAR" else self.inputs)[word] = values
            elif section == "DEFINE" and line.startswith("  "):
                self.defined[word] = self.python(rest.removeprefix(":= "))
            else:
                self.statements.setdefault(word, []).append(self.python(rest))

    def python(self, text):
        self.tokens = [token for token in self.TOKEN.findall(text) if token.strip()] + [";"]
        result = self.level(0)
        assert self.tokens == [";"], (text, self.tokens)
        return result

    def take(self, expected=None):
        token = self.tokens.pop(0)
        assert expected in (None, token), (token, expected)
        return token

    def level(self, level):
        if level == len(self.LEVELS):
            return self.atom()
        left = self.level(level + 1)
        while self.tokens[0] in self.LEVELS[level]:
            operator = self.take()
            if operator == "?":
                then = self.level(level + 1)
                self.take(":")
                left = f"({then} if {left} else {self.level(level)})"
            elif operator == "->":
                left = f"(not {left} or {self.level(level)})"
            else:
                left = f"({left} {self.PYTHON.get(operator, operator)} {self.level(level + 1)})"
        return left

    def atom(self):
        token = self.take()
        if token == "(":
            inner = self.level(0)
            self.take(")")
            return inner
        if token in ("!", "-"):
            return f"({'not' if token == '!' else '-'} {self.atom()})"
        if token in ("max", "min", "next"):
            self.take("(")
            inner = [self.level(0)]
            while self.tokens[0] == ",":
                self.take()
                inner.append(self.level(0))
            self.take(")")
            return f"next_{inner[0]}" if token == "next" else f"{token}({', '.join(inner)})"
        return {"TRUE": "True", "FALSE": "False"}.get(token, token)

    def explore(self):
        """All reachable states, and whether one of them is unsafe."""
        code = lambda text: compile(text, text, "eval")
        defined = [(name, code(text)) for name, text in self.defined.items()]
        now = [code(text) for text in self.statements["TRANS"] if "next_" not in text]
        then = [code(text) for text in self.statements["TRANS"] if "next_" in text]
        # What a variable may be next: what some statement says, or what it is.
        said = {name: {text for t in self.statements["TRANS"] for text in self.said(name, t)} for name in self.domains}
        said = {name: [code(text) for text in texts] for name, texts in said.items()}
        names, holds = list(self.domains), lambda codes, scope: all(eval(c, {}, scope) for c in codes)
        initial, unsafe, invariant = code(self.statements["INIT"][0]), False, code(self.statements["INVARSPEC"][0])
        states = [s for s in itertools.product(*self.domains.values()) if eval(initial, {}, dict(zip(names, s)))]
        seen = set(states)
        while states:
            scope = dict(zip(names, states.pop()))
            for name, value in defined:
                scope[name] = eval(value, {}, scope)
            unsafe |= not eval(invariant, {}, scope)
            options = [{eval(c, {}, scope) for c in said[n]} | {scope[n]} for n in names]
            options = [[value for value in values if value in self.domains[n]] for n, values in zip(names, options)]
            for given in itertools.product(*self.inputs.values()):
                scope.update(zip(self.inputs, given))
                if holds(now, scope):
                    for following in itertools.product(*options):
                        if following not in seen:
                            scope.update((f"next_{n}", v) for n, v in zip(names, following))
                            if holds(then, scope):
                                seen.add(following)
                                states.append(following)
        return len(seen), unsafe

    @staticmethod
    def said(name, text):
        """The right-hand sides of a variable's next value in a statement: balanced texts after `next_name ==`."""
        for found in re.finditer(rf"next_{name} == ", text):
            depth, end = 0, found.end()
            while end < len(text) and (depth > 0 or text[end] != ")"):
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            yield text[found.end() : end]


def check_smv(arguments, folder):
    path = folder / "model.smv"
    surefoot("encode", [*arguments, "--target", "nuxmv", "--out", path])
    states, unsafe = Smv(path.read_text(encoding="utf-8")).explore()
    explored = surefoot("explore", arguments)["statistics"]
    assert states == explored["reachable_states"], (states, explored)
    assert unsafe == (explored["unsafe_states"] > 0), (unsafe, explored)


def check_driver(folder):
    """What cannot be had is told apart."""
    run = [sys.executable, "-I", str(DRIVER), str(folder / "none.jani"), "sparse", "60"]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 2 and "error:" in json.loads(done.stdout)["failure"]
    if not hasattr(stormpy.Engine, "ABSTRACTION_REFINEMENT"):
        run[4] = "abstraction"
        done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 2 and "not available" in json.loads(done.stdout)["failure"]


def main():
    checks = [("driver", check_driver)]
    checks += [(name, lambda folder, case=case: check_case(*case, folder)) for name, case in CASES.items()]
    checks += [(f"{name} as SMV", lambda folder, case=case: check_smv(case[0], folder)) for name, case in CASES.items() if "courier" not in name]
    passed = failed = 0
    for name, check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(pathlib.Path(folder))
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED {name}", traceback.format_exc(), sep="\n", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(main())
