"""Before anything runs, the instructor's cells are what the gradebook says."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy

import pytest
from nbformat import NotebookNode

from manyheads.grade.cells import InstructorCell, in_order
from manyheads.grade.sanitize import PYTHON, sanitize
from tests.classroom import find, grade_id, index
from tests.grade.mini import code, release_notebook, source_notebook


def instructor_cells() -> list[InstructorCell]:
    cells = [cell for cell in source_notebook().cells if "nbgrader" in cell.metadata]
    released = {cell.id: cell.source for cell in release_notebook().cells}
    return [_instructors(cell, released[cell.id]) for cell in cells]


def _instructors(cell: NotebookNode, released: str) -> InstructorCell:
    marks = {key: value for key, value in cell.metadata["nbgrader"].items() if key in MARKS}
    source = released if marks["solution"] else cell.source
    return InstructorCell(cell_type=cell.cell_type, source=source, **marks)


MARKS = ("grade_id", "grade", "solution", "locked", "task", "points")
CELLS = instructor_cells()
IDS = [cell.grade_id for cell in CELLS]
GIVEN = [cell.grade_id for cell in CELLS if cell.locked]
TESTS = [cell.grade_id for cell in CELLS if cell.is_test]


@pytest.fixture
def notebook() -> NotebookNode:
    """A submission in which every answer was filled in."""
    notebook = release_notebook()
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = f"{cell.id} = 'mine'"
    return notebook


ORDINARY = [cell.source for cell in release_notebook().cells if not grade_id(cell)]


def order(notebook: NotebookNode) -> list[str]:
    return [name for name in map(grade_id, notebook.cells) if name]


def source_of(name: str) -> str:
    return next(cell.source for cell in CELLS if cell.grade_id == name)


def test_an_untouched_release_gets_its_hidden_tests_back_and_no_flag(
    notebook: NotebookNode,
) -> None:
    assert sanitize(notebook, CELLS) == []
    for name in GIVEN:
        assert find(notebook, name).source == source_of(name)


def test_answers_stay_as_the_student_wrote_them(notebook: NotebookNode) -> None:
    sanitize(notebook, CELLS)
    assert find(notebook, "split_heads").source == "split_heads = 'mine'"


@pytest.mark.parametrize("name", IDS)
def test_a_deleted_cell_is_put_back_at_its_place_and_flagged(
    notebook: NotebookNode, name: str
) -> None:
    del notebook.cells[index(notebook, name)]
    assert sanitize(notebook, CELLS, ORDINARY) == [f"{name} was missing: put back"]
    assert order(notebook) == IDS
    assert find(notebook, name).source == source_of(name)


def test_neighbours_deleted_together_come_back_in_order(notebook: NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if "split_heads" not in grade_id(cell)]
    sanitize(notebook, CELLS)
    assert order(notebook) == IDS


def test_a_notebook_without_any_of_the_cells_gets_them_all() -> None:
    notebook = release_notebook()
    notebook.cells = [code("print('only this')")]
    sanitize(notebook, CELLS)
    assert order(notebook) == IDS
    assert notebook.cells[-1].source == "print('only this')"


@pytest.mark.parametrize("name", TESTS)
def test_of_a_copied_test_one_counts_and_it_is_the_instructors(
    notebook: NotebookNode, name: str
) -> None:
    copy = deepcopy(find(notebook, name))
    copy.source = "pass"
    notebook.cells.insert(index(notebook, name) + 1, copy)
    assert sanitize(notebook, CELLS) == [f"{name} was there 2 times: one counts"]
    assert order(notebook) == IDS
    assert find(notebook, name).source == source_of(name)


def test_of_a_copied_answer_the_one_that_runs_last_counts(notebook: NotebookNode) -> None:
    copy = deepcopy(find(notebook, "split_heads"))
    copy.source = "split_heads = 'second'"
    notebook.cells.insert(index(notebook, "split_heads") + 1, copy)
    sanitize(notebook, CELLS)
    assert find(notebook, "split_heads").source == "split_heads = 'second'"


def test_tests_follow_the_last_copy_of_the_answer(notebook: NotebookNode) -> None:
    copy = deepcopy(find(notebook, "split_heads"))
    notebook.cells.insert(index(notebook, "test_split_heads_contract") + 1, copy)
    flags = sanitize(notebook, CELLS)
    assert "test_split_heads_values stood above its answer: moved" in flags
    assert order(notebook) == IDS


def test_given_code_counts_where_it_stands_first(notebook: NotebookNode) -> None:
    copy = deepcopy(find(notebook, "given_helper"))
    copy.source = "GIVEN = 'changed'"
    notebook.cells.append(copy)
    sanitize(notebook, CELLS)
    assert order(notebook) == IDS
    assert find(notebook, "given_helper").source == source_of("given_helper")


def _set(key: str, value: object) -> Callable[[NotebookNode], None]:
    def change(cell: NotebookNode) -> None:
        cell.metadata["nbgrader"][key] = value

    return change


def _become(cell_type: str) -> Callable[[NotebookNode], None]:
    def change(cell: NotebookNode) -> None:
        cell.cell_type = cell_type
        cell.pop("outputs", None)
        cell.pop("execution_count", None)

    return change


FLIPS = {
    "points": _set("points", 1000),
    "points as text": _set("points", "many"),
    "grade": _set("grade", False),
    "solution": _set("solution", True),
    "locked": _set("locked", False),
    "task": _set("task", True),
    "old schema": _set("schema_version", 1),
    "new schema": _set("schema_version", 99),
    "unknown key": _set("bonus", 5),
    "markdown": _become("markdown"),
    "raw": _become("raw"),
    "text changed": lambda cell: cell.update(source="pass"),
    "schema 4": _set("schema_version", 4),
    "schema a text": _set("schema_version", "x"),
    "points not finite": _set("points", float("nan")),
    "no output": lambda cell: cell.pop("outputs"),
    "a result forged": lambda cell: cell.update(outputs=[{"output_type": "stream"}]),
}
UNMARKED = {
    "metadata gone": lambda cell: cell.update(metadata=NotebookNode()),
    "metadata a list": lambda cell: cell.update(metadata=[1]),
    "metadata no mapping": lambda cell: cell.metadata.update(nbgrader="all points"),
    "metadata null": lambda cell: cell.metadata.update(nbgrader=None),
    "grade_id a list": _set("grade_id", ["test_split_heads_shape"]),
    "grade_id missing": lambda cell: cell.metadata["nbgrader"].pop("grade_id"),
    "grade_id null": _set("grade_id", None),
}


def is_instructors(cell: NotebookNode) -> bool:
    """Whether a test cell is as the instructor made it."""
    wanted = next(one for one in CELLS if one.grade_id == cell.id)
    assert cell.metadata["nbgrader"] == wanted.metadata()
    assert (cell.cell_type, cell.source, cell.outputs) == ("code", wanted.source, [])
    return True


@pytest.mark.parametrize("flip", FLIPS)
@pytest.mark.parametrize("name", TESTS[:1])
def test_whatever_is_flipped_the_gradebooks_word_counts(
    notebook: NotebookNode, name: str, flip: str
) -> None:
    FLIPS[flip](find(notebook, name))
    assert sanitize(notebook, CELLS) == []
    assert is_instructors(find(notebook, name))


@pytest.mark.parametrize("change", UNMARKED)
@pytest.mark.parametrize("name", TESTS[:1])
def test_a_cell_that_lost_its_marks_is_known_by_its_id_and_flagged(
    notebook: NotebookNode, name: str, change: str
) -> None:
    UNMARKED[change](find(notebook, name))
    assert sanitize(notebook, CELLS) == [f"rebuilt: 1 cell had lost the nbgrader metadata ({name})"]
    assert is_instructors(find(notebook, name))


def test_a_grade_id_that_the_lesson_does_not_have_is_dropped(notebook: NotebookNode) -> None:
    extra = code("pass", "test_bonus", grade=True, points=50)
    notebook.cells.append(extra)
    sanitize(notebook, CELLS)
    assert order(notebook) == IDS


@pytest.mark.parametrize("tags", [["skip-execution"], ["raises-exception", "x"], "skip-execution"])
def test_no_tag_of_a_students_is_kept(notebook: NotebookNode, tags: object) -> None:
    for cell in notebook.cells:
        cell.metadata["tags"] = tags
    sanitize(notebook, CELLS)
    assert not any("tags" in cell.metadata for cell in notebook.cells)


def test_every_cell_gets_an_id_of_its_own(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.id = "same"
    notebook.cells[0].pop("id")
    sanitize(notebook, CELLS)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert find(notebook, "split_heads").id == "split_heads"


def test_sanitizing_twice_changes_nothing(notebook: NotebookNode) -> None:
    del notebook.cells[index(notebook, "test_quiz_1")]
    sanitize(notebook, CELLS)
    once = deepcopy(notebook)
    assert sanitize(notebook, CELLS) == []
    assert notebook == once


def test_cells_are_sorted_as_the_source_orders_them() -> None:
    assert [cell.grade_id for cell in in_order(reversed(CELLS), IDS)] == IDS


def test_the_kernel_is_the_courses_and_no_other_metadata_of_the_notebook_is_kept(
    notebook: NotebookNode,
) -> None:
    notebook.metadata = NotebookNode(kernelspec={"name": "conda-root-py"}, widgets={"a": 1})
    notebook.metadata["manyheads"] = {"lesson": "02_mini", "causes": {"f": "forged"}, "flags": []}
    sanitize(notebook, CELLS)
    assert notebook.metadata == {"kernelspec": PYTHON, "manyheads": {"lesson": "02_mini"}}


@pytest.mark.parametrize(
    "metadata", [None, [], "x", {"manyheads": 1}, {"manyheads": {"lesson": []}}]
)
def test_notebook_metadata_of_any_shape_are_replaced(
    notebook: NotebookNode, metadata: object
) -> None:
    notebook["metadata"] = metadata
    sanitize(notebook, CELLS)
    assert notebook["metadata"] == {"kernelspec": PYTHON, "manyheads": {}}


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_in_code_whose_cell_became_text_runs_as_code_again(
    notebook: NotebookNode, kind: str
) -> None:
    _become(kind)(find(notebook, "split_heads"))
    assert sanitize(notebook, CELLS) == []
    cell = find(notebook, "split_heads")
    assert (cell.cell_type, cell.source) == ("code", "split_heads = 'mine'")


def test_both_halves_of_a_split_answer_stay_in_order_and_the_test_follows(
    notebook: NotebookNode,
) -> None:
    place = index(notebook, "split_heads")
    notebook.cells[place].source = "def split_heads(x, num_heads):"
    notebook.cells.insert(place + 1, code("    return x"))
    sanitize(notebook, CELLS)
    sources = [cell.source for cell in notebook.cells[place : place + 2]]
    assert sources == ["def split_heads(x, num_heads):", "    return x"]
    assert index(notebook, "test_split_heads_shape") > place + 1


def test_a_grade_id_given_to_two_different_cells_leaves_both_to_run(notebook: NotebookNode) -> None:
    other = code("split_heads = 'another'", "split_heads", solution=True)
    notebook.cells.insert(index(notebook, "split_heads"), other)
    assert sanitize(notebook, CELLS) == ["split_heads was there 2 times: one counts"]
    sources = [cell.source for cell in notebook.cells]
    assert sources.index("split_heads = 'another'") + 1 == sources.index("split_heads = 'mine'")


def test_given_code_moved_below_what_needs_it_is_moved_back(notebook: NotebookNode) -> None:
    cell = notebook.cells.pop(index(notebook, "given_helper"))
    notebook.cells.append(cell)
    flags = sanitize(notebook, CELLS)
    assert flags == ["given_helper stood below code that needs it: moved"]
    assert order(notebook) == IDS


def test_plain_json_is_sanitized_like_a_notebook_node(notebook: NotebookNode) -> None:
    plain = json.loads(json.dumps(notebook))
    sanitize(notebook, CELLS)
    assert sanitize(plain, CELLS) == []
    assert plain == notebook


ABOVE = {
    "under a condition": [
        'if __name__ == "__main__":\n    def split_heads(x, n):\n        return x'
    ],
    "by an import": ["from mine import split_heads"],
    "in two cells": ["import mine", "for split_heads in [mine.split]:\n    pass"],
}


@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE)
def test_a_deleted_answer_that_stands_above_is_not_hidden_by_its_stub(
    notebook: NotebookNode, above: list[str]
) -> None:
    del notebook.cells[index(notebook, "split_heads")]
    notebook.cells[:0] = map(code, above)
    flags = sanitize(notebook, CELLS, ORDINARY)
    how = "put back without its stub, as cells above answer it"
    assert flags == [f"split_heads was missing: {how}"]
    assert find(notebook, "split_heads").source.startswith("# This cell was missing.")


@pytest.mark.parametrize("below", ["x = split_heads", "def f():\n    split_heads = 1", "a b"])
def test_a_deleted_answer_that_stands_nowhere_gets_its_stub(
    notebook: NotebookNode, below: str
) -> None:
    del notebook.cells[index(notebook, "split_heads")]
    notebook.cells.insert(0, code(below))
    assert sanitize(notebook, CELLS, ORDINARY) == ["split_heads was missing: put back"]


@pytest.mark.parametrize("cell", [one for one in CELLS if one.cell_type != "code" and one.locked])
def test_words_written_into_a_locked_text_are_told(notebook: NotebookNode, cell) -> None:
    find(notebook, cell.grade_id).source += "\n\nMy answer: a head sees all tokens."
    flags = sanitize(notebook, CELLS)
    assert len(flags) == 1
    assert flags[0].startswith(f"{cell.grade_id} had other words than the lesson's")
    assert find(notebook, cell.grade_id).source == source_of(cell.grade_id)
