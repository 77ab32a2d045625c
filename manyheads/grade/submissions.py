"""Which submissions lie in `submitted/`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from manyheads.course import Course, notebook_path
from manyheads.errors import MissingSubmissionError

MOST_SHOWN = 10
WORK = (".ipynb", ".zip", ".gz", ".7z", ".rar", ".tar")


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


def passed_over(course: Course) -> str:
    """What lies in `submitted/` where no submission is looked for, in words; empty if nothing does.

    That is notebooks and archives outside of `submitted/{student}/{lesson}`, students' folders
    that are named otherwise than a lesson among them.
    """
    lessons = {path.name for path in course.source.glob("*") if path.is_dir()}
    places = {*lessons, *(f"{lesson}.ipynb" for lesson in lessons)}
    found = [
        path.relative_to(course.submitted).as_posix()
        for entry in _entries(course.submitted)
        for path in ([entry] if entry.is_file() else _entries(entry))
        if (path is entry or path.name not in places) and _holds_work(path)
    ]
    if not found:
        return ""
    shown = ", ".join(map(repr, found[:MOST_SHOWN]))
    more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    return (
        f"passed over in {course.submitted}: {shown}{more}. A submission lies in a folder "
        "STUDENT/LESSON that is named as the lesson is: move it there, and grade again"
    )


def _entries(folder: Path) -> list[Path]:
    """What lies in a folder, hidden things left out; nothing for what is none."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _holds_work(path: Path) -> bool:
    """Whether it is a notebook or an archive, or a folder with one in it or one level below."""
    if path.is_symlink() or path.suffix.lower() in WORK:
        return True
    below = _entries(path)
    return any(one.suffix.lower() in WORK for near in below for one in (near, *_entries(near)))
