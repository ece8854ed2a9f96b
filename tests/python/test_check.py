"""The checker in Python, rule by rule.

Usage: test_check.py

Certificates written by hand about tiny models, each rule of docs/certificates.md with some that are right and some that are not; each that is not is refused for the
reason that stands beside it. Ends with a line 'N passed, N failed'.
"""

import gzip
import json
import pathlib
import sys
import tempfile
import traceback

from certificate_files import Folder, binary, bounded, edge, model, opinion, python_opinion, safety, write, CHECKER

LE, LT, EQ = (lambda op: lambda a, b: binary(op, a, b))("≤"), (lambda a, b: binary("<", a, b)), (lambda a, b: binary("=", a, b))
NEXT = binary("+", "x", 1)

# x counts to 5; at 7 it would be unsafe.
COUNTER = dict(jani=model([bounded("x", 0, 9)], [edge([("x", NEXT)], LT("x", 5))], properties=safety(LE("x", 2), LE(7, "x"))))
COUNTER_PROOF = ["o - 0:0", "r 0:0:0 1:0:5", "x 0 1", "c 1<2 =0 .", "t 1<4 >0:0 . .", "end 1 0"]

# up where x <= 4 (at 4 both outputs are 0, and the first wins), down where x > 4. Hidden: max(x - 4, 0) and max(4 - x, 0).
NETWORK = ([([[1], [-1]], [-4, 4]), ([[0, 1], [1, 0]], [0, 0])], 1)
POLICY = {"inputs": ["x"], "outputs": {"labels": ["up", "down"]}}
MOVES = [edge([("x", NEXT)], LT("x", 9), "up"), edge([("x", binary("-", "x", 1))], LT(0, "x"), "down")]
STEERED = dict(jani=model([bounded("x", 0, 9)], MOVES, ["up", "down"], properties=safety(LE("x", 2), LE(7, "x"))), policy=POLICY, network=NETWORK)
STEERED_HEAD = ["o 0 0:0", "o 1 0:1", "r 0:0:0 1:0:5", "x 0 1", "c 1<2 =0 ."]
STEERED_PROOF = [*STEERED_HEAD, "t 1<4 b0 >0:0 . b1 >1:0 .", "end 1 0"]

# y follows x and stays behind; z is between.
FOLLOWER = dict(jani=model([bounded("x", 0, 9), bounded("y", 0, 9), bounded("z", 0, 9)], [edge([("y", binary("+", "y", 1))], LT("y", "x"))],
                           properties=safety(LE("y", "x"), LT("x", "y"))))
FOLLOWER_HEAD = ["a 0 1:1 2:-1", "a -1 1:1 2:-1", "o - 0:0", "r 0:0:0 f0", "x 0 1 1 0", "c ?0 =0 ."]

# A value from an interval, an outcome that never happens, one with a condition.
CHANCE = dict(jani=model([bounded("x", 0, 9), bounded("y", 0, 9)],
                         [edge([[("x", (2, 5))], [("x", "y")], [("x", 9)]], LE("x", 1), None, [binary("/", "y", 9), binary("-", 1, binary("/", "y", 9)), 0])],
                         properties=safety(binary("∧", EQ("x", 0), EQ("y", 0)), LE(7, "x"))))


