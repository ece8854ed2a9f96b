"""The reports that are looked at: one of every kind, of the examples that come with the program, and of models made to be awkward."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from packed import Packed

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
THERMOSTAT = EXAMPLES / "thermostat"


@dataclass(frozen=True)
class Wanted:
    """A command that writes a report, how it ends, and which parts its page has, in their order."""

    name: str
    words: tuple[object, ...]
    code: int
    parts: str
    again: bool = False  # whether the page of `surefoot report` about the same result is to have the same parts

    @property
    def sections(self) -> list[str]:
        return ["verdict", *self.parts.split(), "words"]


@dataclass(frozen=True)
class Report:
    wanted: Wanted
    page: Path
    result: dict[str, Any]
    packed: Packed = field(repr=False)

    @property
    def json(self) -> dict[str, Any]:
        return self.packed.json


def of(example: str, properties: str = "properties.jani", policy: str | None = None) -> tuple[object, ...]:
    folder = EXAMPLES / example
    return (folder / "model.jani", "--properties", folder / properties, *(("--policy", folder / policy) if policy else ()))


def formula(text: str) -> tuple[object, ...]:
    return (THERMOSTAT / "model.jani", "--policy", THERMOSTAT / "thermostat.policy.json", "--formula", text)


PARKING = EXAMPLES / "parking"
CASES = {wanted.name: wanted for wanted in [
    Wanted("violated", ("verify", *of("reservoir", policy="careless.jani2nnet")), 1, "run map abstraction", again=True),
    Wanted("courier", ("verify", *of("courier")), 1, "run map"),
    Wanted("holds-cegar", ("verify", *of("lift"), "--engine", "cegar"), 0, "map invariant diary abstraction"),
    Wanted("holds-within", ("verify", *of("reservoir"), "--within", 4), 0, "map formula abstraction"),
    Wanted("holds-explicit", ("verify", *of("parking"), "--engine", "explicit"), 0, "map abstraction"),
    Wanted("unknown-cegar", ("verify", *of("lift"), "--engine", "cegar", "--max-iterations", 1), 3, "map diary abstraction"),
    Wanted("unknown-explicit", ("verify", *of("reservoir"), "--engine", "explicit", "--time-limit", 0), 3, "map"),
    Wanted("bounds", ("bounds", *of("reservoir")), 0, "map bounds abstraction"),
    Wanted("bounds-cegar", ("bounds", *of("reservoir"), "--engine", "cegar", "--precision", "0.01"), 0, "map bounds abstraction"),
    Wanted("bounds-free", ("bounds", *of("reservoir", "probabilities.jani"), "--property", 0), 0, "map bounds abstraction"),
    Wanted("abstract", ("abstract", *of("parking"), "--predicates", PARKING / "predicates.json", "--deadlocks"), 0, "map invariant abstraction"),
    Wanted("formula-run", ("ctl", *formula("AG[<=4] temperature > 18.5")), 1, "run map formula cover"),
    Wanted("formula-tree", ("ctl", *formula("EF[<=3] temperature > 100")), 1, "formula cover tree"),
    Wanted("formula-holds", ("ctl", *formula("AG[<=2] temperature > 0")), 0, "formula cover"),
]}


def run(program: Path, *words: object, code: int | None = None, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False, cwd=folder)
    assert code is None or done.returncode == code, f"{words}: {done.returncode}\n{done.stderr}"
    return done


def write(program: Path, folder: Path, wanted: Wanted) -> Report:
    """Runs the command with the report, and with the result object beside it."""
    page, result = folder / f"{wanted.name}.html", folder / f"{wanted.name}.json"
    run(program, *wanted.words, "--report", page, "--json", result, "--quiet", code=wanted.code)
    return Report(wanted, page, json.loads(result.read_text()), Packed(page))
