"""Where a student stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from manyheads.course import Course, notebook_path
from manyheads.student.copies import lay_copies
from manyheads.student.status import LessonStatus, course_status, next_lesson
from manyheads.student.submit import submit

LESSON = "02_small"


def status_of(course: Course) -> LessonStatus:
    (status,) = course_status(course)
    return status


def test_lesson_without_a_copy_is_not_begun(student_course: Course) -> None:
    assert status_of(student_course) == LessonStatus(LESSON, questions=3)


@pytest.mark.parametrize(
    ("texts", "answered"),
    [
        ({}, 0),
        ({"double": "def double(x):\n    return 2 * x"}, 1),
        ({"double": "def double(x):\n    ...  # later"}, 0),
        ({"double": "def double(x) return"}, 1),
        ({"double": ""}, 0),
        ({"predict_1": 'predict_1 = (\n    "b"\n)'}, 1),
        ({"small_005": "Because the tokens stay."}, 1),
        ({"small_005": "*Write  your answer here.*\n"}, 0),
    ],
)
def test_answers_are_what_differs_from_the_stub(
    student_course: Course, answer: Callable[..., None], texts: dict[str, str], answered: int
) -> None:
    answer(**texts)
    assert status_of(student_course).answered == answered


def test_saved_outputs_tell_what_passed(student_course: Course) -> None:
    lay_copies(student_course)
    path = notebook_path(student_course.work, LESSON)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    check = {"exercise": "double", "passed": True, "text": "double   fine"}
    data = {"application/vnd.manyheads.check+json": check}
    cells["small-004"]["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]
    error = {"output_type": "error", "ename": "E", "evalue": "", "traceback": []}
    cells["test_double"] |= {"outputs": [error], "execution_count": 3}
    path.write_text(json.dumps(notebook), encoding="utf-8")

    found = status_of(student_course)
    assert (found.passed, found.judged) == (1, 2)


def test_unreadable_copy_is_told_not_raised(student_course: Course) -> None:
    lay_copies(student_course)
    notebook_path(student_course.work, LESSON).write_text("[]", encoding="utf-8")
    assert "can't be read" in status_of(student_course).problem


def test_submission_is_dated(student_course: Course) -> None:
    lay_copies(student_course)
    submit(student_course, LESSON, "s01", datetime(2026, 1, 31, 12, 0, tzinfo=UTC))
    assert status_of(student_course).submitted == "2026-01-31 12:00:00"


@pytest.mark.parametrize(
    ("status", "step"),
    [
        (LessonStatus("a", 3, answered=1), "2 of 3 questions to answer"),
        (LessonStatus("a", 3, answered=3, passed=1, judged=2), "1 of 2 checks did not pass"),
        (LessonStatus("a", 3, answered=3, passed=2, judged=2), "send it in"),
        (LessonStatus("a", 1, answered=1, submitted="2026"), "a is done"),
        (LessonStatus("a", 1, problem="it is empty"), "repair the notebook of a: it is empty"),
    ],
)
def test_next_step_follows_from_the_counts(status: LessonStatus, step: str) -> None:
    assert step in status.next_step


def test_next_lesson_is_the_first_unfinished_one() -> None:
    done = LessonStatus("a", 1, answered=1, submitted="2026")
    unsent = LessonStatus("b", 1, answered=1)
    begun = LessonStatus("c", 2, answered=1)
    assert next_lesson([done, unsent, begun]) is begun
    assert next_lesson([done, unsent]) is unsent
    assert next_lesson([done]) is done