# Model, lines, changes to the index, what is said and a word of the reason.
CASES = [
    # The counter: splits, leaves, targets.
    ("counter", COUNTER, COUNTER_PROOF, {}, "accepted", "1 regions"),
    ("every point", COUNTER, [*COUNTER_PROOF[:3], "c *0", "t *0", "end 1 0"], {}, "accepted", ""),
    ("without the split", COUNTER, [*COUNTER_PROOF[:4], "t >0:0 .", "end 1 0"], {}, "rejected", "lead out"),
    ("split too high", COUNTER, [*COUNTER_PROOF[:4], "t 1<5 >0:0 . .", "end 1 0"], {}, "rejected", "split"),
    ("split below the node", COUNTER, [*COUNTER_PROOF[:4], "t 1<-1 >0:0 . .", "end 1 0"], {}, "rejected", "split"),
    ("no half", COUNTER, [*COUNTER_PROOF[:4], "t 1<4 >0:0 .", "end 1 0"], {}, "rejected", "early"),
    ("three halves", COUNTER, [*COUNTER_PROOF[:4], "t 1<4 >0:0 . . .", "end 1 0"], {}, "rejected", "complete"),
    ("region too small", COUNTER, ["o - 0:0", "r 0:0:0 1:0:4", *COUNTER_PROOF[2:4], "t 1<3 >0:0 . >0:0 .", "end 1 0"], {}, "rejected", "lead out"),
    ("region that is unsafe", COUNTER, ["o - 0:0", "r 0:0:0 1:0:7", *COUNTER_PROOF[2:4], "t 1<4 >0:0 . .", "end 1 0"], {}, "rejected", "target"),
    ("unsafe at a point", COUNTER, ["o - 0:0", "r 0:0:0 1:0:7", *COUNTER_PROOF[2:4], "t *0", "end 1 0"], {}, "rejected", "target"),
    ("operator left out", COUNTER, [*COUNTER_PROOF[:4], "t .", "end 1 0"], {}, "rejected", "operator"),
    ("point leads elsewhere", COUNTER, ["o - 0:0", "r 0:0:0 1:0:5", "r 0:0:0 1:0:2", "x 0 1", "c 1<2 =0 .", "t *1", "t *0", "end 2 0"], {}, "rejected", "out of the invariant"),
    ("start state not covered", COUNTER, [*COUNTER_PROOF[:3], "c 1<1 =0 .", *COUNTER_PROOF[4:]], {}, "rejected", "start condition"),
    ("start point not covered", COUNTER, ["o - 0:0", "r 0:0:0 1:1:5", "x 0 1", "c *0", *COUNTER_PROOF[4:]], {}, "rejected", "not covered"),
    ("node not inside", COUNTER, [*COUNTER_PROOF[:3], "c 1<6 =0 .", *COUNTER_PROOF[4:]], {}, "rejected", "inside"),
    ("x is no start state", COUNTER, [*COUNTER_PROOF[:2], "x 0 3", *COUNTER_PROOF[3:]], {}, "rejected", "start state"),
    ("x is missing", COUNTER, [*COUNTER_PROOF[:2], *COUNTER_PROOF[3:]], {}, "rejected", "start state"),
    ("c is missing", COUNTER, [*COUNTER_PROOF[:3], *COUNTER_PROOF[4:]], {}, "rejected", "not covered"),
    ("t is missing", COUNTER, [*COUNTER_PROOF[:4], "end 1 0"], {}, "rejected", "no tree"),
    ("two trees", COUNTER, [*COUNTER_PROOF[:5], COUNTER_PROOF[4], "end 1 0"], {}, "rejected", "more trees"),
    ("end is missing", COUNTER, COUNTER_PROOF[:5], {}, "error", "end"),
    ("end counts wrong", COUNTER, [*COUNTER_PROOF[:5], "end 2 0"], {}, "rejected", "numbers"),
    ("lines after the end", COUNTER, [*COUNTER_PROOF, "o - 0:0"], {}, "rejected", "belong"),
    ("lines out of order", COUNTER, [COUNTER_PROOF[1], COUNTER_PROOF[0], *COUNTER_PROOF[2:]], {}, "rejected", "belong"),
    ("location open", COUNTER, ["o - 0:0", "r 1:0:5", *COUNTER_PROOF[2:]], {}, "rejected", "location"),
    ("bounds outside the domain", COUNTER, ["o - 0:0", "r 0:0:0 1:-1:5", *COUNTER_PROOF[2:]], {}, "rejected", "domain"),
    ("no such edge", COUNTER, ["o - 0:1", *COUNTER_PROOF[1:]], {}, "rejected", "edge"),
    ("other label", COUNTER, ["o 0 0:0", *COUNTER_PROOF[1:]], {}, "rejected", "action"),
    ("too many outcomes", COUNTER, [*COUNTER_PROOF[:4], "t 1<4 >0:0,0 . .", "end 1 0"], {}, "rejected", "outcomes"),
    ("no such region", COUNTER, [*COUNTER_PROOF[:4], "t 1<4 >0:1 . .", "end 1 0"], {}, "rejected", "region"),
    ("no impossible outcome", COUNTER, [*COUNTER_PROOF[:4], "t 1<4 >0:- . .", "end 1 0"], {}, "rejected", "impossible"),
    ("not in error", COUNTER, [*COUNTER_PROOF[:4], "t 1<4 >0:! . .", "end 1 0"], {}, "rejected", "assumed"),
    ("unknown token", COUNTER, [*COUNTER_PROOF[:4], "t z", "end 1 0"], {}, "rejected", "belongs"),
    ("no policy to ask", COUNTER, [*COUNTER_PROOF[:4], "t b0 .", "end 1 0"], {}, "rejected", "network"),
    ("leaf of another line", COUNTER, [*COUNTER_PROOF[:4], "t =0", "end 1 0"], {}, "rejected", "earlier"),
    # Trees that are written once.
    ("a tree again", COUNTER, ["o - 0:0", "r 0:0:0 1:0:5", "r 0:0:0 1:2:5", "x 0 1", "c 1<2 =0 .", "t 1<4 >0:0 . .", "t =0", "end 2 0"], {}, "accepted", "2 regions"),
    ("a tree for another region", COUNTER, ["o - 0:0", "r 0:0:0 1:0:5", "r 0:0:0 1:0:6", "x 0 1", "c 1<2 =0 .", "t 1<4 >0:0 . .", "t 1<5 =0 .", "end 2 0"], {}, "rejected",
     "start conditions"),
    ("a tree that is unsafe elsewhere", COUNTER, ["o - 0:0", "r 0:0:0 1:0:5", "r 0:0:0 1:6:9", "x 0 1", "c 1<2 =0 .", "t 1<4 >0:0 . .", "t =0", "end 2 0"], {}, "rejected", "split"),
    ("a tree that comes later", COUNTER, [*COUNTER_PROOF[:4], "t =0", "end 1 0"], {}, "rejected", "earlier"),
    ("a tree of a tree", COUNTER, ["o - 0:0", *["r 0:0:0 1:0:5"] * 3, "x 0 1", "c 1<2 =0 .", "t 1<4 >0:0 . .", "t =0", "t =1", "end 3 0"], {}, "rejected", "reference"),
    ("too many points", dict(jani=model([bounded("x", 0, 99999)], [edge([("x", NEXT)], LT("x", 5))], properties=safety(LE("x", 2), LE(7, "x")))),
     [*COUNTER_PROOF[:3], "c *0", *COUNTER_PROOF[4:]], {}, "rejected", "points"),
    # The index.
    ("wrong claim", COUNTER, COUNTER_PROOF, {"claim": "unsat"}, "error", "unsat"),
    ("wrong verdict", COUNTER, COUNTER_PROOF, {"verdict": "violated"}, "rejected", "verdict"),
    ("wrong version", COUNTER, COUNTER_PROOF, {"version": 2}, "error", "version"),
    ("wrong property", COUNTER, COUNTER_PROOF, {"property": {"index": 1, "name": "p"}}, "rejected", "property"),
    ("wrong hash", COUNTER, COUNTER_PROOF, {"inputs": {"model.jani": "0" * 64}}, "rejected", "hashes"),
    ("wrong slots", COUNTER, COUNTER_PROOF, {"slots": ["m", "y"]}, "rejected", "slots"),
    ("wrong constants", COUNTER, COUNTER_PROOF, {"constants": {"N": "5"}}, "rejected", "constants"),
    ("wrong filter", STEERED, STEERED_PROOF, {"filter": True}, "rejected", "semantics"),
    ("wrong ties", STEERED, STEERED_PROOF, {"ties": "any"}, "rejected", "semantics"),
    ("wrong outputs", STEERED, STEERED_PROOF, {"outputs": ["down", "up"]}, "rejected", "outputs"),
    ("assumed without being asked", COUNTER, COUNTER_PROOF, {"assume_no_errors": True}, "rejected", "semantics"),
    # States.
    ("states", COUNTER, ["k 0 1", *[f"s 0 {x}" for x in range(6)], "x 0 1", "c *@", "end 0 6"], {}, "accepted", "6 states"),
    ("a state is missing", COUNTER, ["k 0 1", *[f"s 0 {x}" for x in (0, 1, 2, 3, 5)], "x 0 1", "c *@", "end 0 5"], {}, "rejected", "out of the invariant"),
    ("an unsafe state", COUNTER, ["k 0 1", *[f"s 0 {x}" for x in (0, 1, 2, 3, 4, 5, 7)], "x 0 1", "c *@", "end 0 7"], {}, "rejected", "target"),
    ("a start state is missing", COUNTER, ["k 0 1", *[f"s 0 {x}" for x in range(1, 6)], "x 0 1", "c *@", "end 0 5"], {}, "rejected", "not covered"),
    ("states into a region", COUNTER, ["o - 0:0", "r 0:0:0 1:2:5", "k 0 1", "s 0 0", "s 0 1", "x 0 1", "c *0,@", "t 1<4 >0:0 . .", "end 1 2"], {}, "rejected", "out of the invariant"),
    ("region into states", COUNTER, ["o - 0:0", "r 0:0:0 1:0:3", "k 0 1", "s 0 4", "s 0 5", "x 0 1", "c 1<2 =0 .", "t 1<2 >0:0 . >0:@ .", "end 1 2"], {}, "accepted", ""),
    ("region into a state too few", COUNTER, ["o - 0:0", "r 0:0:0 1:0:3", "k 0 1", "s 0 5", "x 0 1", "c 1<2 =0 .", "t 1<2 >0:0 . >0:@ .", "end 1 1"], {}, "rejected", "lead out"),
    ("a slot that matters is left out", COUNTER, ["k 0", "s 0", "x 0 1", "c =@", "end 0 1"], {}, "rejected", "target"),
    ("slots that do not matter are left out", FOLLOWER, ["k 0 1 2", *[f"s 0 {x} {y}" for x in range(10) for y in range(x + 1)], "x 0 1 1 0", "c *@", "end 0 55"], {}, "accepted", ""),
    # The policy.
    ("steered", STEERED, STEERED_PROOF, {}, "accepted", ""),
    ("steered exactly", STEERED, [*STEERED_HEAD, "t 1<4 b0 >0:0 . e >1:0 .", "end 1 0"], {}, "accepted", ""),
    ("steered by points", STEERED, [*STEERED_HEAD, "t *0", "end 1 0"], {}, "accepted", ""),
    ("one half for both", STEERED, [*STEERED_HEAD, "t b0 >0:0 .", "end 1 0"], {}, "rejected", "lead out"),
    ("relative to the other", STEERED, [*STEERED_HEAD, "t 1<4 b1 >0:0 . b1 >1:0 .", "end 1 0"], {}, "rejected", "operator down"),
    ("one state of down", STEERED, [*STEERED_HEAD, "t 1<3 b0 >0:0 . b1 >1:0 .", "end 1 0"], {}, "rejected", "operator up"),
    ("not constant", STEERED, [*STEERED_HEAD, "t e >0:0 .", "end 1 0"], {}, "rejected", "not the same"),
    ("no such output", STEERED, [*STEERED_HEAD, "t b2 .", "end 1 0"], {}, "rejected", "output"),
    ("phases", STEERED, [*STEERED_HEAD, "t 1<4 ^0.1 b0 >0:0 . b0 >0:0 . e >1:0 .", "end 1 0"], {}, "accepted", ""),
    ("no other phase", STEERED, [*STEERED_HEAD, "t 1<4 ^0.1 b0 >0:0 . e >1:0 .", "end 1 0"], {}, "rejected", "not the same"),
    ("phase that is none", STEERED, [*STEERED_HEAD, "t ^0.2 . .", "end 1 0"], {}, "rejected", "neuron"),
    ("layer that is none", STEERED, [*STEERED_HEAD, "t ^1.0 . .", "end 1 0"], {}, "rejected", "layer"),
    ("slopes", STEERED, [*STEERED_HEAD, "t 1<4 b0/0- >0:0 . b1/-f >1:0 .", "end 1 0"], {}, "accepted", ""),
    ("too many slopes", STEERED, [*STEERED_HEAD, "t 1<4 b0/000 >0:0 . b1 >1:0 .", "end 1 0"], {}, "rejected", "slopes"),
    ("ties, and all of them", dict(STEERED, policy={**POLICY, "ties": "any"}), STEERED_PROOF, {}, "rejected", "operator down"),
    ("ties, each of them", dict(STEERED, policy={**POLICY, "ties": "any"}), [*STEERED_HEAD, "t 1<3 b0 >0:0 . 1<4 >0:0 >1:0 . b1 >1:0 .", "end 1 0"], {}, "accepted", ""),
    ("filtered", dict(STEERED, policy={**POLICY, "filter": True}), STEERED_PROOF, {}, "accepted", ""),
    # Linear formulas.
    ("follower", FOLLOWER, [*FOLLOWER_HEAD, "t 2<8 ?1 >0:0 . . .", "end 1 0"], {}, "accepted", ""),
    ("formulas in between", FOLLOWER, [FOLLOWER_HEAD[0], *FOLLOWER_HEAD[2:], FOLLOWER_HEAD[1], "t 2<8 ?1 >0:0 . . .", "end 1 0"], {}, "accepted", ""),
    ("without the split", FOLLOWER, [*FOLLOWER_HEAD, "t 2<8 >0:0 . .", "end 1 0"], {}, "rejected", "lead out"),
    ("without the formula", FOLLOWER, [*FOLLOWER_HEAD[:3], "r 0:0:0", *FOLLOWER_HEAD[4:], "t 2<8 ?1 >0:0 . . .", "end 1 0"], {}, "rejected", "target"),
    ("off by one", FOLLOWER, ["a 0 1:1 2:-1", "a -2 1:1 2:-1", *FOLLOWER_HEAD[2:], "t 2<8 ?1 >0:0 . . .", "end 1 0"], {}, "rejected", "operator"),
    ("off by one the other way", FOLLOWER, ["a 0 1:1 2:-1", "a 0 1:1 2:-1", *FOLLOWER_HEAD[2:], "t 2<8 ?1 >0:0 . . .", "end 1 0"], {}, "rejected", "lead out"),
    ("empty by a sum", FOLLOWER, ["a 0 1:1 3:-1", "a 0 2:-1 3:1", "a 0 1:1 2:-1", "! 2", "a -1 1:1 2:-1", "o - 0:0", "r 0:0:0 f0 f1", "r 0:0:0 f2", "x 0 1 1 0", "c ?2 =1 .",
                                  "t ?2 *1 f0*1,1*1,3*1", "t 2<8 ?4 >0:1 . . .", "end 2 0"], {}, "accepted", "2 regions"),
    ("empty by a sum, and moves", FOLLOWER, ["a 0 1:1 3:-1", "a 0 2:-1 3:1", "a 0 1:1 2:-1", "! 2", "a -1 1:1 2:-1", "o - 0:0", "r 0:0:0 f0 f1", "r 0:0:0 f2", "x 0 1 1 0",
                                             "c ?2 =1 .", "t ?2 2<8 ?4 >0:1 . . . f0*1,1*1.0,3*2/2", "t 2<8 ?4 >0:1 . . .", "end 2 0"], {}, "accepted", "2 regions"),
    ("a sum with another multiplier", FOLLOWER, ["a 0 1:1 3:-1", "a 0 2:-1 3:1", "a 0 1:1 2:-1", "! 2", "a -1 1:1 2:-1", "o - 0:0", "r 0:0:0 f0 f1", "r 0:0:0 f2", "x 0 1 1 0",
                                                 "c ?2 =1 .", "t ?2 2<8 ?4 >0:1 . . . f0*1,1*2,3*1", "t 2<8 ?4 >0:1 . . .", "end 2 0"], {}, "rejected", "empty"),
    ("a formula that is not known", FOLLOWER, [*FOLLOWER_HEAD, "t 2<8 ?1 >0:0 . f1*1 .", "end 1 0"], {}, "rejected", "not known"),
    ("a multiplier below 0", FOLLOWER, [*FOLLOWER_HEAD, "t ?1 f1*-1 .", "end 1 0"], {}, "rejected", "positive"),
    ("disjunctions", FOLLOWER, ["a 0 1:1 2:-1", "a -1 1:1 2:-1", "a -5 1:1", "! 2", "| 2 3", "& 0 4", "o - 0:0", "r 0:0:0 f5", "x 0 1 1 0", "c ?0 ?2 =0 =0 .", "t 2<8 ?1 ?2 >0:0 . >0:0 . . .",
                                "end 1 0"], {}, "accepted", ""),
    ("a later formula", FOLLOWER, ["a 0 1:1", "! 1", *FOLLOWER_HEAD[2:], "end 1 0"], {}, "rejected", "earlier"),
    ("split by a disjunction", FOLLOWER, [*FOLLOWER_HEAD[:2], "| 0 1", *FOLLOWER_HEAD[2:], "t ?2 . .", "end 1 0"], {}, "rejected", "atoms"),
    # Outcomes: an interval, a probability that is 0 here, one that is always 0 and left out.
    ("chance", CHANCE, ["o - 0:0", "r 0:0:0 1:0:1 2:0:0", "r 0:0:0 1:2:5 2:0:0", "r 0:0:0 1:0:0 2:0:0", "x 0 0 0", "c 1<0 2<0 =2 . .", "t >0:-,0 .", "t .", "t >0:-,2 .", "end 3 0"], {},
     "accepted", "3 regions"),
    ("chance elsewhere", CHANCE, ["o - 0:0", "r 0:0:0 1:0:1 2:9:9", "r 0:0:0 1:2:3 2:9:9", "r 0:0:0 1:4:5 2:9:9", "r 0:0:0 1:0:0 2:0:0", "x 0 0 0", "c 1<0 2<0 =3 . .",
                                  "t >0:c0<3[1;2],- .", "t .", "t .", "t >0:-,3 .", "end 4 0"], {}, "accepted", "4 regions"),
    ("chance, the other way round", CHANCE, ["o - 0:0", "r 0:0:0 1:0:1 2:9:9", "r 0:0:0 1:2:3 2:9:9", "r 0:0:0 1:4:5 2:9:9", "r 0:0:0 1:0:0 2:0:0", "x 0 0 0", "c 1<0 2<0 =3 . .",
                                             "t >0:c0<3[2;1],- .", "t .", "t .", "t >0:-,3 .", "end 4 0"], {}, "rejected", "lead out"),
    ("chance, no value 1", CHANCE, ["o - 0:0", "r 0:0:0 1:0:1 2:9:9", "r 0:0:0 1:2:3 2:9:9", "r 0:0:0 1:0:0 2:0:0", "x 0 0 0", "c 1<0 2<0 =2 . .", "t >0:c1<3[1;1],- .", "t .",
                                    "t >0:-,2 .", "end 3 0"], {}, "rejected", "value"),
    ("chance that is open", CHANCE, ["o - 0:0", "r 0:0:0 1:0:1 2:0:9", "r 0:0:0 1:2:5", "x 0 0 0", "c 1<0 2<0 =0 . .", "t >0:1,- .", "t .", "end 2 0"], {}, "rejected", "impossible"),
    ("outcome left out", CHANCE, ["o - 0:0", "r 0:0:0 1:0:0 2:0:0", "x 0 0 0", "c 1<0 2<0 =0 . .", "t >0:0 .", "end 1 0"], {}, "rejected", "outcomes"),
]

