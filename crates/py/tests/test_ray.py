"""A batch on a local cluster of several workers, one of which is killed on purpose: nothing lost, nothing counted twice."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

import surefoot
from surefoot.batches import Task, batch

ray = pytest.importorskip("ray")
psutil = pytest.importorskip("psutil")


def slow(bound: int) -> Task:
    m = surefoot.ModelBuilder("walk")
    counters = [m.int(f"c{i}", 0, 60, initial=0) for i in range(3)]
    for i, counter in enumerate(counters):
        m.action(f"up{i}").when(counter < 60).do({counter: counter + 1})
    return Task.of("verify", m.build(), name=str(bound), never=f"c0 + c1 + c2 = {bound}", engine="explicit")


def busy_workers() -> list[int]:
    """Workers that are answering a task: Ray calls them by the function."""
    return [
        process.pid
        for process in psutil.process_iter(["pid", "cmdline"])
        if (process.info["cmdline"] or [""])[0].startswith("ray::timed")
    ]


def test_a_killed_worker_loses_nothing() -> None:
    killed: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 60
        while not killed and time.monotonic() < deadline:
            for pid in busy_workers():
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                break
            time.sleep(0.05)

    thread = threading.Thread(target=kill)
    thread.start()
    items = list(batch([slow(bound) for bound in range(176, 188)], "ray", workers=3, retries=3))
    thread.join()
    assert killed
    assert sorted(int(item.name) for item in items) == list(range(176, 188))
    for item in items:
        assert item.verdict == ("violated" if int(item.name) <= 180 else "holds"), item.error
