"""A run that is killed at any moment, five times over, loses nothing and grades nothing twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from manyheads.course import Course
from tests.classroom.generate import generate, hand_in
from tests.grade.book.rows import rows
from tests.grade.mini import REPOSITORY
from tests.hostile.classes import refuse_without_sandbox
from tests.hostile.room import copy_course

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CLASS = 36
KILLS = 5
COMMAND = [str(Path(sys.executable).parent / "manyheads"), "grade"]


@dataclass
class Runs:
    """A course graded in peace, and one whose runs were killed, with how far each had come."""

    peace: Course
    killed: Course
    reached: list[int]
    said: str


def a_course(root: Path) -> Course:
    course = Course(root)
    root.mkdir()
    copy_course(Course(REPOSITORY), course)
    for made in generate(CLASS, seed=2):
        hand_in(course, made)
    return course


def run(course: Course) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        COMMAND, cwd=course.root, capture_output=True, text=True, check=False, timeout=300
    )


def graded(course: Course) -> int:
    return len(list(course.autograded.glob("*/*/*.ipynb")))


def kill_when(course: Course, wanted: int, wait: float) -> None:
    """Start grading; kill -9 once so many are graded and a moment has passed."""
    started = subprocess.Popen(
        COMMAND,
        cwd=course.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    while graded(course) < wanted and started.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(wait)
    started.send_signal(signal.SIGKILL)
    started.wait()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    refuse_without_sandbox()
    root = tmp_path_factory.mktemp("killed")
    peace, killed = a_course(root / "peace"), a_course(root / "killed")
    assert run(peace).returncode == 0
    moments = random.Random(7)  # noqa: S311  (no secret)
    reached = []
    for number in range(KILLS):
        kill_when(killed, number * CLASS // (KILLS + 1), moments.uniform(0, 0.3))
        reached.append(graded(killed))
    last = run(killed)
    assert last.returncode == 0, last.stderr
    return Runs(peace, killed, reached, last.stdout)


def test_the_kills_came_half_way(runs: Runs) -> None:
    assert runs.reached == sorted(runs.reached)
    assert runs.reached[-1] < CLASS


def test_the_gradebook_is_that_of_an_undisturbed_run(runs: Runs) -> None:
    wanted = rows(runs.peace.gradebook)
    assert len(wanted["grade"]) > 10 * CLASS
    assert rows(runs.killed.gradebook) == wanted


def test_the_table_is_that_of_an_undisturbed_run(runs: Runs) -> None:
    tables = [
        (of.root / "grades.csv").read_text(encoding="utf-8") for of in (runs.peace, runs.killed)
    ]
    assert tables[0] == tables[1]


def test_everybody_has_a_notebook_and_a_page(runs: Runs) -> None:
    for folder in ("autograded", "feedback"):
        files = [
            {path.relative_to(of.root) for path in (of.root / folder).rglob("*") if path.is_file()}
            for of in (runs.peace, runs.killed)
        ]
        assert len(files[0]) >= CLASS
        assert files[0] == files[1]


def test_no_half_written_file_stays(runs: Runs) -> None:
    known = {path.name for path in runs.peace.root.iterdir()}
    assert {path.name for path in runs.killed.root.iterdir()} <= known


def test_the_workers_of_a_killed_run_are_gone(runs: Runs) -> None:
    folders = []
    for process in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):  # it has ended, or is not ours to see
            folders.append(process.readlink())
    assert [folder for folder in folders if folder.is_relative_to(runs.killed.root)] == []
