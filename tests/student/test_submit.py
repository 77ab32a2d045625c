"""Sending a lesson in."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest

from manyheads.course import Course, notebook_path
from manyheads.errors import MissingSubmissionError, StudentIdError, UnreadableNotebookError
from manyheads.student.copies import lay_copies
from manyheads.student.submit import submit

LESSON = "02_small"
NOON = datetime(2026, 1, 31, 12, 0, tzinfo=timezone(timedelta(hours=2)))


def test_notebook_and_time_lie_where_the_grader_looks(
    student_course: Course, answer: Callable[..., None]
) -> None:
    answer(double="def double(x):\n    return 2 * x")
    (student_course.work / LESSON / "big.bin").write_bytes(b"0")
    sent = submit(student_course, LESSON, "s01", NOON)

    folder = student_course.submitted / "s01" / LESSON
    assert sorted(path.name for path in folder.iterdir()) == ["02_small.ipynb", "timestamp.txt"]
    assert sent.path.read_bytes() == notebook_path(student_course.work, LESSON).read_bytes()
    assert (sent.answered, sent.questions, sent.warnings) == (1, 3, [])


def test_nbgrader_reads_the_time_as_utc(student_course: Course) -> None:
    from nbgrader.utils import parse_utc

    lay_copies(student_course)
    sent = submit(student_course, LESSON, "s01", NOON)
    stamp = (sent.path.parent / "timestamp.txt").read_text(encoding="utf-8")
    assert parse_utc(stamp) == datetime(2026, 1, 31, 10, 0)


def test_nothing_answered_is_warned_about_not_refused(student_course: Course) -> None:
    lay_copies(student_course)
    sent = submit(student_course, LESSON, "s01", NOON)
    assert sent.path.is_file()
    assert sent.warnings == [
        "No question of 02_small is answered yet; it was sent in all the same."
    ]


def test_earlier_submissions_are_kept(student_course: Course, answer: Callable[..., None]) -> None:
    answer(double="first")
    first = submit(student_course, LESSON, "s01", NOON)
    answer(double="second")
    second = submit(student_course, LESSON, "s01", NOON)
    answer(double="third")
    third = submit(student_course, LESSON, "s01", NOON)

    assert first.replaced is None
    assert second.replaced is not None
    assert third.replaced is not None
    kept = [folder / "02_small.ipynb" for folder in (second.replaced, third.replaced)]
    texts = [path.read_text(encoding="utf-8") for path in (*kept, third.path)]
    assert [word in text for word, text in zip(("first", "second", "third"), texts, strict=True)]
    assert {path.name for path in student_course.submitted.glob(f"*/{LESSON}")} == {LESSON}


@pytest.mark.parametrize(
    "student", ["", ".", "..", "../s01", "a/b", "s 1", "s+1", "s*", "-s", "é", "a\n"]
)
def test_id_that_cannot_name_a_folder_is_refused(student_course: Course, student: str) -> None:
    lay_copies(student_course)
    with pytest.raises(StudentIdError, match=r"can't be a student's id. Use letters, digits"):
        submit(student_course, LESSON, student, NOON)
    assert not student_course.submitted.exists()


@pytest.mark.parametrize("student", ["s01", "Ada.L-2", "_x", "007"])
def test_usual_ids_are_taken(student_course: Course, student: str) -> None:
    lay_copies(student_course)
    assert submit(student_course, LESSON, student, NOON).path.is_file()


def test_missing_copy_says_what_to_do(student_course: Course) -> None:
    with pytest.raises(MissingSubmissionError, match=r"no copy of 02_small .* `manyheads lab`"):
        submit(student_course, LESSON, "s01", NOON)


def test_unreadable_copy_is_not_sent(student_course: Course) -> None:
    lay_copies(student_course)
    notebook_path(student_course.work, LESSON).write_text("", encoding="utf-8")
    with pytest.raises(UnreadableNotebookError, match="the file is empty"):
        submit(student_course, LESSON, "s01", NOON)
    assert not student_course.submitted.exists()


def test_other_lessons_notebook_is_not_sent(student_course: Course) -> None:
    lay_copies(student_course)
    path = notebook_path(student_course.work, LESSON)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"]["manyheads"]["lesson"] = "05_other"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(
        MissingSubmissionError, match="holds the lesson 05_other, expected 02_small"
    ):
        submit(student_course, LESSON, "s01", NOON)
