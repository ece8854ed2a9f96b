"""What was answered, one line for each in a file that only grows: an interrupted batch goes on where it was.

A line that is not whole is what a process was writing when it ended, and counts as nothing. Only one batch writes to a folder at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Mapping
from types import TracebackType

from ..errors import InputError
from .task import Answer

NAME = "batch.jsonl"


class Journal:
    """The journal in a folder."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.kept: dict[str, tuple[Answer, float]] = {}
        self._file = None
        if folder is None:
            return
        place = pathlib.Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        path = place / NAME
        self._file = open(path, "a+b")
        try:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # Not on this system: one batch at a time is the user's to see to.
            pass
        except OSError:
            self._file.close()
            raise InputError(f"another batch is writing to {place}: wait for it, or give another folder") from None
        self._file.seek(0)
        data = self._file.read()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            self._file.truncate(whole)
        for line in data[:whole].splitlines():
            self._read(line)

    def find(self, key: str, held: Mapping[str, bytes]) -> tuple[Answer, float] | None:
        """What was answered, if it was by this version and of files that are as they were."""
        found = self.kept.get(key)
        if found is None:
            return None
        record = json.loads(found[0].result)
        for name, digest in record["inputs"].items():
            if name in held or (name.startswith("<") and name.endswith(">")):
                continue  # In memory, or a text of the words: part of the key.
            try:
                if hashlib.sha256(pathlib.Path(name).read_bytes()).hexdigest() != digest:
                    return None
            except OSError:
                return None
        return found

    def _read(self, line: bytes) -> None:
        try:
            record = json.loads(line)
            answer = Answer(**record["answer"])
            json.loads(answer.result)
            self.kept[record["key"]] = (answer, float(record["seconds"]))
        except (ValueError, KeyError, TypeError):
            # Somebody else's line, or one of another version.
            return

    def write(self, key: str, name: str, answer: Answer, seconds: float) -> None:
        """Keeps an answer; it is on the disk when this returns."""
        if self._file is None:
            return
        record = {"key": key, "name": name, "seconds": seconds, "answer": vars(answer)}
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()
