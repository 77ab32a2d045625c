"""Each worker keeps to a processor of its own, and its students with it."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import pytest

from manyheads.grade.pool import cpus, worker
from manyheads.grade.sandbox import processes

SHARES = [(1, 4, []), (2, 4, [0, 1]), (4, 4, [0, 1, 2, 3]), (5, 4, []), (2, 1, [])]


@pytest.mark.parametrize(("workers", "usable", "expected"), SHARES)
def test_every_worker_gets_one_or_none_does(
    workers: int, usable: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpus, "usable_cpus", lambda: list(range(usable)))
    assert cpus.shared_out(workers) == expected


@pytest.fixture
def anywhere() -> object:
    """What this process may use is as it was, whatever a test has made of it."""
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this system lets no process choose its processor")
    before = os.sched_getaffinity(0)
    yield before
    os.sched_setaffinity(0, before)


def test_a_worker_takes_its_own_when_it_begins_to_grade(
    anywhere: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = multiprocessing.get_context("spawn").SimpleQueue()
    queue.put(max(anywhere))
    monkeypatch.setattr(worker, "_cpus", queue)
    worker._settle_down()
    assert os.sched_getaffinity(0) == {max(anywhere)}
    assert queue.empty()
    worker._settle_down()  # it has one, and takes no other
    assert os.sched_getaffinity(0) == {max(anywhere)}


def test_without_one_it_goes_anywhere(anywhere: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    queue = multiprocessing.get_context("spawn").SimpleQueue()
    monkeypatch.setattr(worker, "_cpus", queue)
    worker._settle_down()
    assert os.sched_getaffinity(0) == anywhere


def test_a_processor_that_is_not_to_be_had_is_done_without(anywhere: set[int]) -> None:
    cpus.keep_to(100_000)
    assert os.sched_getaffinity(0) == anywhere


SLEEPS = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"


def test_a_process_and_what_it_started_come_along(anywhere: set[int]) -> None:
    with subprocess.Popen([sys.executable, "-c", SLEEPS], stdin=subprocess.PIPE) as child:
        while len(processes.family(child.pid)) < 2:
            assert child.poll() is None
        os.sched_setaffinity(0, {min(anywhere)})
        processes.keep_with_us(child.pid)
        family = processes.family(child.pid)
        assert [os.sched_getaffinity(pid) for pid in family] == [{min(anywhere)}] * len(family)
        assert child.stdin is not None
        child.stdin.close()