# Errors of the model: an update that may leave its domain.
LEAVING = dict(jani=model([bounded("x", 0, 3)], [edge([("x", NEXT)])], properties=safety(LE("x", 0), LT(3, "x"))))
LEAVING_HEAD = ["o - 0:0", "r 0:0:0 1:0:3", "x 0 0", "c 1<0 =0 ."]
OPTIONS = [
    ("an update leaves its domain", LEAVING, [*LEAVING_HEAD, "t >0:0 .", "end 1 0"], {}, [], "rejected", "leave a domain"),
    ("at a point", LEAVING, [*LEAVING_HEAD, "t *0", "end 1 0"], {}, [], "rejected", "in error"),
    ("assumed away", LEAVING, [*LEAVING_HEAD, "t 1<2 >0:0 . >0:! .", "end 1 0"], {"assume_no_errors": True}, ["--assume", "no-errors"], "accepted", ""),
    ("assumed away where it is not", LEAVING, [*LEAVING_HEAD, "t 1<1 >0:0 . >0:! .", "end 1 0"], {"assume_no_errors": True}, ["--assume", "no-errors"], "rejected", "not in error"),
    ("assumed away at points", LEAVING, [*LEAVING_HEAD, "t *0", "end 1 0"], {"assume_no_errors": True}, ["--assume", "no-errors"], "accepted", ""),
    ("filter given", STEERED, STEERED_PROOF, {"filter": True}, ["--filter", "on"], "accepted", ""),
]


