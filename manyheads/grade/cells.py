"""The instructor's cells of a lesson: what the gradebook says each of them is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from manyheads.build.regions import released
from manyheads.student.notebook import grade_id, read_notebook, source

SCHEMA_VERSION = 3


@dataclass(frozen=True)
class InstructorCell:
    """One cell of a lesson that nbgrader knows by its `grade_id`.

    `grade`, `solution`, `locked` and `task` are nbgrader's four marks, `points` is None where
    nothing is earned, `source` is the text as generated (solutions already taken out).
    """

    grade_id: str
    cell_type: str
    source: str
    checksum: str | None = None
    grade: bool = False
    solution: bool = False
    locked: bool = False
    task: bool = False
    points: float | None = None

    @property
    def is_test(self) -> bool:
        """Whether running this cell earns points."""
        return self.grade and not self.solution

    def metadata(self) -> dict[str, Any]:
        """The cell's nbgrader metadata.

        >>> InstructorCell("helper", "code", "x = 1", locked=True).metadata()["locked"]
        True
        """
        entry: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "grade_id": self.grade_id,
            "cell_type": self.cell_type,
            "grade": self.grade,
            "solution": self.solution,
            "locked": self.locked,
            "task": self.task,
        }
        if self.points is not None:
            entry["points"] = self.points
        if self.checksum is not None:
            entry["checksum"] = self.checksum
        return entry

    def notebook_cell(self, source: str | None = None) -> NotebookNode:
        """A fresh notebook cell without outputs, holding `source` (the instructor's if not given).

        >>> InstructorCell("helper", "code", "x = 1", locked=True).notebook_cell().source
        'x = 1'
        """
        cell = node(
            id=self.grade_id,
            cell_type=self.cell_type,
            metadata={"nbgrader": self.metadata()},
            source=self.source if source is None else source,
        )
        if self.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
        return cell


def node(**content: Any) -> NotebookNode:
    """A part of a notebook (a cell, an output) with this content.

    >>> node(output_type="stream", name="stdout", text="3").text
    '3'
    """
    made: NotebookNode = nbformat.from_dict(content)
    return made


def grade_ids(notebook: Path) -> list[str]:
    """All `grade_id`s in a notebook file, from top to bottom; none if there is no such file."""
    cells = read_notebook(notebook)["cells"] if notebook.is_file() else []
    return [name for name in map(grade_id, cells) if name]


def ordinary_texts(notebook: Path) -> list[str]:
    """The texts of a source notebook's cells that nbgrader doesn't know; none without a file."""
    cells = read_notebook(notebook)["cells"] if notebook.is_file() else []
    return [released(source(cell)) for cell in cells if not grade_id(cell)]


def in_order(cells: Iterable[InstructorCell], order: Sequence[str]) -> list[InstructorCell]:
    """The cells sorted as their ids stand in `order`; unknown ones keep their order at the end.

    >>> a, b = InstructorCell("a", "code", ""), InstructorCell("b", "code", "")
    >>> [cell.grade_id for cell in in_order([a, b], ["b", "a"])]
    ['b', 'a']
    """
    place = {grade_id: index for index, grade_id in enumerate(order)}
    return sorted(cells, key=lambda cell: place.get(cell.grade_id, len(place)))


def read_gradebook(
    db_url: str, lesson: str, notebook: str, order: Sequence[str]
) -> list[InstructorCell]:
    """The instructor's cells of a lesson's notebook as the gradebook at `db_url` records them.

    The gradebook keeps no order, so `order` gives it: the `grade_id`s of the source notebook.
    """
    from nbgrader.api import Gradebook

    with Gradebook(db_url) as gradebook:
        record = gradebook.find_notebook(notebook, lesson)
        points = {cell.name: cell.max_score for cell in (*record.grade_cells, *record.task_cells)}
        marks = {
            "grade": {cell.name for cell in record.grade_cells},
            "solution": {cell.name for cell in record.solution_cells},
            "task": {cell.name for cell in record.task_cells},
        }
        cells = [_instructor_cell(cell, points, marks) for cell in record.source_cells]
    return in_order(cells, order)


def _instructor_cell(
    record: Any, points: Mapping[str, float], marks: Mapping[str, set[str]]
) -> InstructorCell:
    return InstructorCell(
        grade_id=record.name,
        cell_type=record.cell_type,
        source=record.source,
        checksum=record.checksum,
        locked=record.locked,
        points=points.get(record.name),
        **{mark: record.name in names for mark, names in marks.items()},
    )
