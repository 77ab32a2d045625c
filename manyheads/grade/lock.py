"""One grader at a time in a course's folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from manyheads.errors import GradingError

NAME = ".manyheads-grade.lock"


@contextmanager
def only_grader(folder: Path) -> Iterator[None]:
    """Holds the folder's lock; the system lets go of it when the process ends, however it ends.

    Raises GradingError when another process holds it.
    """
    path = folder / NAME
    with path.open("a+", encoding="utf-8") as file:
        if not _locked(file):
            file.seek(0)
            raise GradingError(
                f"{folder} is being graded already, by process {file.read().strip() or 'unknown'}. "
                "Wait for it to end, or end it: what it has graded so far is kept."
            )
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _locked(file: IO[str]) -> bool:
    """Take the lock if it is free; whether it is ours now."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1000)  # a byte beyond the number, which others have to be able to read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
