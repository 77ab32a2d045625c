"""A graded notebook of the lesson in miniature, and what a gradebook would say of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from manyheads.grade.pages.grades import CellGrade, NotebookGrades
from manyheads.grade.secrets import Secrets
from tests.classroom import fill, find, index
from tests.grade.mini import LESSON, answers, release_notebook, save, source_notebook

NAMES = {"student": "s01", "assignment": LESSON, "notebook": LESSON}
CAUSE = """split_heads   the shape is right; the owners are not
  A view never moves data.
  Probe: count."""
POINTS = {
    cell.id: float(cell.metadata["nbgrader"]["points"])
    for cell in source_notebook().cells
    if cell.metadata.get("nbgrader", {}).get("points")
}


def graded_notebook(**told: Any) -> NotebookNode:
    """A right student's notebook with the instructor's tests, all outputs cleared.

    `told` is what grading noted in its metadata.
    """
    notebook = fill(release_notebook(), answers())
    for cell in source_notebook().cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") or marks.get("task"):
            notebook.cells[index(notebook, cell.id)] = cell
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    notebook.metadata["manyheads"] = {"sandboxed": True, "flags": [], "causes": {}, **told}
    return notebook


def grades(*lost: str, comments: dict[str, str] | None = None, late: float = 0) -> NotebookGrades:
    """Full points but for the cells that lost theirs; the free text waits for a person."""
    cells = {
        name: CellGrade(
            0.0 if name in lost or name == "explain_1" else most, most, name == "explain_1"
        )
        for name, most in POINTS.items()
    }
    return NotebookGrades(cells, comments or {}, sum(POINTS.values()), late)


def secrets_of(folder: Path) -> Secrets:
    path = folder / f"{LESSON}.ipynb"
    save(source_notebook(), path)
    return Secrets.of(path)


def plain(notebook: NotebookNode) -> dict[str, Any]:
    """A notebook as it is read from a file."""
    made: dict[str, Any] = json.loads(json.dumps(notebook))
    return made


__all__ = ["find", "graded_notebook", "grades", "plain", "secrets_of"]
