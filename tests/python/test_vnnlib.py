"""Queries of VNN-LIB 2.0 beside the official parser, the package `vnnlib`: what it accepts is read, or refused by name;
what it rejects is rejected; states satisfy what its syntax tree says. And `supports` as the standard's collector reads it.

    test_vnnlib.py PROGRAM
"""

import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

import vnnlib

# Programs are run elsewhere.
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(tempfile.mkdtemp())

# Two inputs, outputs x0 - x1 and |x0| in effect: relu(x0) + relu(-x0).
NETWORK = """//
2,2,2,3,
2,3,2,
0,
-9,-9,
9,9,
0,0,0,
1,1,1,
1,0,
-1,0,
1,-1,
0,
0,
4,
0,0,1,
1,1,0,
-4,
0,
"""


def network(x):
    hidden = [max(Fraction(0), h) for h in (x[0], -x[0], x[0] - x[1] + 4)]
    return [hidden[2] - 4, hidden[0] + hidden[1]]


def run(*words):
    words = [PROGRAM, *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, cwd=FOLDER, timeout=120, check=False)


def accepted(text):
    try:
        return vnnlib.parse_query_string(text)
    except (vnnlib.VNNLibException, UnicodeDecodeError):
        return None


VERSION = "(vnnlib-version <2.0>)"
F = "(declare-network f (declare-input X real [1,2]) (declare-output Y real [2]))"
G = "(declare-network g (equal-to f) (declare-input U real [1,2]) (declare-output W real [2]))"
BOX = "(assert (and (>= X[0,0] -1.0) (<= X[0,0] 1.0) (>= X[0,1] -1.0) (<= X[0,1] 1.0)))"
A = "(assert (<= X[0,0] 1.0))"

# What we refuse by name although it is well-formed.
REFUSALS = ("not supported", "is no index", "there is no element type", "two networks are called", "too large")

DECLARATIONS = [
    (F + A, "no version"), (VERSION + F, "no assertion"), (VERSION + A, "no network"), ("(vnnlib-version <1.0>)" + F + A, ""),
    ("(vnnlib-version <2.1>)" + F + A, ""), ("(vnnlib-version <3.0>)" + F + A, ""), ("(vnnlib-version 2.0)" + F + A, ""),
    (VERSION + VERSION + F + A, "twice"), (VERSION + F + A + G + A, "interleaved"), (VERSION + F + G + A, ""),
    (VERSION + F + G.replace("equal-to", "isomorphic-to") + A, ""), (VERSION + G + F + A, "too early"),
    (VERSION + F + G.replace("equal-to f", "equal-to h") + A, ""), (VERSION + F + G.replace("[1,2]", "[2]") + A, ""),
    (VERSION + F + G.replace("U real", "U float32") + A, ""), (VERSION + F + G.replace("U", "X") + A, ""),
    (VERSION + F + G + G.replace("f", "g", 1).replace("network g", "network h").replace("U", "V").replace("W", "Z") + A, ""),
    (VERSION + F.replace("[1,2]", "[0,2]") + A, ""), (VERSION + F.replace("[1,2]", "[1.0,2]") + A, ""),
    (VERSION + F.replace("[1,2]", "[]") + "(assert (<= X 1.0))", ""), (VERSION + F.replace("[1,2]", "[]") + A, ""),
    (VERSION + F.replace("X real", "real") + A, ""), (VERSION + F.replace("real [2]", "real") + A, ""),
    (VERSION + F.replace("X", "X_9b") + A.replace("X", "X_9b"), ""), (VERSION + F.replace("X", "_X") + A, ""),
    (VERSION + F.replace("X", "X-1") + A, ""), (VERSION + F.replace("X", "and") + A.replace("X", "and"), ""),
    (VERSION + F.replace("(declare-output", '(declare-hidden H real [3] "h") (declare-output') + A, ""),
    (VERSION + F.replace("(declare-output", "(declare-hidden H real [3]) (declare-output") + A, ""),
    (VERSION + F.replace("(declare-output", "(declare-input P real [3]) (declare-output") + A, ""),
    (VERSION + F.replace("))", ") (declare-output Z real []))") + A, ""), (VERSION + F + "; a comment\n" + A + ";", ""),
    (VERSION + "(declare-network f (declare-output Y real [2]) (declare-input X real [1,2]))" + A, ""),
    (VERSION + "(declare-network f (declare-input X real [1,2]))" + A, ""), (VERSION + F + "(check-sat)" + A, ""),
    (VERSION + F + "(set-logic QF_LRA)" + A, ""), ("", "empty"), (VERSION + F + A + ")", ""), (VERSION + F + A[:-1], ""),
] + [
    (VERSION + F.replace("real", kind) + f"(assert (<= X[0,0] {number}))", "")
    for kind in ("Real", "float16", "float32", "float64", "bfloat16", "int8", "uint64", "bool", "string", "banana")
    for number in ("1", "1.0")
]

