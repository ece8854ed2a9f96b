#!/usr/bin/env python3
"""Checks a certificate of bounds on a probability, as docs/certificates.md describes it ("Probabilities").

Usage: check_bounds.py CERTIFICATE MODEL [options as for check.py]. Exit code 0: accepted; 1: rejected, with the first thing that is not so; 2: unreadable, or not supported.

Independent of the Rust code: it stands on the model reader of check.py beside it, on the standard library and on fractions.
"""

import gzip
import io
import itertools
import math
import sys
import tarfile
import zlib
from fractions import Fraction

import check
from check import Env, Rejected, Unreadable, get, negation, only, refuse

MAX_BYTES, MAX_FILES, MAX_BITS, MAX_COMBINATIONS, MAX_BOXES = 1 << 30, 64, 1 << 20, 100_000, 1 << 20
OPERATORS = {"<": lambda a, b: a < b, "≤": lambda a, b: a <= b, ">": lambda a, b: a > b, "≥": lambda a, b: a >= b, "=": lambda a, b: a == b, "≠": lambda a, b: a != b}


class Probability(check.Question):
    """A property as an until: `left U right` for the largest or smallest probability, or one minus that."""

    left, complement, maximal, threshold, everywhere, steps = None, False, True, None, True, None

    def safety(self, body, folder):
        super().safety(body, folder)
        self.right = self.target

    def filter(self, body):
        only(body, "a filter", "op", "fun", "values", "states", "comment")
        function, values = get(body, "fun"), get(body, "values", dict)
        if get(body, "states") != {"op": "initial"} or function not in ("max", "min", "values", "∀", "∃"):
            refuse("a filter other than max, min, values, ∀ and ∃ over the initial states")
        if values.get("op") in OPERATORS:
            if not isinstance(get(values, "right"), (int, Fraction)):
                refuse("a comparison with something else than a number")
            self.threshold, values = (values["op"], values["right"]), get(values, "left", dict)
        # What is asked of all start states, of some, or of the only one.
        self.everywhere = {"max": True, "∀": True, "min": False, "∃": False, "values": None}[function]
        self.extreme = function in ("max", "min")
        quantifier, path = get(values, "op"), get(values, "exp", dict)
        if quantifier not in ("Pmax", "Pmin"):
            refuse(f"the quantifier '{quantifier}'")
        op = get(path, "op")
        if op not in ("F", "G", "U", "W", "R"):
            refuse(f"the path operator '{op}'")
        only(path, "a path formula", "op", "exp", "left", "right", "step-bounds")
        if "step-bounds" in path:
            only(path["step-bounds"], "step bounds", "upper", "upper-exclusive")
            upper, exclusive = get(path["step-bounds"], "upper"), path["step-bounds"].get("upper-exclusive", False)
            if type(upper) is not int or type(exclusive) is not bool or upper < exclusive:
                refuse("a bound on steps that is no natural number")
            self.steps = upper - exclusive
        condition = self.model.condition
        if op in ("F", "G"):
            left, right = None, condition(get(path, "exp"))
        else:
            left, right = condition(get(path, "left")), condition(get(path, "right"))
        self.complement = op in ("G", "W", "R")
        self.maximal = (quantifier == "Pmax") != self.complement
        if op == "G":
            right = negation(right)
        elif op == "W":
            left, right = negation(right), check.all_of([negation(left), negation(right)])
        elif op == "R":
            left, right = negation(left), negation(right)
        self.left, self.right, self.target, self.never, self.conditions = left, right, right, True, [self.initial()]


def unpack(path):
    """The files of the archive."""
    try:
        with gzip.open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise Unreadable("the archive is too large")
        files = {}
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.name in files or len(files) == MAX_FILES:
                    raise Unreadable("the archive has entries that are no plain files, or too many, or one twice")
                files[member.name] = archive.extractfile(member).read()
        return files
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise Unreadable(f"cannot read the archive: {error}") from None


