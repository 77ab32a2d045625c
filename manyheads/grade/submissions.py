"""Which submissions lie in `submitted/`, and whether nbgrader can grade them."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyheads.course import Course, notebook_path
from manyheads.errors import GradingError, MissingSubmissionError


@dataclass(frozen=True)
class Submission:
    """One student's folder for one lesson: `submitted/{student}/{lesson}`."""

    student: str
    lesson: str
    folder: Path

    @property
    def notebook(self) -> Path:
        """The notebook file that is graded."""
        return self.folder / f"{self.lesson}.ipynb"


def find_submissions(course: Course, lessons: Iterable[str]) -> list[Submission]:
    """All submissions to the lessons, in the order of students, then lessons.

    Raises MissingSubmissionError when there is none.
    """
    lessons = list(lessons)
    students = sorted(course.submitted.glob("*")) if course.submitted.is_dir() else []
    found = [
        Submission(student.name, lesson, student / lesson)
        for student in students
        for lesson in lessons
        if (student / lesson).is_dir()
    ]
    if not found:
        where = notebook_path(course.submitted / "STUDENT", lessons[0] if lessons else "LESSON")
        raise MissingSubmissionError(
            f"There is nothing to grade for {', '.join(lessons) or 'any lesson'}. Put each "
            f"student's notebook at {where}, or run `nbgrader collect`, and grade again."
        )
    return found


def check_submission(submission: Submission) -> None:
    """Make sure that a submission can be graded: named so, its notebook there and readable.

    Raises GradingError with the cause and the remedy if it doesn't.
    """
    from manyheads.student.notebook import parse_notebook

    if glob.has_magic(submission.student):
        raise GradingError(
            "nbgrader takes [ ] * ? in a name for a pattern. Rename the folder "
            f"{submission.student!r} in submitted/ and grade again."
        )
    expected = submission.notebook
    if not expected.is_file():
        raise GradingError(_missing(submission))
    try:
        parse_notebook(expected.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise GradingError(
            f"{expected} can't be read as a notebook: {error}. Ask {submission.student} to send it "
            "again, or correct the file, and grade again."
        ) from error
    _check_timestamp(submission.folder / "timestamp.txt")


def _missing(submission: Submission) -> str:
    expected = submission.notebook.name
    others = sorted(path.name for path in submission.folder.glob("*.ipynb"))
    if not others:
        return (
            f"{submission.folder} holds no notebook. Put the student's notebook there as "
            f"{expected} and grade again."
        )
    return (
        f"{submission.folder} holds {', '.join(others)}, expected {expected}. Rename the notebook "
        "that counts and grade again."
    )


def _check_timestamp(path: Path) -> None:
    from nbgrader.utils import parse_utc

    if not path.is_file():
        return
    text = path.read_text(encoding="utf-8", errors="replace").strip()
    try:
        parse_utc(text or "2000-01-01")
    except (ValueError, OverflowError) as error:
        raise GradingError(
            f"{path} says {text[:40]!r}, which is no date and time. Write one like "
            "2026-01-31 18:00:00.000000 UTC, or delete the file, and grade again."
        ) from error


def source_notebook(course: Course, lesson: str) -> Path:
    """The instructor's notebook of a lesson; raises GradingError when it was not built."""
    path = notebook_path(course.source, lesson)
    if not path.is_file():
        raise GradingError(
            f"Lesson {lesson} can't be graded: {path} is missing. Run `manyheads build` first."
        )
    return path
