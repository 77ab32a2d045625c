"""Entering one graded submission: all of it, or nothing of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from manyheads.grade.book.late import LatePenalties
from manyheads.grade.book.lookup import rows_of, submitted_notebooks
from manyheads.grade.book.register import LessonRows, NotebookRows
from manyheads.grade.book.score import NotebookScores
from manyheads.grade.book.tables import (
    COMMENT,
    GRADE,
    STUDENT,
    SUBMISSION,
    SUBMITTED_NOTEBOOK,
    row_id,
)

# Statements are made once: making one takes as long as executing it.
_FIND_STUDENT = select(STUDENT.c.id).where(STUDENT.c.id == bindparam("student"))
_ADD_STUDENT = insert(STUDENT)
_FIND_SUBMISSION = select(SUBMISSION.c.id, SUBMISSION.c.timestamp, SUBMISSION.c.extension).where(
    SUBMISSION.c.assignment_id == bindparam("lesson"),
    SUBMISSION.c.student_id == bindparam("student"),
)
_ADD_SUBMISSION = insert(SUBMISSION)
_UPDATE_SUBMISSION = (
    update(SUBMISSION)
    .where(SUBMISSION.c.id == bindparam("row"))
    .values(timestamp=bindparam("submitted"))
)
_ADD_NOTEBOOK = insert(SUBMITTED_NOTEBOOK)
_UPDATE_PENALTY = (
    update(SUBMITTED_NOTEBOOK)
    .where(SUBMITTED_NOTEBOOK.c.id == bindparam("row"))
    .values(late_submission_penalty=bindparam("penalty"))
)
_ADD_GRADES = insert(GRADE)
_ADD_COMMENTS = insert(COMMENT)
_UPDATE_GRADE = (
    update(GRADE)
    .where(GRADE.c.id == bindparam("row"))
    .values(auto_score=bindparam("auto"), needs_manual_grade=bindparam("manual"))
)
_UPDATE_COMMENT = (
    update(COMMENT)
    .where(COMMENT.c.id == bindparam("row"))
    .values(auto_comment=bindparam("comment"))
)


@dataclass(frozen=True)
class Outcome:
    """What grading a submission gave: when it was sent in, and each notebook's scores by name."""

    student: str
    submitted: datetime | None
    notebooks: Mapping[str, NotebookScores]


def write_submission(
    connection: Connection, lesson: LessonRows, outcome: Outcome, late: LatePenalties
) -> None:
    """Enter scores and comments in the connection's transaction, as nbgrader's autograder does.

    Automatic scores are replaced; manual scores, extra credit and manual comments stay. A score
    that a person gave is marked to be looked at again, since the automatic one may have changed.
    """
    student = outcome.student
    if connection.scalar(_FIND_STUDENT, {"student": student}) is None:
        connection.execute(_ADD_STUDENT, {"id": student})
    submission = _submission(connection, lesson, outcome)
    known = submitted_notebooks(connection, lesson, submission.id)
    for rows in lesson.notebooks:
        own = known.get(rows.id)
        fresh = own is None
        if own is None:
            own = row_id("submitted notebook", lesson.name, rows.name, student)
            keys = {"id": own, "notebook_id": rows.id, "assignment_id": submission.id}
            connection.execute(_ADD_NOTEBOOK, keys)
        scores = outcome.notebooks[rows.name]
        total = _write_grades(connection, rows, own, scores, fresh=fresh)
        _write_comments(connection, rows, own, scores, fresh=fresh)
        if late.enabled and not scores.missing:
            penalty = late.penalty(
                student, total, lesson.due, submission.extension, submission.timestamp
            )
            if penalty is not None or not fresh:
                connection.execute(_UPDATE_PENALTY, {"row": own, "penalty": penalty})


def _submission(connection: Connection, lesson: LessonRows, outcome: Outcome) -> Any:
    """The submission's row, made if need be: id, timestamp and extension."""
    wanted = {"lesson": lesson.id, "student": outcome.student}
    found = connection.execute(_FIND_SUBMISSION, wanted).first()
    if found is None:
        keys = {"assignment_id": lesson.id, "student_id": outcome.student}
        own = row_id("submission", lesson.name, outcome.student)
        connection.execute(_ADD_SUBMISSION, {"id": own, **keys, "timestamp": outcome.submitted})
    elif outcome.submitted is not None and found.timestamp != outcome.submitted:
        changed = {"row": found.id, "submitted": outcome.submitted}
        connection.execute(_UPDATE_SUBMISSION, changed)
    else:
        return found
    return connection.execute(_FIND_SUBMISSION, wanted).one()


def _write_grades(
    connection: Connection, rows: NotebookRows, own: str, scores: NotebookScores, *, fresh: bool
) -> float:
    """Enter a notebook's scores; returns its total, what persons gave included."""
    existing = [] if fresh else rows_of(connection, GRADE, rows.graded.values(), [own])
    known = {row.cell_id: row for row in existing}
    new, changed, total = [], [], 0.0
    for name, cell in rows.graded.items():
        row = known.get(cell)
        auto = scores.scores.get(name) if name in scores.scores or row is None else row.auto_score
        given = row.manual_score if row else None
        if row is None:
            new.append(_new_grade(name, cell, own, auto, scores))
        elif name in scores.scores:
            manual = not scores.missing and (given is not None or auto is None)
            if (row.auto_score, bool(row.needs_manual_grade)) != (auto, manual):
                changed.append({"row": row.id, "auto": auto, "manual": manual})
        best = auto if given is None else given
        total += 0.0 if best is None else best + ((row and row.extra_credit) or 0.0)
    if new:
        connection.execute(_ADD_GRADES, new)
    if changed:
        connection.execute(_UPDATE_GRADE, changed)
    return total


def _new_grade(
    name: str, cell: str, own: str, auto: float | None, scores: NotebookScores
) -> dict[str, Any]:
    return {
        "id": row_id("grade", own, cell),
        "cell_id": cell,
        "notebook_id": own,
        "auto_score": auto,
        "needs_manual_grade": name not in scores.scores or auto is None,
    }


def _write_comments(
    connection: Connection, rows: NotebookRows, own: str, scores: NotebookScores, *, fresh: bool
) -> None:
    existing = [] if fresh else rows_of(connection, COMMENT, rows.commented.values(), [own])
    known = {row.cell_id: row for row in existing}
    new, changed = [], []
    for name, cell in rows.commented.items():
        comment, row = scores.comments.get(name), known.get(cell)
        if row is None:
            keys = {"id": row_id("comment", own, cell), "cell_id": cell, "notebook_id": own}
            new.append({**keys, "auto_comment": comment})
        elif name in scores.comments and row.auto_comment != comment:
            changed.append({"row": row.id, "comment": comment})
    if new:
        connection.execute(_ADD_COMMENTS, new)
    if changed:
        connection.execute(_UPDATE_COMMENT, changed)
