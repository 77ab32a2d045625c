"""A lesson's own answers as code: its imports and helpers, and its solution cells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from manyheads.build.cells import NUMBERED
from manyheads.student.notebook import Cell, Notebook, code_cells, grade_id, grading, source


def solution_code(notebook: Notebook, exercise: str = "") -> str:
    """Code that defines the functions of a source notebook, up to `exercise` or all of them."""
    return "\n\n".join(_parts(notebook, exercise))


def _parts(notebook: Notebook, exercise: str) -> Iterator[str]:
    for cell in code_cells(notebook):
        if _is_given(cell) or _is_function(cell) or _only_defines(cell):
            yield source(cell)
        if exercise and grade_id(cell) == exercise:
            return


def _is_given(cell: Cell) -> bool:
    marks = grading(cell)
    return bool(marks.get("locked")) and not marks.get("grade")


def _is_function(cell: Cell) -> bool:
    return bool(grading(cell).get("solution")) and not NUMBERED.fullmatch(grade_id(cell))


def _only_defines(cell: Cell) -> bool:
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef)
    body = ast.parse(source(cell)).body
    plain = not grading(cell)
    return plain and bool(body) and all(isinstance(statement, kinds) for statement in body)


def right_shape_only(answer: Callable[..., Any]) -> Callable[..., Any]:
    """An answer of the right form and no content: zeros wherever `answer` returns numbers.

    >>> right_shape_only(lambda n: [n, (n, 2 * n)])(3)
    [0, (0, 0)]
    """
    return lambda *args: _emptied(answer(*args))


def _emptied(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_emptied, value))
    return value * 0


def shape_only_code(notebook: Notebook, exercise: str) -> str:
    """Code of an answer to `exercise` that has only the shapes of the lesson's own one right."""
    return (
        f"{solution_code(notebook, exercise)}\n\n"
        "from manyheads.teach.solutions import right_shape_only\n\n"
        f"{exercise} = right_shape_only({exercise})\n"
    )
