#!/usr/bin/env python3
"""An independent checker of certificates, in plain Python.

    check.py CERTIFICATE MODEL [--properties FILE]... [--property NAME|INDEX] [--policy FILE] [--const NAME=VALUE]...
             [--filter on|off] [--goal-terminal] [--assume no-errors]

The first word on standard output is `accepted` (exit code 0), `rejected` (1: an obligation is not met, and which) or `error:` (2: something cannot be read, or
is not supported here). It is written from docs/certificates.md, semantics.md, models.md, policies.md and networks.md, shares no code with anything
else, and needs nothing but the standard library. All arithmetic is exact: integers and fractions, no floats but the weights that network files store.

Parts: JSON; terms (what a JANI expression is in a box of states); models; properties; networks; policies; the invariant with its nodes and trees; runs.
Read: models of type lts, dtmc and mdp over bounded integers, truth values and arrays of these; `PA` properties, and `filter` over initial states with
`∀ ∀G`, `∃ ∃F` or a plain condition; `.jani2nnet` and `.policy.json` with `.nnet` networks. Everything else is refused by name.

Soundness: whatever the certificate says is only a hint about which cases to tell apart. Facts come from the model, the network and the box alone.
"""

import argparse
import gzip
import hashlib
import itertools
import json
import math
import operator
import os
import re
import struct
import sys
import zlib
from fractions import Fraction

# Limits: whatever a file says, memory and stack stay bounded.
MAX_FILE, MAX_LINE, MAX_RAW = 1 << 27, 1 << 26, 1 << 28
MAX_JSON_DEPTH, MAX_OPEN_NODES, MAX_INCLUDES, MAX_CALLS, MAX_SHARED = 400, 4096, 16, 64, 256
MAX_TOKENS, MAX_STATE_VALUES, MAX_FORMULA = 1 << 22, 1 << 24, 10_000
MAX_POINTS, MAX_PRODUCT, MAX_TERM, MAX_ARRAY, MAX_DIGITS = 1 << 16, 1 << 20, 5_000_000, 1_000_000, 1_000
TOLERANCE = Fraction(1, 10**9)


class Unreadable(Exception):
    """Something cannot be read, or is not supported: exit code 2."""


class Rejected(Exception):
    """An obligation is not met: exit code 1."""


class Malformed(Rejected):
    """A line of the certificate says nothing that means something."""


def refuse(what):
    raise Unreadable(f"{what} is not supported by this checker")


# ---------------------------------------------------------------------------------------------------------------- JSON

def exact(text):
    """The number that a decimal or fraction stands for: an int where it is one, else a Fraction."""
    text = str(text)
    exponent = re.search(r"[eE]([+-]?\d+)$", text)
    if len(text) > MAX_DIGITS or (exponent and abs(int(exponent.group(1)[:9])) > 400):
        raise Unreadable(f"the number {text[:40]} is too long")
    try:
        return simple(Fraction(text))
    except (ValueError, ZeroDivisionError):
        raise Unreadable(f"'{text[:40]}' is no number") from None


def simple(value):
    return value.numerator if type(value) is Fraction and value.denominator == 1 else value


