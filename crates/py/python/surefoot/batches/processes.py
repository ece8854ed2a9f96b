"""Answers tasks in processes of this machine.

Workers stay, and are given one task after the other. One that dies is followed by another; one that takes longer than its task may is ended. They are started
afresh (*spawn*), so that they share no locks and no threads with this process.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait

from .task import Answer, Task, work

#: Why workers usually die before they have answered anything.
NO_GUARD = "; a script that calls batch does so under if __name__ == '__main__', since workers begin by reading it"
#: How often ends of time are looked for.
TICK = 0.2


def serve(pipe: Connection) -> None:
    """A worker: answers until nobody asks."""
    import signal

    # Ctrl-C is for the process that asks, which then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            words, files = pipe.recv()
        except EOFError:
            return
        pipe.send(work(words, files))


class Worker:
    """A process, and the task that it has."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.index: int | None = None
        self.since = 0.0

    def give(self, index: int, task: Task) -> None:
        """Gives it a task."""
        self.index, self.since = index, time.perf_counter()
        self.pipe.send((alone(task), dict(task.call.files)))

    def end(self) -> None:
        """Ends it."""
        self.pipe.close()
        self.process.kill()
        self.process.join()


def alone(task: Task) -> list[str]:
    """The words of a task, on one thread unless it says otherwise: there is a worker for each core."""
    words = task.call.words()
    return words if any(word.startswith("--threads") for word in words) else [*words, "--threads=1"]


def answer_all(tasks: Sequence[Task], workers: int, retries: int) -> Iterator[tuple[int, Answer | str, float]]:
    """Index, answer or what is wrong, and seconds of each task, as they come."""
    left = deque(range(len(tasks)))
    tried = [0] * len(tasks)
    team: list[Worker] = []
    answered = False
    try:
        while left or any(worker.index is not None for worker in team):
            while len(team) < min(workers, len(left) + sum(worker.index is not None for worker in team)):
                team.append(Worker())
            for worker in team:
                if worker.index is None and left:
                    following = left.popleft()
                    tried[following] += 1
                    try:
                        worker.give(following, tasks[following])
                    except OSError:
                        pass  # It is dead: found out below.
            busy = {worker.pipe: worker for worker in team if worker.index is not None}
            ready = set(wait(list(busy), timeout=TICK))
            for pipe, worker in busy.items():
                index = worker.index
                assert index is not None
                seconds = time.perf_counter() - worker.since
                if pipe in ready:
                    try:
                        found: Answer | str = pipe.recv()
                    except (EOFError, OSError):
                        team.remove(worker)
                        worker.end()
                        if tried[index] <= retries:
                            left.append(index)
                        else:
                            code = worker.process.exitcode
                            hint = "" if answered or code != 1 else NO_GUARD
                            yield index, f"the worker died (exit code {code}), {tried[index]} times{hint}", seconds
                        continue
                    worker.index, answered = None, True
                    yield index, found, seconds
                elif (most := tasks[index].most_seconds) is not None and seconds > most:
                    team.remove(worker)
                    worker.end()
                    yield index, f"it was ended after {seconds:.0f} s: it did not keep its limit", seconds
    finally:
        for worker in team:
            worker.end()
