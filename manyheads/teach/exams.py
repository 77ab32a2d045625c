"""What an exercise's answers are graded by: the graded cells of its lesson's source notebook."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from manyheads.build.cells import NUMBERED
from manyheads.build.pairs import answer_name, exercise_of
from manyheads.course import Course, notebook_path
from manyheads.student.notebook import (
    Notebook,
    code_cells,
    grade_id,
    grading,
    is_test,
    read_notebook,
    source,
)


@dataclass(frozen=True)
class GradedTest:
    """One graded cell, its hidden region in."""

    name: str
    points: float
    code: str


@dataclass(frozen=True)
class Exam:
    """One exercise and its graded cells.

    >>> test = GradedTest("test_clinic_sign", 2, "assert find_bug(abs)")
    >>> exam = Exam("01_small", "clinic_sign", (test,))
    >>> exam.answer, exam.points
    ('find_bug', 2)
    """

    lesson: str
    exercise: str
    tests: tuple[GradedTest, ...]

    @property
    def answer(self) -> str:
        """The name that an answer must define."""
        return answer_name(self.exercise)

    @property
    def points(self) -> float:
        """The most that an answer can earn."""
        return sum(test.points for test in self.tests)


def source_notebooks(course: Course) -> dict[str, Notebook]:
    """The source notebook of every lesson that has one, in the lessons' order."""
    paths = {lesson: notebook_path(course.source, lesson) for lesson in course.lessons()}
    return {lesson: read_notebook(path) for lesson, path in paths.items() if path.is_file()}


def exams(course: Course) -> dict[str, Exam]:
    """Every exercise that asks for a function, by its `grade_id`, in the lessons' order.

    Raises UnreadableNotebookError.
    """
    return {
        exam.exercise: exam
        for lesson, notebook in source_notebooks(course).items()
        for exam in _exams_in(lesson, notebook)
    }


def _exams_in(lesson: str, notebook: Notebook) -> Iterator[Exam]:
    cells = list(code_cells(notebook))
    solutions = [grade_id(cell) for cell in cells if grading(cell).get("solution")]
    graded = [
        GradedTest(grade_id(cell), grading(cell)["points"], source(cell))
        for cell in cells
        if is_test(cell)
    ]
    for exercise in solutions:
        if not NUMBERED.fullmatch(exercise):
            own = [test for test in graded if exercise_of(test.name, solutions) == exercise]
            yield Exam(lesson, exercise, tuple(own))
