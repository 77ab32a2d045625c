"""Grading a class: run every submission before the judge, enter the grades, write feedback."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from manyheads.grade.grades import Grade
from manyheads.grade.report import ClassReport, Failure, class_table

if TYPE_CHECKING:
    from manyheads.course import Course
    from manyheads.grade.report import Progress

__all__ = ["ClassReport", "Failure", "Grade", "class_table", "grade_class"]


def grade_class(
    course: Course,
    lessons: Sequence[str],
    progress: Progress,
    *,
    workers: int | None = None,
    again: bool = False,
    isolated: bool = True,
    feedback: bool = True,
) -> ClassReport:
    """Grade every submission to the lessons; write `autograded/`, the gradebook and `grades.csv`.

    `progress(done, total, label)` is called at the start and after each submission. With `workers`
    processes at once (as many as there are CPUs to use if None). What was graded before and has not
    changed is left as it is, unless `again`; where only hidden tests were corrected, only their
    exercises are judged again; points that a person gave are kept. A submission that can't be
    graded is in the report's failures and stops nobody else.
    Students' code runs in a sandbox unless `isolated` is False; such results are marked.
    Raises MissingSubmissionError when nothing was submitted, SandboxError when there can be no
    sandbox, GradebookError when the gradebook can't be used, GradingError when a lesson can't be
    graded at all, GradingStoppedError when Ctrl-C was pressed: what was graded is kept.
    """
    from manyheads.grade import driver

    options = driver.Options(workers, again, isolated, feedback)
    return driver.grade(course, lessons, progress, options)
