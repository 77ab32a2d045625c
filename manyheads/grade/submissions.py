"""Which submissions lie in `submitted/`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyheads.course import Course, notebook_path
from manyheads.errors import MissingSubmissionError


@dataclass(frozen=True)
class Submission:
    """One student's folder for one lesson: `submitted/{student}/{lesson}`."""

    student: str
    lesson: str
    folder: Path


def find_submissions(course: Course, lessons: Iterable[str]) -> list[Submission]:
    """All submissions to the lessons, in the order of students, then lessons.

    Whatever lies at a submission's place is one, be it a link, a file, or a notebook beside the
    folder where it belongs: reading it will say what is wrong, and no student is passed over.
    Raises MissingSubmissionError when there is none.
    """
    lessons = list(lessons)
    students = sorted(course.submitted.glob("*")) if course.submitted.is_dir() else []
    found = [
        Submission(student.name, lesson, student / lesson)
        for student in students
        if not student.name.startswith(".")
        for lesson in lessons
        if os.path.lexists(student / lesson) or (student / f"{lesson}.ipynb").is_file()
    ]
    if not found:
        where = notebook_path(course.submitted / "STUDENT", lessons[0] if lessons else "LESSON")
        raise MissingSubmissionError(
            f"There is nothing to grade for {', '.join(lessons) or 'any lesson'}. Put each "
            f"student's notebook at {where}, or run `nbgrader collect`, and grade again."
        )
    return found
