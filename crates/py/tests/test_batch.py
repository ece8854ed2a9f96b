"""Batches: each task once, whatever happens to those who answer."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time
from typing import Any

import pytest

import surefoot
from surefoot.batches import Cells, Item, Task, batch, combine, grid, processes
from surefoot.batches.cells import is_empty
from surefoot.batches.journal import NAME


def walk() -> surefoot.Model:
    m = surefoot.ModelBuilder("walk")
    x = m.int("x", 0, 50, initial=5)
    m.action("left").when(x > 3).do({x: x - 1})
    m.action("right").when(x < 40).do({x: x + 1})
    return m.build()


def tasks(count: int) -> list[Task]:
    return [Task.of("verify", walk(), name=str(bound), never=f"x = {bound}") for bound in range(count)]


def truth(bound: int) -> str:
    return "violated" if 3 <= bound <= 40 else "holds"


def test_all_are_answered_and_kept(tmp_path: pathlib.Path) -> None:
    items = list(batch(tasks(12), workers=2, folder=tmp_path))
    assert sorted(item.name for item in items) == sorted(map(str, range(12)))
    assert all(item.verdict == truth(int(item.name)) and not item.kept for item in items)
    again = list(batch(tasks(14), workers=2, folder=tmp_path))
    assert sorted(int(item.name) for item in again if item.kept) == list(range(12))
    assert all(item.verdict == truth(int(item.name)) for item in again)
    kept = next(item for item in again if item.name == "10")
    assert isinstance(kept.result, surefoot.results.VerifyResult) and kept.result.witness is not None
    assert kept.result.witness[-1].state["x"] == 10


def test_a_torn_line_counts_as_nothing(tmp_path: pathlib.Path) -> None:
    list(batch(tasks(3), workers=1, folder=tmp_path))
    path = tmp_path / NAME
    data = path.read_bytes()
    path.write_bytes(b"nonsense\n" + data[: len(data) - 40])
    items = list(batch(tasks(3), workers=1, folder=tmp_path))
    assert sum(item.kept for item in items) == 2 and [item.verdict for item in items] == ["holds"] * 3
    assert sum(item.kept for item in batch(tasks(3), workers=1, folder=tmp_path)) == 3


def test_what_is_wrong_stops_nobody() -> None:
    wrong = Task.of("verify", walk(), name="wrong", never="y = 3")
    items = {item.name: item for item in batch([wrong, *tasks(4)], workers=2)}
    assert items["wrong"].result is None and "InputError" in (items["wrong"].error or "")
    assert [items[str(bound)].verdict for bound in range(4)] == [truth(bound) for bound in range(4)]


def test_limits_of_one_stop_nobody(endless: surefoot.Model) -> None:
    slow = Task.of("explore", endless, name="slow", time_limit=0.5)
    items = {item.name: item for item in batch([slow, *tasks(3)], workers=2)}
    assert items["slow"].verdict == "unknown" and len(items) == 4


def test_one_who_does_not_keep_his_limit_is_ended(endless: surefoot.Model) -> None:
    slow = Task.of("explore", endless, name="slow")
    slow = Task(slow.name, slow.call, 0.6, slow.key)
    items = {item.name: item for item in batch([slow, *tasks(3)], workers=2)}
    assert "did not keep its limit" in (items["slow"].error or "") and items["0"].verdict == "holds"


def test_workers_that_are_killed_lose_nothing(monkeypatch: pytest.MonkeyPatch, endless: surefoot.Model) -> None:
    made: list[processes.Worker] = []
    give = processes.Worker.give

    def giving(self: processes.Worker, index: int, task: Task) -> None:
        made.append(self)
        give(self, index, task)
        if len(made) == 3:
            assert self.process.pid is not None
            os.kill(self.process.pid, signal.SIGKILL)

    monkeypatch.setattr(processes.Worker, "give", giving)
    items = list(batch(tasks(8), workers=2))
    assert sorted(int(item.name) for item in items) == list(range(8))
    assert all(item.verdict == truth(int(item.name)) for item in items)


def test_one_that_kills_every_worker_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    give = processes.Worker.give

    def giving(self: processes.Worker, index: int, task: Task) -> None:
        if index == 1:
            self.process.kill()
            self.process.join()
        give(self, index, task)

    monkeypatch.setattr(processes.Worker, "give", giving)
    items = {item.name: item for item in batch(tasks(4), workers=2)}
    assert len(items) == 4
    assert "died (exit code -9), 2 times" in (items["1"].error or "")
    assert [items[str(bound)].verdict for bound in (0, 2, 3)] == [truth(bound) for bound in (0, 2, 3)]


def test_names_of_a_grid() -> None:
    made = list(grid("verify", walk(), {"free": None}, {"a": {"never": "x = 4"}, "b": {"never": "x = 49"}}, seeds=(0, 1)))
    assert [task.name for task in made] == ["free/a/seed 0", "free/a/seed 1", "free/b/seed 0", "free/b/seed 1"]
    assert {item.name: item.verdict for item in batch(made, workers=1)} == {
        "free/a/seed 0": "violated", "free/a/seed 1": "violated", "free/b/seed 0": "holds", "free/b/seed 1": "holds",
    }  # fmt: skip


@pytest.mark.parametrize(("never", "verdict"), [("x = 45", "holds"), ("x = 20", "violated")])
def test_cells_come_to_the_verdict_of_the_whole(never: str, verdict: str) -> None:
    cells = Cells.of("verify", walk(), start="x <= 30", parts={"x": 4}, never=never)
    whole = combine(cells, batch(cells, workers=2))
    assert whole.verdict == verdict == surefoot.verify(walk(), start="x <= 30", never=never).verdict
    # From 39 on there is none.
    assert sum(is_empty(item) for item in whole.items) == 1


def test_an_open_cell_leaves_the_whole_open() -> None:
    cells = Cells.of("verify", walk(), start="x <= 30", parts={"x": 3}, never="x = 45")
    items = list(batch(cells, workers=1))
    broken = Item(items[0].task, None, "the worker died", 0.0)
    assert combine(cells, [broken, *items[1:]]).verdict == "unknown"
    assert combine(cells, [broken, *items[1:]]).open == (broken.name,)
    # One that never came is no better.
    assert combine(cells, items[:2]).verdict == "unknown" and combine(cells, items).verdict == "holds"


def test_bounds_over_cells() -> None:
    m = surefoot.ModelBuilder("coin")
    x = m.int("x", 0, 3)
    done = m.bool("done", initial=False)
    fell = m.bool("fell", initial=False)
    m.action("toss").when(~done & (x <= 1)).outcomes((0.25, {fell: True, done: True}), (0.75, {done: True}))
    m.action("safe").when(~done & (x >= 2)).do({done: True})
    cells = Cells.of("bounds", m.build(), start="!done & !fell", parts={"x": 4}, never="fell", exact=True)
    whole = combine(cells, batch(cells, workers=1))
    assert whole.value is not None and (whole.value.lower, whole.value.upper) == (0.25, 0.25)


def test_cells_cover_whatever_constants_say() -> None:
    m = surefoot.ModelBuilder("a")
    n = m.const("N", 3)
    m.int("x", 0, n)
    m.action("go").do({})
    cells = Cells.of("verify", m.build(), start="x >= 0", parts={"x": 2}, never="x = 5", constants={"N": 9})
    assert combine(cells, batch(cells, workers=1)).verdict == "violated"


def test_names_of_cells_are_quoted() -> None:
    m = surefoot.ModelBuilder("a")
    a, b, ab = m.int("a", 0, 3), m.int("b", 0, 3), m.int("a-b", 0, 3)
    m.action("go").do({})
    bad = (ab == 3) & (a == 0) & (b == 1)
    cells = Cells.of("verify", m.build(), start=a >= 0, parts={"a-b": 2}, never=bad)
    assert combine(cells, batch(cells, workers=1)).verdict == "violated"


def test_sums_and_means_have_no_cells() -> None:
    for option in ({"expect": "max"}, {"mean": True}, {"weights": "x"}):
        with pytest.raises(surefoot.UsageError, match="cannot be put together again"):
            Cells.of("bounds", walk(), start="x <= 30", parts={"x": 3}, goal="x = 3", **option)


def test_files_that_changed_are_asked_anew(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.jani"
    for target, verdict in ((0, "holds"), (3, "violated")):
        m = surefoot.ModelBuilder("a")
        x = m.int("x", 0, 3, initial=0)
        m.action("go").do({x: target})
        m.build().write(path)
        [item] = batch([Task.of("verify", path, never="x = 3")], workers=1, folder=tmp_path / "kept")
        assert (item.verdict, item.kept) == (verdict, False)
    [item] = batch([Task.of("verify", path, never="x = 3")], workers=1, folder=tmp_path / "kept")
    assert (item.verdict, item.kept) == ("violated", True)


def test_interrupted_batches_go_on(tmp_path: pathlib.Path) -> None:
    code = f"""
        import sys
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import test_batch
        if __name__ == "__main__":
            for item in test_batch.batch(test_batch.tasks(60), workers=2, folder={str(tmp_path)!r}):
                print(item.name, flush=True)
    """
    script = tmp_path / "run.py"
    script.write_text(textwrap.dedent(code), encoding="utf-8")
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    for _ in range(5):
        process.stdout.readline()
    process.kill()
    process.wait()
    time.sleep(0.3)
    items = list(batch(tasks(60), workers=2, folder=tmp_path))
    assert sum(item.kept for item in items) >= 5
    assert sorted(int(item.name) for item in items) == list(range(60))
    assert all(item.verdict == truth(int(item.name)) for item in items)


def test_two_batches_in_one_folder_are_refused(tmp_path: pathlib.Path) -> None:
    first = batch(tasks(3), workers=1, folder=tmp_path)
    next(first)
    with pytest.raises(surefoot.InputError, match="another batch is writing"):
        next(batch(tasks(3), workers=1, folder=tmp_path))
    first.close()  # type: ignore[attr-defined]


def test_wrong_tasks_and_backends_are_refused() -> None:
    with pytest.raises(surefoot.UsageError, match="a task is one of"):
        Task.of("replay", walk())
    nobody: Any = "nobody"
    with pytest.raises(surefoot.UsageError, match="'processes' or 'ray'"):
        list(batch(tasks(1), nobody))
    with pytest.raises(surefoot.UsageError, match="no bounded integer"):
        Cells.of("verify", walk(), start="true", parts={"z": 2}, never="x = 3")