def check_case(folder, setting, lines, changes, options, word, reason):
    place = Folder(folder, **setting)
    said = python_opinion(place.certificate(lines, **changes), [*place.arguments, *options])
    assert said[0] == word and reason in said[1], said


def check_goal(folder):
    """Where goals are terminal, what comes after them does not matter."""
    objective = {"objective": {"op": "objective", "goal": EQ("x", 3)}}
    jani = model([bounded("x", 0, 9)], [edge([("x", NEXT)], LT("x", 9))], properties=safety(LE("x", 2), LE(7, "x"), **objective))
    place = Folder(folder, jani)
    lines = ["o - 0:0", "r 0:0:0 1:0:3", "x 0 0", "c 1<2 =0 .", "t 1<2 >0:0 . .", "end 1 0"]
    assert python_opinion(place.certificate(lines), place.arguments)[0] == "rejected"
    path = place.certificate(lines, goal_terminal=True)
    assert python_opinion(path, [*place.arguments, "--goal-terminal"])[0] == "accepted"
    assert python_opinion(path, place.arguments)[0] == "rejected"


def check_listed(folder):
    """Listed start states, one line each."""
    states = [{"variables": [{"var": "x", "value": v}]} for v in (1, 4)]
    jani = model([bounded("x", 0, 9)], [edge([("x", NEXT)], LT("x", 5))], properties=safety({"op": "states-values", "values": states}, LE(7, "x")))
    place, head = Folder(folder, jani), ["o - 0:0", "r 0:0:0 1:0:5", "x 0 4"]
    tail = ["t 1<4 >0:0 . .", "end 1 0"]
    for between, word in ((["l 0", "l 0"], "accepted"), (["l 0"], "rejected"), (["l 0", "l 0", "l 0"], "rejected"), (["l 0", "l @"], "rejected")):
        assert python_opinion(place.certificate([*head, *between, *tail]), place.arguments)[0] == word, between


