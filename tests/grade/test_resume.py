"""Grading again: what is graded and unchanged is left alone, what changed is graded, no more."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, delete, select, update

from manyheads.course import Course, notebook_path
from manyheads.errors import GradingError
from manyheads.grade import ClassReport, grade_class
from manyheads.grade.lock import only_grader
from tests.classroom import find, read
from tests.grade.book.rows import rows
from tests.grade.mini import LESSON, make_course, save, student

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

STUDENTS = ("s01", "s02", "s03")
WRONG = student(share="share = 0.5", quiz_1="quiz_1 = 'a'")
DIES = student(rotate_qk="import os\n\n\ndef rotate_qk(*arguments):\n    os._exit(0)")
CLASS = {"s01": student(), "s02": WRONG, "s03": DIES}
HERE = Path(sys.executable).parent


def quiet(*_: object) -> None:
    """Show no progress."""


def grade(course: Course, **how: Any) -> ClassReport:
    return grade_class(course, [LESSON], quiet, **{"feedback": False, **how})


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class of three, graded once."""
    course = make_course(tmp_path_factory.mktemp("once"), CLASS)
    assert grade(course).kept == 0
    return course


@pytest.fixture
def course(once: Course, tmp_path: Path) -> Course:
    """A copy of the graded class, to change."""
    shutil.copytree(once.root, tmp_path / "course")
    return Course(tmp_path / "course")


def graded_file(course: Course, name: str) -> Path:
    return notebook_path(course.autograded / name, LESSON)


def times(course: Course) -> dict[str, int]:
    return {name: graded_file(course, name).stat().st_mtime_ns for name in STUDENTS}


def change_database(course: Course, *statements: Any) -> None:
    engine = create_engine(f"sqlite:///{course.gradebook}")
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(statement)
    engine.dispose()


def test_nothing_changed(course: Course) -> None:
    before, written, table = rows(course.gradebook), times(course), course.root / "grades.csv"
    text = table.read_text(encoding="utf-8")
    report = grade(course)
    assert (report.submissions, report.kept, report.rejudged) == (3, 3, 0)
    assert rows(course.gradebook) == before
    assert times(course) == written
    assert table.read_text(encoding="utf-8") == text


def another_submission(course: Course) -> None:
    save(student(share="share = 0"), notebook_path(course.submitted / "s02", LESSON))


def another_timestamp(course: Course) -> None:
    stamp = course.submitted / "s02" / LESSON / "timestamp.txt"
    stamp.write_text("2026-02-01 09:00:00 UTC", encoding="utf-8")


def one_more_file(course: Course) -> None:
    (course.submitted / "s02" / LESSON / "data.csv").write_text("1", encoding="utf-8")


def no_graded_file(course: Course) -> None:
    graded_file(course, "s02").unlink()


def no_rows(course: Course) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.gradebook}") as gradebook:
        gradebook.remove_submission(LESSON, "s02")


def no_record(course: Course) -> None:
    from manyheads.grade.book.tables import RECORD

    change_database(course, delete(RECORD).where(RECORD.c.student == "s02"))


ONE = [
    another_submission,
    another_timestamp,
    one_more_file,
    no_graded_file,
    no_rows,
    no_record,
]


@pytest.mark.parametrize("change", ONE)
def test_one_submission_is_graded_anew(course: Course, change: Callable[[Course], None]) -> None:
    written = times(course)
    change(course)
    report = grade(course)
    assert (report.kept, report.rejudged, report.failures) == (2, 0, [])
    now = times(course)
    assert {name for name in STUDENTS if now[name] != written[name]} == {"s02"}


def another_configuration(course: Course) -> None:
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("c.Execute.timeout = 20\n")


def another_helper(course: Course) -> None:
    path = notebook_path(course.source, LESSON)
    source = read(path)
    find(source, "given_helper").source = "GIVEN = 'another helper'"
    save(source, path)


def another_file_for_all(course: Course) -> None:
    (course.source / LESSON / "data.csv").write_text("1", encoding="utf-8")


@pytest.mark.parametrize("change", [another_configuration, another_helper, another_file_for_all])
def test_everything_is_graded_anew(course: Course, change: Callable[[Course], None]) -> None:
    change(course)
    report = grade(course)
    assert (report.kept, report.rejudged, report.failures) == (0, 0, [])


def test_everything_again_gives_the_same(course: Course) -> None:
    before = rows(course.gradebook)
    assert grade(course, again=True).kept == 0
    assert rows(course.gradebook) == before


def test_one_worker_gives_the_same_as_three(once: Course, tmp_path: Path) -> None:
    course = make_course(tmp_path, CLASS)
    grade(course, workers=1)
    assert rows(course.gradebook) == rows(once.gradebook)


def correct(course: Course, *tests: str) -> None:
    """Correct tests in the source: what was right before is wrong now."""
    path = notebook_path(course.source, LESSON)
    source = read(path)
    for name in tests:
        find(source, name).source += "\nassert False, 'corrected'"
    save(source, path)


