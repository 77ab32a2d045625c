"""Cells of any shape become cells of nbformat 4.5, or the file is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from manyheads.grade.reading import UnreadableError
from manyheads.grade.reading.shape import MOST_CELLS
from tests.grade.reading.handed_in import TEXTS, as_bytes, changed, read, right, texts

Change = Callable[[dict[str, Any]], None]
ODD: list[Any] = [None, True, 0, 1.5, "x", [], ["x"], [1, None], {}, {"a": {"b": [1]}}]


def put(*path: Any, value: Any) -> Change:
    """A change that puts a value at a place of the notebook; `...` for all cells."""

    def change(notebook: dict[str, Any]) -> None:
        places = [notebook]
        for step in path[:-1]:
            places = [
                inner for place in places for inner in (place if step is ... else [place[step]])
            ]
        for place in places:
            place[path[-1]] = value

    return change


def drop(*path: Any) -> Change:
    def change(notebook: dict[str, Any]) -> None:
        place: Any = notebook
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]

    return change


def as_lines(notebook: dict[str, Any]) -> None:
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)


SAME: dict[str, Change] = {
    "sources as lines": as_lines,
    "no metadata in cells": lambda notebook: [cell.pop("metadata") for cell in notebook["cells"]],
    "no ids": lambda notebook: [cell.pop("id") for cell in notebook["cells"]],
    "no outputs": lambda notebook: [cell.pop("outputs", None) for cell in notebook["cells"]],
    "no execution counts": lambda nb: [cell.pop("execution_count", None) for cell in nb["cells"]],
    "no notebook metadata": drop("metadata"),
    "no nbformat": drop("nbformat"),
    "no minor": drop("nbformat_minor"),
    "minor 0": put("nbformat_minor", value=0),
    "minor 2": put("nbformat_minor", value=2),
    "minor 4": put("nbformat_minor", value=4),
    "a minor yet to come": put("nbformat_minor", value=99),
    "the same id everywhere": put("cells", ..., "id", value="same"),
    "ids of wrong form": put("cells", ..., "id", value="a b/c"),
    "a key yet to come": put("cells", ..., "bonus", value=[1]),
    "another kernel": put("metadata", value={"kernelspec": {"name": "conda-root-py"}}),
}


@pytest.mark.parametrize("kind", SAME)
def test_what_differs_only_in_form_is_read_the_same_without_a_flag(
    tmp_path: Path, kind: str
) -> None:
    reading = read(tmp_path, changed(SAME[kind]))
    assert (texts(reading.notebook), reading.flags) == (TEXTS, [])
    nbformat.validate(reading.notebook)


def test_ids_chosen_to_meet_each_other_are_told_apart(tmp_path: Path) -> None:
    notebook = right()
    name, count = "a" * 56, len(notebook["cells"])
    taken = [f"{name}-{number}" for number in range(count + 40)]
    taken += [f"{name[:50]}-{number}" for number in range(40)]
    ids = (*taken, name, name, name[:50], name)
    notebook["cells"] += [{**notebook["cells"][0], "id": one} for one in ids]
    cells = read(tmp_path, as_bytes(notebook)).notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert [cell["id"] for cell in cells[count:]][: len(taken)] == taken


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize(
    "path",
    [
        ("metadata",),
        ("nbformat",),
        ("nbformat_minor",),
        ("metadata", "kernelspec"),
        ("metadata", "manyheads"),
        ("cells", 3),
        ("cells", ..., "metadata"),
        ("cells", ..., "id"),
        ("cells", ..., "source"),
        ("cells", ..., "cell_type"),
        ("cells", ..., "outputs"),
        ("cells", ..., "attachments"),
        ("cells", ..., "execution_count"),
        ("cells", 5, "metadata", "nbgrader"),
        ("cells", 5, "metadata", "nbgrader", "grade_id"),
        ("cells", 5, "metadata", "nbgrader", "points"),
        ("cells", 5, "metadata", "nbgrader", "schema_version"),
        ("cells", 5, "metadata", "tags"),
    ],
    ids=str,
)
def test_a_wrong_type_anywhere_is_read_or_refused_never_anything_else(
    tmp_path: Path, path: tuple[Any, ...], value: Any
) -> None:
    try:
        reading = read(tmp_path, changed(put(*path, value=value)))
    except UnreadableError:
        return
    nbformat.validate(reading.notebook)
    json.dumps(reading.notebook, allow_nan=False).encode()


@pytest.mark.parametrize("value", [value for value in ODD if not isinstance(value, list)], ids=repr)
def test_without_a_list_of_cells_it_is_no_notebook(tmp_path: Path, value: Any) -> None:
    with pytest.raises(UnreadableError, match="it has no list of cells"):
        read(tmp_path, changed(put("cells", value=value)))


@pytest.mark.parametrize("version", [5, 6, 40])
def test_a_format_yet_to_come_is_refused(tmp_path: Path, version: int) -> None:
    with pytest.raises(UnreadableError, match=rf"notebook format {version}, .*newest .* is 4"):
        read(tmp_path, changed(put("nbformat", value=version)))


def test_too_many_cells_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="it has 5,001 cells, the most is 5,000"):
        read(tmp_path, changed(put("cells", value=[{}] * (MOST_CELLS + 1))))


@pytest.mark.parametrize(
    ("cell", "kind", "flags"),
    [
        ({"cell_type": "code"}, "code", ["cell 1 had no text"]),
        (
            {"cell_type": "heading", "source": "x"},
            "markdown",
            ["cell 1 had the type 'heading': read as markdown"],
        ),
        (
            {"cell_type": "CODE", "source": "x"},
            "code",
            ["cell 1 had the type 'CODE': read as code"],
        ),
        ({"cell_type": "sql", "source": "x"}, "raw", ["cell 1 had the type 'sql': read as raw"]),
        ({"outputs": [], "source": "x"}, "code", ["cell 1 had the type 'None': read as code"]),
        (
            {"cell_type": "raw", "source": 5},
            "raw",
            ["cell 1 had a int for its text: read as empty"],
        ),
    ],
)
def test_a_mended_cell_is_flagged(
    tmp_path: Path, cell: dict[str, Any], kind: str, flags: list[str]
) -> None:
    reading = read(tmp_path, as_bytes({"cells": [cell], "nbformat": 4}))
    assert reading.notebook["cells"][0]["cell_type"] == kind
    assert reading.flags == flags


def test_what_is_no_cell_is_left_out_with_a_flag(tmp_path: Path) -> None:
    reading = read(tmp_path, changed(lambda notebook: notebook["cells"].insert(0, None)))
    assert texts(reading.notebook) == TEXTS
    assert reading.flags == ["cell 1 was no cell (NoneType): left out"]


def test_a_saved_answer_of_jupyters_server_is_unwrapped_with_a_flag(tmp_path: Path) -> None:
    reading = read(tmp_path, as_bytes({"type": "notebook", "content": right()}))
    assert texts(reading.notebook) == TEXTS
    assert "inside an answer of Jupyter's server" in reading.flags[0]


def test_pasted_pictures_stay_and_nothing_else_of_the_metadata_does(tmp_path: Path) -> None:
    def change(notebook: dict[str, Any]) -> None:
        picture = {"a.png": {"image/png": "AA==", "text/html": "<script>"}, "b": 1}
        notebook["cells"][0] |= {"attachments": picture, "metadata": {"tags": ["skip-execution"]}}
        notebook["metadata"]["manyheads"] |= {"causes": {"f": "forged"}, "flags": [], "x": 1}

    notebook = read(tmp_path, changed(change)).notebook
    assert notebook["cells"][0]["attachments"] == {"a.png": {"image/png": "AA=="}}
    assert notebook["cells"][0]["metadata"] == {}
    assert notebook["metadata"] == {"manyheads": {"lesson": "02_mini", "release": "0123456789ab"}}


def sheets(*cells: dict[str, Any]) -> dict[str, Any]:
    return {"worksheets": [{"cells": list(cells), "metadata": {}}], "metadata": {"name": ""}}


CODE3 = {
    "cell_type": "code",
    "input": "x = 1",
    "language": "python",
    "outputs": [],
    "collapsed": False,
}
OLD: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "3": (
        sheets(CODE3, {"cell_type": "heading", "level": 3, "source": "A"}),
        [("code", "x = 1"), ("markdown", "### A")],
    ),
    "3 as lines": (sheets(CODE3 | {"input": ["x =", " 1"]}), [("code", "x = 1")]),
    "3, raw": (sheets({"cell_type": "raw", "source": "r"}), [("raw", "r")]),
    "3, heading as lines": (
        sheets({"cell_type": "heading", "source": ["A", "B"]}),
        [("markdown", "# AB")],
    ),
    "2": (
        sheets(CODE3, {"cell_type": "html", "source": "<b>"}),
        [("code", "x = 1"), ("markdown", "<b>")],
    ),
    "1": (
        {"cells": [{"cell_type": "code", "code": "x = 1"}, {"cell_type": "text", "text": "A"}]},
        [("code", "x = 1"), ("markdown", "A")],
    ),
}


@pytest.mark.parametrize("kind", OLD)
def test_old_formats_are_upgraded_with_a_flag(tmp_path: Path, kind: str) -> None:
    notebook, cells = OLD[kind]
    version = int(kind[0])
    reading = read(tmp_path, as_bytes(notebook | {"nbformat": version, "nbformat_minor": 0}))
    assert [(c["cell_type"], c["source"]) for c in reading.notebook["cells"]] == cells
    assert reading.flags == [f"the notebook was in the old format {version}: upgraded"]
    nbformat.validate(reading.notebook)


def test_grade_ids_outlive_an_old_format(tmp_path: Path) -> None:
    marked = CODE3 | {"metadata": {"nbgrader": {"grade_id": "split_heads", "points": 9}}}
    reading = read(tmp_path, as_bytes(sheets(marked) | {"nbformat": 3}))
    assert reading.notebook["cells"][0]["metadata"] == {"nbgrader": {"grade_id": "split_heads"}}


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize("key", ["worksheets", "cells", "cell_type", "input", "level", "metadata"])
def test_odd_old_notebooks_are_read_or_refused(tmp_path: Path, key: str, value: Any) -> None:
    cell = CODE3 | {"cell_type": "heading", "level": 1} | {key: value}
    notebook = sheets(cell) | {"nbformat": 3}
    if key == "worksheets":
        notebook[key] = value
    if key == "cells":
        notebook["worksheets"][0][key] = value
    try:
        reading = read(tmp_path, as_bytes(notebook))
    except UnreadableError:
        return
    nbformat.validate(reading.notebook)
