"""Exercises and their graded cells, as a source notebook holds them."""

from __future__ import annotations

import pytest

from manyheads.course import Course
from manyheads.errors import UnreadableNotebookError
from manyheads.teach.exams import exams
from tests.teach.small_course import REPOSITORY, code_cell, write_source


def solution(name):
    return code_cell(f"def {name}(): pass", grade_id=name, solution=True, grade=False)


def graded(name, points):
    return code_cell(f"# {name}", grade_id=name, solution=False, grade=True, points=points)


@pytest.fixture
def course(tmp_path):
    course = Course(tmp_path)
    write_source(
        course,
        "01_small",
        solution("split"),
        solution("split_heads"),
        solution("quiz_1"),
        solution("clinic_sign"),
        graded("test_split", 1),
        graded("test_split_heads_shape", 1),
        graded("test_split_heads_values", 3),
        graded("test_quiz_1", 1),
        graded("test_clinic_sign", 2),
        code_cell("print('not graded')"),
    )
    return course


def test_questions_are_no_exercises_of_functions(course):
    assert list(exams(course)) == ["split", "split_heads", "clinic_sign"]


def test_a_graded_cell_belongs_to_the_longest_name(course):
    found = exams(course)
    assert [test.name for test in found["split"].tests] == ["test_split"]
    assert found["split_heads"].points == 4


def test_a_clinic_s_answer_is_find_bug(course):
    assert exams(course)["clinic_sign"].answer == "find_bug"


def test_hidden_regions_are_in():
    tests = exams(Course(REPOSITORY))["split_heads"].tests
    assert all("### BEGIN HIDDEN TESTS" in test.code for test in tests)


def test_an_unreadable_source_is_named(course):
    (course.source / "01_small" / "01_small.ipynb").write_text("{", encoding="utf-8")
    with pytest.raises(UnreadableNotebookError, match="01_small"):
        exams(course)
