"""A student's own copies: laid once, never written over."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from manyheads.course import Course, notebook_path
from manyheads.errors import NotReleasedError, UnknownLessonError
from manyheads.student.copies import lay_copies, reset

LESSON = "02_small"
NOON = datetime(2026, 1, 31, 12, 0, 0)


def copy_of(course: Course) -> Path:
    return notebook_path(course.work, LESSON)


def test_first_copy_equals_the_release(student_course: Course) -> None:
    assert lay_copies(student_course) == []
    assert (
        copy_of(student_course).read_bytes()
        == notebook_path(student_course.release, LESSON).read_bytes()
    )


def test_files_beside_the_notebook_are_laid_too(student_course: Course) -> None:
    (student_course.release / LESSON / "data.csv").write_text("1,2", encoding="utf-8")
    lay_copies(student_course)
    assert (student_course.work / LESSON / "data.csv").read_text(encoding="utf-8") == "1,2"


def test_the_glossary_is_laid_once(student_course: Course) -> None:
    glossary = student_course.root / "docs" / "glossary.md"
    glossary.parent.mkdir()
    glossary.write_text("B is the batch.", encoding="utf-8")
    lay_copies(student_course)
    copy = student_course.work / "glossary.md"
    assert copy.read_text(encoding="utf-8") == "B is the batch."
    copy.write_text("My own words.", encoding="utf-8")
    lay_copies(student_course)
    assert copy.read_text(encoding="utf-8") == "My own words."


def test_second_time_keeps_the_students_edits(
    student_course: Course, answer: Callable[..., None]
) -> None:
    answer(double="def double(x):\n    return 2 * x")
    edited = copy_of(student_course).read_bytes()
    assert lay_copies(student_course) == []
    assert copy_of(student_course).read_bytes() == edited


def test_newer_release_is_laid_beside_and_said_once(
    student_course: Course, answer: Callable[..., None], new_release: Callable[[str], Path]
) -> None:
    answer(double="def double(x):\n    return 2 * x")
    edited = copy_of(student_course).read_bytes()
    released = new_release("bbbbbbbbbbbb").read_bytes()

    (note,) = lay_copies(student_course)
    assert "newer release" in note
    assert "work/02_small/02_small.new-bbbbbbbbbbbb.ipynb" in note
    assert "`manyheads reset 02_small`" in note
    beside = copy_of(student_course).with_name("02_small.new-bbbbbbbbbbbb.ipynb")
    assert beside.read_bytes() == released
    assert copy_of(student_course).read_bytes() == edited
    assert lay_copies(student_course) == []


def test_edited_newer_copy_is_not_written_over(
    student_course: Course, new_release: Callable[[str], Path]
) -> None:
    lay_copies(student_course)
    new_release("bbbbbbbbbbbb")
    lay_copies(student_course)
    beside = copy_of(student_course).with_name("02_small.new-bbbbbbbbbbbb.ipynb")
    beside.write_text("mine now", encoding="utf-8")
    lay_copies(student_course)
    assert beside.read_text(encoding="utf-8") == "mine now"


@pytest.mark.parametrize("damage", ["", "[]", '{"cells": [', "<<<<<<< mine"])
def test_unreadable_copy_is_said_and_kept(student_course: Course, damage: str) -> None:
    lay_copies(student_course)
    copy_of(student_course).write_text(damage, encoding="utf-8")
    (note,) = lay_copies(student_course)
    assert "can't be read" in note
    assert "`manyheads reset 02_small`" in note
    assert copy_of(student_course).read_text(encoding="utf-8") == damage


def test_nothing_temporary_stays(student_course: Course) -> None:
    lay_copies(student_course)
    assert [path.name for path in copy_of(student_course).parent.iterdir()] == ["02_small.ipynb"]


def test_course_without_a_release_says_how_to_build(tmp_path: Path) -> None:
    with pytest.raises(NotReleasedError, match=r"holds no lesson yet. .*`manyheads build`"):
        lay_copies(Course(tmp_path))


def test_reset_keeps_each_old_copy(student_course: Course, answer: Callable[..., None]) -> None:
    answer(double="first try")
    first = reset(student_course, LESSON, NOON)
    answer(double="second try")
    second = reset(student_course, LESSON, NOON)

    assert first is not None
    assert second is not None
    assert first.name == "02_small.before-reset-20260131-120000.ipynb"
    assert "first try" in first.read_text(encoding="utf-8")
    assert "second try" in second.read_text(encoding="utf-8")
    fresh = json.loads(copy_of(student_course).read_text(encoding="utf-8"))
    assert "try" not in str(fresh["cells"])


def test_reset_without_a_copy_lays_one(student_course: Course) -> None:
    assert reset(student_course, LESSON, NOON) is None
    assert copy_of(student_course).is_file()


def test_reset_of_an_unknown_lesson(student_course: Course) -> None:
    with pytest.raises(UnknownLessonError, match="The course has: 02_small"):
        reset(student_course, "07_none", NOON)