def check_filters(folder):
    """`∀ ∀G`, `∃ ∃F`, and conditions on initial states alone."""
    def ask(function, values, lines, **changes):
        property = {"name": "p", "expression": {"op": "filter", "fun": function, "values": values, "states": {"op": "initial"}}}
        jani = model([bounded("x", 0, 9, 0)], [edge([("x", NEXT)], LT("x", 5))], properties=[property])
        place = Folder(folder, jani)
        return python_opinion(place.certificate(lines, **changes), place.arguments)[0]
    lines = ["o - 0:0", "r 0:0:0 1:0:5", "x 0 0", "c 1<0 =0 .", "t 1<4 >0:0 . .", "end 1 0"]
    small, large = LT("x", 7), LE(7, "x")
    assert ask("∀", {"op": "∀", "exp": {"op": "G", "exp": small}}, lines) == "accepted"
    assert ask("∃", {"op": "∃", "exp": {"op": "F", "exp": large}}, lines, verdict="violated") == "accepted"
    assert ask("∃", {"op": "∃", "exp": {"op": "F", "exp": large}}, lines) == "rejected"
    assert ask("∃", {"op": "∃", "exp": {"op": "F", "exp": small}}, lines, verdict="violated") == "rejected"
    assert ask("∀", {"op": "∃", "exp": {"op": "F", "exp": large}}, lines) == "error"
    alone = ["r 0:0:0 1:0:3", "x 0 0", "c 1<0 =0 .", "t .", "end 1 0"]
    assert ask("∀", LT("x", 4), alone, initial_only=True) == "accepted"
    assert ask("∀", LT("x", 3), alone, initial_only=True) == "rejected"
    assert ask("∀", LT("x", 4), alone) == "rejected"


