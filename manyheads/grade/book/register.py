"""Entering a lesson in the gradebook: what nbgrader's SaveCells enters, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, delete, exists, insert, select, update

from manyheads.errors import GradingError
from manyheads.grade.book.generate import GeneratedNotebook
from manyheads.grade.book.tables import (
    ASSIGNMENT,
    BASE_CELL,
    GRADE_CELL,
    NOTEBOOK,
    SOLUTION_CELL,
    SOURCE_CELL,
    SUBMISSION,
    SUBMITTED_NOTEBOOK,
    TASK_CELL,
    row_id,
)
from manyheads.grade.cells import InstructorCell

_KINDS: dict[str, Table] = {
    "GradeCell": GRADE_CELL,
    "SolutionCell": SOLUTION_CELL,
    "TaskCell": TASK_CELL,
}
_OF_KIND = {"GradeCell": "grade", "SolutionCell": "solution", "TaskCell": "task"}


@dataclass(frozen=True)
class NotebookRows:
    """One notebook of a lesson in the gradebook: its row, its cells, and their rows.

    `graded` and `commented` give the row of the cell, by grade_id, to which a grade or a comment
    belongs; a task's grade and comment belong to the same.
    """

    id: str
    name: str
    cells: Mapping[str, InstructorCell]
    graded: Mapping[str, str]
    commented: Mapping[str, str]


@dataclass(frozen=True)
class LessonRows:
    """A lesson in the gradebook: its row, its date due, and its notebooks."""

    id: str
    name: str
    due: datetime | None
    notebooks: tuple[NotebookRows, ...]


def register(
    connection: Connection, lesson: str, notebooks: Sequence[GeneratedNotebook], course_id: str
) -> LessonRows:
    """Enter a lesson's notebooks and cells, or bring them up to date; grades that are there stay.

    Raises GradingError when the lesson was graded with other cells: nbgrader can't have that.
    """
    assignment = _assignment(connection, lesson, course_id)
    _drop_other_notebooks(connection, assignment, lesson, {one.name for one in notebooks})
    for notebook in notebooks:
        _enter(connection, assignment, lesson, notebook)
    due = connection.scalar(select(ASSIGNMENT.c.duedate).where(ASSIGNMENT.c.id == assignment))
    rows = tuple(_rows(connection, assignment, notebook) for notebook in notebooks)
    return LessonRows(assignment, lesson, due, rows)


def _assignment(connection: Connection, lesson: str, course_id: str) -> str:
    found = connection.scalar(select(ASSIGNMENT.c.id).where(ASSIGNMENT.c.name == lesson))
    if found is None:
        found = row_id("assignment", lesson)
        connection.execute(
            insert(ASSIGNMENT), {"id": found, "name": lesson, "course_id": course_id}
        )
    return str(found)


def _drop_other_notebooks(
    connection: Connection, assignment: str, lesson: str, names: set[str]
) -> None:
    """Remove notebooks that are no longer part of the lesson, if nobody's work hangs on them."""
    query = select(NOTEBOOK.c.name, NOTEBOOK.c.id).where(NOTEBOOK.c.assignment_id == assignment)
    known = {row.name: row.id for row in connection.execute(query)}
    if known.keys() == names:
        return
    if connection.scalar(select(exists().where(SUBMISSION.c.assignment_id == assignment))):
        raise _refusal(lesson, sorted(known.keys() ^ names), "notebooks")
    for name in known.keys() - names:
        _drop_cells(connection, known[name])
        connection.execute(delete(NOTEBOOK).where(NOTEBOOK.c.id == known[name]))


def _refusal(lesson: str, changed: Sequence[str], what: str) -> GradingError:
    return GradingError(
        f"Lesson {lesson} could not be entered in the gradebook: it has other {what} than when "
        f"submissions were graded first ({', '.join(changed)}). To start over, move the gradebook "
        "aside (it keeps those grades) and grade again."
    )


