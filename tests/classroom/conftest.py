"""The sample class, graded once for all tests of a lesson."""

from __future__ import annotations

import pytest

from manyheads.course import Course, notebook_path
from manyheads.grade import ClassReport, grade_class
from tests.classroom.make import make

pytest.register_assert_rewrite("tests.classroom.graded")  # before a test file imports it


@pytest.fixture(scope="class")
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ClassReport:
    """The lesson of a `GradedLesson`, graded, with one more submission that can't be read."""
    from tests.classroom.graded import UNREADABLE

    lesson = request.cls.lesson
    course = Course(tmp_path_factory.mktemp("classroom"))
    make(course.root)
    unreadable = notebook_path(course.submitted / UNREADABLE, lesson)
    unreadable.parent.mkdir(parents=True)
    unreadable.write_text("{", encoding="utf-8")
    return grade_class(course, [lesson], lambda *_: None)
