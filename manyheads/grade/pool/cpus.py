"""A processor for each worker: it and its student take turns, which costs least on one of them."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

HERE = -1  # stands for the CPU on which a process happens to be
CROWDED = 0.25  # a worker that shares its CPU with its student alone waits for a tenth of the time
LOOK = 2.0  # seconds between two looks
_WAITED = Path("/proc/self/schedstat")
_STAT = Path("/proc/self/stat")
_LAST_CPU = 36  # its place among what /proc tells of a process after its name


def usable_cpus() -> list[int]:
    """The numbers of the CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def shared_out(workers: int) -> list[int]:
    """A CPU for each worker; for a single one HERE; none where there are too few.

    >>> shared_out(1), shared_out(10_000)
    ([-1], [])
    """
    if workers == 1:
        return [HERE]  # a fixed one would be that of every other run as well
    cpus = usable_cpus()
    return cpus[:workers] if workers <= len(cpus) else []


class Kept:
    """One CPU to which this process keeps, if it may, until others want the same one too much.

    A worker waits while its student's process computes, and the other way round. On two processors
    each of them would have to be woken, and find the other's data in memory.
    """

    def __init__(self, cpu: int) -> None:
        self._before = set(usable_cpus())
        self._kept = _keep_to({_current() if cpu == HERE else cpu})
        self._seen = time.monotonic(), _waited()

    def let_go_if_crowded(self) -> bool:
        """Go back to all CPUs if this one was waited for too long; whether that happened."""
        (then, waited), now = self._seen, (time.monotonic(), _waited())
        if not self._kept or now[0] - then < LOOK:
            return False
        self._seen = now
        if now[1] - waited <= CROWDED * (now[0] - then):
            return False
        self._kept = False
        return _keep_to(self._before)


def _keep_to(cpus: set[int]) -> bool:
    """Let this process run on these CPUs alone; False where that is not allowed."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    try:
        os.sched_setaffinity(0, cpus)
    except OSError:  # a container may forbid it, and then it goes without
        return False
    return True


def _current() -> int:
    """The CPU on which this process ran last; without Linux it makes no difference."""
    with suppress(OSError):
        return int(_STAT.read_text("ascii", "replace").rpartition(")")[2].split()[_LAST_CPU])
    return 0


def _waited() -> float:
    """Seconds for which this process was ready to run and had no CPU, where the system tells."""
    with suppress(OSError):
        return int(_WAITED.read_text("ascii").split()[1]) / 1e9
    return 0.0
