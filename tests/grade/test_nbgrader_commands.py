"""nbgrader's own commands, from the course's folder, without an activated environment."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from manyheads.course import Course, notebook_path
from tests.classroom import edit, fill, read
from tests.grade.mini import (
    CANARY,
    LESSON,
    REPOSITORY,
    answers,
    make_course,
    release_notebook,
    save,
    student,
)

pytestmark = pytest.mark.slow

BIN = Path(sys.executable).parent
WRONG = student(split_heads="def split_heads(x, num_heads):\n    return x")


def outside(home: Path) -> dict[str, str]:
    """The environment of a shell in which no virtual environment was activated."""
    path = [folder for folder in os.environ["PATH"].split(os.pathsep) if Path(folder) != BIN]
    kept = {"SYSTEMROOT", "LANG", "LC_ALL", "TMPDIR"} & set(os.environ)
    return {"PATH": os.pathsep.join(path), "HOME": str(home), **{k: os.environ[k] for k in kept}}


def nbgrader(course: Course, *arguments: str, fails: bool = False) -> str:
    """Run an nbgrader command in the course's folder; returns what it said."""
    home = course.root.parent / "home"
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [BIN / "nbgrader", *arguments],
        cwd=course.root,
        env=outside(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode != 0) is fails, done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class of two, taken through every command once; the committed release was in place."""
    root = tmp_path_factory.mktemp("nbgrader") / "course"
    course = make_course(root, {"s01": student(), "s02": WRONG})
    nbgrader(course, "generate_assignment", LESSON)
    nbgrader(course, "autograde", LESSON)
    nbgrader(course, "generate_feedback", LESSON)
    nbgrader(course, "export")
    return course


def test_a_fresh_gradebook_is_made(course: Course) -> None:
    assert course.gradebook.is_file()


def test_the_release_is_generated_over_the_committed_one(course: Course) -> None:
    released = read(notebook_path(course.release, LESSON))
    assert [cell.source for cell in released.cells] == [
        cell.source for cell in release_notebook().cells
    ]
    assert CANARY not in notebook_path(course.release, LESSON).read_text(encoding="utf-8")


def exported(course: Course) -> dict[str, float]:
    """Each student's score in the table that `nbgrader export` wrote."""
    with (course.root / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


def test_scores_are_exported(course: Course) -> None:
    assert exported(course) == {"s01": 13, "s02": 7}


def test_feedback_pages_hide_the_tests(course: Course) -> None:
    for name in ("s01", "s02"):
        page = (course.feedback / name / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
        assert CANARY not in page
    assert "0 of 3 points: the tests of split_heads failed" in page


def test_one_dying_kernel_and_one_copied_cell_stop_nobody(tmp_path: Path) -> None:
    dies = student(rotate_qk="import os\n\n\ndef rotate_qk(*arguments):\n    os._exit(1)")
    copied = edit(student(), [{"copy": "test_split_heads_values"}, {"copy": "split_heads"}])
    course = make_course(tmp_path / "course", {"s01": dies, "s02": copied, "s03": student()})
    nbgrader(course, "generate_assignment", LESSON)
    nbgrader(course, "autograde", LESSON)
    nbgrader(course, "export")
    assert exported(course) == {"s01": 11, "s02": 13, "s03": 13}


@pytest.mark.skipif(sys.platform == "win32", reason="nbgrader has no exchange on Windows")
def test_a_lesson_goes_out_and_comes_back_through_the_exchange(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course", {})
    nbgrader(course, "generate_assignment", LESSON)
    nbgrader(course, "release_assignment", LESSON)
    nbgrader(course, "fetch_assignment", LESSON)
    mine = notebook_path(course.work, LESSON)
    save(fill(read(mine), answers()), mine)
    nbgrader(course, "submit", LESSON, "--student", "s01")
    assert "s01" in nbgrader(course, "list", LESSON, "--inbound")
    nbgrader(course, "collect", LESSON)
    nbgrader(course, "autograde", LESSON)
    nbgrader(course, "export")
    assert exported(course) == {"s01": 13}
    assert {path.name for path in tmp_path.iterdir()} == {"course", "home"}


@pytest.mark.parametrize("lesson", sorted(path.name for path in (REPOSITORY / "source").iterdir()))
def test_generating_a_real_lesson_by_hand_changes_no_byte_of_its_release(
    tmp_path: Path, lesson: str
) -> None:
    course = make_course(tmp_path / "course", {})
    original = Course(REPOSITORY)
    for folder in ("source", "release"):
        path = notebook_path(course.root / folder, lesson)
        path.parent.mkdir(parents=True)
        path.write_bytes(notebook_path(original.root / folder, lesson).read_bytes())
    nbgrader(course, "generate_assignment", lesson)
    before = notebook_path(original.release, lesson).read_bytes()
    assert notebook_path(course.release, lesson).read_bytes() == before
