"""Notebook files as plain dictionaries: reading, writing, and the metadata the course uses.

Plain JSON, because starting a lesson must not wait for nbformat's import; whatever JupyterLab could
not open is refused with its cause.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manyheads.errors import UnreadableNotebookError

Cell = dict[str, Any]
Notebook = dict[str, Any]


def read_notebook(path: Path) -> Notebook:
    """The notebook at `path`, nbformat 4.

    Raises UnreadableNotebookError, naming the cause, when JupyterLab can't open it either.
    """
    try:
        return parse_notebook(path.read_bytes())
    except (OSError, RecursionError, UnreadableNotebookError) as error:
        raise UnreadableNotebookError(
            f"{path} can't be read as a notebook: {error}. "
            "Put an earlier version of the file there, or start over with "
            f"`manyheads reset {path.stem}`, which keeps this one aside."
        ) from error


def parse_notebook(data: bytes) -> Notebook:
    """The notebook written in `data`, a file's bytes.

    Raises UnreadableNotebookError with the bare cause.

    >>> parse_notebook(b"[]")
    Traceback (most recent call last):
    manyheads.errors.UnreadableNotebookError: it holds a JSON list, not a notebook
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableNotebookError(f"it is not UTF-8 text (byte {error.start})") from error
    if not text.strip():
        raise UnreadableNotebookError("the file is empty")
    if "\n<<<<<<< " in text:
        raise UnreadableNotebookError(
            "it holds the conflict markers of an unfinished merge (<<<<<<<)"
        )
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableNotebookError(f"line {error.lineno} is not JSON ({error.msg})") from error
    _refuse_other_json(notebook)
    return dict(notebook)


def _refuse_other_json(notebook: Any) -> None:
    if not isinstance(notebook, dict):
        raise UnreadableNotebookError(f"it holds a JSON {type(notebook).__name__}, not a notebook")
    if notebook.get("nbformat", 4) != 4:
        raise UnreadableNotebookError(
            f"it is in notebook format {notebook['nbformat']}, expected 4; "
            "open it in JupyterLab and save it once"
        )
    if not isinstance(notebook.get("cells"), list):
        raise UnreadableNotebookError("it has no list of cells")
    if not all(map(_is_cell, notebook["cells"])):
        raise UnreadableNotebookError("one of its cells is not a notebook cell")


def _is_cell(cell: Any) -> bool:
    return (
        isinstance(cell, dict)
        and cell.get("cell_type") in ("code", "markdown", "raw")
        and isinstance(cell.get("metadata", {}), dict)
        and isinstance(cell.get("outputs", []), list)
    )


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to `path` whole or not at all, creating the folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.getpid()}.tmp")  # as short as can be: names have a limit
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def course_metadata(notebook: Notebook) -> dict[str, str]:
    """What the build wrote about a notebook: `lesson` and `release`; empty if an editor removed it.

    >>> course_metadata({"metadata": {"manyheads": {"lesson": "02_head_split"}}})
    {'lesson': '02_head_split'}
    """
    metadata = notebook.get("metadata")
    found = metadata.get("manyheads") if isinstance(metadata, dict) else None
    return found if isinstance(found, dict) else {}


def grading(cell: Cell) -> dict[str, Any]:
    """A cell's nbgrader metadata; empty for a cell that nbgrader leaves alone.

    >>> grading({"cell_type": "code", "metadata": {"nbgrader": {"grade_id": "quiz_1"}}})
    {'grade_id': 'quiz_1'}
    """
    found = cell.get("metadata", {}).get("nbgrader", {})
    return found if isinstance(found, dict) else {}


def grade_id(cell: Cell) -> str:
    """A cell's grade_id, or an empty string."""
    return str(grading(cell).get("grade_id", ""))


def source(cell: Cell) -> str:
    r"""A cell's text, whether the file holds it as one string or as lines.

    >>> source({"cell_type": "code", "source": ["x = 1\n", "x"]})
    'x = 1\nx'
    """
    text = cell.get("source", "")
    return "".join(text) if isinstance(text, list) else str(text)


def code_cells(notebook: Notebook) -> Iterator[Cell]:
    """The notebook's code cells, in order."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def is_test(cell: Cell) -> bool:
    """Whether a cell holds graded tests: code that earns points and is not the student's."""
    marks = grading(cell)
    graded = bool(marks.get("grade")) and not marks.get("solution")
    return cell["cell_type"] == "code" and graded
