"""What a notebook's outputs say about its checks and its visible tests."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from manyheads.student.notebook import Cell, Notebook, code_cells, grade_id, is_test, source

CHECK_MIME = "application/vnd.manyheads.check+json"


@dataclass(frozen=True)
class Outcome:
    """One check or visible test: `passed` is None when there was nothing to judge yet."""

    name: str
    passed: bool | None
    text: str


def outcomes(notebook: Notebook) -> list[Outcome]:
    """Every check's and visible test's outcome in the notebook's order, from the cells that ran.

    A check shown twice counts once, as last shown.
    """
    found: dict[str, Outcome] = {}
    for cell in code_cells(notebook):
        for outcome in _of_cell(cell):
            found[outcome.name] = outcome
    return list(found.values())


def _of_cell(cell: Cell) -> list[Outcome]:
    if is_test(cell):
        return [_of_test(cell)] if _was_run(cell) and does_something(cell) else []
    shown = (output.get("data", {}).get(CHECK_MIME) for output in cell.get("outputs", []))
    return [_of_check(data) for data in shown if isinstance(data, dict)]


def _of_check(data: dict[str, Any]) -> Outcome:
    passed = data.get("passed")
    name, text = str(data.get("exercise", "")), str(data.get("text", ""))
    return Outcome(name, passed if isinstance(passed, bool) else None, text)


def _of_test(cell: Cell) -> Outcome:
    error = first_error(cell)
    said = f"{error['ename']}: {error['evalue']}" if error else "passed"
    return Outcome(grade_id(cell), error is None, f"{grade_id(cell)}   {said}")


def first_error(cell: Cell) -> dict[str, Any] | None:
    """The error a code cell ended with, as nbformat holds it, or None."""
    errors = (output for output in cell.get("outputs", []) if output.get("output_type") == "error")
    return next(errors, None)


def _was_run(cell: Cell) -> bool:
    return cell.get("execution_count") is not None


def does_something(cell: Cell) -> bool:
    """Whether a test cell's visible part holds a statement; one hidden as a whole doesn't."""
    try:
        return bool(ast.parse(source(cell)).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