def check_sums(folder):
    """A row that needs a known formula: up is better wherever x + y <= 3, which the box alone does not say."""
    network = ([([[1, 1], [-1, -1]], [-5, 5]), ([[0, 1], [1, 0]], [0, 0])], 2)
    variables = [bounded("x", 0, 4), bounded("y", 0, 4)]
    jani = model(variables, [edge([("x", "x")], None, "up"), edge([("x", 4), ("y", 4)], None, "down")], ["up", "down"],
                 properties=safety(LE(binary("+", "x", "y"), 3), EQ(binary("+", "x", "y"), 8)))
    place = Folder(folder, jani, {"inputs": ["x", "y"], "outputs": {"labels": ["up", "down"]}}, network)
    head = ["a 3 1:-1 2:-1", "o 0 0:0", "o 1 0:1", "r 0:0:0 f0", "x 0 0 0", "c ?0 =0 ."]
    for tree, word, reason in (("b0 g1:0*11/8 >0:0 .", "accepted", ""), ("b0 g1:0*1.375 >0:0 .", "accepted", ""), ("b0 >0:0 .", "rejected", "operator down"), ("b0 g1:0*1/4 >0:0 .", "rejected", "sum"),
                               ("b0 g0:0*1 >0:0 .", "rejected", "sum"), ("g1:0*1 >0:0 .", "rejected", "rows")):
        said = python_opinion(place.certificate([*head, f"t {tree}", "end 1 0"]), place.arguments)
        assert said[0] == word and reason in said[1], (tree, said)


