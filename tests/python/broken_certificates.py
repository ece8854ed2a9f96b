"""Broken certificates, each refused by both checkers for its reason.

Usage: broken_certificates.py BINARY          asks both checkers about all of tests/certificates
       broken_certificates.py --write         writes the folder anew from the table below

Each subfolder of tests/certificates has a model and a certificate of it that is right, `proof.txt`, as text. The table says how each broken one is made of it, and a word
of the reason that each checker gives; what it makes stands beside, `broken/NAME.txt`, so that other checkers can be tried on it.
"""

import gzip
import json
import pathlib
import sys
import tempfile

import certificate_files

FOLDER = certificate_files.ROOT / "tests" / "certificates"


class Text:
    """A certificate as text: the index, and the other lines."""

    def __init__(self, text):
        index, *self.lines = text.splitlines()
        self.index = json.loads(index)

    def text(self):
        return "".join(f"{line}\n" for line in [json.dumps(self.index, ensure_ascii=False), *self.lines])


def put(letter, number, line):
    """Another line for the one with this letter and number; None leaves it out."""
    def edit(certificate):
        at = [i for i, old in enumerate(certificate.lines) if old.split(" ")[0] == letter][number]
        certificate.lines[at:at + 1] = [] if line is None else [line]
    return edit


def told(**changes):
    """Other members of the index, or of its semantics."""
    def edit(certificate):
        for name, value in changes.items():
            (certificate.index["semantics"] if name in certificate.index["semantics"] else certificate.index)[name] = value
    return edit


def swapped(certificate):
    """Hashes of other files."""
    names = list(certificate.index["inputs"])
    certificate.index["inputs"][names[0]] = certificate.index["inputs"][names[0]][::-1]


def both(*edits):
    def edit(certificate):
        for each in edits:
            each(certificate)
    return edit