def _enter(
    connection: Connection, assignment: str, lesson: str, notebook: GeneratedNotebook
) -> None:
    found = connection.scalar(
        select(NOTEBOOK.c.id).where(
            NOTEBOOK.c.assignment_id == assignment, NOTEBOOK.c.name == notebook.name
        )
    )
    row = str(found or row_id("notebook", lesson, notebook.name))
    old = _cell_ids(connection, row)
    new = {
        (kind, cell.grade_id): old.get((kind, cell.grade_id))
        or row_id("cell", lesson, notebook.name, kind, cell.grade_id)
        for kind in ("SourceCell", *_KINDS)
        for cell in notebook.cells
        if kind == "SourceCell" or getattr(cell, _OF_KIND[kind])
    }
    if found is None:
        values = {"id": row, "name": notebook.name, "assignment_id": assignment}
        connection.execute(insert(NOTEBOOK), {**values, "kernelspec": notebook.kernelspec})
    if connection.scalar(select(exists().where(SUBMITTED_NOTEBOOK.c.notebook_id == row))):
        if old.keys() != new.keys():
            changed = sorted({grade_id for _, grade_id in old.keys() ^ new.keys()})
            raise _refusal(lesson, changed, "cells")
        _update_cells(connection, notebook, new)
        return
    _drop_cells(connection, row)
    _insert_cells(connection, row, notebook, new)
    connection.execute(
        update(NOTEBOOK).where(NOTEBOOK.c.id == row).values(kernelspec=notebook.kernelspec)
    )


Ids = dict[tuple[str, str], str]


def _cell_ids(connection: Connection, notebook: str) -> Ids:
    """The rows of a notebook's cells, by kind and grade_id."""
    base = select(BASE_CELL.c.type, BASE_CELL.c.name, BASE_CELL.c.id)
    rows = connection.execute(base.where(BASE_CELL.c.notebook_id == notebook))
    found = {(str(kind), str(name)): str(row) for kind, name, row in rows}
    source = select(SOURCE_CELL.c.name, SOURCE_CELL.c.id)
    sources = connection.execute(source.where(SOURCE_CELL.c.notebook_id == notebook))
    return {**found, **{("SourceCell", str(name)): str(row) for name, row in sources}}


def _drop_cells(connection: Connection, notebook: str) -> None:
    ids = select(BASE_CELL.c.id).where(BASE_CELL.c.notebook_id == notebook)
    for table in _KINDS.values():
        connection.execute(delete(table).where(table.c.id.in_(ids)))
    connection.execute(delete(BASE_CELL).where(BASE_CELL.c.notebook_id == notebook))
    connection.execute(delete(SOURCE_CELL).where(SOURCE_CELL.c.notebook_id == notebook))


def _insert_cells(connection: Connection, row: str, notebook: GeneratedNotebook, ids: Ids) -> None:
    cells = {cell.grade_id: cell for cell in notebook.cells}
    base, special, sources = [], {kind: [] for kind in _KINDS}, []  # type: ignore[var-annotated]
    for (kind, grade_id), own in ids.items():
        common = {"id": own, "name": grade_id, "notebook_id": row}
        if kind == "SourceCell":
            sources.append({**common, **_source_values(cells[grade_id])})
        else:
            base.append({**common, "type": kind})
            special[kind].append({"id": own, **_special_values(kind, cells[grade_id])})
    for table, values in ((BASE_CELL, base), (SOURCE_CELL, sources)):
        if values:
            connection.execute(insert(table), values)
    for kind, values in special.items():
        if values:
            connection.execute(insert(_KINDS[kind]), values)


def _update_cells(connection: Connection, notebook: GeneratedNotebook, ids: Ids) -> None:
    cells = {cell.grade_id: cell for cell in notebook.cells}
    for (kind, grade_id), own in ids.items():
        source = kind == "SourceCell"
        table = SOURCE_CELL if source else _KINDS[kind]
        cell = cells[grade_id]
        values = _source_values(cell) if source else _special_values(kind, cell)
        if values:
            connection.execute(update(table).where(table.c.id == own).values(values))


def _source_values(cell: InstructorCell) -> dict[str, Any]:
    return {
        "cell_type": cell.cell_type,
        "locked": cell.locked,
        "source": cell.source,
        "checksum": cell.checksum,
    }


def _special_values(kind: str, cell: InstructorCell) -> dict[str, Any]:
    if kind == "SolutionCell":
        return {}
    return {"max_score": cell.points, "cell_type": cell.cell_type}


def _rows(connection: Connection, assignment: str, notebook: GeneratedNotebook) -> NotebookRows:
    row = connection.scalar(
        select(NOTEBOOK.c.id).where(
            NOTEBOOK.c.assignment_id == assignment, NOTEBOOK.c.name == notebook.name
        )
    )
    ids = _cell_ids(connection, str(row))
    return NotebookRows(
        str(row),
        notebook.name,
        {cell.grade_id: cell for cell in notebook.cells},
        {name: own for (kind, name), own in ids.items() if kind in ("GradeCell", "TaskCell")},
        {name: own for (kind, name), own in ids.items() if kind in ("SolutionCell", "TaskCell")},
    )
