"""A student's own copies of the lessons, in `work/`.

A copy is the student's from the moment it is laid: nothing here writes over one.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from manyheads.course import Course, notebook_path
from manyheads.errors import MissingSubmissionError, NotReleasedError, UnreadableNotebookError
from manyheads.student.notebook import course_metadata, read_notebook, write_atomic


def released_lessons(course: Course) -> list[str]:
    """Ids of the lessons that students may have, in order.

    Raises NotReleasedError when there is none.
    """
    released = [name for name in course.lessons() if notebook_path(course.release, name).is_file()]
    if not released:
        raise NotReleasedError(
            f"{course.release} holds no lesson yet. Build them with `manyheads build`."
        )
    return released


def release_path(course: Course, lesson: str) -> Path:
    """Path of a lesson's released notebook.

    Raises UnknownLessonError for a name the course doesn't know, NotReleasedError for a lesson that
    is not built yet.
    """
    path = notebook_path(course.release, course.lesson(lesson))
    if not path.is_file():
        raise NotReleasedError(f"{path.stem} is not released yet. Build it with `manyheads build`.")
    return path


def work_path(course: Course, lesson: str) -> Path:
    """Path of the student's copy of a lesson.

    Raises MissingSubmissionError when there is no copy, and as `release_path`.
    """
    path = notebook_path(course.work, release_path(course, lesson).stem)
    if not path.is_file():
        raise MissingSubmissionError(
            f"There is no copy of {path.stem} in {course.work}. "
            "Run `manyheads lab` to get one and work on it."
        )
    return path


def lay_copies(course: Course) -> list[str]:
    """Put a copy of every released lesson, and of the glossary, into `work/` where there is none.

    Returns plain sentences for the student: newer releases, and notebooks that can't be read.
    """
    glossary, copy = course.root / "docs" / "glossary.md", course.work / "glossary.md"
    if glossary.is_file() and not copy.exists():
        write_atomic(copy, glossary.read_bytes())
    return [note for lesson in released_lessons(course) for note in lay_copy(course, lesson)]


def lay_copy(course: Course, lesson: str) -> list[str]:
    """Put one lesson and its other files into `work/`; a newer release goes beside a copy."""
    released = release_path(course, lesson)
    _copy_missing(released.parent, course.work / lesson)
    try:
        return _lay_newer(course, released, notebook_path(course.work, lesson))
    except UnreadableNotebookError as error:
        return [str(error)]


def _copy_missing(released: Path, work: Path) -> None:
    for path in sorted(released.rglob("*")):
        inside = path.relative_to(released)
        if path.is_dir() or any(part.startswith(".") for part in inside.parts):
            continue
        if not (work / inside).exists():
            write_atomic(work / inside, path.read_bytes())


def _lay_newer(course: Course, released: Path, copy: Path) -> list[str]:
    newest = course_metadata(read_notebook(released)).get("release", "")
    if course_metadata(read_notebook(copy)).get("release", newest) in (newest, ""):
        return []
    beside = copy.with_name(f"{copy.stem}.new-{newest}.ipynb")
    if beside.exists():
        return []
    write_atomic(beside, released.read_bytes())
    return [
        f"{copy.stem} has a newer release. Your copy is untouched; "
        f"the new one is beside it: {beside.relative_to(course.root).as_posix()}. "
        f"To start over from it, run `manyheads reset {copy.stem}`; your copy is then kept aside."
    ]


def reset(course: Course, lesson: str, now: datetime) -> Path | None:
    """Lay a fresh copy of a lesson and keep the old one aside; returns where the old one is.

    Raises UnknownLessonError and NotReleasedError as `release_path`.
    """
    released = release_path(course, lesson)
    copy = notebook_path(course.work, released.stem)
    aside = None
    if copy.exists():
        aside = free_path(copy.with_name(f"{copy.stem}.before-reset-{now:%Y%m%d-%H%M%S}.ipynb"))
        copy.rename(aside)
    write_atomic(copy, released.read_bytes())
    return aside


def free_path(path: Path) -> Path:
    """`path`, or the first of `name-2`, `name-3`, ... that doesn't exist yet."""
    candidate, number = path, 2
    while candidate.exists():
        candidate = path.with_name(f"{path.stem}-{number}{path.suffix}")
        number += 1
    return candidate
