"""Cells of the notebook formats 1 to 3 as cells of format 4."""

from __future__ import annotations

from typing import Any

_TYPES = {"code": "code", "raw": "raw"}


def older_cells(raw: dict[str, Any]) -> list[Any] | None:
    """The cells of a notebook of an old format, all worksheets in a row; None if there are none.

    >>> sheet = {"cells": [{"cell_type": "heading", "level": 2, "source": "A"}]}
    >>> older_cells({"worksheets": [sheet]})[0]["source"]
    '## A'
    """
    sheets = raw.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    else:
        lists = [raw.get("cells")]
    found = [cells for cells in lists if isinstance(cells, list)]
    return [_upgraded(cell) for cells in found for cell in cells] if found else None


def _upgraded(cell: Any) -> Any:
    if not isinstance(cell, dict):
        return cell
    kind = cell.get("cell_type")
    source = next((cell[key] for key in ("source", "input", "code", "text") if key in cell), "")
    made = {
        "cell_type": _TYPES.get(kind, "markdown") if isinstance(kind, str) else kind,
        "metadata": cell.get("metadata"),
        "source": source,
    }
    if kind == "code" and "input" in cell:
        made["source"] = cell["input"]
    if kind == "heading":
        text = (
            "".join(source)
            if isinstance(source, list) and all(isinstance(s, str) for s in source)
            else source
        )
        made["source"] = f"{'#' * _level(cell.get('level'))} {text}"
    return made


def _level(found: Any) -> int:
    return found if isinstance(found, int) and 1 <= found <= 6 else 1
