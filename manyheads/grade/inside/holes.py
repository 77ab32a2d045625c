"""Fill the holes in Python's heap: what a fork makes then lies together, in few pages to copy."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator

_CLASS = re.compile(r"^ +\d+ +(\d+) +\d+ +\d+ +(\d+)$", re.MULTILINE)
_BYTES = sys.getsizeof(b"")
_kept: list[list[object]] = []


def fill() -> int:
    """Take all free blocks among those in use, for good; how many there were.

    Python's allocator hands out free blocks wherever they are. In a fork each of them costs the
    copy of its page; new blocks come from pages of their own.
    """
    taken = 0
    for size, count in _free_blocks(_statistics()):
        _kept.append([make() for make in [_maker(size)] for _ in range(count)])
        taken += count
    return taken


def _maker(size: int) -> Callable[[], object]:
    """What makes an object that takes a block of this size."""
    if size > _BYTES:
        return lambda: bytes(size - _BYTES)
    return object if size <= object.__sizeof__(object()) else lambda: float(size)


def _free_blocks(statistics: str) -> Iterator[tuple[int, int]]:
    """Sizes of blocks and how many of each are free, from what the allocator tells."""
    for size, free in _CLASS.findall(statistics):
        yield int(size), int(free)


def _statistics() -> str:
    """What Python's allocator says of itself; it knows no other place for it than stderr."""
    with tempfile.TemporaryFile() as told:
        sys.stderr.flush()
        before = os.dup(2)
        try:
            os.dup2(told.fileno(), 2)
            sys._debugmallocstats()
        finally:
            os.dup2(before, 2)
            os.close(before)
        told.seek(0)
        return told.read().decode("ascii", "replace")
