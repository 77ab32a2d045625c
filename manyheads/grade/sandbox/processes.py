"""Who belongs to a student's process, and how much memory all of them hold, as Linux tells it."""

from __future__ import annotations

import os
import re
import select
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
FIELDS = ("RssAnon:", "RssShmem:")
SHARED_FIELDS = ("Pss_Anon:", "Pss_Shmem:")


def pid_of(handle: int) -> int:
    """The process that a pidfd refers to; 0 when it is gone."""
    text = _read(PROC / "self" / "fdinfo" / str(handle))
    found = re.search(r"^Pid:\s*(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


def has_ended(handle: int) -> bool:
    """Whether the process that a pidfd refers to has ended, waited for or not."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(0))


def family(pid: int, without: Iterable[int] = ()) -> list[int]:
    """A process and its descendants, but no branch that begins with one of `without`.

    >>> import os
    >>> os.getpid() in family(os.getpid())
    True
    """
    left_out = set(without)
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        if one in left_out:
            continue
        left_out.add(one)
        found.append(one)
        waiting.extend(_children(one))
    return found


def descends(pid: int, ancestors: Iterable[int]) -> bool:
    """Whether a process has one of `ancestors` above it."""
    known = set(ancestors)
    for _ in range(10_000):
        if pid in known:
            return True
        found = re.search(r"^PPid:\s*(\d+)", _read(PROC / str(pid) / "status"), re.MULTILINE)
        pid = int(found[1]) if found else 0
        if pid <= 1:
            return pid in known
    return False


def _children(pid: int) -> Iterator[int]:
    try:
        tasks = list((PROC / str(pid) / "task").iterdir())
    except OSError:
        return
    for task in tasks:
        yield from map(int, _read(task / "children").split())


def memory(pids: Iterable[int]) -> int:
    """Bytes in memory that belong to no file, each process's pages counted for it alone."""
    return sum(_sum(PROC / str(pid) / "status", FIELDS) for pid in pids)


def shared_memory(pids: Iterable[int]) -> int:
    """The same with a page that several processes share divided among them; slow, and exact."""
    return sum(_sum(PROC / str(pid) / "smaps_rollup", SHARED_FIELDS) for pid in pids)


def threads(pids: Iterable[int]) -> int:
    """How many threads all of them have."""
    total = 0
    for pid in pids:
        found = re.search(r"^Threads:\s*(\d+)", _read(PROC / str(pid) / "status"), re.MULTILINE)
        total += int(found[1]) if found else 0
    return total


def keep_with_us(pid: int) -> None:
    """Let a process and its descendants run on those CPUs alone on which this one may run."""
    if not hasattr(os, "sched_setaffinity"):
        return
    ours = os.sched_getaffinity(0)
    for one in family(pid):
        with suppress(OSError):  # it has ended
            os.sched_setaffinity(one, ours)


def _sum(path: Path, fields: tuple[str, ...]) -> int:
    lines = _read(path).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(fields)) * 1024


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
