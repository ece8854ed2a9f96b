"""Answers many tasks, and yields what comes of each as it comes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Literal

from ..errors import UsageError
from .journal import Journal
from .task import Answer, Item, Task

Backend = Literal["processes", "ray"]


def batch(
    tasks: Iterable[Task],
    backend: Backend = "processes",
    *,
    workers: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    retries: int = 1,
) -> Iterator[Item]:
    """Answers tasks, as many at once as there are workers (one for each core, unless told), each on one thread unless it says otherwise.

    Items come as they are answered, each task once. A worker that dies has its task tried again, ``retries`` times; a task that is wrong or takes too
    long is told and not tried again. With a folder, answers are kept there and taken from there: errors and deaths are tried anew by the next call, *unknown* is an answer
    (of this time limit: another one is another task), and so is what was asked of files that have changed since.
    """
    tasks = list(tasks)
    if workers is not None and workers < 1:
        raise UsageError(f"workers is at least 1, not {workers}")
    with Journal(folder) as journal:
        open_tasks: list[Task] = []
        for task in tasks:
            kept = journal.find(task.key, task.call.files)
            if kept is not None:
                answer, seconds = kept
                yield Item(task, task.result(answer), None, seconds, kept=True)
            else:
                open_tasks.append(task)
        if backend == "processes":
            from .processes import answer_all
        elif backend == "ray":
            from .ray import answer_all
        else:
            raise UsageError(f"the backend is 'processes' or 'ray', not {backend!r}")
        for index, found, seconds in answer_all(open_tasks, workers or os.cpu_count() or 1, retries):
            task = open_tasks[index]
            if isinstance(found, Answer):
                journal.write(task.key, task.name, found, seconds)
                yield Item(task, task.result(found), None, seconds)
            else:
                yield Item(task, None, found, seconds)
