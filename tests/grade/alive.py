"""Which processes of this machine still run."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def alive(pids: Iterable[int]) -> list[int]:
    """Those that have not ended; one that has, and is not waited for by its parent, has ended.

    >>> import os
    >>> alive([os.getpid()]) == [os.getpid()]
    True
    """
    return [pid for pid in pids if _state(pid) not in ("", "Z", "X")]


def _state(pid: int) -> str:
    """The letter by which the system tells what a process does; nothing when it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return ""
