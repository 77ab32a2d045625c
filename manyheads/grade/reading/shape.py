"""A JSON value in the shape of a notebook, nbformat 4.5: mended where that is plain.

Of each cell its type, text, id, pictures and grade_id are kept. Outputs come anew from grading,
and all other metadata are the instructor's, so nothing else of the file goes any further.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

from manyheads.errors import UnreadableError
from manyheads.grade.reading.folder import AGAIN
from manyheads.grade.reading.json_text import clean
from manyheads.grade.reading.older import older_cells

NEWEST = 4
MOST_CELLS = 5_000
KNOWN = ("code", "markdown", "raw")
_MARKDOWN = ("heading", "text", "md", "html", "rst")
_JSON_NAMES: dict[type, str] = {
    type(None): "null",
    str: "text",
    bool: "true or false",
    int: "number",
    float: "number",
}
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PICTURE = re.compile(r"image/[\w.+-]+")


def notebook_of(value: Any) -> tuple[dict[str, Any], list[str]]:
    """The notebook in a JSON value, and what had to be mended.

    Raises UnreadableError for what is no notebook, or one of a format yet to come.

    >>> made, flags = notebook_of({"cells": [{"cell_type": "code", "source": ["x =", " 1"]}]})
    >>> made["cells"][0]["source"], flags
    ('x = 1', [])
    """
    raw, flags = _unwrapped(value)
    found, about = _cells(raw)
    if len(found) > MOST_CELLS:
        words = f"it has {len(found):,} cells, the most is {MOST_CELLS:,}"
        raise UnreadableError(words, AGAIN)
    mender = _Mender()
    cells = [mended for number, cell in enumerate(found, 1) for mended in mender.cell(number, cell)]
    notebook = {
        "cells": cells,
        "metadata": _metadata(raw.get("metadata")),
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return notebook, [*flags, *about, *mender.flags]


def _unwrapped(value: Any) -> tuple[dict[str, Any], list[str]]:
    """The notebook itself, also out of an answer of Jupyter's server that was saved whole."""
    if isinstance(value, dict) and "cells" not in value and isinstance(value.get("content"), dict):
        return value["content"], [
            "the notebook lay inside an answer of Jupyter's server: taken out"
        ]
    if not isinstance(value, dict):
        name = _JSON_NAMES.get(type(value), type(value).__name__)
        raise UnreadableError(f"it holds a JSON {name}, not a notebook", AGAIN)
    return value, []


def _cells(raw: dict[str, Any]) -> tuple[list[Any], list[str]]:
    """The cells of a notebook of any format up to 4."""
    number = raw.get("nbformat")
    if isinstance(number, int) and not isinstance(number, bool) and number > NEWEST:
        raise UnreadableError(
            f"it is in notebook format {number}, and the newest that is known here is {NEWEST}",
            "Ask the student to save it in the format of the course's JupyterLab.",
        )
    cells = raw.get("cells")
    if isinstance(cells, list) and "worksheets" not in raw and number in (None, 3, 4):
        return cells, []
    old = older_cells(raw)
    if old is not None and not isinstance(cells, list):
        return old, [f"the notebook was in the old format {number or '1 to 3'}: upgraded"]
    if isinstance(cells, list):
        return _as_written(cells, number)
    cause = (
        "it has no list of cells"
        if "cells" in raw or number is not None
        else "it is JSON, but no notebook"
    )
    raise UnreadableError(cause, AGAIN)


def _as_written(cells: list[Any], number: Any) -> tuple[list[Any], list[str]]:
    if number in (1, 2):
        return older_cells({"cells": cells}) or [], [
            f"the notebook was in the old format {number}: upgraded"
        ]
    return cells, [
        f"nbformat is {str(number)[:20]!r}: read as {NEWEST}"
    ] if number != NEWEST else []


