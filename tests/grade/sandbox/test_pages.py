"""Huge pages change how fast a process is forked, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from manyheads.grade.inside import pages
from manyheads.grade.sandbox import bubblewrap

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="huge pages are Linux's")
GATHERS = """
import os
from manyheads.grade.inside import pages
held = [bytes([number % 256]) * 3000 for number in range(8000)]
print(pages.gather())
assert all(one == bytes([number % 256]) * 3000 for number, one in enumerate(held))
pid = os.fork()
if pid == 0:
    held[7] = b"changed"
    os._exit(held[8] != bytes([8]) * 3000)
assert os.waitpid(pid, 0)[1] == 0 and held[7] == bytes([7]) * 3000
"""


@LINUX
def test_memory_is_gathered_and_holds_what_it_held() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", GATHERS], capture_output=True, text=True, check=True, timeout=60
    )
    gathered = int(ran.stdout)
    assert gathered % pages.HUGE == 0
    if bubblewrap.kernel() >= bubblewrap.COLLAPSES:
        assert gathered > 0


MAPS = [
    ("400000-a00000 rw-p 0 0:0 0", [(0x400000, 0xA00000)]),
    ("400001-bfffff rw-p 0 0:0 0 [heap]", [(0x600000, 0xA00000)]),
    ("400000-a00000 r--p 0 0:0 0", []),  # nothing changes in it
    ("400000-a00000 rw-s 0 0:0 0", []),  # shared with others
    ("400000-a00000 rw-p 0 8:1 77 /lib/x.so", []),
    ("400000-a00000 rw-p 0 0:0 0 [stack]", []),
    ("400000-5fffff rw-p 0 0:0 0", []),  # less than a page
    ("", []),
]


@pytest.mark.parametrize(("line", "expected"), MAPS)
def test_stretches_are_whole_pages_of_its_own(line: str, expected: list[tuple[int, int]]) -> None:
    assert list(pages._stretches(line)) == expected


def test_memory_that_can_not_be_gathered_stays(tmp_path: Path) -> None:
    (tmp_path / "maps").write_text("7fff00000000-7fff00400000 rw-p 0 0:0 0\n")
    assert pages.gather(tmp_path / "maps") == 0


@pytest.mark.parametrize(("kernel", "malloc"), [((6, 1), False), ((6, 12), False), ((5, 15), True)])
def test_an_older_kernel_gets_the_allocator_that_asks_for_them(
    kernel: tuple[int, int], malloc: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "kernel", lambda: kernel)
    assert ("PYTHONMALLOC" in bubblewrap.environment()) is malloc
