"""The engines: compiled code."""

from collections.abc import Callable
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Environment", "NativeError", "Network", "Outcome", "main", "run"]

class NativeError(Exception): ...

@final
class Outcome:
    @property
    def exit(self) -> int: ...
    @property
    def result(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def interrupted(self) -> bool: ...

@final
class Network:
    def __new__(
        cls,
        name: str,
        data: bytes,
        files: dict[str, bytes] | None = None,
        activation: str | None = None,
        output: str | None = None,
    ) -> Network: ...
    @property
    def inputs(self) -> int: ...
    @property
    def outputs(self) -> int: ...
    @property
    def notices(self) -> list[str]: ...
    def scores(self, points: NDArray[np.float64]) -> NDArray[np.float64]: ...

@final
class Environment:
    def __new__(
        cls,
        arguments: list[str],
        files: dict[str, bytes],
        labels: list[str],
        observation: list[str],
        reward: str | None,
        goal_reward: float,
        unsafe_reward: float,
        stuck_reward: float,
        step_reward: float,
        max_steps: int,
    ) -> Environment: ...
    def reset(self, seed: int | None) -> tuple[NDArray[np.float32], str]: ...
    def step(self, action: int) -> tuple[NDArray[np.float32], float, str]: ...
    def mask(self) -> NDArray[np.bool_]: ...
    def state(self) -> dict[str, int | bool]: ...
    def load(self, state: dict[str, int | bool]) -> tuple[NDArray[np.float32], str]: ...

def main(arguments: list[str]) -> int: ...
def run(arguments: list[str], files: dict[str, bytes], report: Callable[[str], None] | None = None) -> Outcome: ...
