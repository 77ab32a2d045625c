"""Notebook files as plain dictionaries: reading, writing, and the metadata the course uses.

Plain JSON, because starting a lesson must not wait for nbformat's import; whatever JupyterLab could not
open is refused with its cause.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from manyheads.errors import UnreadableNotebookError

Cell = dict[str, Any]
Notebook = dict[str, Any]


def read_notebook(path: Path) -> Notebook:
    """The notebook at `path`, nbformat 4.

    Raises UnreadableNotebookError, naming the cause, when JupyterLab could not open the file either.
    """
    try:
        return parse_notebook(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UnreadableNotebookError(f"{path} can't be read as a notebook: {error}.") from error


def parse_notebook(data: bytes) -> Notebook:
    """The notebook written in `data`, a file's bytes.

    Raises ValueError with the cause, without a full stop.

    >>> parse_notebook(b"[]")
    Traceback (most recent call last):
    ValueError: it holds a JSON list, not a notebook
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text (byte {error.start})") from error
    if not text.strip():
        raise ValueError("the file is empty")
    if "\n<<<<<<< " in text:
        raise ValueError("it holds the conflict markers of an unfinished merge (<<<<<<<)")
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno} is not JSON ({error.msg})") from error
    _refuse_other_json(notebook)
    return dict(notebook)


def _refuse_other_json(notebook: Any) -> None:
    if not isinstance(notebook, dict):
        raise ValueError(f"it holds a JSON {type(notebook).__name__}, not a notebook")
    if notebook.get("nbformat", 4) != 4:
        raise ValueError(
            f"it is in notebook format {notebook['nbformat']}, expected 4; "
            "open it in JupyterLab and save it once"
        )
    if not isinstance(notebook.get("cells"), list):
        raise ValueError("it has no list of cells")
    if not all(isinstance(cell, dict) and "cell_type" in cell for cell in notebook["cells"]):
        raise ValueError("one of its cells is not a notebook cell")


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to `path` whole or not at all, creating the folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # mkstemp makes files private; a lesson is as readable as any other file.
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def course_metadata(notebook: Notebook) -> dict[str, str]:
    """What the build wrote about a notebook: `lesson` and `release`; empty if an editor removed it.

    >>> course_metadata({"metadata": {"manyheads": {"lesson": "02_head_split"}}})
    {'lesson': '02_head_split'}
    """
    found = notebook.get("metadata", {}).get("manyheads", {})
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
    """A cell's text, whether the file holds it as one string or as lines.

    >>> source({"cell_type": "code", "source": ["x = 1\\n", "x"]})
    'x = 1\\nx'
    """
    text = cell.get("source", "")
    return "".join(text) if isinstance(text, list) else str(text)


def code_cells(notebook: Notebook) -> Iterator[Cell]:
    """The notebook's code cells, in order."""
    return (cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def is_test(cell: Cell) -> bool:
    """Whether a cell holds graded tests: code that earns points and is not the student's to write."""
    marks = grading(cell)
    graded = bool(marks.get("grade")) and not marks.get("solution")
    return cell["cell_type"] == "code" and graded