# Folder, name, edit, words of the reasons of the checker in Python and of the one in Rust.
TABLE = [
    ("ferry", "missing-region", both(put("r", 2, None), put("t", 2, None), put("end", 0, "end 2 0")), "no region", "no region"),
    ("ferry", "missing-tree", put("t", 2, None), "no tree", "trees for"),
    ("ferry", "missing-end", put("end", 0, None), "no line 'end'", "the file ends"),
    ("ferry", "wrong-count", put("end", 0, "end 4 0"), "numbers", "end 3 0"),
    ("ferry", "bound-off-by-one", put("r", 1, "r 0:1:1 1:0:4"), "lead out", "outside its bounds"),
    ("ferry", "bound-off-by-one-above", put("r", 0, "r 0:0:0 1:0:6 2:0:1"), "lead out", "outside its bounds"),
    ("ferry", "bound-outside-domain", put("r", 1, "r 0:1:1 1:0:10"), "domain", "no part of its domain"),
    ("ferry", "bound-empty", put("r", 1, "r 0:1:1 1:5:0"), "empty", "no part of its domain"),
    ("ferry", "location-open", put("r", 1, "r 1:0:5"), "location open", "locations"),
    ("ferry", "wrong-operator", put("o", 0, "o 1 0:0"), "operator up", "up (ferry: edge 0) is not settled"),
    ("ferry", "wrong-edge", put("o", 2, "o - 0:1"), "2 outcomes, not 1", "not settled"),
    ("ferry", "no-such-edge", put("o", 2, "o - 0:3"), "no edge", "not settled"),
    ("ferry", "operator-left-out", put("t", 1, "t ."), "(silent)", "not settled"),
    ("ferry", "outcome-missing", put("t", 0, "t 1<4 b0 >0:1 . b1 >1:1 ."), "2 outcomes, not 1", "1 targets for 2 outcomes"),
    ("ferry", "outcome-impossible", put("t", 0, "t 1<4 b0 >0:1 . b1 >1:1,- ."), "impossible", "probability"),
    ("ferry", "value-split-swapped", put("t", 1, "t >2:c0<1[2;0] ."), "lead out", "'wind' may be outside"),
    ("ferry", "value-split-off-by-one", put("t", 1, "t >2:c0<2[0;2] ."), "lead out", "'wind' may be outside"),
    ("ferry", "value-that-is-none", put("t", 1, "t >2:c1<1[0;2] ."), "non-deterministic value 1", "no choice 1"),
    ("ferry", "start-not-covered", put("c", 0, "c 0<0 1<1 2<1 =0 =2 . ."), "start condition is", "not shown to be covered"),
    ("ferry", "start-elsewhere", put("c", 0, "c 0<0 1<2 2<1 =0 =1 . ."), "inside", "outside its bounds"),
    ("ferry", "cover-missing", put("c", 0, None), "not covered", "not all start states"),
    ("ferry", "no-start-state", put("x", 0, "x 0 3 0"), "no start state", "no start state"),
    ("ferry", "start-state-missing", put("x", 0, None), "no start state", "not expected"),
    ("ferry", "split-outside", put("t", 0, "t 1<5 b0 >0:1 . b1 >1:1,1 ."), "not split there", "split at 5"),
    ("ferry", "split-below", put("t", 0, "t 1<-1 b0 >0:1 . b1 >1:1,1 ."), "not split there", "split at -1"),
    ("ferry", "split-overlapping", put("t", 0, "t 1<4 1<4 b0 >0:1 . b1 >1:1,1 . ."), "not split there", "split at 4"),
    ("ferry", "half-missing", put("t", 0, "t 1<4 b0 >0:1 ."), "early", "parts are open"),
    ("ferry", "half-too-many", put("t", 0, "t 1<4 b0 >0:1 . b1 >1:1,1 . ."), "complete", "complete"),
    ("ferry", "phase-half-missing", put("t", 0, "t 1<4 b0 >0:1 . ^0.0 b1 >1:1,1 ."), "early", "parts are open"),
    ("ferry", "phase-that-is-none", put("t", 0, "t 1<4 b0 >0:1 . ^0.2 b1 >1:1,1 . b1 >1:1,1 ."), "no neuron", "no neuron 2"),
    ("ferry", "relative-to-other", put("t", 0, "t 1<4 b1 >0:1 . b1 >1:1,1 ."), "operator down", "down (ferry: edge 1) is not settled"),
    ("ferry", "choice-off-by-one", put("t", 0, "t 1<3 b0 >0:1 . b1 >1:1,1 ."), "operator up", "up (ferry: edge 0) is not settled"),
    ("ferry", "wrong-slopes", put("t", 0, "t b0/00 >0:1 ."), "lead out", "outside its bounds"),
    ("ferry", "not-constant", put("t", 0, "t 1<4 e >0:1 . b1 >1:1,1 ."), "not the same", "not constant"),
    ("ferry", "assumed-error", put("t", 1, "t >2:! ."), "assumed", "not assumed"),
    ("ferry", "tree-of-later", put("t", 0, "t =2"), "earlier", "shared"),
    ("ferry", "tree-of-itself", put("t", 2, "t =2"), "earlier", "shared"),
    ("ferry", "tree-of-other-region", put("t", 2, "t =1"), "operator up", "not settled"),
    ("ferry", "points-elsewhere", put("t", 1, "t *0"), "out of the invariant", "leads outside"),
    ("ferry", "unknown-token", put("t", 1, "t ,"), "belongs", "expected a step"),
    ("ferry", "lines-out-of-order", both(put("x", 0, None), put("c", 0, "c 0<0 1<2 2<1 =0 =2 . .\nx 0 1 0")), "does not belong", "not expected"),
    ("ferry", "swapped-hash", swapped, "hashes", "other files"),
    ("ferry", "wrong-verdict", told(verdict="violated"), "verdict", "verdict"),
    ("ferry", "wrong-claim", told(claim="reachable"), "verdict", "verdict"),
    ("ferry", "wrong-filter", told(filter=True), "semantics", "filter"),
    ("ferry", "wrong-ties", told(ties="any"), "semantics", "ties"),
    ("ferry", "wrong-goal", told(goal_terminal=True), "semantics", "goal_terminal"),
    ("ferry", "no-moves", told(initial_only=True), "semantics", "initial_only"),
    ("ferry", "wrong-assumption", told(assume_no_errors=True), "semantics", "assume_no_errors"),
    ("ferry", "wrong-property", told(property={"index": 1, "name": "ashore"}), "'property'", "property"),
    ("ferry", "wrong-slots", told(slots=["ferry", "wind", "place"]), "slots", "slots"),
    ("ferry", "wrong-outputs", told(outputs=["down", "up"]), "outputs", "outputs"),
    ("ferry", "wrong-constants", told(constants={"N": "5"}), "constants", "constants"),
    ("ferry", "newer-version", told(version=2), "version", "version 2"),
    ("follower", "bound-off-by-one", put("a", 1, "a -2 1:1 3:-1"), "(silent)", "not settled"),
    ("follower", "bound-off-by-one-below", put("a", 1, "a 0 1:1 3:-1"), "lead out", "may be false"),
    ("follower", "formula-left-out", put("r", 0, "r 0:0:0 f0"), "not known", "not known"),
    ("follower", "negative-multiplier", put("t", 0, "t ?4 3<8 ?1 >0:1 . . . f0*1,2*-1,5*1"), "not positive", "not positive"),
    ("follower", "wrong-multiplier", put("t", 0, "t ?4 3<8 ?1 >0:1 . . . f0*1,2*2,5*1"), "empty", "not negative"),
    ("follower", "unknown-formula", put("t", 0, "t ?4 3<8 ?1 >0:1 . . . f0*1,2*1,4*1"), "not known", "not known"),
    ("follower", "half-missing", put("t", 0, "t ?4 3<8 ?1 >0:1 . ."), "early", "parts are open"),
    ("follower", "start-not-covered", put("c", 0, "c ?0 =0 ."), "inside", "may be false"),
]


