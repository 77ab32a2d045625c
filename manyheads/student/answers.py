"""Which questions of a lesson a student has answered."""

from __future__ import annotations

import ast
from itertools import pairwise

from manyheads.student.notebook import Cell, Notebook, grade_id, grading, source


def questions(notebook: Notebook) -> dict[str, Cell]:
    """The cells a student writes answers in, by grade_id, in the notebook's order.

    An exercise's answer is its solution cell; a free-text question's is the cell that follows it.
    """
    cells = notebook["cells"]
    own = {grade_id(cell): cell for cell in cells if grading(cell).get("solution")}
    texts = {
        grade_id(task): answer
        for task, answer in pairwise(cells)
        if grading(task).get("task") and not grading(answer)
    }
    order = [grade_id(cell) for cell in cells]
    return {name: (own | texts)[name] for name in order if name in own or name in texts}


def answered(work: Notebook, release: Notebook) -> set[str]:
    """Grade_ids of the questions whose answer differs from what the release holds there."""
    stubs = questions(release)
    return {
        name
        for name, cell in questions(work).items()
        if name in stubs and not _same(source(cell), source(stubs[name]), cell["cell_type"])
    }


def _same(text: str, stub: str, cell_type: str) -> bool:
    if not text.strip():
        return True
    if cell_type == "code":
        return _meaning(text) == _meaning(stub)
    return text.split() == stub.split()


def _meaning(code: str) -> str:
    """Code without comments and spacing, so that a remark alone does not count as an answer."""
    try:
        return ast.dump(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
