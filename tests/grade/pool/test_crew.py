"""Workers that end, hang or fail cost the job at hand, after a second try, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from manyheads.errors import GradingError
from manyheads.grade.pool.crew import AHEAD, Crew, LocalWorkers
from tests.grade.alive import alive
from tests.grade.pool.work import NO_LESSONS, double, light_workers

pytestmark = pytest.mark.slow  # processes start

ROOT = Path(__file__).parents[3]
MANY = [f"job {number}" for number in range(12)]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))  # worker processes import `tests` from there


def died(job: str) -> str:
    return f"{job} died"


def done(jobs: list[str], workers: int = 2, probe: str = "lives") -> list[str]:
    with Crew(NO_LESSONS, workers, light_workers, partial(double, probe)) as crew:
        return list(crew.run(double, iter(jobs), died))


@pytest.mark.parametrize("workers", [1, 3])
def test_each_job_has_one_result(workers: int) -> None:
    assert sorted(done(MANY, workers)) == sorted(job + job for job in MANY)


@pytest.mark.parametrize("how", ["exits", "killed"])
@pytest.mark.parametrize("place", [0, 5, 12])
def test_a_job_that_ends_its_process_fails_alone(how: str, place: int) -> None:
    jobs = [*MANY[:place], how, *MANY[place:]]
    assert sorted(done(jobs)) == sorted([f"{how} died", *(job + job for job in MANY)])


def test_a_job_whose_process_ended_once_gets_its_result(tmp_path: Path) -> None:
    job = f"once {tmp_path / 'seen'}"
    assert sorted(done([*MANY, job])) == sorted(one + one for one in [*MANY, job])


def test_two_deadly_jobs_among_many_fail_and_no_other() -> None:
    results = done(["exits", *MANY, "killed"])
    assert sorted(result for result in results if "died" in result) == ["exits died", "killed died"]
    assert len(results) == len(MANY) + 2


def test_workers_that_always_die_end_the_run_with_words() -> None:
    with pytest.raises(GradingError, match=r"ended 7 times in a row.*--workers 1.*doctor"):
        done(["exits"] * 20, probe="exits")


def test_many_deadly_jobs_one_after_the_other_end_no_run() -> None:
    assert sorted(done([*["exits"] * 9, *MANY])) == sorted(
        [*["exits died"] * 9, *(job + job for job in MANY)]
    )


def test_an_exception_in_the_work_ends_the_run() -> None:
    with pytest.raises(ValueError, match="no sandbox"):
        done(["raises no sandbox", *MANY])


def test_jobs_are_asked_for_as_they_are_needed() -> None:
    asked = []

    def jobs() -> Iterator[str]:
        for job in MANY:
            asked.append(job)
            yield job

    with Crew(NO_LESSONS, 2, light_workers) as crew:
        results = crew.run(double, jobs(), died)
        next(results)
        assert len(asked) <= 2 * AHEAD
        assert len(list(results)) == len(MANY) - 1


def test_an_interrupted_run_ends_its_workers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manyheads.grade.pool.worker.warm_up", int)
    begin = time.monotonic()

    def interrupted() -> None:
        with Crew(NO_LESSONS, 2, LocalWorkers) as crew:
            results = crew.run(double, iter(["job", "sleeps 60", "sleeps 60"]), died)
            assert next(results) == "jobjob"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert time.monotonic() - begin < 30


ORPHANS = """
import os, sys, time
from manyheads.grade.pool.crew import LocalWorkers
from tests.grade.alive import alive
from tests.grade.pool.work import NO_LESSONS, double
if __name__ == "__main__":
    workers = LocalWorkers(NO_LESSONS, 1)
    assert workers.submit(double, "job").result() == "jobjob"
    print(*workers._processes, flush=True)
    os.kill(os.getpid(), 9)
"""


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(ORPHANS, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, str(script)], cwd=ROOT, env={"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    orphan = int(ended.stdout)
    until = time.monotonic() + 20
    while alive([orphan]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive([orphan])


HANGS = """
import re
from manyheads.grade.pool.worker import _watched
with _watched(1):
    re.match("(a+)+$", "a" * 60 + "b")  # holds on to the interpreter, deaf to signals
"""


def test_a_worker_that_hangs_in_c_code_is_ended() -> None:
    ended = subprocess.run([sys.executable, "-c", HANGS], check=False, timeout=60)
    assert ended.returncode == 1


def test_a_worker_that_is_done_in_time_goes_on() -> None:
    code = "import time\nfrom manyheads.grade.pool.worker import _watched\n"
    code += "with _watched(0.2):\n    pass\ntime.sleep(0.4)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
