"""Finds certificates for tiny models by trial, with the rules of tools/check.py: a writer of its own, for tests.

The reachable states are explored one by one. Regions are boxes with formulas that hold exactly reachable states, so that they are inductive; some states stay by
themselves. Which steps and splits a tree uses is left to chance: all kinds of tokens occur. What is found is not small, and need not be.
"""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check  # noqa: E402

MOST_STATES = 20_000


def load(arguments):
    """The system that a checker's arguments (without the certificate) name, and what they say."""
    given, files = check.parse(["-", *map(str, arguments)]), check.Files()
    node = files.json(given.model)
    model = check.Model(node, {})
    question = check.Question(model, files, given, node, given.model)
    path = given.policy or question.policy
    policy = check.Policy(model, files, path, None if given.filter is None else given.filter == "on") if path else None
    return check.System(model, policy, question, given.goal_terminal, given.assume == "no-errors"), files, given


def index(system, files, given):
    """The index of a certificate that a prover of ours found."""
    policy, model = system.policy, system.model
    semantics = {"ties": policy.ties if policy else None, "filter": policy.filter if policy else None, "goal_terminal": given.goal_terminal,
                 "initial_only": system.question.initial_only, "assume_no_errors": system.assume}
    return {"format": "surefoot-certificate", "version": 1, "claim": "unreachable", "verdict": "holds" if system.question.never else "violated", "tool": "by trial",
            "engine": "by trial", "inputs": {f"file {i}": hash for i, hash in enumerate(sorted(files.hashes))}, "constants": {},
            "property": {"index": system.question.index, "name": system.question.name}, "semantics": semantics, "slots": model.slots,
            "locations": len(model.instances), "actions": model.actions, "outputs": policy.labels if policy else []}


class Explored:
    """The states that runs reach, and whether one is unsafe or in error: then `proved` is False."""

    def __init__(self, system):
        self.system, model = system, system.model
        every = itertools.product(*(range(low, high + 1) for low, high in model.domains))
        self.starts = [state for state in itertools.islice(every, MOST_STATES) if check.is_start(system.question, state)]
        self.states, self.proved = set(self.starts), bool(self.starts)
        work = list(self.starts)
        while work and self.proved:
            state = work.pop()
            env, found = check.Env(list(state), list(state)), []
            operators = model.operators(state[:len(model.instances)])
            member = lambda _, values: found.append(tuple(values.get(s, state[s]) for s in range(len(state)))) or True
            try:
                system.check_point(env, True, [] if system.question.initial_only else operators, operators, member)
            except check.Rejected:
                self.proved = False
            new = [successor for successor in found if successor not in self.states]
            self.states.update(new)
            work += new