def _metadata(found: Any) -> dict[str, Any]:
    """Which release a notebook says it is a copy of; the rest is the instructor's business."""
    ours = found.get("manyheads") if isinstance(found, dict) else None
    if not isinstance(ours, dict):
        return {}
    named = {key: ours.get(key) for key in ("lesson", "release")}
    return {"manyheads": {key: clean(v)[:100] for key, v in named.items() if isinstance(v, str)}}


class _Mender:
    """Brings cells into shape, one after the other; `flags` say what was odd."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self._numbers = count(1)  # each is tried once, whatever ids there are already
        self.flags: list[str] = []

    def cell(self, number: int, cell: Any) -> Iterator[dict[str, Any]]:
        """The cell in shape; nothing for what is no cell."""
        if not isinstance(cell, dict):
            self.flags.append(f"cell {number} was no cell ({type(cell).__name__}): left out")
            return
        kind = self._kind(number, cell)
        made: dict[str, Any] = {
            "cell_type": kind,
            "id": self._id(number, cell.get("id")),
            "metadata": _marks(cell.get("metadata")),
            "source": self._source(number, cell.get("source")),
        }
        if kind == "code":
            made |= {"execution_count": None, "outputs": []}
        elif attachments := _pictures(cell.get("attachments")):
            made["attachments"] = attachments
        yield made

    def _kind(self, number: int, cell: dict[str, Any]) -> str:
        kind = cell.get("cell_type")
        if kind in KNOWN:
            return str(kind)
        name = kind.strip().lower() if isinstance(kind, str) else ""
        runs = "outputs" in cell or "execution_count" in cell
        guess = (
            name
            if name in KNOWN
            else "markdown"
            if name in _MARKDOWN
            else "code"
            if runs
            else "raw"
        )
        self.flags.append(f"cell {number} had the type {str(kind)[:20]!r}: read as {guess}")
        return guess

    def _id(self, number: int, found: Any) -> str:
        name = found if is_id(found) else f"student-{number:03}"
        while name in self.taken:
            name = f"{name[:50]}-{next(self._numbers)}"
        self.taken.add(name)
        return name

    def _source(self, number: int, found: Any) -> str:
        if found is None:
            self.flags.append(f"cell {number} had no text")
            return ""
        text = _joined(found)
        if text is None:
            self.flags.append(
                f"cell {number} had a {type(found).__name__} for its text: read as empty"
            )
            return ""
        cleaned = clean(text)
        if cleaned != text:
            self.flags.append(f"cell {number} held halves of characters: replaced")
        return cleaned


def is_id(found: Any) -> bool:
    """Whether a value may be a cell's id in nbformat 4.5.

    >>> is_id("quiz_1"), is_id("a b")
    (True, False)
    """
    return isinstance(found, str) and _ID.fullmatch(found) is not None


def _joined(found: Any) -> str | None:
    """A text that may be written as lines; None for what is neither."""
    if isinstance(found, str):
        return found
    if isinstance(found, list) and all(isinstance(line, str) for line in found):
        return "".join(found)
    if isinstance(found, list):
        return "".join(line for line in found if isinstance(line, str)) or None
    return None


def _marks(metadata: Any) -> dict[str, Any]:
    """The cell's grade_id, where it has one: the only mark that a student's file may name."""
    entry = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = entry.get("grade_id") if isinstance(entry, dict) else None
    return {"nbgrader": {"grade_id": clean(name)}} if isinstance(name, str) else {}


def _pictures(attachments: Any) -> dict[str, dict[str, str]]:
    """Pictures that were pasted into a text."""
    if not isinstance(attachments, dict):
        return {}
    kept = {}
    for name, bundle in attachments.items():
        pictures = bundle.items() if isinstance(bundle, dict) else ()
        valid = {
            m: d
            for m, d in pictures
            if _PICTURE.fullmatch(m) and isinstance(d, str) and d.isascii()
        }
        if valid:
            kept[clean(name)] = valid
    return kept