def scores(course: Course, name: str) -> dict[str, float]:
    from manyheads.grade.book.tables import BASE_CELL, GRADE, SUBMISSION, SUBMITTED_NOTEBOOK

    query = (
        select(BASE_CELL.c.name, GRADE.c.auto_score)
        .join(GRADE, GRADE.c.cell_id == BASE_CELL.c.id)
        .join(SUBMITTED_NOTEBOOK, SUBMITTED_NOTEBOOK.c.id == GRADE.c.notebook_id)
        .join(SUBMISSION, SUBMISSION.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
        .where(SUBMISSION.c.student_id == name)
    )
    engine = create_engine(f"sqlite:///{course.gradebook}")
    with engine.connect() as connection:
        found = {row.name: row.auto_score for row in connection.execute(query)}
    engine.dispose()
    return found


def test_a_corrected_test_is_judged_again_with_its_exercise_and_nothing_else(
    course: Course,
) -> None:
    from manyheads.grade.book.tables import GRADE

    sentinel = 0.25  # a score that no test gives: who sees it knows that it was not written again
    change_database(course, update(GRADE).values(auto_score=sentinel))
    outputs = find(read(graded_file(course, "s02")), "test_quiz_1").outputs
    correct(course, "test_split_heads_values")
    report = grade(course)
    assert (report.kept, report.rejudged, report.failures) == (0, 3, [])
    assert report.corrected == {LESSON: ["test_split_heads_values"]}
    split = {"test_split_heads_shape": 1, "test_split_heads_values": 0}
    split["test_split_heads_contract"] = 2
    for name in STUDENTS:
        others = dict.fromkeys(scores(course, name).keys() - split.keys(), sentinel)
        assert scores(course, name) == {**split, **others}
    assert find(read(graded_file(course, "s02")), "test_quiz_1").outputs == outputs != []
    assert grade(course).kept == 3


def test_a_corrected_test_leaves_causes_of_other_exercises(course: Course) -> None:
    before = read(graded_file(course, "s03")).metadata["manyheads"]
    correct(course, "test_quiz_1")
    report = grade(course)
    after = read(graded_file(course, "s03")).metadata["manyheads"]
    assert "the process exited" in before["causes"]["rotate_qk"]
    assert after["causes"]["rotate_qk"] == before["causes"]["rotate_qk"]
    assert report.flags["s03", LESSON] == before["flags"]


def test_other_points_are_a_correction(course: Course) -> None:
    path = notebook_path(course.source, LESSON)
    source = read(path)
    find(source, "test_quiz_1").metadata["nbgrader"]["points"] = 5
    save(source, path)
    assert grade(course).rejudged == 3
    assert scores(course, "s01")["test_quiz_1"] == 5
    assert scores(course, "s01")["test_rotate_qk"] == 2


def test_two_corrections_at_once(course: Course) -> None:
    correct(course, "test_quiz_1", "test_rotate_qk")
    assert grade(course).corrected == {LESSON: ["test_quiz_1", "test_rotate_qk"]}
    assert scores(course, "s01")["test_quiz_1"] == scores(course, "s01")["test_rotate_qk"] == 0


def test_a_correction_of_a_submission_that_changed_as_well(course: Course) -> None:
    another_submission(course)
    correct(course, "test_quiz_1")
    report = grade(course)
    assert (report.kept, report.rejudged) == (0, 2)
    assert scores(course, "s02")["test_share"] == 0


def test_without_a_sandbox_all_is_marked_and_then_graded_anew_inside_one(tmp_path: Path) -> None:
    course = make_course(tmp_path, {"s01": student()})
    report = grade(course, isolated=False)
    assert report.unsandboxed == [("s01", LESSON)]
    assert {one.sandboxed for one in report.grades} == {False}
    assert read(graded_file(course, "s01")).metadata["manyheads"]["sandboxed"] is False
    assert grade(course, isolated=False).unsandboxed == [("s01", LESSON)]
    inside = grade(course)
    assert (inside.kept, inside.unsandboxed) == (0, [])
    assert grade(course, isolated=False).kept == 1
    assert {one.sandboxed for one in inside.grades} == {True}


def test_a_second_grader_is_refused_with_words(course: Course) -> None:
    with (
        only_grader(course.root),
        pytest.raises(GradingError, match=r"is being graded already, by process \d+\. Wait"),
    ):
        grade(course)
    assert grade(course).kept == 3


def test_a_failed_submission_is_tried_again_each_time(course: Course) -> None:
    notebook_path(course.submitted / "s02", LESSON).write_text("{", encoding="utf-8")
    for _ in range(2):
        report = grade(course)
        assert (report.kept, [failure.student for failure in report.failures]) == (2, ["s02"])
        assert {one.student for one in report.grades} == {"s01", "s03"}
    save(student(), notebook_path(course.submitted / "s02", LESSON))
    assert grade(course).failures == []


SLOW = "import time\ntime.sleep(2)\nshare = 1"


def test_ctrl_c_ends_with_words_and_keeps_what_is_done(tmp_path: Path) -> None:
    names = [f"s{number:02}" for number in range(20)]
    course = make_course(tmp_path, dict.fromkeys(names, student(share=SLOW)))
    running = subprocess.Popen(
        [HERE / "manyheads", "grade", "--no-feedback"],
        cwd=course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while len(list(course.autograded.glob("*/*/*.ipynb"))) < 3:
        assert running.poll() is None
        time.sleep(0.05)
    begin = time.monotonic()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert time.monotonic() - begin < 30
    assert running.returncode == 130
    assert "of 20 submissions are graded, and that is kept; the same command goes on" in err
    assert "Traceback" not in out + err
    done = int(err.split("Stopped. ")[1].split()[0])
    assert 1 <= done < 20
    resumed = subprocess.run(
        [HERE / "manyheads", "grade", "--no-feedback"],
        cwd=course.root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    kept = int(resumed.split(" unchanged since")[0].split()[-1])
    assert done <= kept <= done + 1  # one may have been entered and not counted yet