class Prover:
    def __init__(self, system, explored, chance):
        self.system, self.model, self.explored, self.chance = system, system.model, explored, chance
        self.lines, self.atoms, self.count = [], [], len(system.model.instances)
        self.actions = system.model.actions
        self.invariant = check.Invariant(system, self.actions)

    def tell(self, line):
        self.lines.append(line)
        if line[0] in "a&|!orksx":
            self.invariant.line(line)
        return line

    def formula(self, line):
        self.tell(line)
        return len(self.invariant.formulas) - 1

    def atom(self):
        """A random atom over two slots; often there is one already."""
        if self.atoms and self.chance.random() < 0.7 or len(self.model.slots) < self.count + 2:
            return self.chance.choice(self.atoms) if self.atoms else None
        first, second = sorted(self.chance.sample(range(self.count, len(self.model.slots)), 2))
        factors = [self.chance.choice([-2, -1, 1, 2]) for _ in range(2)]
        self.atoms.append(self.formula(f"a {self.chance.randint(-4, 4)} {first}:{factors[0]} {second}:{factors[1]}"))
        return self.atoms[-1]

    def certificate(self):
        """The lines after the index; None if none was found."""
        chance, states = self.chance, self.explored.states
        keys = {key for locations in {state[:self.count] for state in states} for key in self.model.operators(locations)}
        self.operators = sorted({op.key for op in keys}, key=repr)
        loose = {state for state in states if chance.random() < 0.2} if chance.random() < 0.3 else set()
        # States are looked up among states only, so what a state may lead to is one as well.
        loose = self.closed(loose) if len(states) < 500 else set()
        regions = [region for _, group in itertools.groupby(sorted(states - loose), key=lambda s: s[:self.count]) for region in self.boxes(list(group))]
        for label, moves in self.operators:
            name = "-" if label is None else self.actions.index(label)
            self.tell(" ".join([f"o {name}", *(f"{i}:{'-' if edge is None else edge}" for i, edge in moves)]))
        for ends, formulas in regions:
            self.tell(" ".join(["r", *(f"{s}:{lo}:{hi}" for s, (lo, hi) in enumerate(ends)), *(f"f{f}" for f in formulas)]))
        if loose:
            self.tell(" ".join(["k", *map(str, range(len(self.model.slots)))]))
        for state in sorted(loose):
            self.tell(" ".join(["s", *map(str, state)]))
        self.tell(" ".join(["x", *map(str, chance.choice(self.explored.starts))]))
        targets = [*range(len(regions)), *(["@"] if loose else [])]
        for condition in self.system.question.conditions:
            self.lines.append(" ".join(["c", *self.cover(self.invariant.cover_node(condition), targets)]))
        for state in self.system.question.states:
            env = check.Env(list(state), list(state))
            self.lines.append(f"l {next(target for target in targets if self.invariant.leads(env, {}, target))}")
        for number in range(len(regions)):
            self.lines.append(" ".join(["t", *self.prove(self.invariant.region_node(number), targets, 60)]))
        return [*self.lines, f"end {len(regions)} {len(loose)}"]

    def closed(self, states):
        states, work = set(states), list(states)
        while work:
            state = work.pop()
            operators, found = self.model.operators(state[:self.count]), []
            member = lambda _, values: found.append(tuple(values.get(s, state[s]) for s in range(len(state)))) or True
            self.system.check_point(check.Env(list(state), list(state)), False, operators, operators, member)
            new = [successor for successor in found if successor not in states]
            states.update(new)
            work += new
        return states

    def boxes(self, group):
        """Boxes, some with a formula, that hold exactly the states of a group."""
        ends = [(min(values), max(values)) for values in zip(*group)]
        size, wanted = 1, set(group)
        for lo, hi in ends:
            size *= hi - lo + 1
        if size == len(wanted):
            return [(ends, [])]
        formula = self.atom() if self.chance.random() < 0.7 else None
        if formula is not None:
            formula = self.formula(f"! {formula}") if self.chance.random() < 0.3 else formula
            if self.chance.random() < 0.3:
                formula = self.formula(f"{self.chance.choice('&|')} {formula} {self.atom()}")
            true = lambda state: self.invariant.truth(check.Env(list(state), list(state)), {}, formula)
            points = itertools.product(*(range(lo, hi + 1) for lo, hi in ends))
            if all(map(true, wanted)) and size < 5_000 and {point for point in points if true(point)} == wanted:
                return [(ends, [formula])]
        slot = self.chance.choice([s for s, (lo, hi) in enumerate(ends) if lo < hi])
        at = self.chance.randint(ends[slot][0], ends[slot][1] - 1)
        parts = [state for state in group if state[slot] <= at], [state for state in group if state[slot] > at]
        return [box for part in parts if part for box in self.boxes(part)]

    def cover(self, node, targets):
        """A tree for a start condition."""
        self.invariant.settle(node)
        if node.cover is None:
            return ["."]
        for target in targets:
            if self.works(self.invariant.leaf_inside, node, str(target)):
                return [f"={target}"]
        return self.points(node, targets) or self.split(node, lambda part: self.cover(part, targets), 0)

    def works(self, step, *arguments):
        try:
            step(*arguments)
            return True
        except check.Rejected:
            return False

    def points(self, node, targets):
        text, size = ",".join(map(str, targets)), 1
        for lo, hi in zip(node.lo, node.hi):
            size *= hi - lo + 1
        if size > 1 and (size > 200 or self.chance.random() < 0.8):
            return None
        return ["*" + text] if self.works(self.invariant.try_points, node, text) else None

    def prove(self, node, targets, luck):
        """A tree for a region; `luck` bounds splits that need not lead anywhere."""
        tokens, chance, system = [], self.chance, self.system
        self.invariant.settle(node)
        if node.target or node.pending:
            if chance.random() < 0.3:
                found = self.points(node, targets)
                if found:
                    return found
            if any(op.label in system.governed for op in node.pending):
                best = chance.randrange(len(system.policy.labels))
                slopes = "".join(chance.choice("-0123456789abcdef") for _ in range(chance.randrange(8))) if chance.random() < 0.3 else ""
                word = f"b{best}" + (f"/{slopes}" if slopes else "")
                for word in [word] if chance.random() < 0.5 else [word, f"b{chance.randrange(len(system.policy.labels))}", "e"]:
                    if self.works(self.invariant.token, node, word):
                        tokens.append(word)
                if node.rows is not None:
                    tokens += self.sums(node)
            for op in list(node.pending):
                word = self.moves(node, op, targets)
                if word:
                    tokens.append(word)
        if not node.target and not node.pending:
            return [*tokens, "."]
        found = self.points(node, targets)
        return [*tokens, *(found or self.split(node, lambda part: self.prove(part, targets, luck - 1), luck))]

    def sums(self, node):
        known, tokens = [f for f, truth in node.facts if truth], []
        for label in sorted({op.label for op in node.pending if op.label in self.system.governed}):
            for _ in range(2 if known else 0):
                word = f"g{self.system.governed[label]}:{self.chance.choice(known)}*{self.chance.choice(['1', '2', '0.5', '1/3'])}"
                if self.works(self.invariant.token, node, word):
                    tokens.append(word)
                    break
        return tokens

    def moves(self, node, op, targets):
        """A step for an operator, by trying all targets for each outcome."""
        number, words, outcomes = self.operators.index(op.key), [], list(op.outcomes())
        chances = self.system.chances(node.env, op)
        if op not in node.pending or len(outcomes) > 50 or chances is None:
            return None
        for outcome in outcomes:
            fits = lambda word: self.works(self.invariant.check_outcome, node.env, op, outcome, chances, self.invariant.targets(word)[0])
            candidates = ["-", *map(str, targets)]
            if any(isinstance(value, tuple) for _, _, assignments in outcome for _, _, _, value in assignments) and len(targets) > 1:
                for _ in range(20):
                    first, second = self.chance.sample(targets, 2)
                    candidates.append(f"c0<{self.chance.randint(0, 3)}[{first};{second}]")
            word = next((candidate for candidate in candidates if fits(candidate)), None)
            if word is None:
                return None
            words.append(word)
        word = f">{number}:{','.join(words)}"
        return word if self.works(self.invariant.token, node, word) else None

    def split(self, node, go_on, luck):
        """A split of any kind, and trees for both parts."""
        chance, kind, atom = self.chance, self.chance.random(), None
        open_slots = [s for s, (lo, hi) in enumerate(zip(node.lo, node.hi)) if lo < hi]
        word = None
        if luck > 0 and kind < 0.15:
            atom = self.atom()
            word = None if atom is None else f"?{atom}"
        elif luck > 0 and kind < 0.3 and self.system.policy is not None and node.cover is None:
            network = self.system.policy.network(node.env)
            if network is not None and network.hidden:
                layer = chance.randrange(len(network.hidden))
                word = f"^{layer}.{chance.randrange(network.hidden[layer])}"
        if word is None:
            if not open_slots:
                raise check.Rejected("no proof was found")
            slot = chance.choice(open_slots)
            word = f"{slot}<{chance.randint(node.lo[slot], node.hi[slot] - 1)}"
        first, second = self.invariant.token(node, word)
        return [word, *go_on(first), *go_on(second)]