def check_filter(folder):
    """With the filter an output counts as better only where its label is applicable."""
    jani = model([bounded("x", 0, 9)], [edge([("x", NEXT)], LT("x", 3), "up"), edge([("x", 9)], None, "down")], ["up", "down"], properties=safety(LE("x", 2), LE(7, "x")))
    head = ["o 0 0:0", "o 1 0:1", "r 0:0:0 1:0:3", "x 0 0", "c 1<2 =0 ."]
    for filtered, tree, word in ((False, "t b0 1<2 >0:0 . .", "accepted"), (True, "t b0 1<2 >0:0 . .", "rejected"), (True, "t 1<2 b0 >0:0 . e .", "rejected"),
                                 (True, "t *0", "rejected"), (False, "t *0", "accepted")):
        place = Folder(folder, jani, {**POLICY, "filter": filtered}, NETWORK)
        assert python_opinion(place.certificate([*head, tree, "end 1 0"]), place.arguments)[0] == word, (filtered, tree)


def check_networks(folder):
    """Several networks with conditions: a node in which it is open which is asked has none."""
    place = Folder(folder, **STEERED)
    other = {"networks": [{"file": "net.nnet", "when": LT("x", 9)}], **POLICY}
    (folder / "p.policy.json").write_text(json.dumps(other))
    assert python_opinion(place.certificate(STEERED_PROOF), place.arguments)[0] == "accepted"
    other["networks"][0]["when"] = LT("x", 5)
    (folder / "p.policy.json").write_text(json.dumps(other))
    said = python_opinion(place.certificate(STEERED_PROOF), place.arguments)
    assert said[0] == "rejected" and "no network" in said[1], said


