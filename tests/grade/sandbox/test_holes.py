"""Holes in Python's heap are filled, and what comes after lies together."""

from __future__ import annotations

import subprocess
import sys

import pytest

from manyheads.grade.inside import holes

STATISTICS = """
class   size   num pools   blocks in use  avail blocks
-----   ----   ---------   -------------  ------------
    0     16           4            3245           839
   31    512          32             972            20

# arenas allocated total           =                   76
"""
# Every second object of a size is let go; new ones would lie where these were.
FILLS = """
from manyheads.grade.inside import holes
held = [bytes({size} - 33) for _ in range(4000)]
gaps = {{id(one) for one in held[::2]}}
del held[::2]
if {fill}:
    assert holes.fill() >= 1000
new = [bytes({size} - 33) for _ in range(1000)]
print(sum(id(one) in gaps for one in new))
"""


def _in_gaps(size: int, *, fill: bool) -> int:
    code = FILLS.format(size=size, fill=fill)
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stderr == ""
    return int(ran.stdout)


@pytest.mark.parametrize("size", [48, 64, 256, 512])
def test_what_is_made_afterwards_lies_in_next_to_no_hole(size: int) -> None:
    assert _in_gaps(size, fill=True) < 100  # counting and filling leave a few anew


def test_without_filling_it_would() -> None:
    assert _in_gaps(256, fill=False) > 500


def test_free_blocks_are_read_from_what_the_allocator_says() -> None:
    assert list(holes._free_blocks(STATISTICS)) == [(16, 839), (512, 20)]


def test_another_allocator_has_none_to_fill() -> None:
    assert list(holes._free_blocks("")) == []


@pytest.mark.parametrize("size", range(16, 513, 16))
def test_every_size_of_block_has_an_object_that_takes_it(size: int) -> None:
    made = holes._maker(size)()
    assert size - 16 < object.__sizeof__(made) <= size
