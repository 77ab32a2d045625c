"""The functions that the lessons' own solution cells define."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from manyheads.course import Course
from manyheads.student.notebook import Notebook
from manyheads.teach.exams import Exam, exams, source_notebooks
from manyheads.teach.hidden_tests import answered
from manyheads.teach.solutions import solution_code
from tests.lessons.conftest import ROOT

torch.set_num_threads(1)  # at these sizes more threads only wait for each other


@cache
def notebooks() -> dict[str, Notebook]:
    """Every lesson's source notebook."""
    return source_notebooks(Course(ROOT))


@cache
def function_exams() -> dict[str, Exam]:
    """Every exercise of the lessons that asks for a function, bug clinics left out."""
    found = exams(Course(ROOT))
    return {name: exam for name, exam in found.items() if exam.answer == name}


@cache
def solved() -> dict[str, Callable[..., Any]]:
    """Each exercise's function, taken from its own lesson's source notebook."""
    return {name: answered(solution(exam))[name] for name, exam in function_exams().items()}


def solution(exam: Exam) -> str:
    """Code of the lesson's own answer to an exercise."""
    return solution_code(notebooks()[exam.lesson], exam.exercise)