def options(folder):
    """The arguments of every command about a folder."""
    return [folder / "model.jani"]


def made():
    """All that the table makes, by path."""
    for name in sorted({row[0] for row in TABLE}):
        proof = Text((FOLDER / name / "proof.txt").read_text(encoding="utf-8"))
        inputs = sorted(path for path in (FOLDER / name).iterdir() if path.suffix in (".jani", ".json", ".nnet"))
        proof.index["inputs"] = certificate_files.hashes(*inputs)
        yield FOLDER / name / "proof.txt", proof.text(), None
        for folder, title, edit, *reasons in TABLE:
            if folder == name:
                certificate = Text(proof.text())
                edit(certificate)
                yield FOLDER / name / "broken" / f"{title}.txt", certificate.text(), reasons


def containers(proof):
    """Files that are no container of a certificate: truncated, damaged, or far too large."""
    whole = gzip.compress(proof, mtime=0)
    yield "truncated", whole[:len(whole) // 2]
    yield "without its checksum", whole[:-8]
    yield "with another checksum", whole[:-8] + bytes(8)
    yield "not compressed", proof
    yield "empty", b""
    yield "one line of 70 million bytes", gzip.compress(b"x" * 70_000_000, 1)
    yield "without an end of the last line", gzip.compress(proof[:-1], mtime=0)
    yield "a very deep index", gzip.compress(b"[" * 1_000_000 + b"\n")


def main(arguments):
    if arguments == ["--write"]:
        for path, text, _ in list(made()):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return 0
    binary, passed, failed = pathlib.Path(arguments[0]).resolve(), 0, []
    ask = lambda certificate, folder: (certificate_files.python_opinion(certificate, options(folder)),
                                       certificate_files.opinion([binary, "certify", certificate, *options(folder), "--quiet"]))
    with tempfile.TemporaryDirectory() as place:
        certificate = pathlib.Path(place) / "c.cert"
        for path, text, reasons in made():
            folder = path.parent if reasons is None else path.parent.parent
            if path.read_text(encoding="utf-8") != text:
                failed.append(f"{path} is not what the table makes: run with --write")
            certificate_files.write(certificate, text.splitlines())
            for words, word in zip(ask(certificate, folder), reasons or ["", ""]):
                if (words[0] == "accepted") != (reasons is None) or word not in words[1].split("\n  model")[0]:
                    failed.append(f"{path.relative_to(FOLDER)}: '{word}' is not the reason: {words}")
                else:
                    passed += 1
        for name, data in containers((FOLDER / "ferry" / "proof.txt").read_bytes()):
            certificate.write_bytes(data)
            for words in ask(certificate, FOLDER / "ferry"):
                if words[0] != "error":
                    failed.append(f"{name}: {words}")
                else:
                    passed += 1
    for text in failed:
        print(f"FAILED {text}")
    print(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
