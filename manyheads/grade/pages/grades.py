"""A submission's scores and comments, read from the gradebook in four queries.

Plain SQL on nbgrader's tables: loading nbgrader itself would take longer than a hundred pages.
Grades and comments are found by cell and notebook together, which is what there is an index for.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from manyheads.errors import GradingError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_NOTEBOOK = """
    SELECT submitted_notebook.id, submitted_notebook.notebook_id,
        submitted_notebook.late_submission_penalty
    FROM submitted_notebook
    JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
    JOIN assignment ON assignment.id = submitted_assignment.assignment_id
    JOIN notebook ON notebook.id = submitted_notebook.notebook_id
    WHERE submitted_assignment.student_id = :student AND assignment.name = :lesson
        AND notebook.name = :notebook
"""
_GRADES = """
    SELECT base_cell.name, grade.auto_score, grade.manual_score, grade.extra_credit,
        grade.needs_manual_grade, COALESCE(grade_cells.max_score, task_cells.max_score) AS points
    FROM base_cell
    JOIN grade ON grade.cell_id = base_cell.id AND grade.notebook_id = :own
    LEFT JOIN grade_cells ON grade_cells.id = base_cell.id
    LEFT JOIN task_cells ON task_cells.id = base_cell.id
    WHERE base_cell.notebook_id = :notebook
"""
_COMMENTS = """
    SELECT base_cell.name, comment.auto_comment, comment.manual_comment
    FROM base_cell
    JOIN comment ON comment.cell_id = base_cell.id AND comment.notebook_id = :own
    WHERE base_cell.notebook_id = :notebook
"""
_MOST = """
    SELECT SUM(COALESCE(grade_cells.max_score, task_cells.max_score))
    FROM base_cell
    LEFT JOIN grade_cells ON grade_cells.id = base_cell.id
    LEFT JOIN task_cells ON task_cells.id = base_cell.id
    WHERE base_cell.notebook_id = :notebook
"""


@dataclass(frozen=True)
class CellGrade:
    """A graded cell's points; `waiting` while a person still has to give them."""

    score: float
    points: float
    waiting: bool


@dataclass(frozen=True)
class NotebookGrades:
    """A submitted notebook's grades and comments by grade_id, and its sums."""

    cells: Mapping[str, CellGrade] = field(default_factory=dict)
    comments: Mapping[str, str | None] = field(default_factory=dict)
    max_score: float = 0.0
    late_penalty: float = 0.0

    @property
    def score(self) -> float:
        """The points of all cells, late penalty taken off."""
        return sum(cell.score for cell in self.cells.values()) - self.late_penalty

    @property
    def waiting(self) -> float:
        """How many points a person still has to decide about."""
        return sum(cell.points for cell in self.cells.values() if cell.waiting)

    def enter(
        self, notebook: MutableMapping[str, Any], resources: MutableMapping[str, Any]
    ) -> None:
        """Note scores and comments where nbgrader's templates look for them."""
        for cell in notebook["cells"]:
            entry = cell["metadata"].get("nbgrader", {})
            name = entry.get("grade_id")
            if (entry.get("solution") or entry.get("task")) and name in self.comments:
                entry["comment"] = self.comments[name]
            if (entry.get("grade") or entry.get("task")) and name in self.cells:
                grade = self.cells[name]
                entry |= {"score": grade.score, "points": grade.points, "waiting": grade.waiting}
        resources["score"], resources["max_score"] = self.score, self.max_score
        resources["late_penalty"], resources["waiting"] = self.late_penalty, self.waiting


@cache
def open_grades(db_url: str) -> Engine:
    """The gradebook at an address, for reading; opened once a process."""
    from sqlalchemy import create_engine

    return create_engine(db_url)


def read_notebook_grades(
    connection: Connection, lesson: str, notebook: str, student: str
) -> NotebookGrades:
    """What the gradebook says of one student's notebook.

    Raises GradingError when it was never graded.
    """
    from sqlalchemy import text

    names = {"lesson": lesson, "notebook": notebook, "student": student}
    found = connection.execute(text(_NOTEBOOK), names).first()
    if found is None:
        raise GradingError(
            f"There is no feedback for {student} on {lesson}: the gradebook holds no grades of "
            f"{notebook}.ipynb. Grade the submission first."
        )
    own = {"own": found.id, "notebook": found.notebook_id}
    most = connection.execute(text(_MOST), {"notebook": found.notebook_id}).scalar()
    return NotebookGrades(
        {row.name: _grade(row) for row in connection.execute(text(_GRADES), own)},
        {
            row.name: row.auto_comment if row.manual_comment is None else row.manual_comment
            for row in connection.execute(text(_COMMENTS), own)
        },
        float(most or 0.0),
        float(found.late_submission_penalty or 0.0),
    )


def _grade(row: Any) -> CellGrade:
    """A grade as nbgrader counts it: a person's points before automatic ones, and extra credit."""
    best = row.auto_score if row.manual_score is None else row.manual_score
    score = 0.0 if best is None else float(best + (row.extra_credit or 0.0))
    return CellGrade(score, float(row.points or 0.0), bool(row.needs_manual_grade) and best is None)
