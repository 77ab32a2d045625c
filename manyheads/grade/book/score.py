"""What each cell of a graded notebook earns, decided by nbgrader's own rules."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbgrader.utils import compute_checksum, determine_grade

from manyheads.errors import GradingError
from manyheads.grade.book.register import NotebookRows
from manyheads.grade.cells import InstructorCell, node

NO_RESPONSE = "No response."  # nbgrader's comment on an answer that is still as released


@dataclass(frozen=True)
class CellState:
    """What became of one of the instructor's cells: the text that ran, and a test's outputs."""

    source: str
    outputs: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class NotebookScores:
    """Automatic scores and comments of a notebook, by grade_id; None: a person has to give it.

    A cell that is not in it keeps what it has.
    """

    scores: Mapping[str, float | None] = field(default_factory=dict)
    comments: Mapping[str, str | None] = field(default_factory=dict)
    missing: bool = False


def missing_notebook(rows: NotebookRows) -> NotebookScores:
    """The scores where a submission lacks a notebook: nothing, and nothing left to grade."""
    return NotebookScores(dict.fromkeys(rows.graded, 0.0), missing=True)


def score_notebook(
    rows: NotebookRows,
    states: Mapping[str, CellState],
    log: logging.Logger,
    only: Collection[str] | None = None,
) -> NotebookScores:
    """Score a notebook by its cells' states, or of its tests `only` those with these grade_ids.

    Points and marks are the gradebook's, whatever the submission said. A task is left to a person.
    Raises GradingError when the state of a cell is not there.
    """
    absent = [name for name in rows.cells if name not in states]
    if absent:
        raise GradingError(f"{rows.name} came back without its cells {', '.join(absent)}")
    scores: dict[str, float | None] = {}
    comments: dict[str, str | None] = {}
    for name, cell in rows.cells.items():
        if only is not None and name not in only:
            continue
        judged = _cell(cell, states[name])
        if cell.grade:
            earned, _ = determine_grade(judged, log)
            scores[name] = None if earned is None else float(earned)
        if cell.solution or cell.task:
            blank = not cell.task and cell.checksum == compute_checksum(judged)
            comments[name] = NO_RESPONSE if blank else None
    return NotebookScores(scores, comments)


def _cell(cell: InstructorCell, state: CellState) -> Any:
    """The cell as nbgrader's rules read it."""
    return node(
        cell_type=cell.cell_type,
        metadata={"nbgrader": cell.metadata()},
        source=state.source,
        outputs=list(state.outputs),
    )
