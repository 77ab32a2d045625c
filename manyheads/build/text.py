"""A lesson's text, `notebooks/NN_name.py`, read into a notebook of one fixed form."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyheads.errors import LessonTextError

FORMAT = "py:percent"
LESSON_NAME = re.compile(r"[0-9]{2}_[a-z0-9]+(_[a-z0-9]+)*")
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
# What JupyterLab adds to a notebook before it saves; it must not reach the text.
ADDED_ON_SAVE = {"kernelspec": KERNEL, "language_info": {"name": "python", "version": "3"}}
JUPYTEXT_ONLY = {
    "cell_marker",
    "lines_to_end_of_cell_marker",
    "lines_to_next_cell",
    "noskipline",
    "region_name",
    "skipline",
}


@dataclass(frozen=True)
class Violation:
    """A broken rule: the line of the lesson's text, what is wrong there, and what to do.

    >>> print(Violation(12, "the points are missing", "add them").at("notebooks/01_a.py"))
    notebooks/01_a.py:12: the points are missing. Remedy: add them.
    """

    line: int
    what: str
    remedy: str

    def at(self, path: str) -> str:
        """The violation in one line, as it is reported."""
        return f"{path}:{self.line}: {self.what}. Remedy: {self.remedy}."


@dataclass(frozen=True)
class Cell:
    """One cell of a lesson, and the lines of the text at which its header and its source start."""

    node: Any
    header: int
    start: int

    @property
    def source(self) -> str:
        """The cell's text, as it stands in the notebook."""
        return str(self.node.source)

    @property
    def is_code(self) -> bool:
        """Whether the cell holds code."""
        return bool(self.node.cell_type == "code")

    @property
    def nbgrader(self) -> Any:
        """The cell's nbgrader metadata as the author wrote it, None where there is none."""
        return self.node.metadata.get("nbgrader")

    @property
    def flags(self) -> dict[str, Any]:
        """The cell's nbgrader metadata if it is a mapping, else an empty one."""
        return dict(self.nbgrader) if isinstance(self.nbgrader, dict) else {}

    @property
    def grade_id(self) -> str:
        """The cell's grade_id, or an empty string."""
        return str(self.flags.get("grade_id") or "")

    def line(self, number: int) -> int:
        """Line in the lesson's text of line `number` (from 1) of the cell's source."""
        return self.start + number - 1


@dataclass(frozen=True)
class Lesson:
    """A lesson's text: its id, the path that reports name, the text, and its cells in order."""

    name: str
    path: str
    text: str
    cells: tuple[Cell, ...]


def read_lesson(path: Path, name: str | None = None) -> Lesson:
    """The lesson whose text lies at `path`; `name` is the path as reports say it.

    Raises LessonTextError when the file is not UTF-8 text, or jupytext can't read it.
    """
    import jupytext

    shown = name or path.as_posix()
    try:
        text = path.read_text(encoding="utf-8")
        notebook = jupytext.reads(text, FORMAT)
        headers = cell_headers(text)
    except UnicodeDecodeError as error:
        told = Violation(1, f"the file is not UTF-8 text ({error.reason})", "save it as UTF-8")
        raise LessonTextError(told.at(shown)) from error
    except (
        Exception
    ) as error:  # a parser of free text: whatever it raises, the author must see where
        told = Violation(
            1, f"jupytext can't read the file ({error})", "correct the file's first lines"
        )
        raise LessonTextError(told.at(shown)) from error
    lines = text.splitlines()
    cells = tuple(
        Cell(node, header, _first_source_line(lines, header))
        for node, header in zip(notebook.cells, headers, strict=True)
    )
    return Lesson(path.stem, shown, text, cells)


def cell_headers(text: str) -> list[int]:
    r"""Line, from 1, at which each cell of a percent text starts.

    >>> cell_headers("# %% [markdown]\n# A title\n\n# %%\nx = 1\n")
    [1, 4]
    """
    from jupytext.cell_reader import DoublePercentScriptCellReader
    from jupytext.header import header_to_metadata_and_cell

    lines = text.splitlines()
    _, _, header_cell, at = header_to_metadata_and_cell(lines, "#", "", ".py")
    found = [] if header_cell is None else [1]
    while at < len(lines):
        found.append(at + 1)
        reader = DoublePercentScriptCellReader({"extension": ".py"}, "python")
        at += reader.read(lines[at:])[1]
    return found


def _first_source_line(lines: list[str], header: int) -> int:
    """Line of a cell's first source line, one below its header, or two below where it is quoted."""
    quoted = header < len(lines) and lines[header].lstrip("rR") in ('"""', "'''")
    marked = is_header(lines[header - 1])
    return header + marked + (marked and quoted)


def is_header(line: str) -> bool:
    """Whether a line of text starts a cell."""
    return bool(re.match(r"# %%(\s|$)", line))


def after_save(lesson: Lesson) -> str:
    """The lesson's text as it would be after opening and saving it in JupyterLab."""
    import jupytext

    notebook = jupytext.reads(lesson.text, FORMAT)
    notebook.metadata.update(ADDED_ON_SAVE)
    return str(jupytext.writes(notebook, FORMAT))


def to_notebook(lesson: Lesson) -> Any:
    """The lesson as a notebook with fixed cell ids, kernel and metadata, and without outputs.

    The same text gives the same notebook, always: jupytext's random ids and its own metadata are
    replaced. `metadata.manyheads.release` is left for the release step.
    """
    import nbformat

    cells = [_canonical(lesson.name, ordinal, c) for ordinal, c in enumerate(lesson.cells, start=1)]
    metadata = {"kernelspec": dict(KERNEL), "manyheads": {"lesson": lesson.name}}
    return nbformat.from_dict(
        {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    )


def _canonical(lesson: str, ordinal: int, cell: Cell) -> dict[str, Any]:
    metadata = {k: v for k, v in cell.node.metadata.items() if k not in JUPYTEXT_ONLY}
    return {
        "id": cell.grade_id or f"{lesson}-{ordinal:03d}",
        "cell_type": cell.node.cell_type,
        "metadata": metadata,
        "source": cell.source,
        **({"execution_count": None, "outputs": []} if cell.is_code else {}),
    }


def notebook_bytes(notebook: Any) -> bytes:
    """The notebook as nbgrader writes it: sorted keys, one blank a level, a newline at the end."""
    import nbformat

    text = str(nbformat.writes(notebook))
    return (text.rstrip("\n") + "\n").encode("utf-8")
