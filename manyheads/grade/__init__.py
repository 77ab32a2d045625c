"""Grading a class: run every submission through nbgrader, write feedback, tabulate the points."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manyheads.course import Course, notebook_path
from manyheads.errors import GradingError
from manyheads.grade.cells import grade_ids
from manyheads.grade.grades import Grade, read_grades, write_csv
from manyheads.grade.report import ClassReport, Failure, class_table
from manyheads.grade.submissions import (
    Submission,
    check_submission,
    find_submissions,
    source_notebook,
)

if TYPE_CHECKING:
    from manyheads.grade.engine import Nbgrader

__all__ = ["ClassReport", "Failure", "Grade", "class_table", "grade_class"]

Progress = Callable[[int, int, str], None]


def grade_class(course: Course, lessons: Sequence[str], progress: Progress) -> ClassReport:
    """Grade every submission to the lessons, write feedback pages and `grades.csv`.

    `progress(done, total, label)` is called before each submission and at the end. A submission
    that can't be graded is in the report's failures and stops nobody else. Everything is graded
    anew each time; points that a person gave are kept.
    Raises MissingSubmissionError when nothing was submitted, GradingError when a lesson can't be
    graded at all.
    """
    submissions = find_submissions(course, lessons)
    graded = [lesson for lesson in lessons if lesson in {one.lesson for one in submissions}]
    sources = {lesson: source_notebook(course, lesson) for lesson in graded}
    from manyheads.grade.engine import Nbgrader

    with Nbgrader(course) as nbgrader:
        report = ClassReport(course.root / "grades.csv", course.feedback, nbgrader.log)
        for lesson in graded:
            nbgrader.register(lesson)
        for done, submission in enumerate(submissions):
            progress(done, len(submissions), f"{submission.student} {submission.lesson}")
            _grade(nbgrader, submission, report)
    ungraded = {
        (failure.student, failure.lesson) for failure in report.failures if failure.ungraded
    }
    for lesson, source in sources.items():
        here = [one.student for one in submissions if one.lesson == lesson]
        students = [student for student in here if (student, lesson) not in ungraded]
        report.grades += read_grades(nbgrader.db_url, lesson, students, grade_ids(source))
    write_csv(report.csv, report.grades)
    progress(len(submissions), len(submissions), "done")
    return report


def _grade(nbgrader: Nbgrader, submission: Submission, report: ClassReport) -> None:
    """Grade one submission and write its page; note in the report what was wrong with it."""
    student, lesson = submission.student, submission.lesson
    try:
        check_submission(submission)
        nbgrader.autograde(lesson, student)
    except GradingError as error:
        report.failures.append(Failure(student, lesson, str(error), ungraded=True))
        return
    flags = _flags(notebook_path(nbgrader.course.autograded / student, lesson))
    if flags:
        report.flags[student, lesson] = flags
    try:
        nbgrader.feedback(lesson, student)
    except GradingError as error:
        report.failures.append(Failure(student, lesson, str(error)))


def _flags(graded: Path) -> list[str]:
    """What had to be put right in a submission, as noted in its graded notebook."""
    notebook = json.loads(graded.read_text(encoding="utf-8"))
    return list(notebook["metadata"].get("manyheads_flags", []))