def members(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unreadable("a member stands twice in a JSON object")
    return found


def parse_json(text, what):
    # Nesting is counted first: the parser and everything after it recurse that deep.
    depth = deepest = 0
    for mark in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text):
        if mark.group() in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif mark.group() in "]}":
            depth -= 1
    if deepest > MAX_JSON_DEPTH:
        raise Unreadable(f"{what}: nested more than {MAX_JSON_DEPTH} deep")
    try:
        return json.loads(text, parse_float=exact, parse_int=exact, parse_constant=exact, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{what}: no JSON: {error}") from None


class Files:
    """All that is read, with the hashes."""

    def __init__(self):
        self.hashes = set()

    def text(self, path):
        try:
            with open(path, "rb") as file:
                data = file.read(MAX_FILE + 1)
        except OSError as error:
            raise Unreadable(f"cannot read {path}: {error.strerror}") from None
        if len(data) > MAX_FILE:
            raise Unreadable(f"{path} is too large")
        self.hashes.add(hashlib.sha256(data).hexdigest())
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Unreadable(f"{path} is no text") from None

    def json(self, path):
        return parse_json(self.text(path), path)

    def included(self, node, folder, depth=0):
        """A value that may stand in another file, and the folder of the file that it stands in."""
        if not isinstance(node, dict) or "file" not in node or "op" in node:
            return node, folder
        if depth >= MAX_INCLUDES:
            raise Unreadable("files include each other too deeply")
        path = os.path.join(folder, text_of(node["file"]))
        return self.included(self.json(path), os.path.dirname(path), depth + 1)


def text_of(value):
    if not isinstance(value, str):
        raise Unreadable(f"{str(value)[:40]} stands where text is expected")
    return value


def get(node, name, kind=object, default=None):
    """A member of an object, of a wanted kind; without a default it must be there."""
    if not isinstance(node, dict):
        raise Unreadable(f"an object with '{name}' is expected")
    if name not in node:
        if default is None:
            raise Unreadable(f"'{name}' is missing")
        return default
    if not isinstance(node[name], kind):
        raise Unreadable(f"'{name}' is of the wrong kind")
    return node[name]


def only(node, what, *known):
    """Members that nobody knows may change the meaning: they are refused."""
    if not isinstance(node, dict):
        raise Unreadable(f"{what} is no object")
    for name in node:
        if name not in known and name not in ("comment", "metadata") and not name.startswith("x-"):
            refuse(f"the member '{name}' of {what}")


# --------------------------------------------------------------------------------------------------------------- terms

class Form:
    """`sum of terms[s] * slot s`, plus something in [lo, hi]. Numbers that are known stand as such, what is open as None."""

    __slots__ = ("terms", "lo", "hi")

    def __init__(self, terms, lo, hi):
        self.terms, self.lo, self.hi = terms, lo, hi


class Env:
    """A box of states, and what is known in it: `known` has bounds on linear directions. `sub` has values that a step has assigned, `tr` those of transient variables.

    `err`: something that was evaluated may have no value; `sure`: it has none, in every state of the box. `soft` counts open conditions around.
    """

    def __init__(self, lo, hi, known=None):
        self.lo, self.hi, self.known = lo, hi, known
        self.sub = self.tr = None
        self.err = self.sure = False
        self.soft = 0

    def copy(self):
        return Env(list(self.lo), list(self.hi), self.known)

    def fail(self, sure=False):
        # Soundness: after something that may have failed, values need not be what they seem, and nothing is sure any more.
        self.sure |= sure and not self.soft and not self.err
        self.err = True

    def slot(self, s):
        if self.sub is not None and s in self.sub:
            return self.sub[s]
        return self.lo[s] if self.lo[s] == self.hi[s] else Form({s: 1}, 0, 0)

    def range(self, value):
        """The smallest interval that is known to hold a value; None if it is open."""
        if type(value) is not Form:
            return None if value is None else (value, value)
        lo, hi = value.lo, value.hi
        for s, k in value.terms.items():
            if k > 0:
                lo, hi = lo + k * self.lo[s], hi + k * self.hi[s]
            else:
                lo, hi = lo + k * self.hi[s], hi + k * self.lo[s]
        if self.known and value.terms:
            key, factor = direction(value.terms)
            if key in self.known:
                least, most = self.known[key]
                if factor < 0:
                    least, most = most, least
                if least is not None:
                    lo = max(lo, factor * least + value.lo)
                if most is not None:
                    hi = min(hi, factor * most + value.hi)
        return lo, hi

    def holds(self, value):
        """The truth of a 0/1 value."""
        ends = self.range(value)
        return None if ends is None else True if ends[0] >= 1 else False if ends[1] <= 0 else None


def direction(terms):
    """A linear form as a positive or negative multiple of one with coprime integers, the first of them positive."""
    if len(terms) == 1:
        (s, k), = terms.items()
        return ((s, 1),), k
    items = sorted(terms.items())
    scale = math.lcm(*(k.denominator for _, k in items))
    common = math.gcd(*(int(k * scale) for _, k in items))
    if items[0][1] < 0:
        common = -common
    return tuple((s, int(k * scale) // common) for s, k in items), simple(Fraction(common, scale))


def parts(value):
    return (value.terms, value.lo, value.hi) if type(value) is Form else ({}, value, value)


def add(a, b, k=1):
    """a + k b, for a number k."""
    if type(a) is int and type(b) is int and type(k) is int:
        return a + k * b
    if a is None or b is None:
        return None
    if type(a) is not Form and type(b) is not Form:
        return simple(a + k * b)
    (terms, lo, hi), (others, low, high) = parts(a), parts(b)
    terms = dict(terms)
    for s, factor in others.items():
        factor = simple(terms.get(s, 0) + k * factor)
        if factor:
            terms[s] = factor
        else:
            terms.pop(s, None)
    if k < 0:
        low, high = high, low
    lo, hi = simple(lo + k * low), simple(hi + k * high)
    return lo if not terms and lo == hi else Form(terms, lo, hi)


def interval(lo, hi):
    return simple(lo) if lo == hi else Form({}, simple(lo), simple(hi))


def hull(env, values):
    """Something that is one of several values."""
    if any(value is None for value in values):
        return None
    terms, lo, hi = parts(values[0])
    if all(parts(value)[0] == terms for value in values):
        lo, hi = min(parts(v)[1] for v in values), max(parts(v)[2] for v in values)
        return lo if not terms and lo == hi else Form(terms, lo, hi)
    ends = [env.range(value) for value in values]
    return interval(min(end[0] for end in ends), max(end[1] for end in ends))


def multiply(env, a, b):
    if a is None or b is None:
        return None
    if type(b) is not Form:
        a, b = b, a
    if type(a) is not Form:
        return add(0, b, a)
    ends = [x * y for x in env.range(a) for y in env.range(b)]
    return interval(min(ends), max(ends))


def divide(env, a, b):
    ends = env.range(b)
    if a is None or ends is None:
        return None
    if ends[0] <= 0 <= ends[1] or ends[0] != ends[1]:
        return env.fail(ends == (0, 0))
    return add(0, a, simple(1 / Fraction(ends[0])))


def remainder(env, a, b, whole=False):
    """Euclid's: 0 <= a % b < |b|; of integers (`whole`) at most |b| - 1."""
    ends, divisor = env.range(a), env.range(b)
    if ends is None or divisor is None:
        return None
    if divisor[0] != divisor[1] or divisor[0] == 0:
        return env.fail(divisor == (0, 0))
    modulus = abs(divisor[0])
    if ends[0] // modulus == ends[1] // modulus:
        return add(a, modulus, -(ends[0] // modulus))
    return interval(0, modulus - 1 if whole else modulus)


def power(env, a, b):
    if a is None or b is None or type(a) is Form or type(b) is Form:
        return env.fail()
    if a == 1 or (a == 0 and b > 0):
        return a
    if b != int(b) or abs(b) > 10_000 or (a == 0 and b < 0):
        return env.fail(True)
    return simple(Fraction(a) ** int(b))


def extreme(env, a, b, least):
    """min (or max): decided by the ranges, or somewhere between."""
    x, y = env.range(a), env.range(b)
    difference = env.range(add(a, b, -1))
    if difference is None:
        return None
    if difference[1] <= 0:
        return a if least else b
    if difference[0] >= 0:
        return b if least else a
    pick = min if least else max
    return interval(pick(x[0], y[0]), pick(x[1], y[1]))


def monotone(function, whole=False):
    """A function of one operand, by the ends of its range; where it is one of rounding (`whole`), integers stay as they are."""
    def run(env, a):
        if type(a) is Form and a.lo == a.hi and whole and all(isinstance(k, int) for k in (a.lo, *a.terms.values())):
            return a
        ends = env.range(a)
        return None if ends is None else interval(function(ends[0]), function(ends[1]))
    return run


def absolute(env, a):
    ends = env.range(a)
    if ends is None or ends[0] >= 0:
        return a
    return add(0, a, -1) if ends[1] <= 0 else interval(0, max(-ends[0], ends[1]))


ROUNDING = {"floor": math.floor, "ceil": math.ceil, "trc": math.trunc}
UNARY = {**{name: monotone(function, True) for name, function in ROUNDING.items()}, "abs": absolute, "sgn": monotone(lambda x: (x > 0) - (x < 0))}
BINARY = {"+": lambda env, a, b: add(a, b), "-": lambda env, a, b: add(a, b, -1), "*": multiply, "/": divide, "%": remainder, "pow": power,
          "min": lambda env, a, b: extreme(env, a, b, True), "max": lambda env, a, b: extreme(env, a, b, False)}


def compare(op):
    def run(env, a, b):
        if a is None or b is None:
            return None
        if type(b) is not Form:
            lo, hi = env.range(a)
            lo, hi = lo - b, hi - b
        elif type(a) is not Form:
            lo, hi = env.range(b)
            lo, hi = a - hi, a - lo
        else:
            lo, hi = env.range(add(a, b, -1))
        if op == "<":
            return True if hi < 0 else False if lo >= 0 else None
        if op == "≤":
            return True if hi <= 0 else False if lo > 0 else None
        same = True if lo == hi == 0 else False if lo > 0 or hi < 0 else None
        return same if op == "=" or same is None else not same
    return run


class Term:
    """An expression: its type, and what it is in a box (`run`): True, False or None (open) for conditions, else a number, Form or None."""

    __slots__ = ("ty", "run", "const", "size", "number", "reads_transient")

    def __init__(self, ty, run, operands=(), number=None):
        self.ty, self.run, self.number = ty, run, number
        self.const = None
        self.size = 1 + sum(operand.size for operand in operands)
        self.reads_transient = any(operand.reads_transient for operand in operands)
        if self.size > MAX_TERM:
            raise Unreadable("an expression is too large")
        if operands and all(operand.const is not None for operand in operands):
            env = Env([], [])
            value = run(env)
            if value is not None and not env.err:
                self.const, self.run = value, lambda env: value

    def value(self, env):
        """As a number: truth values are 0 and 1."""
        if self.ty != "bool":
            return self.run(env)
        if self.number is not None:
            return self.number(env)
        truth = self.run(env)
        return Form({}, 0, 1) if truth is None else int(truth)


def constant(value):
    term = Term("bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "real", lambda env: value)
    term.const = value
    return term


def slot_term(s, is_bool):
    if is_bool:
        return Term("bool", lambda env: env.holds(env.slot(s)), number=lambda env: env.slot(s))
    return Term("int", lambda env: env.slot(s))


def negation(a):
    def run(env):
        truth = a.run(env)
        return None if truth is None else not truth
    return Term("bool", run, [a])


def connective(a, b, decisive):
    """`∧` (decided by False) or `∨` (by True); what stands behind a deciding operand is not looked at."""
    if a.const is not None:
        return a if a.const is decisive else b

    def run(env):
        first = a.run(env)
        if first is decisive:
            return first
        if first is not None:
            return b.run(env)
        env.soft += 1
        second = b.run(env)
        env.soft -= 1
        return second if second is decisive else None
    return Term("bool", run, [a, b])


def all_of(terms):
    result = constant(True)
    for term in terms:
        result = connective(result, term, False)
    return result


def any_of(terms):
    result = constant(False)
    for term in terms:
        result = connective(result, term, True)
    return result


def equals(slot, value):
    return Term("bool", lambda env: compare("=")(env, env.slot(slot), value))


def softly(env, terms):
    env.soft += 1
    values = [term.run(env) for term in terms]
    env.soft -= 1
    if any(isinstance(value, bool) for value in values) or terms[0].ty == "bool":
        return values[0] if all(value is values[0] for value in values) else None
    return hull(env, values)


def choice_term(c, a, b):
    if c.const is not None:
        return a if c.const else b

    def run(env):
        truth = c.run(env)
        return softly(env, [a, b]) if truth is None else (a if truth else b).run(env)
    return Term(a.ty if a.ty == b.ty else "real", run, [c, a, b])


def select_term(items, index):
    def run(env):
        value = index.run(env)
        ends = env.range(value)
        if ends is None:
            return None
        lo, hi = ends
        if lo < 0 or hi >= len(items):
            env.fail(hi < 0 or lo >= len(items))
            if lo == hi:
                return None
        chosen = items[max(0, math.ceil(lo)):math.floor(hi) + 1]
        return None if not chosen else chosen[0].run(env) if lo == hi else softly(env, chosen)
    kinds = {item.ty for item in items}
    return Term(kinds.pop() if len(kinds) == 1 else "real", run, [index, *items])


class Scope:
    """Which names an expression may use: those bound around it, those of an automaton instance, global ones; in properties also locals that only one instance has."""

    def __init__(self, model, instance=None, everywhere=False, bound=None, depth=0):
        self.model, self.instance, self.everywhere, self.bound, self.depth = model, instance, everywhere, bound or {}, depth

    def inside(self, bound):
        if self.depth >= MAX_CALLS:
            raise Unreadable("functions are nested too deeply")
        return Scope(self.model, self.instance, self.everywhere, {**self.bound, **bound}, self.depth + 1)

    def find(self, name):
        if name in self.bound:
            return self.bound[name]
        if self.instance is not None and name in self.instance.locals:
            return self.instance.locals[name]
        if name in self.model.names:
            return self.model.names[name]
        owners = [i.locals[name] for i in self.model.instances if name in i.locals] if self.everywhere else []
        if len(owners) != 1:
            raise Unreadable(f"unknown name '{name}'")
        return owners[0]

    def function(self, name):
        found = (self.instance.functions if self.instance else {}).get(name) or self.model.functions.get(name)
        if found is None:
            raise Unreadable(f"unknown function '{name}'")
        return found


def expect(term, *types):
    if not isinstance(term, Term) or term.ty not in types:
        raise Unreadable(f"an expression is {getattr(term, 'ty', 'an array')} where {' or '.join(types)} is expected")
    return term


def expression(node, scope):
    """The term (or list, for an array) that a JANI expression stands for."""
    if isinstance(node, (bool, int, Fraction)):
        return constant(node)
    if isinstance(node, str):
        return scope.find(node)
    op = text_of(get(node, "op")) if isinstance(node, dict) and "op" in node else refuse("an expression without operator")
    sub = lambda name: expression(get(node, name), scope)
    if op == "let" and not node.get("variables"):
        return sub("expression")
    if op in ("∧", "∨", "⇒"):
        a, b = expect(sub("left"), "bool"), expect(sub("right"), "bool")
        return connective(negation(a), b, True) if op == "⇒" else connective(a, b, op == "∨")
    if op == "¬":
        return negation(expect(sub("exp"), "bool"))
    if op in ("=", "≠", "<", "≤", ">", "≥"):
        a, b = sub("left"), sub("right")
        if op in "=≠" and isinstance(a, Term) and a.ty == "bool":
            expect(b, "bool")

            def same(env):
                x, y = a.run(env), b.run(env)
                return None if x is None or y is None else (x is y) == (op == "=")
            return Term("bool", same, [a, b])
        expect(a, "int", "real"), expect(b, "int", "real")
        if op in ">≥":
            # The left side is still evaluated first, but both always are.
            run = compare("<" if op == ">" else "≤")
            return Term("bool", lambda env: run(env, b.run(env), a.run(env)), [a, b])
        run = compare(op)
        return Term("bool", lambda env: run(env, a.run(env), b.run(env)), [a, b])
    if op in BINARY:
        a, b, run = expect(sub("left"), "int", "real"), expect(sub("right"), "int", "real"), BINARY[op]
        natural = op != "pow" or (isinstance(b.const, int) and b.const >= 0)
        ty = "int" if a.ty == b.ty == "int" and op != "/" and natural else "real"
        if op == "%":
            run = lambda env, x, y: remainder(env, x, y, ty == "int")
        return Term(ty, lambda env: run(env, a.run(env), b.run(env)), [a, b])
    if op in UNARY:
        a, run = expect(sub("exp"), "int", "real"), UNARY[op]
        if op in ROUNDING and a.ty == "int":
            return a
        return Term(a.ty if op == "abs" else "int", lambda env: run(env, a.run(env)), [a])
    if op == "ite":
        return choose(expect(sub("if"), "bool"), sub("then"), sub("else"))
    if op == "av":
        return array([expression(item, scope) for item in get(node, "elements", list)])
    if op == "ac":
        length = expect(sub("length"), "int").const
        if length is None or not 0 <= length <= MAX_ARRAY:
            raise Unreadable("the length of an array is no constant")
        return array([expression(get(node, "exp"), scope.inside({text_of(node["var"]): constant(i)})) for i in range(length)])
    if op == "aa":
        return access(sub("exp"), expect(sub("index"), "int"))
    if op == "call":
        parameters, body, owner = scope.function(text_of(get(node, "function")))
        arguments = [expression(item, scope) for item in get(node, "args", list)]
        if len(arguments) != len(parameters):
            raise Unreadable("a function is called with another number of arguments")
        return expression(body, Scope(scope.model, owner, False, None, scope.depth).inside(dict(zip(parameters, arguments))))
    if op == "state-condition":
        here = [equals(*scope.model.location(place)) for place in node.get("locations", [])]
        return all_of(here + ([expect(sub("exp"), "bool")] if "exp" in node else []))
    return refuse(f"the operator '{op}'")


def array(items):
    if not items:
        raise Unreadable("an empty array")
    if len({len(scalars(item)) if isinstance(item, list) else 0 for item in items}) > 1 or len({t.ty == "bool" for i in items for t in scalars(i)}) > 1:
        raise Unreadable("the cells of an array differ in shape or type")
    return items


def scalars(value):
    return [value] if isinstance(value, Term) else [term for item in value for term in scalars(item)]


def choose(c, a, b):
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [choose(c, x, y) for x, y in zip(a, b)]
    if not isinstance(a, Term) or not isinstance(b, Term) or (a.ty == "bool") != (b.ty == "bool"):
        raise Unreadable("the branches of 'ite' differ in shape or type")
    return choice_term(c, a, b)


def access(items, index):
    if not isinstance(items, list):
        raise Unreadable("only arrays have cells")
    if index.const is not None:
        if not 0 <= index.const < len(items):
            raise Unreadable("a constant index is outside its array")
        return items[index.const]
    if isinstance(items[0], list):
        return [access([row[c] for row in items], index) for c in range(len(items[0]))]
    return select_term(items, index)


# -------------------------------------------------------------------------------------------------------------- models

class Instance:
    """An automaton of the system."""

    def __init__(self, name, automaton, occurrence, places, syntax):
        self.name, self.automaton, self.occurrence, self.places, self.syntax = name, automaton, occurrence, places, syntax
        self.locals, self.functions, self.edges, self.initial = {}, {}, [], []


class Edge:
    """An edge: its number in the automaton's list (None: an implicit loop), destinations as (probability, location, assignments)."""

    def __init__(self, number, source, action, guard, destinations):
        self.number, self.source, self.action, self.guard, self.destinations = number, source, action, guard, destinations
        # Those whose probability is not the constant 0: by how it is written, and (set later) by what it can be in any state at all.
        self.possible = self.ever = [d for d in destinations if d[0].const != 0]

    def look(self, env):
        ranges = []
        for destination in self.possible:
            env.err = False
            ranges.append(env.range(destination[0].run(env)) if not env.err else None)
        self.ever = [d for d, ends in zip(self.possible, ranges) if ends != (0, 0)]


class Operator:
    """One edge per participant. Two with the same key may differ in which implicit loop they take, and in nothing else."""

    def __init__(self, label, moves):
        self.label, self.moves = label, moves
        self.key = (label, tuple((i, edge.number) for i, edge in moves))
        self.guards = [edge.guard for _, edge in moves]
        self.updates = {}

    def outcomes(self, wanted=None):
        """All combinations of destinations. What is a constant is not the same to everybody (`a ∨ true`): where others are told by their number, those that are possible in any state at all."""
        every = [edge.possible for _, edge in self.moves]
        fewer = [edge.ever for _, edge in self.moves]
        return itertools.product(*(fewer if wanted not in (None, math.prod(map(len, every))) else every))

    def steps(self, outcome):
        """The assignments of an outcome by index: those of equal index happen at once."""
        key = tuple(map(id, outcome))
        if key not in self.updates:
            found = sorted((a for _, _, assignments in outcome for a in assignments), key=lambda a: a[0])
            self.updates[key] = [list(group) for _, group in itertools.groupby(found, key=lambda a: a[0])]
        return self.updates[key]

    def __str__(self):
        return f"{self.label or '(silent)'} ({', '.join(f'instance {i}: edge {n}' for i, n in self.key[1])})"


class Model:
    """A JANI model. Slots: locations of instances, then globals, then locals of each instance, arrays flattened."""

    def __init__(self, node, given):
        only(node, "the model", "jani-version", "name", "type", "features", "actions", "constants", "variables", "functions", "restrict-initial", "properties",
             "labels", "automata", "system")
        if get(node, "type") not in ("lts", "dtmc", "mdp"):
            refuse(f"a model of type '{node['type']}'")
        self.names, self.functions, self.transients, self.instances = {}, {}, [], []
        self.slots, self.domains, self.bools, self.initial = [], [], [], []
        self.constants(get(node, "constants", list, []), given)
        self.declare_functions(get(node, "functions", list, []), self.functions, None)
        self.actions = [text_of(get(action, "name")) for action in get(node, "actions", list, [])]
        automata = {text_of(get(a, "name")): a for a in get(node, "automata", list)}
        system = get(node, "system")
        only(system, "the system", "elements", "syncs")
        elements = get(system, "elements", list)
        names = [text_of(get(element, "automaton")) for element in elements]
        for i, name in enumerate(names):
            only(elements[i], "an element", "automaton", "input-enable")
            syntax, occurrence = automata.get(name), names[:i].count(name)
            if syntax is None:
                raise Unreadable(f"there is no automaton '{name}'")
            only(syntax, "an automaton", "name", "locations", "initial-locations", "edges", "variables", "functions", "restrict-initial")
            places = [text_of(get(place, "name")) for place in get(syntax, "locations", list)]
            own = f"{name}#{occurrence}" if names.count(name) > 1 else name
            self.instances.append(Instance(own, name, occurrence, places, syntax))
            self.slots.append(own)
            self.domains.append((0, len(places) - 1))
            self.bools.append(False)
            self.initial.append(None)
        for variable in get(node, "variables", list, []):
            self.declare(variable, None, self.names)
        for instance in self.instances:
            for variable in get(instance.syntax, "variables", list, []):
                self.declare(variable, instance, instance.locals)
            self.declare_functions(get(instance.syntax, "functions", list, []), instance.functions, instance)
        self.define_transients()
        for i, (instance, element) in enumerate(zip(self.instances, elements)):
            self.read_edges(instance, get(element, "input-enable", list, []))
            instance.initial = [self.place(instance, name) for name in get(instance.syntax, "initial-locations", list)]
        restrictions = [(node, None)] + [(instance.syntax, instance) for instance in self.instances]
        self.restriction = all_of(self.condition(wrapped(syntax["restrict-initial"]), Scope(self, owner))
                                  for syntax, owner in restrictions if "restrict-initial" in syntax)
        self.vectors = self.read_vectors(system)
        everywhere = Env([low for low, _ in self.domains], [high for _, high in self.domains])
        for instance in self.instances:
            for edge in instance.edges:
                edge.look(everywhere)
        self.located = {}

    def constants(self, declared, given):
        left = {text_of(get(c, "name")): c for c in declared}
        if len(left) != len(declared) or any(name not in left for name in given):
            raise Unreadable("a constant is declared twice, or one is given that is not there")
        while left:
            before = len(left)
            for name, node in list(left.items()):
                only(node, "a constant", "name", "type", "value")
                if name in given:
                    self.names[name] = constant(given[name])
                elif "value" not in node:
                    raise Unreadable(f"no value for the constant '{name}'")
                else:
                    try:
                        self.names[name] = expression(node["value"], Scope(self))
                    except Unreadable:
                        continue
                del left[name]
                if any(term.const is None or (node["type"] == "int" and not isinstance(term.const, int)) or (node["type"] == "bool") != (term.ty == "bool")
                       and isinstance(node["type"], str) for term in scalars(self.names[name])):
                    raise Unreadable(f"the value of the constant '{name}' is none of its type")
            if len(left) == before:
                expression(left.popitem()[1]["value"], Scope(self))
                raise Unreadable("constants are defined in terms of each other")

    def declare_functions(self, declared, into, owner):
        for node in declared:
            only(node, "a function", "name", "type", "parameters", "body")
            into[text_of(get(node, "name"))] = [text_of(get(p, "name")) for p in get(node, "parameters", list)], get(node, "body"), owner

    def declare(self, node, instance, into):
        only(node, "a variable", "name", "type", "transient", "initial-value")
        name, scope = text_of(get(node, "name")), Scope(self, instance)
        if name in into:
            raise Unreadable(f"the name '{name}' is declared twice")
        initial = expression(node["initial-value"], scope) if "initial-value" in node else None
        full = name if instance is None else f"{instance.name}.{name}"
        into[name] = self.declare_typed(full, get(node, "type"), initial, node.get("transient") is True, scope)

    def declare_typed(self, name, ty, initial, transient, scope):
        if isinstance(ty, dict) and ty.get("kind") == "array":
            if not isinstance(initial, list):
                raise Unreadable(f"the array '{name}' has no array as initial value")
            return [self.declare_typed(f"{name}[{i}]", get(ty, "base"), item, transient, scope) for i, item in enumerate(initial)]
        bounds = (None, None)
        if isinstance(ty, dict) and ty.get("kind") == "bounded":
            bounds = tuple(expect(expression(ty[end], scope), "int", "real").const if end in ty else None for end in ("lower-bound", "upper-bound"))
            ty = get(ty, "base")
        if ty not in ("bool", "int", "real"):
            refuse(f"the type of '{name}'")
        if initial is not None and (not isinstance(initial, Term) or initial.const is None or (initial.ty == "bool") != (ty == "bool")):
            raise Unreadable(f"the initial value of '{name}' is none of its type")
        if transient:
            if initial is None:
                raise Unreadable(f"the transient variable '{name}' has no initial value")
            self.transients.append([initial, bounds, ty])
            number = len(self.transients) - 1
            term = Term(ty, lambda env: self.transient(env, number))
            term.reads_transient = number + 1
            return term
        if ty == "bool":
            bounds = (0, 1)
        if ty == "real" or not all(isinstance(end, int) for end in bounds) or bounds[0] > bounds[1]:
            refuse(f"the variable '{name}', which is no bounded integer,")
        value = None if initial is None else int(initial.const)
        if value is not None and (value != initial.const or not bounds[0] <= value <= bounds[1]):
            raise Unreadable(f"the initial value of '{name}' is outside its domain")
        self.slots.append(name)
        self.domains.append(bounds)
        self.bools.append(ty == "bool")
        self.initial.append(value)
        return slot_term(len(self.slots) - 1, ty == "bool")

    def transient(self, env, number):
        """What an earlier assignment of the step gave it, or what its locations give it."""
        if env.tr and number in env.tr:
            return env.tr[number]
        definition, bounds, ty = self.transients[number]
        value = definition.run(env)
        self.check_bounds(env, value, bounds, ty)
        return value

    def check_bounds(self, env, value, bounds, ty):
        """A value that may leave its bounds may be an error."""
        if ty == "bool" or bounds == (None, None):
            return
        ends = env.range(value)
        low, high = (end if end is not None else other for end, other in zip(bounds, ends or (0, 0)))
        if ends is None or ends[0] < low or ends[1] > high:
            env.fail(ends is not None and (ends[1] < low or ends[0] > high))

    def define_transients(self):
        # The first instance in system order wins, so the chain is built from the last one.
        for i in reversed(range(len(self.instances))):
            instance, scope = self.instances[i], Scope(self, self.instances[i])
            for l, place in enumerate(get(instance.syntax, "locations", list)):
                only(place, "a location", "name", "transient-values")
                for given in place.get("transient-values", []):
                    targets, values = scalars(expression(get(given, "ref"), scope)), scalars(expression(get(given, "value"), scope))
                    for target, value in zip(targets, values):
                        number = self.transient_number(target)
                        if len(targets) != len(values) or (target.ty == "bool") != (value.ty == "bool") or (target.ty == "int" and value.ty != "int"):
                            raise Unreadable("a value at a location does not have the type of its variable")
                        if value.reads_transient:
                            refuse("a transient variable that is defined by others")
                        definition = self.transients[number]
                        definition[0] = choice_term(constant(True) if len(instance.places) == 1 else equals(i, l), value, definition[0])

    def transient_number(self, term):
        if not (type(term.reads_transient) is int and term.size == 1 and term.reads_transient):
            raise Unreadable("only transient variables have values at locations")
        return term.reads_transient - 1

    def condition(self, node, scope=None):
        return expect(expression(node, scope or Scope(self, everywhere=True)), "bool")

    def place(self, instance, name):
        if name not in instance.places:
            raise Unreadable(f"'{instance.name}' has no location '{name}'")
        return instance.places.index(name)

    def instance_number(self, name, occurrence):
        for i, instance in enumerate(self.instances):
            if instance.automaton == name and instance.occurrence == (occurrence or 0):
                return i
        raise Unreadable(f"the system has no automaton '{name}' with index {occurrence or 0}")

    def location(self, node):
        """The slot and value of a location that a condition names."""
        only(node, "a location", "automaton", "index", "location")
        i = self.instance_number(get(node, "automaton"), node.get("index"))
        return i, self.place(self.instances[i], get(node, "location"))

    def read_edges(self, instance, enabled):
        scope = Scope(self, instance)
        for number, node in enumerate(get(instance.syntax, "edges", list)):
            only(node, "an edge", "location", "action", "guard", "destinations")
            guard = self.condition(wrapped(node["guard"]), scope) if "guard" in node else constant(True)
            destinations = []
            for destination in get(node, "destinations", list):
                only(destination, "a destination", "location", "probability", "assignments")
                probability = expect(expression(wrapped(destination["probability"]), scope), "int", "real") if "probability" in destination else constant(1)
                assignments = [part for a in destination.get("assignments", []) for part in self.assignment(a, scope)]
                destinations.append((probability, self.place(instance, get(destination, "location")), assignments))
            chances = [d[0].const for d in destinations]
            if not chances or all(p is not None for p in chances) and (min(chances) < 0 or abs(sum(chances) - 1) > TOLERANCE):
                raise Unreadable("the probabilities of an edge are no distribution")
            instance.edges.append(Edge(number, self.place(instance, get(node, "location")), node.get("action"), guard, destinations))
        for action in enabled:
            own = [edge for edge in instance.edges if edge.action == action]
            for l in range(len(instance.places)):
                guard = negation(any_of(edge.guard for edge in own if edge.source == l))
                instance.edges.append(Edge(None, l, action, guard, [(constant(1), l, [])]))

    def assignment(self, node, scope):
        """(index, kind, what, value): `slot` (first slot, [(length, index)]) or `transient` number; a value is a term, or two for an interval."""
        only(node, "an assignment", "ref", "value", "index", "lower-bound", "upper-bound")
        index = get(node, "index", int, 0)
        indices, base = [], get(node, "ref")
        while isinstance(base, dict) and base.get("op") == "aa":
            indices.append(expect(expression(get(base, "index"), scope), "int"))
            base = get(base, "exp")
        targets, dimensions = scope.find(text_of(base)), []
        for term in reversed(indices):
            if not isinstance(targets, list):
                raise Unreadable("only arrays have cells")
            if term.const is not None and not 0 <= term.const < len(targets):
                raise Unreadable("a constant index is outside its array")
            if term.const is not None and not dimensions:
                targets = targets[term.const]
            else:
                dimensions.append((len(targets), term))
                targets = targets[0]
        if dimensions and isinstance(targets, list):
            refuse("the assignment of a row with a computed index")
        targets = scalars(targets)
        if "value" in node:
            values = scalars(expression(node["value"], scope))
        else:
            values = [tuple(expect(expression(get(node, end), scope), "int") for end in ("lower-bound", "upper-bound"))]
        if len(targets) != len(values):
            raise Unreadable("a value does not have the shape of the variable")
        result = []
        for target, value in zip(targets, values):
            wanted = {"bool": ("bool",), "int": ("int",), "real": ("int", "real")}[target.ty]
            for term in value if isinstance(value, tuple) else (value,):
                expect(term, *wanted)
            if target.size == 1 and target.reads_transient:
                if isinstance(value, tuple) or dimensions:
                    refuse("a non-deterministic or indexed assignment to a transient variable")
                result.append((index, "transient", self.transient_number(target), value))
                continue
            # A slot's own term tells its number: it is what the term is in a box where all slots are free.
            free = (target.number or target.run)(Env([0] * len(self.slots), [1] * len(self.slots))) if target.const is None else None
            if not isinstance(free, Form):
                raise Unreadable("constants cannot be assigned to")
            result.append((index, "slot", (next(iter(free.terms)), dimensions), value))
        return result

    def read_vectors(self, system):
        """(label, [(instance, edges)]): silent edges alone, edges with an action through vectors."""
        with_action = lambda i, action: [edge for edge in self.instances[i].edges if edge.action == action and edge.guard.const is not False]
        vectors = [(None, [(i, with_action(i, None))]) for i in range(len(self.instances))]
        if "syncs" not in system:
            if len(self.instances) == 1:
                vectors += [(action, [(0, with_action(0, action))]) for action in self.actions]
        else:
            for sync in get(system, "syncs", list):
                only(sync, "a vector", "synchronise", "result")
                entries = get(sync, "synchronise", list)
                label = sync.get("result")
                if len(entries) != len(self.instances) or any(a is not None and a not in self.actions for a in [*entries, label]):
                    raise Unreadable("a synchronisation vector has the wrong length or unknown actions")
                moves = [(i, with_action(i, action)) for i, action in enumerate(entries) if action is not None]
                if moves:
                    vectors.append((label, moves))
        return [(label, moves) for label, moves in vectors if all(edges for _, edges in moves)]

    def operators(self, locations):
        """All operators that leave these locations."""
        if locations not in self.located:
            found = []
            for label, moves in self.vectors:
                leaving = [[(i, edge) for edge in edges if edge.source == locations[i]] for i, edges in moves]
                if math.prod(map(len, leaving)) + len(found) > MAX_PRODUCT:
                    raise Unreadable("there are too many operators")
                found += [Operator(label, list(combination)) for combination in itertools.product(*leaving)]
            self.located[locations] = found
        return self.located[locations]


def wrapped(node):
    only(node, "an expression with its comment", "exp")
    return get(node, "exp")


# ---------------------------------------------------------------------------------------------------------- properties

class Question:
    """Can `target` be reached? `never` says whether that is bad; start states satisfy a condition, or are listed."""

    def __init__(self, model, files, options, model_node, model_path):
        listed = [(node, os.path.dirname(model_path)) for node in get(model_node, "properties", list, [])]
        for path in options.properties:
            document = files.json(path)
            only(document, "a file of properties", "properties", "labels")
            listed += [(node, os.path.dirname(path)) for node in get(document, "properties", list)]
        names = [text_of(get(node, "name")) for node, _ in listed]
        # Includes of all properties are read: a certificate names all that was read.
        bodies = [self.included(files, get(node, "expression"), folder) for node, folder in listed]
        wanted = options.property
        if wanted in names:
            self.index = names.index(wanted)
        elif wanted is None and len(names) == 1:
            self.index = 0
        elif wanted is not None and wanted.isdigit() and int(wanted) < len(names):
            self.index = int(wanted)
        else:
            raise Unreadable(f"which property? There are {', '.join(names[:12]) or 'none'}")
        self.model, self.name = model, names[self.index]
        self.conditions, self.states, self.goal, self.policy, self.initial_only = [], [], None, None, False
        body, folder = bodies[self.index], listed[self.index][1]
        if body.get("op") == "PA":
            self.safety(body, folder)
        elif body.get("op") == "filter":
            self.filter(body)
        else:
            refuse(f"a property '{body.get('op')}'")

    def included(self, files, body, folder):
        body = dict(body) if isinstance(body, dict) else {}
        if body.get("op") == "PA":
            for name in ("start", "reach", "objective", "predicates"):
                if name in body:
                    body[name], inner = files.included(body[name], folder)
                    if name == "objective" and "goal" in get(body, name, dict):
                        body[name] = {**body[name], "goal": files.included(body[name]["goal"], inner)[0]}
        return body

    def initial(self):
        model = self.model
        fixed = [equals(s, value) for s, value in enumerate(model.initial) if value is not None]
        return all_of([*map(self.at_initial, range(len(model.instances))), *fixed, model.restriction])

    def at_initial(self, i):
        return any_of(equals(i, l) for l in self.model.instances[i].initial)

    def safety(self, body, folder):
        only(body, "a PA property", "op", "start", "reach", "objective", "predicates", "file")
        model, start = self.model, body.get("start")
        if "reach" not in body:
            refuse("a property without 'reach'")
        self.never, self.target = True, model.condition(body["reach"])
        goal = body.get("objective", {}).get("goal")
        self.goal = model.condition(goal) if goal is not None else None
        self.policy = os.path.join(folder, text_of(body["file"])) if "file" in body else None
        if start is None:
            self.conditions = [self.initial()]
        elif isinstance(start, dict) and start.get("op") == "states-values":
            self.states = [self.listed(state) for state in get(start, "values", list)]
        else:
            given = {model.location(place)[0] for place in start.get("locations", [])} if isinstance(start, dict) and start.get("op") == "state-condition" else set()
            others = [self.at_initial(i) for i in range(len(model.instances)) if i not in given]
            self.conditions = [all_of([model.condition(start), *others])]

    def listed(self, state):
        only(state, "a start state", "locations", "variables")
        model, given = self.model, {}
        values = [*(i.initial[0] if len(i.initial) == 1 else None for i in model.instances), *model.initial[len(model.instances):]]
        found = [model.location(place) for place in state.get("locations", [])]
        for entry in state.get("variables", []):
            targets = scalars(expression(get(entry, "var"), Scope(model, everywhere=True)))
            terms = scalars(expression(get(entry, "value"), Scope(model, everywhere=True)))
            if len(targets) != len(terms):
                raise Unreadable("a start state gives a value of another shape")
            for target, term in zip(targets, terms):
                free = (target.number or target.run)(Env([0] * len(values), [1] * len(values)))
                if not isinstance(free, Form) or free.lo or free.hi or list(free.terms.values()) != [1] or term.const is None or (term.ty == "bool") != (target.ty == "bool"):
                    raise Unreadable("a start state gives a value that is not constant, or to what is no variable")
                found.append((next(iter(free.terms)), simple(Fraction(term.const))))
        for slot, value in found:
            low, high = model.domains[slot]
            if slot in given or not isinstance(value, int) or not low <= value <= high:
                raise Unreadable(f"a start state gives '{model.slots[slot]}' two values, or one outside its domain")
            given[slot] = values[slot] = value
        if None in values:
            raise Unreadable("a start state leaves a variable open")
        return tuple(values)

    def filter(self, body):
        only(body, "a filter", "op", "fun", "values", "states")
        function, values = get(body, "fun"), get(body, "values")
        if get(body, "states") != {"op": "initial"} or function not in ("∀", "∃"):
            refuse("a filter other than ∀ and ∃ over the initial states")
        quantifier, path = (values["op"], values.get("exp")) if isinstance(values, dict) and values.get("op") in ("∀", "∃") else ("∃", values)
        quantified, op = path is not values, path.get("op") if isinstance(path, dict) else None
        self.never, self.conditions = function == "∀", [self.initial()]
        if op in ("F", "G"):
            only(path, "a path formula", "op", "exp")
            if (function, quantifier, op) not in (("∀", "∀", "G"), ("∃", "∃", "F")):
                refuse(f"the filter {function} over {quantifier} {op}")
            condition = self.model.condition(get(path, "exp"))
        elif quantified:
            refuse(f"the path operator '{op}'")
        else:
            self.initial_only, condition = True, self.model.condition(values)
        self.target = negation(condition) if self.never else condition


# ------------------------------------------------------------------------------------------------------------ networks

PRECISION = 15 << 40  # Slopes are multiples of 1 / PRECISION: sixteen hexadecimal steps are exact, and others as good as exact.


class Network:
    """Layers `z = W y + b`, `y = max(z, 0)`, over the slots that the inputs read. Everything is an integer over a denominator: `scale[k]` of all z of layer k."""

    def __init__(self, layers, inputs):
        weights, bias = layers[0]
        forms = []
        for row, b in zip(weights, bias):
            total = {}
            for w, (terms, offset) in zip(row, inputs):
                b += w * offset
                for s, k in terms.items():
                    total[s] = total.get(s, 0) + w * k
            forms.append((total, b))
        self.slots = sorted({s for terms, _ in forms for s in terms})
        rows = [[Fraction(terms.get(s, 0)) for s in self.slots] for terms, _ in forms]
        # The power of two keeps bounds that are rounded outwards to multiples of 1 / scale sharp.
        self.layers, self.scale = [], []
        for matrix, offsets in [(rows, [Fraction(b) for _, b in forms]), *layers[1:]]:
            common = math.lcm(*(x.denominator for x in itertools.chain(offsets, *matrix))) << (0 if self.layers else 64)
            whole = [[int(x * common) for x in row] for row in matrix]
            self.layers.append((whole, [int(x * common) for x in offsets], list(zip(*whole)) or [()] * len(self.slots)))
            self.scale.append(common * (self.scale[-1] if self.scale else 1))

    def outputs(self, point):
        """The exact outputs, as integers over the last scale."""
        y, below = [point[s] for s in self.slots], 1
        for k, (weights, bias, _) in enumerate(self.layers):
            z = [sum(map(operator.mul, row, y)) + b * below for row, b in zip(weights, bias)]
            y, below = [max(x, 0) for x in z], self.scale[k]
        return z

    def relax(self, lo, hi, phases, slopes):
        """Per hidden layer and neuron its lines (s, t, a): y <= (s z + t / scale) / PRECISION and y >= a z / PRECISION. None if phases leave nothing."""
        digits, lines = iter(slopes), []
        below_lo, below_hi, below = [lo[s] for s in self.slots], [hi[s] for s in self.slots], 1
        for k, (weights, bias, _) in enumerate(self.layers[:-1]):
            found, lows, highs = [], [], []
            for n, (row, b) in enumerate(zip(weights, bias)):
                l = b * below + sum(w * (x if w > 0 else y) for w, x, y in zip(row, below_lo, below_hi))
                u = b * below + sum(w * (y if w > 0 else x) for w, x, y in zip(row, below_lo, below_hi))
                if k and l < 0 < u:
                    # Rounded outwards to multiples of 1 / scale[k].
                    unit = PRECISION**k
                    u = min(u, -(-self.upper(k, row, b, lines, lo, hi) // unit))
                    l = max(l, self.upper(k, [-w for w in row], -b, lines, lo, hi) // -unit)
                digit = next(digits, "-")
                if phases.get((k, n)) is True:
                    l = max(l, 0)
                elif phases.get((k, n)) is False:
                    u = min(u, 0)
                if l > u:
                    return None
                if l >= 0:
                    found.append((PRECISION, 0, PRECISION))
                elif u <= 0:
                    found.append((0, 0, 0))
                else:
                    s = PRECISION * u // (u - l)
                    a = int(digit, 16) * PRECISION // 15 if digit != "-" else PRECISION if 1000 * u > -1013 * l else 0
                    # Soundness: a line that is at least max(z, 0) at l and at u is so between, whatever s was rounded to.
                    found.append((s, max(-s * l, (PRECISION - s) * u), a))
                lows.append(max(l, 0))
                highs.append(max(u, 0))
            lines.append(found)
            below_lo, below_hi, below = lows, highs, self.scale[k]
        return lines

    def substitute(self, k, row, b, lines):
        """An upper bound of `row * y + b`, y of layer k - 1, as a function of the slots: coefficients and constant, over PRECISION^k scale[k]."""
        c = b * (self.scale[k - 1] if k else 1)
        for j in reversed(range(k)):
            replaced, c = [], c * PRECISION
            for factor, (s, t, a) in zip(row, lines[j]):
                if factor > 0:
                    replaced.append(factor * s)
                    c += factor * t
                else:
                    replaced.append(factor * a)
            _, bias, columns = self.layers[j]
            c += (self.scale[j - 1] if j else 1) * sum(map(operator.mul, replaced, bias))
            row = [sum(map(operator.mul, replaced, column)) for column in columns]
        return row, c

    def upper(self, k, row, b, lines, lo, hi):
        row, c = self.substitute(k, row, b, lines)
        return c + sum(w * (hi[s] if w > 0 else lo[s]) for w, s in zip(row, self.slots))

    def rows(self, best, lines):
        """For every output L: coefficients, constant and denominator of a function of the slots that is at least out_L - out_best."""
        k = len(self.layers) - 1
        weights, bias, _ = self.layers[k]
        found = []
        for row, b in zip(weights, bias):
            coefficients, c = self.substitute(k, [x - y for x, y in zip(row, weights[best])], b - bias[best], lines)
            found.append((dict(zip(self.slots, coefficients)), c, PRECISION**k * self.scale[k]))
        return found

    @property
    def hidden(self):
        return [len(bias) for _, bias, _ in self.layers[:-1]]


def nearest_f32(text):
    """The nearest 32-bit float, ties to even; not by way of a 64-bit one, which would round twice."""
    wanted = Fraction(exact(text))
    bits = struct.unpack("<I", struct.pack("<f", float(text)))[0]
    near = [b for b in (bits - 1, bits, bits + 1) if 0 <= b < 1 << 32]
    values = [(b, struct.unpack("<f", struct.pack("<I", b))[0]) for b in near]
    return min((abs(Fraction(v) - wanted), b & 1, Fraction(v)) for b, v in values if math.isfinite(v))[2]


def read_nnet(text, single):
    """A `.nnet` file: its layers, and for inputs (scale, offset); the outputs' normalisation is put into the last layer."""
    lines = iter([line for line in text.splitlines() if not line.lstrip().startswith("//")])

    def fields(count=None, convert=exact):
        found = [field.strip() for field in next(lines, "").split(",")]
        found = found[:-1] if found[-1] == "" else found
        if (count is not None and len(found) != count) or any(not re.fullmatch(r"[0-9+.eE-]{1,1000}", field) for field in found):
            raise Unreadable("a line of the network does not have the numbers that belong there")
        return [convert(field) for field in found]

    def weight(field):
        try:
            return nearest_f32(field) if single else Fraction(float(field))
        except (ValueError, OverflowError):
            raise Unreadable(f"'{field[:40]}' is no weight") from None
    layers, inputs, outputs, _ = fields(4)
    if not isinstance(layers, int) or not 1 <= layers <= 100:
        raise Unreadable("the number of layers of the network")
    sizes = fields(layers + 1)
    if any(not isinstance(size, int) or not 1 <= size <= 100_000 for size in sizes) or (sizes[0], sizes[-1]) != (inputs, outputs):
        raise Unreadable("the layer sizes of the network")
    fields(), fields(inputs), fields(inputs)
    means, ranges = fields(inputs + 1), fields(inputs + 1)
    if 0 in ranges:
        raise Unreadable("a range of the network is 0")
    found = []
    for size, after in zip(sizes, sizes[1:]):
        found.append(([fields(size, weight) for _ in range(after)], [fields(1, weight)[0] for _ in range(after)]))
    if any(line.strip() for line in lines):
        raise Unreadable("the network goes on after its last layer")
    weights, bias = found[-1]
    found[-1] = [[w * ranges[-1] for w in row] for row in weights], [Fraction(b * ranges[-1] + means[-1]) for b in bias]
    found[-1] = [[Fraction(w) for w in row] for row in found[-1][0]], found[-1][1]
    return found, [(Fraction(1) / r, -Fraction(m) / r) for m, r in zip(means[:-1], ranges[:-1])]


class Policy:
    """Networks with conditions, and the labels that their outputs stand for."""

    def __init__(self, model, files, path, filtered):
        self.model, self.networks = model, []
        document, folder = files.json(path), os.path.dirname(path)
        plaja = path.endswith(".jani2nnet") or ("file" in document and "outputs" not in document)
        if plaja:
            only(document, "a jani2nnet policy", "file", "torch-file", "filter", "input", "elements", "output")
            self.labels, self.ties = get(document, "output", list), "first"
            forms = [self.plaja_input(node) for node in get(document, "input", list)]
            entries = [({"file": get(document, "file")}, forms)]
        else:
            only(document, "a policy", "outputs", "network", "networks", "inputs", "filter", "ties")
            outputs = get(document, "outputs")
            if "labels" not in outputs:
                refuse("a policy that computes variables")
            self.labels, self.ties = get(outputs, "labels", list), get(document, "ties", str, "first")
            forms = [self.linear(node) for node in document.get("inputs", [])]
            if ("network" in document) == ("networks" in document):
                raise Unreadable("a policy has either 'network' or 'networks'")
            entries = [document["network"]] if "network" in document else get(document, "networks", list)
            entries = [({"file": entry} if isinstance(entry, str) else entry, forms) for entry in entries]
        self.filter = get(document, "filter", bool, False) if filtered is None else filtered
        if self.ties not in ("first", "any") or not self.labels or len(set(self.labels)) != len(self.labels) or any(a not in model.actions for a in self.labels):
            raise Unreadable("the outputs or ties of the policy")
        for entry, forms in entries:
            only(entry, "a network of a policy", "file", "when", "inputs", "weights")
            name = text_of(get(entry, "file"))
            if not name.endswith(".nnet"):
                refuse(f"the network file {name}, which is no .nnet,")
            layers, normalisation = read_nnet(files.text(os.path.join(folder, name)), get(entry, "weights", str, "f64") == "f32")
            if "inputs" in entry:
                forms = [self.linear(node) for node in entry["inputs"]]
            if len(forms) != len(normalisation) or len(layers[-1][1]) != len(self.labels):
                raise Unreadable("the network has other numbers of inputs or outputs than the policy")
            inputs = [({s: k * scale for s, k in terms.items()}, scale * c + offset) for (terms, c), (scale, offset) in zip(forms, normalisation)]
            when = model.condition(entry["when"]) if "when" in entry else None
            if when is not None and when.reads_transient:
                raise Unreadable("'when' depends on a transient variable")
            self.networks.append((when, Network(layers, inputs)))
            if plaja and get(document, "elements", list) != self.networks[0][1].hidden:
                raise Unreadable("'elements' are not the sizes of the network's hidden layers")

    def variable(self, name, locals_of=None, cell=None):
        names = self.model.names if locals_of is None else self.model.instances[locals_of].locals
        if name not in names:
            raise Unreadable(f"unknown variable '{name}' among the policy's inputs")
        return self.form(names[name] if cell is None else access(names[name], constant(cell)))

    def plaja_input(self, node):
        only(node, "an input", "name", "automaton", "index")
        if "automaton" not in node:
            return {self.model.instance_number(get(node, "name"), node.get("index")): 1}, 0
        owner = node["automaton"]
        return self.variable(get(node, "name"), None if owner is None else self.model.instance_number(get(owner, "name"), owner.get("index")), node.get("index"))

    def form(self, term):
        """A term that is linear over the slots, truth values being 0 and 1."""
        count = len(self.model.slots)
        env = Env([0] * count, [1] * count)
        value = (term.number or term.run)(env) if isinstance(term, Term) else None
        value = int(value) if isinstance(value, bool) else value
        if value is None or env.err or term.reads_transient or parts(value)[1] != parts(value)[2]:
            refuse("an input of the policy that is not linear in the state")
        return parts(value)[0], parts(value)[1]

    def linear(self, node):
        if isinstance(node, dict) and "op" not in node and "location" in node:
            return {self.model.instance_number(get(node, "location"), node.get("index")): 1}, 0
        if isinstance(node, dict) and "op" not in node and "variable" in node:
            return self.variable(get(node, "variable"), self.model.instance_number(get(node, "automaton"), node.get("index")), node.get("cell"))
        op = node.get("op") if isinstance(node, dict) else None
        if op == "¬":
            return parts(add(1, self.joined(self.linear(get(node, "exp"))), -1))[:2]
        if op not in ("+", "-", "*", "/"):
            return self.form(expression(node, Scope(self.model, everywhere=True)))
        a, b = self.joined(self.linear(get(node, "left"))), self.joined(self.linear(get(node, "right")))
        if op in "+-":
            return parts(add(a, b, 1 if op == "+" else -1))[:2]
        if type(b) is Form and op == "*":
            a, b = b, a
        if type(b) is Form or (op == "/" and b == 0):
            refuse("an input of the policy that is not linear in the state")
        return parts(add(0, a, b if op == "*" else 1 / Fraction(b)))[:2]

    def joined(self, form):
        return Form(*form, form[1]) if form[0] else form[1]

    def network(self, env):
        """The network that is asked in all of a box; None if there is none, or it is open which."""
        for when, network in self.networks:
            env.err = False
            truth = True if when is None else when.run(env)
            if env.err or truth is None:
                return None
            if truth:
                return network
        return None


# ----------------------------------------------------------------------------------------------------------- the state

class System:
    """Model, policy and question together: what can happen in a box of states."""

    def __init__(self, model, policy, question, goal_terminal, assume):
        self.model, self.policy, self.question, self.assume = model, policy, question, assume
        self.goal = question.goal if goal_terminal else None
        self.governed = {label: number for number, label in enumerate(policy.labels)} if policy else {}

    def guards(self, env, op):
        """`off`: never enabled here; `on`: always; `open`; `error`: a guard may have no value before one is false."""
        state = "on"
        for guard in op.guards:
            env.err = env.sure = False
            truth = guard.run(env)
            if env.err:
                return "error"
            if truth is False:
                return "off"
            state = state if truth else "open"
        return state

    def chances(self, env, op):
        """Per participant the ranges of its destinations' probabilities; None where they may be no distribution."""
        found, env.err, env.sure = {}, False, False
        for _, edge in op.moves:
            values = [probability.run(env) for probability, _, _ in edge.destinations]
            total = 0
            for value in values:
                total = add(total, value)
            ends, ranges = env.range(total), [env.range(value) for value in values]
            if env.err or ends is None or ends[0] < 1 - TOLERANCE or ends[1] > 1 + TOLERANCE or any(r[0] < 0 for r in ranges):
                env.sure |= ends is not None and (ends[1] < 1 - TOLERANCE or ends[0] > 1 + TOLERANCE or any(r[1] < 0 for r in ranges))
                return None
            found.update((id(d), r) for d, r in zip(edge.destinations, ranges))
        return found

    def update(self, env, op, outcome, pick):
        """The values that an outcome assigns, locations included; `pick` gives the value of a non-deterministic assignment. Errors are told by `env`."""
        model, env.sub, env.tr, env.err, env.sure = self.model, {}, {}, False, False
        for group in op.steps(outcome):
            assigned, transients = {}, {}
            for _, kind, what, value in group:
                if kind == "transient":
                    _, bounds, ty = model.transients[what]
                    transients[what] = value.run(env)
                    model.check_bounds(env, transients[what], bounds, ty)
                    continue
                slot, dimensions = what
                offset = 0
                for length, term in dimensions:
                    index = term.run(env)
                    ends = env.range(index)
                    if ends is None or ends[0] < 0 or ends[1] >= length:
                        env.fail(ends is not None and (ends[1] < 0 or ends[0] >= length))
                    if ends is None or ends[0] != ends[1] or env.err:
                        # Which cell is written is open: nothing is known of the outcome.
                        env.fail()
                        index = 0
                    offset = offset * length + int(ends[0] if not env.err else 0)
                slot += offset
                new = pick(env, slot, *value) if isinstance(value, tuple) else value.value(env)
                old = assigned.get(slot, new)
                if old is not new and (old is None or new is None or parts(old) != parts(new) or parts(old)[1] != parts(old)[2]):
                    env.fail(type(old) is not Form and type(new) is not Form and old is not None and new is not None)
                assigned[slot] = new
            env.sub.update(assigned)
            env.tr.update(transients)
        values, env.sub, env.tr = env.sub, None, None
        values.update((i, location) for (i, _), (_, location, _) in zip(op.moves, outcome))
        for slot, value in values.items():
            ends, (low, high) = env.range(value), model.domains[slot]
            if ends is None or ends[0] < low or ends[1] > high:
                env.fail(ends is not None and (ends[1] < low or ends[0] > high))
        return values

    def symbol(self, env, slot, lower, upper):
        """Any value between two others: a new slot of the box."""
        least, most, (low, high) = lower.run(env), upper.run(env), self.model.domains[slot]
        first, last, width = env.range(least), env.range(most), env.range(add(most, least, -1))
        if width is None or width[0] < 0 or first[1] > high or last[0] < low:
            return env.fail(width is not None and (width[1] < 0 or first[0] > high or last[1] < low))
        env.lo.append(max(low, first[0]))
        env.hi.append(min(high, last[1]))
        return Form({len(env.lo) - 1: 1}, 0, 0)

    def successors(self, env, op, outcome, free=()):
        """All values that an outcome may assign where what it depends on is fixed: non-deterministic values one by one, but those of `free` slots as symbols."""
        scripts, count = [[]], 0
        while scripts:
            script, taken = scripts.pop(), []

            def pick(env, slot, lower, upper):
                if slot in free:
                    return self.symbol(env, slot, lower, upper)
                least, most, (low, high) = lower.run(env), upper.run(env), self.model.domains[slot]
                if least is None or most is None or type(least) is Form or type(most) is Form:
                    return env.fail()
                first, last = max(low, least), min(high, most)
                if first > last:
                    return env.fail(True)
                if len(taken) == len(script):
                    scripts.extend(script + [other] for other in range(first + 1, last + 1))
                    script.append(first)
                    if last - first + len(scripts) > MAX_POINTS:
                        raise Unreadable("an outcome has too many values")
                taken.append(script[len(taken)])
                return taken[-1]
            count += 1
            if count > MAX_POINTS:
                raise Unreadable("an outcome has too many values")
            inner = env.copy() if free else env
            values = self.update(inner, op, outcome, pick)
            env.err, env.sure = inner.err, inner.sure
            yield inner, values
            if env.err:
                return

    def chosen(self, env, operators):
        """The labels that the policy chooses in a box in which its inputs are fixed; None where that cannot be said."""
        network = self.policy.network(env)
        if network is None or any(env.lo[s] != env.hi[s] for s in network.slots):
            return None
        candidates = range(len(self.policy.labels))
        if self.policy.filter:
            applicable = [self.applicable(env, label, operators) for label in self.policy.labels]
            if None in applicable:
                return None
            candidates = [number for number in candidates if applicable[number]]
        outputs = network.outputs(env.lo)
        best = max((outputs[number] for number in candidates), default=None)
        found = [self.policy.labels[number] for number in candidates if outputs[number] == best]
        return found[:1] if self.policy.ties == "first" else found

    def applicable(self, env, label, operators, known=None):
        """Whether some operator of a label is enabled in all of a box (True), or none anywhere in it (False)."""
        answer = False
        for op in operators:
            if op.label == label:
                state = known[op] if known and op in known else self.guards(env, op)
                if known is not None:
                    known[op] = state
                if state == "on":
                    return True
                answer = answer if state == "off" else None
        return answer

    def safe(self, env):
        """That the target is false, and that it and the goal have values."""
        for condition in (self.question.target, self.goal):
            env.err = False
            truth = condition.run(env) if condition is not None else False
            if env.err or condition is self.question.target and truth is not False:
                return False
        return True

    def at_goal(self, env):
        env.err = False
        return self.question.initial_only or (self.goal is not None and self.goal.run(env) is True)

    def check_point(self, env, target, pending, operators, member, free=()):
        """A state (or one with `free` slots that nothing depends on) is safe, and all that its pending operators may do is a member."""
        if target and not self.safe(env):
            raise Rejected(f"the target may hold, or it or the goal has no value, in {self.show(env)}")
        if self.at_goal(env):
            return
        chosen = asked = None
        for op in pending:
            state = self.guards(env, op)
            if state == "off" or (state == "error" and self.assume and env.sure):
                continue
            if state != "on":
                raise Rejected(f"a guard of {op} is {state} in {self.show(env)}")
            if op.label in self.governed:
                if not asked:
                    chosen, asked = self.chosen(env, operators), True
                if chosen is None:
                    raise Rejected(f"the policy's choice cannot be evaluated, or there is no network, in {self.show(env)}")
                if op.label not in chosen:
                    continue
            chances = self.chances(env, op)
            if chances is None:
                if self.assume and env.sure:
                    continue
                raise Rejected(f"the probabilities of {op} are no distribution in {self.show(env)}")
            found, absent = [], False
            for outcome in op.outcomes():
                ranges = [chances[id(destination)] for destination in outcome]
                if any(ends == (0, 0) for ends in ranges):
                    continue
                for inner, values in self.successors(env, op, outcome, free):
                    if env.err:
                        # Soundness: an operator that is in error in one outcome is absent with all of them, so an error counts only if it is sure to happen.
                        if not (self.assume and env.sure and all(ends[0] > 0 for ends in ranges)):
                            raise Rejected(f"{op} is in error in {self.show(env)}")
                        absent = True
                    found.append((inner, values))
            for inner, values in found if not absent else ():
                if not member(inner, values):
                    raise Rejected(f"{op} leads out of the invariant from {self.show(env)}")

    def show(self, env):
        ends = zip(self.model.slots, env.lo, env.hi)
        return ", ".join(f"{name}={lo}" if lo == hi else f"{name}={lo}..{hi}" for name, lo, hi in ends)


# ------------------------------------------------------------------------------------------------------- the invariant

class Node:
    """A box with what is known in it, and what is pending: the target, operators, or (for start conditions) that it is covered."""

    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi
        self.facts, self.others, self.phases, self.rows, self.out = frozenset(), (), {}, None, frozenset()
        self.target, self.pending, self.operators, self.states, self.cover = False, [], [], {}, None
        self.env, self.lines = None, {}

    def child(self):
        node = Node(list(self.lo), list(self.hi))
        node.facts, node.others, node.phases, node.rows, node.out = self.facts, self.others, self.phases, self.rows, self.out
        node.target, node.pending, node.operators, node.cover = self.target, self.pending, self.operators, self.cover
        # What is always or never so in a node is so in its parts.
        node.states = {op: state for op, state in self.states.items() if state in ("on", "off")}
        return node


def natural(text, below, what):
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) >= below:
        raise Malformed(f"'{text[:20]}' is no {what}")
    return int(text)


def integer(text):
    if not re.fullmatch(r"-?[0-9]{1,19}", text) or not -(1 << 63) <= int(text) < 1 << 63:
        raise Malformed(f"'{text[:20]}' is no integer")
    return int(text)


class Invariant:
    """Regions and states, read line by line; each tree is checked when it is met."""

    ORDER = {"o": 1, "r": 2, "k": 3, "s": 4, "x": 5, "c": 6, "l": 7, "t": 8, "end": 9}

    def __init__(self, system, actions):
        self.system, self.model, self.actions = system, system.model, actions
        self.formulas, self.lines, self.regions, self.key, self.states = [], [], [], None, set()
        self.witness, self.covered, self.listed, self.trees, self.stage, self.tokens = False, 0, 0, [], 0, 0
        self.done = False

    def line(self, text):
        letter, *words = text.split(" ")
        # Formulas may stand anywhere before they are used.
        stage = self.stage if letter in ("a", "&", "|", "!") else self.ORDER.get(letter, -1)
        if stage < self.stage or self.done:
            raise Malformed(f"a line '{letter[:10]}' does not belong here")
        self.stage = stage
        if letter in ("a", "&", "|", "!") or self.stage < 5:
            self.tokens += len(words)
            if self.tokens > (MAX_STATE_VALUES if letter == "s" else MAX_TOKENS):
                raise Malformed("there are too many formulas, regions or states")
        if letter in ("&", "|", "!"):
            if letter == "!" and len(words) != 1 or not words:
                raise Malformed("a formula has the wrong number of parts")
            self.formulas.append((letter, [natural(word, len(self.formulas), "earlier formula") for word in words]))
        else:
            getattr(self, f"line_{letter}")(words)

    def line_a(self, words):
        terms = {}
        for word in words[1:]:
            slot, _, factor = word.partition(":")
            slot = natural(slot, len(self.model.slots), "slot")
            terms, last = {**terms, slot: integer(factor)}, max(terms, default=-1)
            if slot <= last or not terms[slot]:
                raise Malformed("the slots of an atom are not ascending, or one has the factor 0")
        self.formulas.append(("a", integer(words[0] if words else ""), terms))

    def line_o(self, words):
        label = None if words[:1] == ["-"] else self.actions[natural(words[0] if words else "", len(self.actions), "action")]
        moves, outcomes = [], [1, 1]
        for word in words[1:]:
            instance, _, edge = word.partition(":")
            instance = natural(instance, len(self.model.instances), "instance")
            if moves and moves[-1][0] >= instance:
                raise Malformed("participants are not in order")
            edges = [e for e in self.model.instances[instance].edges if e.number is not None]
            number = None if edge == "-" else natural(edge, len(edges), "edge")
            moves.append((instance, number))
            if number is not None:
                outcomes = [outcomes[0] * len(edges[number].possible), outcomes[1] * len(edges[number].ever)]
        self.lines.append(((label, tuple(moves)), outcomes))

    def line_r(self, words):
        bounds, formulas = {}, []
        for word in words:
            if word.startswith("f"):
                formulas.append(natural(word[1:], len(self.formulas), "formula"))
                continue
            fields = word.split(":")
            slot = natural(fields[0], len(self.model.slots), "slot")
            lo, hi = (integer(fields[1]), integer(fields[2])) if len(fields) == 3 else (1, 0)
            low, high = self.model.domains[slot]
            if slot <= max(bounds, default=-1) or not low <= lo <= hi <= high:
                raise Malformed("the bounds of a slot are empty, outside its domain, or not in order")
            bounds[slot] = lo, hi
        if any(i not in bounds or bounds[i][0] != bounds[i][1] for i in range(len(self.model.instances))):
            raise Malformed("a region leaves a location open")
        self.regions.append((bounds, formulas))

    def line_k(self, words):
        slots = [natural(word, len(self.model.slots), "slot") for word in words]
        if self.key is not None or len(set(slots)) != len(slots) or any(i not in slots for i in range(len(self.model.instances))):
            raise Malformed("the slots of states are there twice, or without the locations")
        self.key = slots
        self.free = [s for s in range(len(self.model.slots)) if s not in slots]

    def line_s(self, words):
        values = tuple(map(integer, words))
        if self.key is None or len(values) != len(self.key) or any(not self.model.domains[s][0] <= v <= self.model.domains[s][1] for s, v in zip(self.key, values)):
            raise Malformed("a state has the wrong number of values, or one outside its domain")
        self.states.add(values)
        self.state_count = getattr(self, "state_count", 0) + 1

    def line_x(self, words):
        values = self.whole_state(words)
        if self.witness:
            raise Malformed("there are two start states")
        if not is_start(self.system.question, values):
            raise Rejected("the state of 'x' is no start state")
        self.witness = True

    def whole_state(self, words):
        values = tuple(map(integer, words))
        if len(values) != len(self.model.slots) or any(not low <= v <= high for v, (low, high) in zip(values, self.model.domains)):
            raise Malformed("a state has the wrong number of values, or one outside its domain")
        return values

    def line_c(self, words):
        conditions = self.system.question.conditions
        if self.covered >= len(conditions):
            raise Malformed("there are more trees than start conditions")
        self.tree(self.cover_node(conditions[self.covered]), words)
        self.covered += 1

    def cover_node(self, condition):
        node = Node([low for low, _ in self.model.domains], [high for _, high in self.model.domains])
        node.cover = condition
        return node

    def line_l(self, words):
        states = self.system.question.states
        if self.listed >= len(states) or len(words) != 1:
            raise Malformed("there are more lines than listed start states")
        env = Env(list(states[self.listed]), list(states[self.listed]))
        if not self.leads(env, {}, self.target_of(words[0])):
            raise Rejected("the listed start state is not there")
        self.listed += 1

    def line_t(self, words):
        number = len(self.trees)
        self.trees.append(None)
        if number >= len(self.regions):
            raise Malformed("there are more trees than regions")
        if len(words) == 1 and words[0].startswith("="):
            words = self.trees[natural(words[0][1:], number, "earlier tree")]
            if words is None:
                raise Malformed("the tree that is named is a reference itself, or too long to be one")
        elif sum(map(len, words)) + len(words) <= MAX_SHARED + 1:
            self.trees[number] = words
        self.tree(self.region_node(number), words)

    def region_node(self, number):
        bounds, formulas = self.regions[number]
        ends = [bounds.get(s, domain) for s, domain in enumerate(self.model.domains)]
        node = Node([lo for lo, _ in ends], [hi for _, hi in ends])
        for formula in formulas:
            self.learn(node, formula, True)
        node.operators = self.model.operators(tuple(node.lo[:len(self.model.instances)]))
        node.target, node.pending = True, [] if self.system.question.initial_only else list(node.operators)
        return node

    def line_end(self, words):
        counts = [len(self.regions), getattr(self, "state_count", 0)]
        if words != [str(count) for count in counts]:
            raise Malformed("the numbers of regions and states are not those told at the end")
        question = self.system.question
        if not self.witness:
            raise Rejected("no start state is shown")
        if self.covered < len(question.conditions) or self.listed < len(question.states):
            raise Rejected("a start condition or a listed start state is not covered")
        if len(self.trees) < len(self.regions):
            raise Rejected(f"region {len(self.trees)} has no tree")
        self.done = True
        for number, values in enumerate(sorted(self.states)):
            try:
                self.check_state(values)
            except Rejected as error:
                raise Rejected(f"state {' '.join(map(str, values))}: {error}") from None

    def check_state(self, values):
        """Obligations 2 and 3 for a state; successors are states."""
        lo, hi = [low for low, _ in self.model.domains], [high for _, high in self.model.domains]
        for s, v in zip(self.key, values):
            lo[s] = hi[s] = v
        operators = self.model.operators(tuple(lo[:len(self.model.instances)]))
        pending = [] if self.system.question.initial_only else operators

        self.system.check_point(Env(lo, hi), True, pending, operators, lambda env, assigned: self.leads(env, assigned, "@"), self.free)

    # Formulas, regions, targets.

    def learn(self, node, formula, truth):
        """Adds that a formula is true (or false): atoms as facts, what follows part by part, and what does not as it is."""
        facts, others, work = set(node.facts), list(node.others), [(formula, truth)]
        for formula, truth in work:
            kind, *rest = self.formulas[formula]
            if kind == "a":
                facts.add((formula, truth))
            elif kind == "!":
                work.append((rest[0][0], not truth))
            elif (kind == "&") == truth:
                work += [(part, truth) for part in rest[0]]
            else:
                others.append((formula, truth))
            if len(work) > MAX_FORMULA:
                raise Malformed("a formula is too large")
        node.facts, node.others = frozenset(facts), tuple(others)

    def fact(self, formula, truth):
        """Constant and terms of what is at least 0: of an atom, or over integers of its negation."""
        _, constant, terms = self.formulas[formula]
        return (constant, terms) if truth else (-constant - 1, {s: -k for s, k in terms.items()})

    def truth(self, env, assigned, formula):
        """The truth of a formula where some slots have other values."""
        needed, work = set(), [formula]
        while work:
            f = work.pop()
            if f not in needed:
                needed.add(f)
                work += self.formulas[f][1] if self.formulas[f][0] != "a" else ()
            if len(needed) > MAX_FORMULA:
                raise Malformed("a formula is too large")
        found = {}
        for f in sorted(needed):
            kind, *rest = self.formulas[f]
            if kind == "a":
                value = rest[0]
                for s, k in rest[1].items():
                    value = add(value, assigned[s] if s in assigned else env.slot(s), k)
                ends = env.range(value)
                found[f] = None if ends is None else True if ends[0] >= 0 else False if ends[1] < 0 else None
            else:
                truths = [found[part] for part in rest[0]]
                if kind == "!":
                    found[f] = None if truths[0] is None else not truths[0]
                else:
                    decisive = kind == "|"
                    found[f] = decisive if decisive in truths else None if None in truths else not decisive
        return found[formula]

    def leads(self, env, assigned, target):
        """Whether the updated states are in a region, or among the states."""
        if target == "@":
            if self.key is None:
                return False
            ends = [env.range(assigned[s] if s in assigned else env.slot(s)) for s in self.key]
            return all(end is not None and end[0] == end[1] for end in ends) and tuple(end[0] for end in ends) in self.states
        bounds, formulas = self.regions[target]
        for s, (lo, hi) in bounds.items():
            ends = env.range(assigned[s] if s in assigned else env.slot(s))
            if ends is None or ends[0] < lo or ends[1] > hi:
                return False
        return all(self.truth(env, assigned, formula) is True for formula in formulas)

    def target_of(self, word):
        return "@" if word == "@" else natural(word, len(self.regions), "region")

    def targets(self, text):
        """Targets, separated by commas, as lists of tests: each is a list of ((I, C, at most) ..., region) cases."""
        found, position = [], 0
        pattern = re.compile(r"c([0-9]{1,6})<(-?[0-9]{1,20})\[|[0-9]{1,9}|@|-")
        while True:
            cases, path = [], []
            while True:
                match = pattern.match(text, position)
                if match is None or len(path) > 100:
                    raise Malformed(f"no target at '{text[position:position + 20]}'")
                position = match.end()
                if match.group().startswith("c"):
                    path.append((int(match.group(1)), int(match.group(2)), True))
                    continue
                cases.append((tuple(path), match.group() if match.group() == "-" else self.target_of(match.group())))
                while path and not path[-1][2] and text[position:position + 1] == "]":
                    path.pop()
                    position += 1
                if not path:
                    break
                if text[position:position + 1] != ";" or not path[-1][2]:
                    raise Malformed("a target is not complete")
                path[-1] = (*path[-1][:2], False)
                position += 1
            found.append(cases)
            if position == len(text):
                return found
            if text[position] != ",":
                raise Malformed(f"no target at '{text[position:position + 20]}'")
            position += 1

    # Nodes.

    def settle(self, node):
        """Takes away what is settled in a node that was made just now."""
        env = node.env = Env(node.lo, node.hi, self.directions(node))
        if env.known is False or any(self.truth(env, {}, formula) is (not truth) for formula, truth in node.others):
            node.target, node.pending, node.cover = False, [], None
            return
        if node.cover is not None:
            env.err = False
            if node.cover.run(env) is False and not env.err:
                node.cover = None
            return
        if node.target and self.system.safe(env):
            node.target = False
        if self.system.at_goal(env):
            node.pending = []
        pending = []
        for op in node.pending:
            if op not in node.states:
                node.states[op] = self.system.guards(env, op)
            if node.states[op] != "off":
                pending.append(op)
        node.pending = pending
        self.settle_choice(node)

    def directions(self, node):
        """Bounds on linear directions by the facts, slots that the box fixes being constants; False if a fact is false."""
        found = {}
        for formula, truth in node.facts:
            constant, terms = self.fact(formula, truth)
            terms, most = dict(terms), constant
            for s in list(terms):
                if node.lo[s] == node.hi[s]:
                    constant += terms.pop(s) * node.lo[s]
            if constant + sum(k * (node.hi[s] if k > 0 else node.lo[s]) for s, k in terms.items()) < 0:
                return False
            if terms:
                key, factor = direction(terms)
                # factor * key + constant >= 0, and what is in `key` is an integer.
                bound = Fraction(-constant, factor)
                least, most = found.get(key, (None, None))
                if factor > 0:
                    least = math.ceil(bound) if least is None else max(least, math.ceil(bound))
                else:
                    most = math.floor(bound) if most is None else min(most, math.floor(bound))
                if least is not None and most is not None and least > most:
                    return False
                found[key] = least, most
        return found

    def settle_choice(self, node):
        governed = self.system.governed
        node.pending = [op for op in node.pending if op.label not in governed or node.states[op] == "error" or not self.not_chosen(node, governed[op.label])]

    def not_chosen(self, node, output):
        if output in node.out:
            return True
        if node.rows is None:
            return False
        terms, constant, _ = node.rows[1][output]
        return self.below(node, output, constant + sum(k * (node.hi[s] if k > 0 else node.lo[s]) for s, k in terms.items()))

    def below(self, node, output, most):
        """Whether an output is not chosen, its distance to the output of the rows being at most this."""
        policy, best = self.system.policy, node.rows[0]
        if most > 0 or (most == 0 and not (policy.ties == "first" and best < output)):
            return False
        return not policy.filter or self.system.applicable(node.env, policy.labels[best], node.operators, node.states) is True

    def network(self, node):
        network = self.system.policy.network(node.env) if self.system.policy else None
        if network is None:
            raise Rejected("there is no network in this node")
        return network

    # Trees: one function per token.

    def tree(self, node, words):
        """A proof about a node, tokens root first: `waiting` has the second parts of splits."""
        waiting, current = [], node
        self.settle(current)
        for position, word in enumerate(words):
            if current is None:
                raise Malformed(f"token {position}: the tree is complete before it")
            try:
                result = self.token(current, word)
            except Rejected as error:
                raise type(error)(f"token {position} ({word[:30]}): {error}") from None
            if result is None:
                continue
            if result:
                current = result[0]
                waiting.append(result[1])
                if len(waiting) > MAX_OPEN_NODES:
                    raise Malformed("too many nodes of a tree are open")
            else:
                current = waiting.pop() if waiting else None
            if current is not None:
                self.settle(current)
        if current is not None:
            raise Malformed("a tree ends too early")

    def token(self, node, word):
        """None for a step, the two parts of a split, or () for a leaf."""
        first = word[:1]
        if word == ".":
            if node.target or node.pending or node.cover is not None:
                raise Rejected(f"nothing should be left to be shown, but {self.left(node)}")
            return ()
        if first == "*":
            self.try_points(node, word[1:])
            return ()
        if first == "f":
            terms, constant = self.combined(node, {}, 0, word[1:])
            if self.most(node, terms, constant) >= 0:
                raise Rejected("the sum of formulas does not show that the node is empty")
            return ()
        if first == "=":
            return self.leaf_inside(node, word[1:])
        if first == "?":
            formula = natural(word[1:], len(self.formulas), "formula")
            if self.formulas[formula][0] != "a":
                raise Malformed("only atoms are split")
            return self.split(node, lambda part, truth: self.learn(part, formula, truth))
        if first.isdigit():
            return self.split_slot(node, word)
        if node.cover is not None or first not in ("b", "e", "g", ">", "^"):
            raise Malformed("no token that belongs here")
        return {"b": self.step_bounds, "e": self.step_exact, "g": self.step_sum, ">": self.step_moves, "^": self.split_phase}[first](node, word[1:])

    def left(self, node):
        if node.cover is not None:
            return "the start condition is"
        return "the target is" if node.target else f"the operator {node.pending[0]} is" + (f", and {len(node.pending) - 1} others" if len(node.pending) > 1 else "")

    def split(self, node, tell):
        both = node.child(), node.child()
        for part, truth in zip(both, (True, False)):
            tell(part, truth)
        return both

    def split_slot(self, node, word):
        slot, _, at = word.partition("<")
        slot, at = natural(slot, len(self.model.slots), "slot"), integer(at)
        if not node.lo[slot] <= at < node.hi[slot]:
            raise Rejected("the slot is not split there: its bounds in the node are on one side")

        def tell(part, truth):
            if truth:
                part.hi[slot] = at
            else:
                part.lo[slot] = at + 1
        return self.split(node, tell)

    def split_phase(self, node, text):
        layer, _, neuron = text.partition(".")
        hidden = self.network(node).hidden
        layer = natural(layer, len(hidden), "hidden layer")
        neuron = natural(neuron, hidden[layer], "neuron")

        def tell(part, truth):
            part.phases = {**part.phases, (layer, neuron): truth}
        return self.split(node, tell)

    def step_bounds(self, node, text):
        best, _, slopes = text.partition("/")
        network = self.network(node)
        best = natural(best, len(self.system.policy.labels), "output")
        if not re.fullmatch(r"[0-9a-f-]*", slopes) or len(slopes) > sum(network.hidden):
            raise Malformed("slopes are hexadecimal digits, at most one per neuron")
        if slopes not in node.lines:
            node.lines[slopes] = network.relax(node.lo, node.hi, node.phases, slopes)
        if node.lines[slopes] is None:
            # No state has these phases: no output is chosen in any.
            node.out = frozenset(range(len(self.system.policy.labels)))
        else:
            node.rows = best, network.rows(best, node.lines[slopes])
        self.settle_choice(node)

    def step_exact(self, node, text):
        if text:
            raise Malformed("no token that belongs here")
        if self.system.policy is None:
            raise Rejected("there is no policy")
        chosen = self.system.chosen(node.env, node.operators)
        if chosen is None:
            raise Rejected("the policy's choice is not the same, or not decided, in all of the node")
        node.out = frozenset(number for number, label in enumerate(self.system.policy.labels) if label not in chosen)
        self.settle_choice(node)

    def step_sum(self, node, text):
        output, _, sums = text.partition(":")
        if self.system.policy is None or node.rows is None:
            raise Rejected("there are no rows in this node")
        output = natural(output, len(self.system.policy.labels), "output")
        terms, constant, scale = node.rows[1][output]
        terms, constant = self.combined(node, {s: Fraction(k, scale) for s, k in terms.items()}, Fraction(constant, scale), sums)
        if not any(op.label == self.system.policy.labels[output] for op in node.pending):
            return
        if not self.below(node, output, self.most(node, terms, constant)):
            raise Rejected("the sum does not show that the output is not chosen")
        node.out |= {output}
        self.settle_choice(node)

    def most(self, node, terms, constant):
        return constant + sum(k * (node.hi[s] if k > 0 else node.lo[s]) for s, k in terms.items())

    def combined(self, node, terms, constant, text):
        """A linear form plus known formulas times positive multipliers."""
        terms = dict(terms)
        for part in text.split(","):
            formula, _, multiplier = part.partition("*")
            formula, truth = natural(formula, len(self.formulas), "formula"), True
            multiplier = exact(multiplier) if re.fullmatch(r"[0-9]+([./][0-9]+)?", multiplier) else 0
            if multiplier <= 0:
                raise Rejected("a multiplier is not positive")
            if self.formulas[formula][0] == "!":
                formula, truth = self.formulas[formula][1][0], False
            if self.formulas[formula][0] != "a":
                raise Malformed("only atoms and negations of atoms are summed")
            if (formula, truth) not in node.facts:
                raise Rejected(f"formula {formula} is not known in this node")
            offset, factors = self.fact(formula, truth)
            constant += multiplier * offset
            for s, k in factors.items():
                terms[s] = terms.get(s, 0) + multiplier * k
        return terms, constant

    def step_moves(self, node, text):
        number, _, targets = text.partition(":")
        key, outcomes = self.lines[natural(number, len(self.lines), "operator")]
        cases = None if targets == "!" else self.targets(targets)
        if cases is None and not self.system.assume:
            raise Rejected("operators in error are allowed only where that is assumed")
        if cases is not None and len(cases) not in outcomes:
            raise Rejected(f"the operator has {outcomes[0]} outcomes, not {len(cases)}")
        for op in node.pending:
            if op.key == key:
                self.check_moves(node, op, cases)
        node.pending = [op for op in node.pending if op.key != key]

    def check_moves(self, node, op, cases):
        system, env = self.system, node.env
        if node.states[op] == "error":
            raise Rejected("a guard of the operator may have no value")
        if op.label in system.governed and system.policy.network(env) is None:
            raise Rejected("there is no network in this node")
        chances = system.chances(env, op)
        if cases is None:
            sure = chances is None and env.sure
            for outcome in op.outcomes() if chances is not None else ():
                inner = env.copy()
                system.update(inner, op, outcome, system.symbol)
                sure |= inner.sure and all(chances[id(d)][0] > 0 for d in outcome)
            if not sure:
                raise Rejected("the operator is not in error in all of the node")
            return
        if chances is None:
            raise Rejected("the probabilities of the operator are not decided, or no distribution")
        # Soundness: outcomes that are not told are impossible in every state.
        for number, (outcome, tests) in enumerate(zip(op.outcomes(len(cases)), cases)):
            try:
                self.check_outcome(env, op, outcome, chances, tests)
            except Rejected as error:
                raise type(error)(f"outcome {number} {error}") from None

    def check_outcome(self, env, op, outcome, chances, tests):
        """That an outcome leads to its target, in each case of its non-deterministic values."""
        impossible = any(chances[id(d)] == (0, 0) for d in outcome)
        if any(target == "-" for _, target in tests) and not (impossible and len(tests) == 1):
            raise Rejected("is not impossible in all of the node")
        if impossible:
            return
        inner, size = env.copy(), len(env.lo)
        values = self.system.update(inner, op, outcome, self.system.symbol)
        if inner.err:
            raise Rejected("may be in error, or leave a domain")
        for path, target in tests:
            case = inner.copy()
            for symbol, at, most in path:
                if size + symbol >= len(case.lo):
                    raise Malformed(f"has no non-deterministic value {symbol}")
                if most:
                    case.hi[size + symbol] = min(case.hi[size + symbol], at)
                else:
                    case.lo[size + symbol] = max(case.lo[size + symbol], at + 1)
            if all(lo <= hi for lo, hi in zip(case.lo[size:], case.hi[size:])) and not self.leads(case, values, target):
                raise Rejected(f"may lead out of {'the states' if target == '@' else f'region {target}'}")

    def leaf_inside(self, node, word):
        target = self.target_of(word)
        if node.cover is None and (node.target or node.pending):
            raise Malformed("this leaf is for start conditions")
        if node.cover is not None:
            node.env.err = False
            node.cover.run(node.env)
            if node.env.err or not self.leads(node.env, {}, target):
                raise Rejected("the start condition may have no value, or the node is not inside")
        return ()

    def try_points(self, node, text):
        """Every point of the box that satisfies what is known."""
        targets = [self.target_of(word) for word in text.split(",")] if text else []
        if math.prod(hi - lo + 1 for lo, hi in zip(node.lo, node.hi)) > MAX_POINTS:
            raise Malformed(f"the box has more than {MAX_POINTS} points")

        def member(env, assigned):
            return any(self.leads(env, assigned, target) for target in targets)
        for point in itertools.product(*(range(lo, hi + 1) for lo, hi in zip(node.lo, node.hi))):
            env = Env(list(point), list(point))
            if any(self.truth(env, {}, formula) is not truth for formula, truth in itertools.chain(node.facts, node.others)):
                continue
            if node.cover is not None:
                truth = node.cover.run(env)
                if env.err or (truth and not member(env, {})):
                    raise Rejected(f"the start state {self.system.show(env)} is not covered, or the condition has no value")
            elif node.target or node.pending:
                self.system.check_point(env, node.target, node.pending, node.operators, member)


def is_start(question, values):
    env = Env(list(values), list(values))
    for condition in question.conditions:
        env.err = False
        if condition.run(env) is True and not env.err:
            return True
    return values in question.states


# ---------------------------------------------------------------------------------------------------------------- runs

def check_run(system, document):
    """Steps through a run: each step's operator is enabled and permitted, and leads where it says."""
    model = system.model
    if not isinstance(document, dict) or document.get("kind") != "run":
        raise Unreadable("the witness is no run")
    state = run_state(model, get(document, "start"))
    if not is_start(system.question, state):
        raise Rejected("the run does not begin in a start state")
    for number, step in enumerate(get(document, "steps", list)):
        try:
            state = check_step(system, state, step)
        except Rejected as error:
            raise Rejected(f"step {number}: {error}") from None
    env = Env(list(state), list(state))
    if system.question.target.run(env) is not True or env.err:
        raise Rejected("the target does not hold at the end of the run")


def run_state(model, node):
    """A state by names."""
    left = dict(node) if isinstance(node, dict) else {}
    places = left.pop("locations", {})
    if not isinstance(places, dict) or any(name not in [i.name for i in model.instances] for name in places):
        raise Unreadable("a state of the run has unknown automata")
    values = [model.place(i, places[i.name]) if i.name in places or len(i.places) > 1 and get(places, i.name) else 0 for i in model.instances]
    for s in range(len(model.instances), len(model.slots)):
        name = model.slots[s] + ("'" if model.slots[s] == "locations" else "")
        value, (low, high) = left.pop(name, None), model.domains[s]
        if isinstance(value, bool) != model.bools[s] or not isinstance(value, int) or not low <= value <= high:
            raise Rejected(f"a state of the run has no right value for '{name}'")
        values.append(int(value))
    if left:
        raise Unreadable(f"a state of the run has an unknown member '{next(iter(left))[:40]}'")
    return tuple(values)


def check_step(system, state, step):
    model, env, count = system.model, Env(list(state), list(state)), len(system.model.instances)
    edges, taken, told = get(step, "edges", dict), get(step, "outcome", list), run_state(model, get(step, "state"))
    if system.at_goal(env) or env.err:
        raise Rejected("the run goes on where it has ended")
    names = {instance.name: i for i, instance in enumerate(model.instances)}
    if any(name not in names for name in edges):
        raise Unreadable("an edge of an unknown automaton")
    key = step.get("label"), tuple(sorted((names[name], number) for name, number in edges.items()))
    operators = model.operators(state[:count])
    enabled = [op for op in operators if op.key == key and system.guards(env, op) == "on"]
    if not enabled:
        raise Rejected("the operator is not enabled, or there is none")
    if key[0] in system.governed:
        chosen = system.chosen(env, operators)
        if chosen is None or key[0] not in chosen:
            raise Rejected(f"the policy does not choose '{key[0]}'")
        check_decision(system, env, chosen, step.get("policy"))
    op = enabled[0]
    if len(taken) != len(op.moves) or any(not isinstance(d, int) or not 0 <= d < len(edge.destinations) for d, (_, edge) in zip(taken, op.moves)):
        raise Rejected("there is no such outcome")
    outcome, chances = tuple(edge.destinations[d] for d, (_, edge) in zip(taken, op.moves)), system.chances(env, op)
    if chances is None or any(chances[id(d)] == (0, 0) for d in outcome):
        raise Rejected("the outcome is impossible")
    for _, values in system.successors(env, op, outcome):
        if not env.err and tuple(values.get(s, state[s]) for s in range(len(state))) == told:
            return told
    raise Rejected("the outcome does not lead to the state told")


def check_decision(system, env, chosen, told):
    """Outputs and choices are those told."""
    if told is None:
        return
    network = system.policy.network(env)
    outputs = {label: Fraction(z, network.scale[-1]) for label, z in zip(system.policy.labels, network.outputs(env.lo))}
    scores = {label: exact(get(score, "exact")) for label, score in get(told, "scores", dict).items()}
    if scores != outputs or sorted(get(told, "chosen", list)) != sorted(chosen):
        raise Rejected("the policy's outputs or choice are not those told")


# ------------------------------------------------------------------------------------------------------------ the file

def lines_of(path):
    """The lines of a compressed file, none of them and not all of them too long."""
    total = 0
    try:
        with gzip.open(path, "rb") as file:
            while line := file.readline(MAX_LINE + 2):
                total += len(line)
                if len(line) > MAX_LINE + 1 or total > MAX_RAW:
                    raise Unreadable("the certificate is too large")
                if not line.endswith(b"\n"):
                    raise Unreadable("the certificate ends within a line")
                yield line[:-1].decode("utf-8")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise Unreadable(f"cannot read the certificate: {error}") from None


def check_index(index, files, options, system, given):
    """That the certificate is about what was read here."""
    policy, question, model = system.policy, system.question, system.model
    verdict = "holds" if (index.get("claim") == "unreachable") == question.never else "violated"
    semantics = {"ties": policy.ties if policy else None, "filter": policy.filter if policy else None, "goal_terminal": options.goal_terminal,
                 "initial_only": question.initial_only, "assume_no_errors": system.assume}
    told = {name: value if isinstance(value, bool) else exact(value) for name, value in get(index, "constants", dict).items()}
    agree = {"inputs": set(map(str, get(index, "inputs", dict).values())) == files.hashes, "verdict": index.get("verdict") == verdict,
             "property": index.get("property") == {"index": question.index, "name": question.name}, "semantics": index.get("semantics") == semantics,
             "constants": told == given, "slots": index.get("slots") == model.slots, "locations": index.get("locations") == len(model.instances),
             "outputs": index.get("outputs") == (policy.labels if policy else [])}
    for name, right in agree.items():
        if not right:
            raise Rejected(f"the index: '{name}' is not what the files and options say" + (" (their hashes differ)" if name == "inputs" else ""))
    actions = get(index, "actions", list)
    if len(set(map(str, actions))) != len(actions) or any(action not in model.actions for action in actions):
        raise Rejected("the index: 'actions' are not those of the model")
    return actions


def check(options):
    files, given = Files(), {}
    for text in options.const:
        name, _, value = text.partition("=")
        if name in given:
            raise Unreadable(f"the constant '{name}' is given twice")
        given[name] = value == "true" if value in ("true", "false") else exact(value)
    lines = lines_of(options.certificate)
    index = parse_json(next(lines, ""), "the index")
    if get(index, "format") != "surefoot-certificate" or get(index, "version") != 1:
        raise Unreadable("this is no certificate of version 1")
    if get(index, "claim") not in ("unreachable", "reachable"):
        refuse(f"the claim '{str(index['claim'])[:40]}'")
    node = files.json(options.model)
    model = Model(node, given)
    question = Question(model, files, options, node, options.model)
    path = options.policy or question.policy
    policy = Policy(model, files, path, None if options.filter is None else options.filter == "on") if path else None
    system = System(model, policy, question, options.goal_terminal, options.assume == "no-errors")
    actions = check_index(index, files, options, system, given)
    if index["claim"] == "reachable":
        run, end = parse_json(next(lines, ""), "the run"), next(lines, None)
        if end != "end" or next(lines, None) is not None:
            raise Unreadable("a run is followed by 'end', and by nothing else")
        check_run(system, run)
        return f"accepted: a run of {len(run['steps'])} steps"
    invariant = Invariant(system, actions)
    for number, line in enumerate(lines, 2):
        try:
            invariant.line(line)
        except Rejected as error:
            letter = line.split(" ", 1)[0][:10]
            what = {"t": f" (tree of region {len(invariant.trees) - 1})", "c": f" (start condition {invariant.covered})"}.get(letter, "")
            raise Rejected(f"line {number} '{letter}'{what}: {error}") from None
    if not invariant.done:
        raise Unreadable("the certificate has no line 'end'")
    return f"accepted: {len(invariant.regions)} regions and {len(invariant.states)} states are an inductive invariant"


def parse(arguments):
    parser = argparse.ArgumentParser(description="Checks a certificate of Surefoot; docs/certificates.md says what that means.")
    parser.add_argument("certificate")
    parser.add_argument("model")
    parser.add_argument("--properties", action="append", default=[])
    parser.add_argument("--property")
    parser.add_argument("--policy")
    parser.add_argument("--const", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--filter", choices=["on", "off"])
    parser.add_argument("--goal-terminal", action="store_true")
    parser.add_argument("--assume", choices=["no-errors"])
    return parser.parse_args(arguments)


def opinion(options):
    """The exit code, and what is said."""
    # Bounded by MAX_JSON_DEPTH and MAX_CALLS: nothing else recurses over what files say.
    sys.setrecursionlimit(40_000)
    try:
        return 0, check(options)
    except Rejected as error:
        return 1, f"rejected: {error}"
    except Unreadable as error:
        return 2, f"error: {error}"
    except Exception as error:
        # Something that nobody thought of is no reason to accept, nor to show more than a line of it.
        return 2, f"error: internal: {type(error).__name__}: {error}"


if __name__ == "__main__":
    code, said = opinion(parse(sys.argv[1:]))
    # What a certificate says may hold control characters, which terminals obey.
    print("".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in said))
    sys.exit(code)
