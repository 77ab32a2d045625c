"""Sending a lesson in: the work copy goes to where the grader looks for submissions."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from manyheads.course import Course, notebook_path
from manyheads.errors import MissingSubmissionError, StudentIdError
from manyheads.student.answers import answered, questions
from manyheads.student.copies import free_path, release_path, work_path
from manyheads.student.notebook import course_metadata, read_notebook, write_atomic

# nbgrader's own format and zone (Exchange.timestamp_format, Exchange.timezone).
TIMESTAMP = "%Y-%m-%d %H:%M:%S.%f UTC"
STUDENT_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Submission:
    """Where a submission is, where the one it replaced is kept, and what the student is told."""

    path: Path
    questions: int
    answered: int
    replaced: Path | None = None
    warnings: list[str] = field(default_factory=list)


def submit(course: Course, lesson: str, student: str, now: datetime) -> Submission:
    """Copy the work notebook of `lesson` to `submitted/<student>/<lesson>/`, stamped with `now`.

    Only the notebook is sent: the grader brings everything else a lesson needs. An earlier
    submission is kept below `submitted/.replaced/`.

    Raises StudentIdError for an id that can't name a folder, MissingSubmissionError when there is
    no work copy or it holds another lesson, and UnreadableNotebookError.
    """
    student_id(student)
    work = work_path(course, lesson)
    count, done = _counted(course, work)
    folder = course.submitted / student / work.stem
    replaced = _keep_aside(course, folder, now)
    write_atomic(folder / work.name, work.read_bytes())
    stamp = now.astimezone(UTC).strftime(TIMESTAMP)
    write_atomic(folder / "timestamp.txt", stamp.encode())
    warnings = (
        []
        if done
        else [f"No question of {work.stem} is answered yet; it was sent in all the same."]
    )
    return Submission(folder / work.name, count, done, replaced, warnings)


def student_id(text: str) -> str:
    """`text`, when it can be a student's id: letters, digits, `_`, and inside it `-` and `.`.

    Raises StudentIdError.

    >>> student_id("s01")
    's01'
    """
    if not STUDENT_ID.fullmatch(text):
        raise StudentIdError(
            f"{text!r} can't be a student's id. Use letters, digits, '_', '-' and '.', "
            "beginning with a letter, a digit or '_' (for example: --as s01)."
        )
    return text


def _counted(course: Course, work: Path) -> tuple[int, int]:
    """How many questions the lesson asks, and how many the notebook answers."""
    notebook = read_notebook(work)
    lesson = course_metadata(notebook).get("lesson", work.stem)
    if lesson != work.stem:
        raise MissingSubmissionError(
            f"{work} holds the lesson {lesson}, expected {work.stem}. "
            f"Move it to {notebook_path(course.work, lesson)} and submit again."
        )
    release = read_notebook(release_path(course, work.stem))
    return len(questions(release)), len(answered(notebook, release))


def _keep_aside(course: Course, folder: Path, now: datetime) -> Path | None:
    if not folder.exists():
        return None
    # Hidden, and one level deeper than a submission, so that no grader takes it for one.
    kept = (
        course.submitted / ".replaced" / folder.parent.name / f"{folder.name}-{now:%Y%m%d-%H%M%S}"
    )
    kept = free_path(kept)
    kept.parent.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(folder, kept))
