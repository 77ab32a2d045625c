"""Huge pages: a process whose memory lies in few of them is forked several times as fast."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from manyheads.grade.inside import linux

HUGE = 1 << 21
MADV_COLLAPSE = 25  # Linux 6.1: gather what is there already


def gather(maps: Path = Path("/proc/self/maps")) -> int:
    """Put this process's own memory into huge pages; the bytes of which the kernel did so.

    Memory that can't be gathered, for want of free huge pages say, stays as it is.
    """
    done = 0
    for start, end in _stretches(maps.read_text(encoding="ascii", errors="replace")):
        if linux.madvise(start, end - start, MADV_COLLAPSE):
            done += end - start
    return done


def _stretches(maps: str) -> Iterator[tuple[int, int]]:
    r"""Writable memory that belongs to no file, in whole huge pages.

    >>> list(_stretches("400000-900000 rw-p 0 0:0 0 [heap]\n900000-f00000 rw-p 0 8:1 9 /a/file"))
    [(4194304, 8388608)]
    """
    for line in maps.splitlines():
        addresses, rights, _, _, inode, *name = line.split(maxsplit=5)
        start, end = (int(address, 16) for address in addresses.split("-"))
        start, end = -(-start // HUGE) * HUGE, end // HUGE * HUGE
        private = inode == "0" and (not name or name[0] == "[heap]")
        if private and rights == "rw-p" and start < end:
            yield start, end