class Part:
    """States, choices, branches and vectors, as the archive has them."""

    def __init__(self, files):
        self.files = files
        self.umb = check.parse_json(self.file("index.json").decode("utf-8", "replace"), "the archive's index")
        self.index = get(get(self.umb, "file-data", dict), "parameters", dict)
        system = get(self.umb, "transition-system", dict)
        if self.umb.get("format-version") != 1 or system.get("time") != "discrete":
            raise Unreadable("this is no model in discrete time of version 1 of the format")
        self.count, choices, branches = (self.natural(system, name) for name in ("#states", "#choices", "#branches"))
        if self.count == 0:
            raise Unreadable("there are no states")
        self.initial, self.target, self.frontier = (self.bits(f) for f in ("state-is-initial.bin", self.label("target"), self.label("frontier")))
        first, begin = self.offsets("state-to-choices.bin", self.count, choices), self.offsets("choice-to-branches.bin", choices, branches)
        targets = self.numbers("branch-to-target.bin", branches, 8)
        if any(target >= self.count for target in targets):
            raise Unreadable("a branch leads to a state that is not there")
        probabilities = self.fractions("branch-to-probability.bin", get(system, "branch-probability-type", dict), branches)
        actions = self.numbers("actions/choices/values.bin", choices, 4) if system.get("#choice-actions") else [0] * choices
        row = lambda c: move(actions[c], zip(targets[begin[c] : begin[c + 1]], probabilities[begin[c] : begin[c + 1]]))
        self.moves = [[row(c) for c in range(first[s], first[s + 1])] for s in range(self.count)]
        about = get(get(self.umb, "annotations", dict), "certificate", dict)
        vector = lambda name: self.fractions(self.note(name), get(about[name], "type", dict), self.count) if name in about else None
        self.upper, self.lower = vector("upper"), vector("lower")
        self.rank = self.numbers(self.note("rank"), self.count, 8) if "rank" in about else None

    label = staticmethod(lambda name: f"annotations/aps/{name}/states/values.bin")
    note = staticmethod(lambda name: f"annotations/certificate/{name}/states/values.bin")

    def file(self, name, size=None):
        data = self.files.get(name)
        if data is None or size is not None and len(data) != size:
            raise Unreadable(f"'{name}' is not in the archive, or has another size")
        return data

    def natural(self, node, name):
        value = node.get(name)
        if type(value) is not int or not 0 <= value < 1 << 32:
            raise Unreadable(f"'{name}' is no count")
        return value

    def bits(self, name):
        data = self.file(name, (self.count + 63) // 64 * 8)
        return [data[s // 8] >> s % 8 & 1 for s in range(self.count)]

    def numbers(self, name, count, size):
        data = self.file(name, count * size)
        return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]

    def offsets(self, name, count, end):
        found = self.numbers(name, count + 1, 8)
        if found[0] != 0 or found[-1] != end or any(a > b for a, b in zip(found, found[1:])):
            raise Unreadable(f"the offsets of '{name}' do not ascend")
        return found

    def fractions(self, name, kind, count):
        size = kind.get("size")
        if kind.get("type") != "rational" or type(size) is not int or not 0 < size <= MAX_BITS or size % 16:
            raise Unreadable(f"'{name}' has no fractions")
        half = size // 16
        data, found = self.file(name, count * 2 * half), []
        for i in range(0, len(data), 2 * half):
            above, below = int.from_bytes(data[i : i + half], "little", signed=True), int.from_bytes(data[i + half : i + 2 * half], "little")
            if above < 0 or below == 0:
                raise Rejected(f"'{name}' has a fraction that is negative, or has the denominator 0")
            found.append(Fraction(above, below))
        return found

    def values(self, model):
        """The values of every state, each with all of the slots in `states`; then the steps that are left, where they are counted."""
        slots, described = get(self.index, "states", list), get(get(get(self.umb, "valuations", dict), "states", dict), "classes", list)
        if len(described) != 1 or any(type(s) is not int for s in slots) or sorted(set(slots)) != slots or slots and not 0 <= slots[0] <= slots[-1] < len(model.slots):
            raise Unreadable("'states' does not list slots")
        fields, bits = [], 0
        for variable in get(described[0], "variables", list):
            if "padding" in variable:
                bits += self.natural(variable, "padding")
                continue
            only(variable, "a variable", "name", "type")
            kind, size = get(variable["type"], "type"), get(variable["type"], "size")
            if kind not in ("bool", "uint", "int") or type(size) is not int or not 1 <= size <= 64:
                raise Unreadable("a variable is neither a truth value nor an integer")
            fields.append((size, kind == "int"))
            bits += size
        steps = self.index.get("steps")
        domains = [(model.domains[slot], model.slots[slot]) for slot in slots] + ([((0, steps), "steps left")] if steps is not None else [])
        if len(fields) != len(domains) or bits % 8:
            raise Unreadable("'states' does not list the slots of the values")
        data, found = self.file("valuations/states/valuations.bin", self.count * bits // 8), []
        for s in range(self.count):
            record, values = int.from_bytes(data[s * bits // 8 : (s + 1) * bits // 8], "little"), []
            for (size, signed), ((low, high), name) in zip(fields, domains):
                value, record = record & (1 << size) - 1, record >> size
                values.append(value - (1 << size) if signed and value >> size - 1 else value)
                if not low <= values[-1] <= high:
                    raise Rejected(f"state {s}: {values[-1]} is no value of '{name}'")
            if record:
                raise Rejected(f"state {s}: its record has bits behind its values")
            found.append(tuple(values))
        return slots, found


def move(action, branches):
    """A choice: its action, and its branches with those to the same state added up."""
    total = {}
    for target, p in branches:
        total[target] = total.get(target, 0) + p
    return action, frozenset(total.items())


class Bounds:
    """A certificate and the system that it is about."""

    def __init__(self, part, system, actions):
        self.part, self.system, self.question, self.model = part, system, system.question, system.model
        self.numbers = {label: n for n, label in enumerate(actions, 1)}
        self.slots, values = part.values(self.model)
        if set(range(len(self.model.instances))) - set(self.slots):
            raise Rejected("the locations are left out")
        self.free = [s for s in range(len(self.model.slots)) if s not in set(self.slots)]
        self.states = {}
        for number, state in enumerate(values):
            if self.states.setdefault(state, number) != number:
                raise Rejected(f"state {number} is there twice")
        self.values = values

    def env(self, number):
        lo, hi = ([domain[end] for domain in self.model.domains] for end in (0, 1))
        for slot, value in zip(self.slots, self.values[number]):
            lo[slot] = hi[slot] = value
        return Env(lo, hi)

    def truth(self, env, condition, what):
        env.err = False
        truth = condition.run(env)
        if env.err or truth is None:
            raise Rejected(f"{what} has no value, or depends on what is left out, in {self.system.show(env)}")
        return truth

    def left(self, number):
        """The steps that are left, as a part of the values; nothing where they are not counted."""
        return self.values[number][len(self.slots) :]

    def decided(self, env, left):
        if self.truth(env, self.question.right, "the target"):
            return "target"
        if self.question.left is not None and not self.truth(env, self.question.left, "the condition before"):
            return "closed"
        if self.system.goal is not None and self.truth(env, self.system.goal, "the goal"):
            return "closed"
        return "closed" if left == (0,) else None

    def moves(self, env, left):
        """The choices of a state of the model, with so many steps left."""
        system, found, chosen = self.system, [], None
        operators = self.model.operators(tuple(env.lo[: len(self.model.instances)]))
        for op in operators:
            state = system.guards(env, op)
            if state == "off":
                continue
            if state != "on":
                raise Rejected(f"a guard of {op} is {state} in {system.show(env)}")
            if op.label in system.governed:
                chosen = system.chosen(env, operators) if chosen is None else chosen
                if chosen is None:
                    raise Rejected(f"the policy's choice cannot be evaluated in {system.show(env)}")
                if op.label not in chosen:
                    continue
            chances = system.chances(env, op)
            if chances is None or any(ends[0] != ends[1] for ends in chances.values()):
                raise Rejected(f"the probabilities of {op} are no distribution in {system.show(env)}")
            sums = {id(d): sum(chances[id(other)][0] for other in edge.destinations) for _, edge in op.moves for d in edge.destinations}
            outcomes = []
            for outcome in op.outcomes():
                p = math.prod(Fraction(chances[id(d)][0]) / sums[id(d)] for d in outcome)
                if p:
                    outcomes.append([(self.target(env, op, inner, values, left), p) for inner, values in system.successors(env, op, outcome, self.free)])
            if math.prod(map(len, outcomes)) > MAX_COMBINATIONS:
                refuse("an operator with so many combinations of open values")
            found += [move(self.numbers.get(op.label, 0), row) for row in itertools.product(*outcomes)]
        return found

    def target(self, env, op, inner, values, left):
        if env.err:
            raise Rejected(f"{op} is in error in {self.system.show(env)}")
        after = []
        for slot in self.slots:
            ends = inner.range(values[slot]) if slot in values else (env.lo[slot], env.hi[slot])
            if ends is None or ends[0] != ends[1]:
                raise Rejected(f"after {op} the value of '{self.model.slots[slot]}' depends on what is left out, in {self.system.show(env)}")
            after.append(ends[0])
        number = self.states.get((*after, *(steps - 1 for steps in left)))
        if number is None:
            raise Rejected(f"a successor by {op} of {self.system.show(env)} is not among the states")
        return number

    def check_states(self, upper, lower):
        part = self.part
        for number in range(part.count):
            env = self.env(number)
            left = self.left(number)
            kind = self.decided(env, left) or ("frontier" if part.frontier[number] else None)
            moves = [] if kind else self.moves(env, left)
            kind = kind or ("open" if moves else "closed")
            if (kind == "target") != bool(part.target[number]):
                raise Rejected(f"state {number} is a target, or is called one: not both")
            told = set(part.moves[number])
            if told != (set(moves) if kind == "open" else {move(0, [(number, Fraction(1))])}):
                raise Rejected(f"state {number}: its choices are not those of the model")
            if upper:
                self.check_upper(number, kind, moves)
            if lower:
                self.check_lower(number, kind, moves)

    def check_upper(self, number, kind, moves):
        vector, value = self.part.upper, self.part.upper[number]
        if kind in ("target", "frontier") and value < 1:
            raise Rejected(f"state {number}: a target, or the frontier, with the upper value {value}")
        quantified = all if self.question.maximal else any
        if kind == "open" and not quantified(sum(p * vector[t] for t, p in row) <= value for _, row in moves):
            raise Rejected(f"state {number}: its upper value {value} is less than that of one step")

    def check_lower(self, number, kind, moves):
        vector, value, rank = self.part.lower, self.part.lower[number], self.part.rank
        if value > 1 or kind in ("closed", "frontier") and value > 0:
            raise Rejected(f"state {number}: the lower value {value} is too large for what it is")
        shows = lambda row: value <= sum(p * vector[t] for t, p in row) and any(rank[t] < rank[number] for t, _ in row)
        quantified = any if self.question.maximal else all
        if kind == "open" and value > 0 and not quantified(shows(row) for _, row in moves):
            raise Rejected(f"state {number}: its lower value {value} is more than that of one step, or no rank falls")

    def starts(self):
        """All start states: boxes are halved until the condition is decided."""
        yield from self.question.states
        count = 0
        for condition in self.question.conditions:
            work = [tuple(self.model.domains)]
            while work:
                box, count = work.pop(), count + 1
                if count > MAX_BOXES:
                    refuse("a start set that takes so long to enumerate")
                env = Env([low for low, _ in box], [high for _, high in box])
                truth = condition.run(env)
                if truth is False and not env.err:
                    continue
                wide = max(range(len(box)), key=lambda s: box[s][1] - box[s][0], default=None)
                if wide is None or box[wide][0] == box[wide][1]:
                    if env.err:
                        raise Rejected(f"the start condition is in error in {self.system.show(env)}")
                    yield tuple(low for low, _ in box)
                    continue
                low, high = box[wide]
                middle = (low + high) // 2
                work += [(*box[:wide], half, *box[wide + 1 :]) for half in ((middle + 1, high), (low, middle))]

    def check_start(self, state, bounds):
        steps = self.question.steps
        number = self.states.get((*(state[s] for s in self.slots), *(() if steps is None else (steps,))))
        if number is None or not self.part.initial[number]:
            raise Rejected(f"the start state {state} is not among the states, or not marked as initial")
        for upper, value in bounds:
            found = (self.part.upper if upper else self.part.lower)[number]
            if found > value if upper else found < value:
                raise Rejected(f"the start state {state} has the value {found}, beyond {value}")


def claims(index):
    bounds = get(index, "bounds", list)
    if not 1 <= len(bounds) <= 2:
        raise Unreadable("there are one or two bounds")
    for bound in bounds:
        only(bound, "a bound", "at", "value", "starts")
        starts = get(bound, "starts")
        if get(bound, "at") not in ("most", "least") or starts != "all" and not (isinstance(starts, list) and all(type(v) is int for v in starts)):
            raise Unreadable("a bound is not well-formed")
        yield bound["at"] == "most", check.exact(get(bound, "value", str)), None if starts == "all" else tuple(starts)


def compared(op, bound, low, high):
    """How all of an interval compares with a number; None where some do and some do not."""
    inside = {low, high, *([Fraction(bound)] if low <= bound <= high else [])}
    # Next to the number there are others, if the interval has more than one.
    near = {min(high, (bound + high) / 2), max(low, (bound + low) / 2)} if low <= bound <= high else set()
    answers = {OPERATORS[op](value, bound) for value in inside | near}
    return answers.pop() if len(answers) == 1 else None


def verdict(question, index, found):
    told = index.get("verdict")
    if told is None:
        return ""
    threshold = get(index, "threshold", dict)
    op, bound = get(threshold, "op"), check.exact(get(threshold, "bound", str))
    if op not in OPERATORS or question.threshold not in (None, (op, bound)):
        raise Rejected("the comparison is not that of the property")
    interval = lambda most, value: (Fraction(0), value) if most else (value, Fraction(1))
    everywhere = [interval(most, value) for most, value, start in found if start is None]
    answer = compared(op, bound, max(low for low, _ in everywhere), min(high for _, high in everywhere)) if everywhere else None
    if answer is None and question.everywhere is not None:
        decisive = not question.everywhere
        if question.extreme:
            # The largest value is at least that of one start state, and the smallest at most: one start state refutes only `<=` and `<` of
            # the largest, and shows only `>=` and `>`; for the smallest it is the other way round.
            if op not in ("≤", "<", "≥", ">"):
                refuse("a verdict about an extreme value that no bound on all start states shows")
            decisive = (op in ("≥", ">")) == question.everywhere
        if any(compared(op, bound, *interval(most, value)) is decisive for most, value, start in found if start is not None):
            answer = decisive
    if told != {True: "holds", False: "violated"}.get(answer):
        raise Rejected("the verdict does not follow from the bounds")
    return f"{told}: "


def check_bounds(options):
    files, given = check.Files(), {}
    for text in options.const:
        name, _, value = text.partition("=")
        given[name] = value == "true" if value in ("true", "false") else check.exact(value)
    part = Part(unpack(options.certificate))
    index = part.index
    if index.get("format") != "surefoot-certificate" or index.get("version") != 1 or index.get("claim") != "bounded":
        raise Unreadable("this is no certificate of bounds of version 1")
    only(index, "the index", "format", "version", "claim", "verdict", "threshold", "bounds", "tool", "engine", "states", "steps", "inputs", "constants", "property", "semantics", "slots", "locations", "actions", "outputs")
    node = files.json(options.model)
    model = check.Model(node, given)
    if options.property is None and index.get("property") is not None:
        options.property = str(get(index["property"], "index"))
    question = Probability(model, files, options, node, options.model)
    if index.get("steps") != question.steps:
        raise Rejected("the certificate is about another number of steps than the property")
    path = options.policy or question.policy
    policy = check.Policy(model, files, path, None if options.filter is None else options.filter == "on") if path else None
    system = check.System(model, policy, question, options.goal_terminal, False)
    # The index of an invariant has another claim, and a verdict that follows from it: what else it says is the same.
    actions = check.check_index({**index, "claim": "unreachable", "verdict": "holds"}, files, options, system, given)
    found = list(claims(index))
    until = [(most != question.complement, 1 - value if question.complement else value, start) for most, value, start in found]
    upper, lower = any(u for u, _, _ in until), any(not u for u, _, _ in until)
    if upper and part.upper is None or lower and (part.lower is None or part.rank is None):
        raise Unreadable("a vector is missing")
    bounds = Bounds(part, system, actions)
    bounds.check_states(upper, lower)
    everywhere = [(u, value) for u, value, start in until if start is None]
    if everywhere:
        count = 0
        for count, state in enumerate(bounds.starts(), 1):
            bounds.check_start(state, everywhere)
        if count == 0:
            raise Rejected("there is no start state")
    for u, value, start in until:
        if start is not None:
            domains = model.domains
            if len(start) != len(domains) or any(not low <= v <= high for v, (low, high) in zip(start, domains)) or not check.is_start(question, start):
                raise Rejected(f"{start} is no start state")
            bounds.check_start(start, [(u, value)])
    said = ", ".join(f"at {'most' if most else 'least'} {value} from {'every start state' if start is None else 'one start state'}" for most, value, start in found)
    return f"accepted: {verdict(question, index, found)}the probability is {said}"


if __name__ == "__main__":
    check.check = check_bounds
    code, said = check.opinion(check.parse(sys.argv[1:]))
    # What a certificate says may hold control characters, which terminals obey.
    print("".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in said))
    sys.exit(code)