def check_runs(folder):
    """Runs, and runs that are none."""
    jani = dict(STEERED["jani"], properties=safety(LE("x", 2), LE(5, "x")))
    place = Folder(folder, jani, POLICY, NETWORK)
    state = lambda x: {"locations": {"m": "l"}, "x": x}
    score = lambda x: {"scores": {"up": {"exact": str(max(4 - x, 0)), "float": 0}, "down": {"exact": str(max(x - 4, 0)), "float": 0}}, "chosen": ["up"]}
    step = lambda x: {"label": "up", "edges": {"m": 0}, "outcome": [0], "policy": score(x), "state": state(x + 1)}

    def ask(start, steps, end=("end",), **changes):
        run = {"kind": "run", "property": "p", "start": start, "steps": steps}
        return python_opinion(place.certificate([json.dumps(run), *end], **{"claim": "reachable", "verdict": "violated", **changes}), place.arguments)
    right = [step(x) for x in range(2, 5)]
    assert ask(state(2), right)[0] == "accepted"
    changed = lambda **more: [{**right[0], **more}, *right[1:]]
    for start, steps, reason in ((state(3), right[1:], "start"), (state(2), right[:-1], "target"), (state(1), right, "outputs"), (state(2), changed(label="down"), "enabled"),
                                 (state(2), changed(edges={"m": 1}), "enabled"), (state(2), changed(outcome=[1]), "outcome"), (state(2), changed(state=state(4)), "state told"),
                                 (state(2), changed(policy={**score(2), "chosen": ["down"]}), "outputs"), (state(2), changed(policy=score(3)), "outputs"),
                                 (state(2), [{**step(2), "label": "down", "edges": {"m": 1}, "state": state(1), "policy": None}], "choose")):
        word, said = ask(start, steps)
        assert word == "rejected" and reason in said, (reason, said)
    assert ask(state(2), right, [])[0] == ask(state(2), right, ["end", "end"])[0] == "error"
    assert ask(state(2), right, verdict="holds")[0] == "rejected"
    assert ask({**state(2), "y": 1}, right)[0] == "error"


def check_monsters(folder):
    """Files that are no certificates, or far too large: an error, and soon."""
    place = Folder(folder, **COUNTER)
    path = place.certificate(COUNTER_PROOF)
    whole = path.read_bytes()
    ask = lambda: opinion([sys.executable, "-B", CHECKER, path, *place.arguments])[0]
    for broken in (b"", whole[:40], whole[:-9], b"{}", whole[:-1] + b"!", gzip.compress(b"x" * 70_000_000), gzip.compress(b"\n" * 300_000_000, 1)):
        path.write_bytes(broken)
        assert ask() == "error", broken[:20]
    deep = "[" * 100_000
    write(path, [deep])
    assert ask() == "error"
    index = place.index()
    for lines in (["o - 0:0", "r 0:0:0 1:0:5", "x 0 1", "c " + "?0 " * 10_000], ["a 0 1:1", "x 0 1", "c " + "?0 " * 10_000], ["! 0"], ["a 1"] + [f"! {i}" for i in range(30_000)] +
                  ["r 0:0:0 f30000", "x 0 1", "c 1<2 =0 ."], ["a " + "9" * 5000], ["r " + "0:0:0 " * 10], ["s 0 0"], [""], ["t"], ["c"], ["o"], ["a"], ["x"], ["end"], ["é"]):
        write(path, [index, *lines])
        assert ask() == "rejected", lines[:2]


def check_models(folder):
    """What is not supported is refused by name."""
    jani = COUNTER["jani"]
    real = {"name": "x", "type": "real", "initial-value": 0}
    for name, changed in (("type 'ta'", {**jani, "type": "ta"}), ("bounded integer", {**jani, "variables": [real]}), ("datatypes", {**jani, "datatypes": []}),
                          ("operator 'log'", model([bounded("x", 0, 9)], [edge([("x", 1)], LT(binary("log", "x", 2), 5))], properties=safety(LE("x", 2), LE(7, "x")))),
                          ("property 'Emax'", {**jani, "properties": [{"name": "p", "expression": {"op": "Emax"}}]})):
        place = Folder(folder, changed)
        word, said = python_opinion(place.certificate(COUNTER_PROOF), place.arguments)
        assert word == "error" and name in said, said


def main():
    checks = [(name, lambda folder, case=case: check_case(folder, case[0], case[1], case[2], [], *case[3:])) for name, *case in CASES]
    checks += [(name, lambda folder, case=case: check_case(folder, *case)) for name, *case in OPTIONS]
    checks += [(check.__name__, check) for check in (check_goal, check_listed, check_filters, check_sums, check_filter, check_networks, check_runs, check_monsters, check_models)]
    passed = failed = 0
    for name, check in checks:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(pathlib.Path(folder))
                passed += 1
            except Exception:
                failed += 1
                print(f"FAILED {name}", traceback.format_exc(limit=-1), sep="\n", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
