"""A processor for each worker: it and its student take turns, which costs least on one of them."""

from __future__ import annotations

import os
from contextlib import suppress


def usable_cpus() -> list[int]:
    """The numbers of the CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def shared_out(workers: int) -> list[int]:
    """A CPU for each worker; none where one worker has them all, or where there are too few.

    >>> shared_out(1), shared_out(10_000)
    ([], [])
    """
    cpus = usable_cpus()
    return cpus[:workers] if 1 < workers <= len(cpus) else []


def keep_to(cpu: int) -> None:
    """Let this process run on one CPU alone, if that is allowed.

    A worker waits while its student's process computes, and the other way round. On two processors
    each of them would have to be woken, and find the other's data in memory.
    """
    if hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # a container may forbid it, and then it goes without
            os.sched_setaffinity(0, {cpu})