CONDITIONS = """
(<= X[0,0] 1.0)|(<= X[0,0] 1)|(== X[0,0] -1.5)|(= X[0,0] 1.0)|(!= X[0,0] 1.0)|(distinct X[0,0] 1.0)|(<= X[0,0] 1e3)
(<= X[0,0] 1.0e3)|(<= X[0,0] .5)|(<= X[0,0] 5.)|(<= X[0,0] +5.0)|(<= 0.0 X[0,0] 1.0)|(<= X[0,2] 1.0)|(<= X[1,0] 1.0)
(<= X[0] 1.0)|(<= X 1.0)|(<= X[0,0,0] 1.0)|(<= X[0,a] 1.0)|(<= X [0, 0] 1.0)|(<= Y[1] Y[0])|(<= Y[2] 0.0)|(<= Q[0] 1.0)
(<= (* X[0,0] X[0,1]) 1.0)|(<= (+ X[0,0]) 1.0)|(<= (* X[0,0]) 1.0)|(<= (- X[0,0]) 1.0)|(<= (- X[0,0] 1.0 2.0) 1.0)
(<= (+) 1.0)|(<= (-) 1.0)|(and)|(or)|(and (<= X[0,0] 1.0))|(or (<= X[0,0] 1.0))|(not (<= X[0,0] 1.0))|true|X[0,0]
(=> (<= X[0,0] 1.0) (<= X[0,0] 1.0))|(<= (/ X[0,0] 2.0) 1.0)|(<= 1.0 2)|(<= 1 2)|(<= 1.0 2.0)|(<= X[00,0] 1.0)
(<= X[0,0]1.0)|(<= (+ 1 X[0,0]) 1.5)|(<= (+ 1.0 X[0,0]) 1)|(<= 1/2 X[0,0])|(<= X[0,0] -0.0)|(<= X[0,0] - 1.0)|(< X[0,0])
(or (<= X[0,0] 1.0) (and (>= Y[0] 1.0) (> (* 2.0 Y[1] -1.5) (- Y[0] X[0,1]))))|(let ((a 1.0)) (<= X[0,0] a))|(< 1.0 2.0 )
(<= X[0,0] 1.0) (<= X[0,0] 1.0)|()|((<= X[0,0] 1.0))|(<= (<= X[0,0] 1.0) 1.0)|(and 1.0 (<= X[0,0] 1.0))|(<= X[] 1.0)
(<= X[0,0] 99999999999999999999.5)|(<= X[0,0] "a")|(xor (<= X[0,0] 1.0) (<= X[0,0] 1.0))|(≤ X[0,0] 1.0)|(AND (<= X[0,0] 1.0))
""".replace("\n", "|").strip("|").split("|")


def compare(text, why=""):
    """Whether we accept a text; complains where that is not what the package says."""
    (FOLDER / "q.vnnlib").write_text(text, encoding="utf-8")
    ours, theirs = run("check", "q.vnnlib"), accepted(text)
    assert ours.returncode in (0, 2), (text, ours)
    if theirs is None:
        assert ours.returncode == 2, f"we accept what the package rejects ({why}): {text}\n{ours.stdout}"
    elif ours.returncode == 2:
        assert any(word in ours.stderr for word in REFUSALS), f"rejected, but not by name ({why}): {text}\n{ours.stderr}"
    if ours.returncode == 2:
        assert re.search(r"^ --> q\.vnnlib:\d+:\d+$", ours.stderr, re.M), f"no place: {text}\n{ours.stderr}"
    return ours.returncode == 0


