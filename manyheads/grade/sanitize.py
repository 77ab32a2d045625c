"""Before anything runs: the instructor's cells are what the gradebook says they are.

A student may copy, split, delete, move or retag cells. What decides over points is taken from
the gradebook; what a student wrote in a solution cell is theirs and stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from nbformat import NotebookNode

from manyheads.grade.cells import InstructorCell, node


def sanitize(notebook: NotebookNode, cells: Sequence[InstructorCell]) -> list[str]:
    """Give a submitted notebook the instructor's cells, in place; returns what had to be changed.

    `cells` are the instructor's, in the lesson's order. No tag of a student's is kept.

    >>> test = InstructorCell("test_f", "code", "assert f()", grade=True, locked=True, points=1)
    >>> sanitize(node(nbformat_minor=5, cells=[]), [test])
    ['test_f was missing: put back']
    """
    known = {cell.grade_id: cell for cell in cells}
    flags = _adopt(notebook, known)
    flags += _set_aside_misplaced(notebook, cells)
    flags += _restore(notebook, cells)
    _number_cells(notebook, known)
    return flags


def _claimed_id(cell: NotebookNode, known: Mapping[str, InstructorCell]) -> str | None:
    """The instructor's cell that this one is, or says it is: by metadata, else by cell id."""
    entry = cell.metadata.get("nbgrader")
    named = entry.get("grade_id") if isinstance(entry, dict) else cell.get("id")
    return named if isinstance(named, str) and named in known else None


def _adopt(notebook: NotebookNode, known: Mapping[str, InstructorCell]) -> list[str]:
    claims: dict[str, list[int]] = defaultdict(list)
    for index, cell in enumerate(notebook.cells):
        claimed = _claimed_id(cell, known)
        if claimed is not None:
            claims[claimed].append(index)
        cell.metadata = node()
    for grade_id, places in claims.items():
        owner = known[grade_id]
        place = places[_which(owner)]
        notebook.cells[place] = _overwritten(notebook.cells[place], owner)
    return [
        f"{grade_id} was there {len(places)} times: one counts"
        for grade_id, places in claims.items()
        if len(places) > 1
    ]


def _which(owner: InstructorCell) -> int:
    """Which of several copies counts: the first of given code, the last of answers and tests.

    All later cells need what is given; of two answers, Python keeps the one that ran last.
    """
    return 0 if owner.locked and not owner.grade else -1


def _overwritten(cell: NotebookNode, owner: InstructorCell) -> NotebookNode:
    return owner.notebook_cell(None if owner.locked else cell.source)


def _grade_id(cell: NotebookNode) -> str | None:
    entry: dict[str, Any] = cell.metadata.get("nbgrader", {})
    return entry.get("grade_id")


def _places(notebook: NotebookNode) -> dict[str, int]:
    """Where each of the instructor's cells stands in the notebook."""
    ids = [_grade_id(cell) for cell in notebook.cells]
    return {grade_id: index for index, grade_id in enumerate(ids) if grade_id is not None}


def _set_aside_misplaced(notebook: NotebookNode, cells: Sequence[InstructorCell]) -> list[str]:
    """Take out each test that stands above the answer it tests; `_restore` puts it below."""
    places = _places(notebook)
    answer, misplaced = -1, set()
    for cell in cells:
        if cell.solution:
            answer = places.get(cell.grade_id, -1)
        elif cell.is_test and places.get(cell.grade_id, answer) < answer:
            misplaced.add(cell.grade_id)
    notebook.cells = [cell for cell in notebook.cells if _grade_id(cell) not in misplaced]
    return [f"{grade_id} stood above its answer: moved" for grade_id in sorted(misplaced)]


def _restore(notebook: NotebookNode, cells: Sequence[InstructorCell]) -> list[str]:
    """Put each missing cell after the nearest earlier one that is there."""
    flags, last = [], -1
    for cell in cells:
        place = _places(notebook).get(cell.grade_id)
        if place is None:
            place = last + 1
            notebook.cells.insert(place, cell.notebook_cell())
            flags.append(f"{cell.grade_id} was missing: put back")
        last = place
    return flags


def _number_cells(notebook: NotebookNode, known: Mapping[str, InstructorCell]) -> None:
    """Give every cell an id of its own: the instructor's theirs, others by position if needed."""
    notebook.nbformat_minor = max(5, notebook.nbformat_minor)
    taken = set(known)
    for index, cell in enumerate(notebook.cells):
        if _grade_id(cell) is not None:
            continue
        if cell.get("id") in taken or not isinstance(cell.get("id"), str):
            cell.id = f"student-{index:03}"
        taken.add(cell.id)
