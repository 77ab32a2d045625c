"""What is sent to a worker, and what comes back: plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from manyheads.course import Course


@dataclass(frozen=True)
class WorkerSettings:
    """What every worker of a run has to know.

    `sources` are each lesson's source notebooks. `isolated` is False where the instructor does
    without a sandbox.
    """

    sources: Mapping[str, Sequence[Path]]
    cell_seconds: float
    submission_seconds: float
    isolated: bool = True


@dataclass(frozen=True)
class Job:
    """One submission to grade.

    With `only`, the graded tests by "notebook/grade_id" that changed: no other exercise is judged,
    and what `graded`, the folder of the earlier run, holds of the others is kept.
    """

    lesson: str
    student: str
    folder: Path
    graded: Path
    only: frozenset[str] | None = None


@dataclass(frozen=True)
class PageJob:
    """One student's feedback on a lesson, to be written in the course's folder."""

    course: Course
    lesson: str
    student: str


@dataclass(frozen=True)
class PageResult:
    """What became of a student's feedback: written, unless `failure` says why not."""

    lesson: str
    student: str
    failure: str = ""


@dataclass(frozen=True)
class GradedNotebook:
    """One notebook after grading: its file, and what became of each of the instructor's cells.

    `states` gives a cell's text and, of a test, its outputs, by grade_id. `judged` are the tests
    that were run this time. `causes`, by exercise, say in words why hidden tests failed, and
    `cause_ids` name the misconception where it was recognised. `seconds` are the student's cells'.
    """

    text: bytes
    states: Mapping[str, tuple[str, Sequence[Mapping[str, Any]]]]
    judged: frozenset[str]
    causes: Mapping[str, str] = field(default_factory=dict)
    cause_ids: Mapping[str, str] = field(default_factory=dict)
    flags: Sequence[str] = ()
    sandboxed: bool = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Result:
    """What became of a job: its notebooks, None for one that was not handed in; or a failure.

    A notebook that is not among them keeps what it has. `files` are the other files of the
    submission. `notes` are about the worker, not the student.
    """

    lesson: str
    student: str
    notebooks: Mapping[str, GradedNotebook | None] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    submitted: datetime | None = None
    flags: Sequence[str] = ()
    sandboxed: bool = False
    seconds: float = 0.0
    notes: Sequence[str] = ()
    failure: str = ""
