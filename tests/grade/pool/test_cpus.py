"""Each worker keeps to a processor of its own, and its students with it."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from manyheads.grade.pool import cpus, worker
from manyheads.grade.pool.job import Job, Result, WorkerSettings
from manyheads.grade.sandbox import processes

SHARES = [(1, 4, [cpus.HERE]), (2, 4, [0, 1]), (4, 4, [0, 1, 2, 3]), (5, 4, []), (2, 1, [])]


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
    monkeypatch.setattr(worker, "_kept", None)
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
    kept = cpus.Kept(100_000)
    assert os.sched_getaffinity(0) == anywhere
    assert not kept.let_go_if_crowded()


def test_a_single_worker_stays_where_it_is(anywhere: set[int]) -> None:
    cpus.Kept(cpus.HERE)
    (only,) = os.sched_getaffinity(0)
    assert only in anywhere


# Seconds since the last look, seconds waited for the CPU in them, whether it is let go.
WAITS = [(4.0, 0.4, False), (4.0, 1.1, True), (1.0, 0.9, False)]


@pytest.mark.parametrize(("passed", "waited", "goes"), WAITS)
def test_a_crowded_processor_is_let_go(
    passed: float, waited: float, goes: bool, anywhere: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, delay = iter([10.0, 10.0 + passed]), iter([3.0, 3.0 + waited])
    monkeypatch.setattr(cpus.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(cpus, "_waited", lambda: next(delay))
    kept = cpus.Kept(min(anywhere))
    assert kept.let_go_if_crowded() is goes
    assert os.sched_getaffinity(0) == (anywhere if goes else {min(anywhere)})


def test_the_system_tells_how_long_a_process_waited(anywhere: set[int]) -> None:
    """Two that never rest on one CPU wait for each other half of the time."""
    if not cpus._WAITED.exists():
        pytest.skip("this kernel does not tell")
    os.sched_setaffinity(0, {min(anywhere)})
    busy = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(busy) as other:
        before, end = cpus._waited(), time.monotonic() + 1.0
        while time.monotonic() < end:
            pass
        waited = cpus._waited() - before
        other.kill()
    assert waited > 0.1


class _Crowded:
    """A CPU that others want, and the grader that is told of it."""

    settings = WorkerSettings({}, 30.0, 300.0)

    def __init__(self) -> None:
        self.followed = 0

    def let_go_if_crowded(self) -> bool:
        return True

    def grade(self, job: Job) -> Result:
        return Result(job.lesson, job.student)

    def follow(self) -> None:
        self.followed += 1


def test_the_sandbox_goes_where_its_worker_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    crowded = _Crowded()
    monkeypatch.setattr(worker, "_kept", crowded)
    monkeypatch.setattr(worker, "_cpus", None)
    monkeypatch.setattr(worker, "grader", lambda: crowded)
    worker.grade(Job("02_head_split", "s01", Path(), Path()))
    assert crowded.followed == 1


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
