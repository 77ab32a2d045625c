"""What lies in `submitted/`: found, or refused with the cause and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyheads.course import Course, notebook_path
from manyheads.errors import GradingError, MissingSubmissionError
from manyheads.grade.submissions import (
    Submission,
    check_submission,
    find_submissions,
    source_notebook,
)
from tests.grade.mini import LESSON, make_course, student

OTHER = "03_other"


def handed_in(course: Course, name: str = "s01") -> Submission:
    return Submission(name, LESSON, course.submitted / name / LESSON)


def test_submissions_are_found_by_student_and_lesson(tmp_path: Path) -> None:
    course = make_course(tmp_path, {"s02": student(), "s01": student()})
    (course.submitted / "s01" / OTHER).mkdir()
    (course.submitted / "notes.txt").write_text("no student", encoding="utf-8")
    found = [(one.student, one.lesson) for one in find_submissions(course, [LESSON, OTHER])]
    assert found == [("s01", LESSON), ("s01", OTHER), ("s02", LESSON)]


@pytest.mark.parametrize("lessons", [[LESSON], [OTHER], []])
def test_nothing_to_grade_is_an_error_with_the_remedy(tmp_path: Path, lessons: list[str]) -> None:
    course = Course(tmp_path)
    (course.submitted / "s01").mkdir(parents=True)
    with pytest.raises(MissingSubmissionError, match=r"nothing to grade .*nbgrader collect"):
        find_submissions(course, lessons)


def test_a_readable_submission_passes(tmp_path: Path) -> None:
    check_submission(handed_in(make_course(tmp_path, {"s01": student()})))


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "the file is empty"),
        (b"{", "line 1 is not JSON"),
        (b"[]", "it holds a JSON list, not a notebook"),
        (b'{"cells": [], "nbformat": 3}', "it is in notebook format 3, expected 4"),
        (b"\xff\xfe{\x00}\x00", "it is not UTF-8 text"),
    ],
)
def test_an_unreadable_notebook_is_refused_with_its_cause(
    tmp_path: Path, content: bytes, cause: str
) -> None:
    course = make_course(tmp_path, {"s01": student()})
    handed_in(course).notebook.write_bytes(content)
    with pytest.raises(GradingError, match=rf"{cause}.*Ask s01 to send it again"):
        check_submission(handed_in(course))


def test_a_renamed_notebook_is_named_with_the_name_expected(tmp_path: Path) -> None:
    course = make_course(tmp_path, {"s01": student()})
    handed_in(course).notebook.rename(handed_in(course).folder / "02_mini (1).ipynb")
    with pytest.raises(
        GradingError, match=r"02_mini \(1\)\.ipynb, expected 02_mini\.ipynb\. Rename"
    ):
        check_submission(handed_in(course))


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "submitted" / "s01" / LESSON).mkdir(parents=True)
    with pytest.raises(GradingError, match=r"holds no notebook. Put the student's notebook there"):
        check_submission(handed_in(Course(tmp_path)))


@pytest.mark.parametrize("name", ["s [1]", "s*", "s?"])
def test_a_name_that_nbgrader_takes_for_a_pattern_is_refused(tmp_path: Path, name: str) -> None:
    course = make_course(tmp_path, {name: student()})
    with pytest.raises(GradingError, match=r"takes \[ \] \* \? in a name for a pattern\. Rename"):
        check_submission(handed_in(course, name))


@pytest.mark.parametrize("stamp", ["yesterday, I think", "2026-99-99"])
def test_a_time_that_is_none_is_refused(tmp_path: Path, stamp: str) -> None:
    course = make_course(tmp_path, {"s01": student()})
    (handed_in(course).folder / "timestamp.txt").write_text(stamp, encoding="utf-8")
    with pytest.raises(GradingError, match=r"which is no date and time\. Write one like"):
        check_submission(handed_in(course))


def test_a_lesson_that_was_not_built_is_refused(tmp_path: Path) -> None:
    course = make_course(tmp_path, {})
    assert source_notebook(course, LESSON) == notebook_path(course.source, LESSON)
    with pytest.raises(GradingError, match=r"03_other can't be graded: .*Run `manyheads build`"):
        source_notebook(course, OTHER)
