"""The functions that the lessons' own solution cells define."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from manyheads.course import Course
from manyheads.teach.exams import Exam, exams, source_notebooks
from manyheads.teach.hidden_tests import answered
from manyheads.teach.solutions import solution_code
from tests.lessons.conftest import ROOT


@cache
def function_exams() -> dict[str, Exam]:
    """Every exercise of the lessons that asks for a function, bug clinics left out."""
    found = exams(Course(ROOT))
    return {name: exam for name, exam in found.items() if exam.answer == name}


@cache
def solved() -> dict[str, Callable[..., Any]]:
    """Each exercise's function, taken from its own lesson's source notebook."""
    notebooks = source_notebooks(Course(ROOT))
    return {
        name: answered(solution_code(notebooks[exam.lesson], name))[name]
        for name, exam in function_exams().items()
    }
