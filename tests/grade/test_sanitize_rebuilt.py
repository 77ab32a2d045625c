"""Notebooks that an editor took all marks from are rebuilt by content and order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from nbformat import NotebookNode

from manyheads.grade.cells import InstructorCell
from manyheads.grade.reading.recognise import names_bound, recognise
from manyheads.grade.sanitize import sanitize
from tests.classroom import find
from tests.grade.mini import answers, code, student, text
from tests.grade.test_sanitize import CELLS, IDS, ORDINARY, order

Change = Callable[[NotebookNode], None]


def stripped() -> NotebookNode:
    """A right student's notebook with neither metadata nor cell ids, as Colab or jq leaves it."""
    notebook = student()
    for cell in notebook.cells:
        cell.metadata = NotebookNode()
        del cell["id"]
    return notebook


def place_of(notebook: NotebookNode, start: str) -> int:
    """Where the cell stands whose text begins so."""
    return next(n for n, cell in enumerate(notebook.cells) if cell.source.startswith(start))


def swap(first: str, second: str) -> Change:
    def change(notebook: NotebookNode) -> None:
        a, b = place_of(notebook, first), place_of(notebook, second)
        notebook.cells[a], notebook.cells[b] = notebook.cells[b], notebook.cells[a]

    return change


def drop(start: str) -> Change:
    return lambda notebook: notebook.cells.pop(place_of(notebook, start))


def put(start: str, cell: NotebookNode, below: int = 1) -> Change:
    return lambda notebook: notebook.cells.insert(place_of(notebook, start) + below, cell)


def spaced(notebook: NotebookNode) -> None:
    """As an editor with other habits saves it."""
    for cell in notebook.cells:
        cell.source = "\r\n".join(f"{line}  " for line in cell.source.split("\n")) + "\n\n"


def with_new_ids(notebook: NotebookNode) -> None:
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{number:08x}"


