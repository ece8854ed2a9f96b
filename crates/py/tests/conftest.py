"""What the tests share: the examples of the repository, and a model that takes long."""

from __future__ import annotations

import importlib
import os
import pathlib

import pytest

import surefoot

if os.environ.get("CI") == "true":
    # What is missing there is a mistake of ours, and no reason to skip.
    pytest.importorskip = importlib.import_module  # type: ignore[assignment]

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"


class Example:
    """A model of the examples, with its properties and policy."""

    def __init__(self, name: str, policy: str) -> None:
        folder = EXAMPLES / name
        self.model, self.properties, self.policy = folder / "model.jani", folder / "properties.jani", folder / policy

    def arguments(self) -> list[str]:
        """As the command line is told."""
        return [str(self.model), "--properties", str(self.properties), "--policy", str(self.policy)]


@pytest.fixture
def reservoir() -> Example:
    """Unsafe, by a run of five steps."""
    return Example("reservoir", "careless.jani2nnet")


@pytest.fixture
def lift() -> Example:
    """Safe."""
    found = Example("lift", "")
    found.policy = next(path for path in found.model.parent.iterdir() if path.name.endswith((".policy.json", ".jani2nnet")))
    return found


@pytest.fixture(scope="session")
def endless() -> surefoot.Model:
    """A model of 10^14 states."""
    m = surefoot.ModelBuilder("endless")
    counters = [m.int(f"c{i}", 0, 99, initial=0) for i in range(7)]
    for i, counter in enumerate(counters):
        m.action(f"up{i}").when(counter < 99).do({counter: counter + 1})
        m.action(f"down{i}").when(counter > 0).do({counter: counter - 1})
    return m.build()