def random_term(rng, depth):
    if depth == 0 or rng.random() < 0.4:
        return rng.choice(["X[0,0]", "X[0,1]", "Y[0]", "Y[1]", f"{rng.randint(-8, 8) / 4}", "0.5"])
    parts = [random_term(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    return f"({rng.choice('+-*')} {' '.join(parts)})"


def random_condition(rng, depth):
    if depth == 0 or rng.random() < 0.4:
        operator = rng.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"({operator} {random_term(rng, 2)} {random_term(rng, 1)})"
    parts = [random_condition(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    return f"({rng.choice(['and', 'or'])} {' '.join(parts)})"


TOKEN = re.compile(r"[()\[\],]|[^\s()\[\],]+")


def mutated(rng, text):
    tokens = TOKEN.findall(text)
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(tokens))
        change = rng.randrange(3)
        if change == 0:
            del tokens[at]
        elif change == 1:
            tokens[at] = rng.choice(tokens)
        else:
            tokens.insert(at, rng.choice(tokens))
    # The package takes an opening parenthesis and the word after it for one.
    return re.sub(r"\( (?=declare|assert|vnnlib|equal|isomorphic)", "(", " ".join(tokens))


def value(term, values):
    if isinstance(term, vnnlib.Var):
        return values[term.name][tuple(term.indices)]
    if isinstance(term, vnnlib.Literal):
        return Fraction(term.lexeme)
    if isinstance(term, vnnlib.Negate):
        return -value(term.expr, values)
    if isinstance(term, vnnlib.Minus):
        rest = [value(part, values) for part in term.rest]
        first = value(term.head, values)
        return first - sum(rest) if rest else -first
    parts = [value(part, values) for part in term.args]
    if isinstance(term, vnnlib.Plus):
        return sum(parts)
    product = Fraction(1)
    for part in parts:
        product *= part
    return product


def holds(node, values):
    if isinstance(node, vnnlib.And):
        return all(holds(part, values) for part in node.args)
    if isinstance(node, vnnlib.Or):
        return any(holds(part, values) for part in node.args)
    left, right = value(node.lhs, values), value(node.rhs, values)
    return {
        vnnlib.GreaterThan: left > right, vnnlib.GreaterEqual: left >= right, vnnlib.LessThan: left < right,
        vnnlib.LessEqual: left <= right, vnnlib.Equal: left == right, vnnlib.NotEqual: left != right,
    }[type(node)]


def tensors(lines):
    """The state that follows `sat`, as the standard has it."""
    found, lines = {}, list(lines)
    while lines:
        name, kind, shape = re.fullmatch(r"(\w+) (\w+) \[([\d,]*)\]", lines.pop(0)).groups()
        assert kind == "real"
        sizes = [int(size) for size in shape.split(",") if size]
        count = 1
        for size in sizes:
            count *= size
        indices = [()]
        for size in sizes:
            indices = [(*index, i) for index in indices for i in range(size)]
        found[name] = {index: Fraction(lines.pop(0)) for index in indices[:count]}
    return found


def test_acceptance():
    yes = sum(compare(text, why) for text, why in DECLARATIONS)
    yes += sum(compare(f"{VERSION}{F}(assert {condition})") for condition in CONDITIONS)
    assert yes > 25, yes


def test_random(count=150):
    rng = random.Random(7)
    yes = broken = 0
    for _ in range(count):
        text = f"{VERSION}{F}{BOX}(assert {random_condition(rng, 2)})"
        assert accepted(text) is not None, text
        assert compare(text), text
        yes += 1
        broken += not compare(mutated(rng, text), "mutated")
    assert broken > count // 2, broken


def test_answers(count=60):
    rng = random.Random(11)
    (FOLDER / "n.nnet").write_text(NETWORK)
    words = []
    for _ in range(count):
        text = f"{VERSION}{F}{BOX}(assert {random_condition(rng, 2)})"
        (FOLDER / "q.vnnlib").write_text(text, encoding="utf-8")
        ran = run("verify", "q.vnnlib", "--network", "f=n.nnet", "--timeout", "10")
        lines = ran.stdout.splitlines()
        words.append(lines[0])
        assert lines[0] in ("sat", "unsat", "unknown", "timed-out"), ran
        assert ran.returncode == (0 if lines[0] in ("sat", "unsat") else 3), ran
        tree = accepted(text)
        if lines[0] == "sat":
            values = tensors(lines[1:])
            x = [values["X"][0, 0], values["X"][0, 1]]
            exact = dict(enumerate(network(x)))
            assert all(abs(exact[i] - values["Y"][i,]) < Fraction(1, 10**9) for i in (0, 1)), (text, ran.stdout)
            values["Y"] = {(i,): y for i, y in exact.items()}
            truth = all(holds(assertion.expr, values) for assertion in tree.assertions)
            assert truth or "the state is rounded" in ran.stderr, (text, ran)
        if lines[0] == "unsat":
            for i in range(-8, 9):
                for j in range(-8, 9):
                    x = [Fraction(i, 8), Fraction(j, 8)]
                    y = network(x)
                    values = {"X": {(0, 0): x[0], (0, 1): x[1]}, "Y": {(0,): y[0], (1,): y[1]}}
                    assert not all(holds(assertion.expr, values) for assertion in tree.assertions), (text, x)
    assert words.count("sat") > 10 and words.count("unsat") > 5, words
    assert words.count("unknown") + words.count("timed-out") <= count // 10, words


def test_serialised():
    (FOLDER / "n.nnet").write_text(NETWORK)
    (FOLDER / "q.vnnlib").write_text(f"{VERSION}{F}{BOX}(assert (>= Y[0] 1.5))")
    ran = run("verify", "q.vnnlib", "--network", "f=n.nnet", "--serialise-assignments", "out")
    assert (ran.returncode, ran.stdout) == (0, "sat\n"), ran
    data = (FOLDER / "out/X.pb").read_bytes()
    # dims 1 and 2, one each, of type FLOAT, and eight bytes of data.
    assert data.startswith(b"\x08\x01\x08\x02\x10\x01"), data
    assert b"\x42\x01X" in data and data[-10:-8] == b"\x4a\x08", data
    x = [Fraction(v) for v in struct.unpack("<2f", data[-8:])]
    assert network(x)[0] >= Fraction(3, 2) and (FOLDER / "out/Y.pb").exists()


def test_supports():
    version = run("--version").stdout
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", version), version
    assert run("--name").stdout.strip()
    theories = {
        "hidden-node-theories": {"NH", "H"}, "multiple-input-output-theories": {"SIO", "MIO"},
        "multiple-network-theories": {"SNET", "MENET", "MINET", "MNET"},
        "multiple-node-comparison-theories": {"SNC", "MNC"},
        "arithmetic-complexity-theories": {"BND", "OUTC", "LIN", "POLY"},
    }
    for name, known in theories.items():
        lines = run("supports", f"--{name}").stdout.splitlines()
        assert lines and set(lines) <= known, (name, lines)
    for name in ("onnx-opset-versions", "vnnlib-versions"):
        lines = run("supports", f"--{name}").stdout.splitlines()
        assert len(lines) == 2 and float(lines[0]) <= float(lines[1]), lines
    assert run("supports", "--onnx-element-types").stdout == "real\n"
    assert {"Gemm", "Relu", "MatMul"} <= set(run("supports", "--onnx-operators").stdout.split())
    for name in ("optimised-disjunctive-reasoning", "serialise-assignments", "unsat-proofs"):
        assert run("supports", f"--{name}").stdout in ("true\n", "false\n"), name
    assert run("supports").returncode == 2
    assert run("supports", "--vnnlib-versions", "--onnx-operators").returncode == 2


def main():
    tests = [test_supports, test_acceptance, test_random, test_serialised, test_answers]
    for test in tests:
        test()
        print(f"{test.__name__}: ok")


if __name__ == "__main__":
    main()