CHANGES: dict[str, Change] = {
    "nothing else": lambda notebook: None,
    "new ids": with_new_ids,
    "blanks at the ends of lines": spaced,
    "a cell of one's own on top": lambda notebook: notebook.cells.insert(0, code("mine = 1")),
    "cells of one's own everywhere": lambda notebook: notebook.cells.extend([code("a")] * 3),
    "a trial above the answer": put("def split_heads", code("x = np.zeros((1, 2, 4))"), 0),
    "empty cells": put("def split_heads", code("")),
    "answers swapped": swap("def split_heads", "def rotate_qk"),
    "the imports edited": put("import numpy", code("import numpy as np, torch")),
    "a test deleted": drop("# Graded test: values"),
    "a given helper deleted": drop("GIVEN"),
    "a visible test edited": lambda nb: nb.cells[
        place_of(nb, "import numpy as np\n\nassert")
    ].update(source="pass"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_stripped_notebook_has_all_its_cells_and_answers_again(change: str) -> None:
    notebook = stripped()
    CHANGES[change](notebook)
    flags = sanitize(notebook, CELLS, ORDINARY)
    assert flags[0].startswith("rebuilt: ")
    assert sorted(order(notebook)) == sorted(IDS)
    for name in ("split_heads", "rotate_qk", "share", "quiz_1"):
        assert find(notebook, name).source.split() == answers()[name].split()
    for cell in CELLS:
        if cell.locked:
            assert find(notebook, cell.grade_id).source == cell.source


def test_how_many_cells_were_rebuilt_is_said_once() -> None:
    assert sanitize(stripped(), CELLS, ORDINARY) == [
        f"rebuilt: {len(IDS) - 1} cells had lost the nbgrader metadata "
        "(given_helper, split_heads, test_split_heads_shape, ...)",
        "test_rotate_qk was missing: put back",  # its whole text is hidden: nothing to know it by
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "def split_heads(x, num_heads):\n    return x",
        "import torch\n\n\ndef split_heads(x, num_heads):\n    return x",
        "@torch.no_grad()\ndef split_heads(x, h): return x",
        "async def split_heads(x, num_heads):\n    ...",
        "split_heads = lambda x, num_heads: x",
        "split_heads: object = print",
        "helper, split_heads = 1, print",
        "class split_heads:\n    pass",
        "%%time\ndef split_heads(x, num_heads):\n    return x",
        "def split_heads(x, num_heads:\n    return x  # never closed",
        "def split_heads(x, num_heads):\n    ...",
    ],
)
def test_an_answer_is_known_by_what_it_defines(answer: str) -> None:
    notebook = stripped()
    notebook.cells[place_of(notebook, "def split_heads")].source = answer
    sanitize(notebook, CELLS, ORDINARY)
    assert find(notebook, "split_heads").source == answer


def test_of_two_definitions_between_the_neighbours_the_last_is_the_answer() -> None:
    notebook = stripped()
    put("def split_heads", code("def split_heads(x, num_heads):\n    return 'second'"))(notebook)
    sanitize(notebook, CELLS, ORDINARY)
    assert "second" in find(notebook, "split_heads").source


def test_an_answer_that_binds_another_name_is_known_by_its_place() -> None:
    notebook = stripped()
    notebook.cells[place_of(notebook, "def split_heads")].source = "print('I gave up')"
    sanitize(notebook, CELLS, ORDINARY)
    assert find(notebook, "split_heads").source == "print('I gave up')"


def test_with_two_candidates_for_one_place_none_is_picked() -> None:
    notebook = stripped()
    place = place_of(notebook, "def split_heads")
    notebook.cells[place : place + 1] = [code("print(1)"), code("print(2)")]
    flags = sanitize(notebook, CELLS, ORDINARY)
    assert "split_heads was missing: put back" in flags
    assert [cell.source for cell in notebook.cells].count("print(1)") == 1


WRITTEN = [
    InstructorCell("ask_1", "markdown", "Question 1", locked=True),
    InstructorCell("say_1", "markdown", "Your answer", grade=True, solution=True, points=2),
    InstructorCell("ask_2", "markdown", "Question 2", locked=True),
    InstructorCell("say_2", "markdown", "Your answer", grade=True, solution=True, points=2),
    InstructorCell("say_3", "markdown", "Your answer", grade=True, solution=True, points=2),
]


def written(*sources: str) -> list[NotebookNode]:
    cells = [text(source) for source in sources]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    return cells


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ("Question 1|one|Question 2|two|three", {"say_1": 1, "say_2": 3, "say_3": 4}),
        ("Question 1|one|Question 2|two", {"say_1": 1}),
        ("Question 1|one|and more|Question 2|two|three", {"say_2": 4, "say_3": 5}),
        ("Question 1|Your answer|Question 2|two|three", {"say_1": 1, "say_2": 3, "say_3": 4}),
        ("Question 1|one|Read on.|Question 2|two|three", {"say_1": 1, "say_2": 4, "say_3": 5}),
    ],
)
def test_written_answers_are_known_by_their_places(sources: str, found: dict[str, int]) -> None:
    places: dict[str, int] = {}
    recognise(written(*sources.split("|")), WRITTEN, places, ["Read on."])
    assert {name: places[name] for name in places if name.startswith("say")} == found


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("", set()),
        ("x == 1", set()),
        ("    indented = 1", set()),
        ("x=1\ny =2\nz: int = 3", {"x", "y", "z"}),
        ("if x:\n    y = 1", set()),
        ("a, b = c = 1", {"a", "b"}),
        ("größe = 1", {"größe"}),
        ("def f(a=1):\n    b = 2", {"f"}),
        ("x += 1\nx[0] = 1\nx.y = 1", set()),
    ],
)
def test_names_are_those_bound_at_the_margin(source: str, names: set[str]) -> None:
    assert names_bound(source) == names
