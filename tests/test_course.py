"""Finding the course and naming its lessons."""

import pytest

from manyheads.course import Course, find_course
from manyheads.errors import CourseNotFoundError, UnknownLessonError


@pytest.fixture
def course(tmp_path):
    (tmp_path / "nbgrader_config.py").touch()
    for lesson in ("01_qkv_projections", "02_head_split"):
        folder = tmp_path / "release" / lesson
        folder.mkdir(parents=True)
        (folder / f"{lesson}.ipynb").touch()
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "03_rope.py").touch()
    return Course(tmp_path)


def test_the_course_is_the_nearest_parent_with_a_config(course):
    assert find_course(course.release / "02_head_split") == course


def test_outside_a_course_the_error_names_the_file_it_looked_for(tmp_path):
    with pytest.raises(CourseNotFoundError, match=r"no folder .* holds nbgrader_config.py"):
        find_course(tmp_path)


def test_lessons_come_from_text_and_release_in_order(course):
    assert course.lessons() == ["01_qkv_projections", "02_head_split", "03_rope"]


def test_a_course_that_nbgrader_alone_made_has_its_assignments_in_source(course):
    (course.source / "ps1").mkdir(parents=True)
    (course.source / "ps1" / "p1.ipynb").touch()
    (course.source / "empty").mkdir()
    assert course.lessons()[-1] == course.lesson("ps1") == "ps1"


@pytest.mark.parametrize("name", ["02_head_split", "02", "02_head"])
def test_a_lesson_may_be_named_by_its_start(course, name):
    assert course.lesson(name) == "02_head_split"


@pytest.mark.parametrize("name", ["9", "", "0", "head_split", "../02_head_split"])
def test_an_unknown_or_ambiguous_lesson_is_refused_with_the_list(course, name):
    with pytest.raises(UnknownLessonError, match="The course has: 01_qkv_projections, 02_head"):
        course.lesson(name)
