"""Answers tasks on a cluster by Ray, one core for each.

Ray gives a task of a worker that died to another one. Whatever it does, each task is taken once: by the reference under which it was sent.
"""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import MissingExtra
from .processes import alone
from .task import Answer, Task, work

#: Tasks that are sent ahead of those being answered, for each worker: more would only fill the cluster's memory.
AHEAD = 4


def answer_all(tasks: Sequence[Task], workers: int, retries: int) -> Iterator[tuple[int, Answer | str, float]]:
    """Index, answer or what is wrong, and seconds of each task, as they come. A cluster that is there is used; else one is started on this machine."""
    try:
        ray: Any = importlib.import_module("ray")
        importlib.import_module("ray.exceptions")
    except ImportError:
        raise MissingExtra("the backend 'ray' needs Ray: pip install ray") from None
    started = not ray.is_initialized()
    if started:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    remote = ray.remote(num_cpus=1, max_retries=retries)(timed)
    try:
        yield from _gather(ray, remote, tasks, max(workers, int(ray.cluster_resources().get("CPU", workers))))
    finally:
        if started:
            ray.shutdown()


def timed(words: list[str], files: dict[str, bytes]) -> tuple[Answer | str, float]:
    """Answers, and tells how long that took."""
    begin = time.perf_counter()
    return work(words, files), time.perf_counter() - begin


def _gather(ray: Any, remote: Any, tasks: Sequence[Task], workers: int) -> Iterator[tuple[int, Answer | str, float]]:
    coming = iter(range(len(tasks)))
    sent: dict[Any, int] = {}
    since: dict[Any, float] = {}

    def send() -> bool:
        index = next(coming, None)
        if index is None:
            return False
        reference = remote.remote(alone(tasks[index]), dict(tasks[index].call.files))
        sent[reference], since[reference] = index, time.perf_counter()
        return True

    while len(sent) < AHEAD * workers and send():
        pass
    while sent:
        ready, _ = ray.wait(list(sent), num_returns=1, timeout=5)
        for reference in ready:
            index = sent.pop(reference)
            waited = time.perf_counter() - since.pop(reference)
            try:
                found, seconds = ray.get(reference)
            except ray.exceptions.RayError as error:
                found, seconds = f"the cluster lost it: {type(error).__name__}", waited
            send()
            yield index, found, seconds
