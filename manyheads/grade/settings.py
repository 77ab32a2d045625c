"""What the course's `nbgrader_config.py` says that grading has to know."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyheads import __version__
from manyheads.course import MARKER, Course
from manyheads.errors import GradingError

_FOLDERS = {
    "source_directory": "source",
    "release_directory": "release",
    "submitted_directory": "submitted",
    "autograded_directory": "autograded",
    "feedback_directory": "feedback",
    "directory_structure": str(Path("{nbgrader_step}", "{student_id}", "{assignment_id}")),
}


@dataclass(frozen=True)
class Settings:
    """A course's nbgrader configuration, read without importing nbgrader.

    `engine` is a digest of this package's version and of the configuration: when it changes,
    everything is graded anew.
    """

    config: Any
    db_url: str
    course_id: str
    engine: str
    cell_seconds: float
    submission_seconds: float


def read_settings(course: Course) -> Settings:
    """Read `nbgrader_config.py`.

    Raises GradingError when it names other folders than nbgrader's own, or can't be read.
    """
    from manyheads.build.release import load_config

    path = course.root / MARKER
    try:
        config = load_config(course)
    except Exception as error:  # the file is a program; it may raise anything
        raise GradingError(f"{path} can't be read: {type(error).__name__}: {error}") from error
    folders = config.CourseDirectory
    for name, usual in _FOLDERS.items():
        if name in folders and folders[name] != usual:
            raise GradingError(
                f"{path} sets CourseDirectory.{name} to {folders[name]!r}; `manyheads grade` works "
                f"with nbgrader's own layout, {usual!r}. Take the setting out, or grade this "
                "course with `nbgrader autograde`."
            )
    execute = config.Execute
    return Settings(
        config=config,
        db_url=str(folders.get("db_url") or f"sqlite:///{course.gradebook}"),
        course_id=str(folders.get("course_id") or "").strip(),
        engine=_digest(__version__, path.read_text(encoding="utf-8")),
        cell_seconds=float(execute.get("timeout") or 30),
        submission_seconds=float(execute.get("notebook_timeout") or 300),
    )


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:16]
