"""Grades read back from the gradebook, exercise by exercise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from manyheads.grade.book.lookup import rows_of
from manyheads.grade.book.register import LessonRows, NotebookRows
from manyheads.grade.book.tables import GRADE, RECORD, SUBMISSION, SUBMITTED_NOTEBOOK
from manyheads.grade.exercises import exercise_of
from manyheads.grade.grades import Grade

AT_ONCE = 100  # students a query, so that a large class takes no more memory than a small one


def read_grades(
    connection: Connection, lesson: LessonRows, students: Sequence[str]
) -> Iterator[Grade]:
    """The named students' grades in a lesson: students as given, exercises in the lesson's order.

    In a lesson of several notebooks an exercise is called "notebook/exercise".
    """
    for start in range(0, len(students), AT_ONCE):
        some = students[start : start + AT_ONCE]
        entries = _entries(connection, lesson, some)
        sandboxed = _sandboxed(connection, lesson, some)
        for student in some:
            for notebook in lesson.notebooks:
                prefix = f"{notebook.name}/" if len(lesson.notebooks) > 1 else ""
                found = entries.get((student, notebook.id), {})
                for exercise, group in _grouped(notebook, found).items():
                    yield Grade(
                        student,
                        lesson.name,
                        prefix + exercise,
                        points=sum(_score(entry) for _, entry in group),
                        max_points=sum(most for most, _ in group),
                        manual=any(entry.needs_manual_grade for _, entry in group),
                        sandboxed=sandboxed.get(student, True),
                    )


def _entries(
    connection: Connection, lesson: LessonRows, students: Sequence[str]
) -> dict[tuple[str, str], dict[str, Any]]:
    """Grades by student and notebook, then by the row of the cell."""
    submitted = connection.execute(
        select(SUBMITTED_NOTEBOOK.c.id, SUBMITTED_NOTEBOOK.c.notebook_id, SUBMISSION.c.student_id)
        .join(SUBMISSION, SUBMISSION.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
        .where(
            SUBMITTED_NOTEBOOK.c.notebook_id.in_([one.id for one in lesson.notebooks]),
            SUBMISSION.c.assignment_id == lesson.id,
            SUBMISSION.c.student_id.in_(students),
        )
    )
    owner = {row.id: (row.student_id, row.notebook_id) for row in submitted}
    cells = {cell for notebook in lesson.notebooks for cell in notebook.graded.values()}
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows_of(connection, GRADE, sorted(cells), list(owner)):
        found.setdefault(owner[row.notebook_id], {})[row.cell_id] = row
    return found


def _sandboxed(
    connection: Connection, lesson: LessonRows, students: Sequence[str]
) -> dict[str, bool]:
    query = select(RECORD.c.student, RECORD.c.sandboxed).where(
        RECORD.c.lesson == lesson.name, RECORD.c.student.in_(students)
    )
    return {row.student: row.sandboxed for row in connection.execute(query)}


def _grouped(
    notebook: NotebookRows, entries: Mapping[str, Any]
) -> dict[str, list[tuple[float, Any]]]:
    """A notebook's grades with their maximum, by exercise, in the order of its cells."""
    answers = [cell.grade_id for cell in notebook.cells.values() if cell.solution]
    groups: dict[str, list[tuple[float, Any]]] = {}
    for name, cell in notebook.cells.items():
        entry = entries.get(notebook.graded.get(name, ""))
        if entry is not None:
            groups.setdefault(exercise_of(name, answers), []).append((cell.points or 0.0, entry))
    return groups


def _score(entry: Any) -> float:
    """A grade's points as nbgrader counts them: a person's if there are any, and extra credit."""
    best = entry.auto_score if entry.manual_score is None else entry.manual_score
    return 0.0 if best is None else float(best + (entry.extra_credit or 0.0))
