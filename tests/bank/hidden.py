"""Run a lesson's graded test cells against one spelling, in this process: fast, and not isolated.

The slow tests send a few spellings through nbgrader itself; this is the same cells for all of them.
"""

from __future__ import annotations

import ast
import contextlib
import io
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

from manyheads.grade.exercises import exercise_of
from tests.bank import Entry

SOURCE = Path(__file__).parents[2] / "source"
Test = tuple[str, float, str]


@cache
def graded_cells() -> dict[str, list[Test]]:
    """Id, points and text of the graded test cells of each exercise of the course."""
    found: dict[str, list[Test]] = {}
    for path in sorted(SOURCE.glob("*/*.ipynb")):
        cells = [
            (cell.metadata["nbgrader"], cell.source)
            for cell in nbformat.read(path, as_version=4).cells
            if cell.cell_type == "code" and "nbgrader" in cell.metadata
        ]
        solutions = [meta["grade_id"] for meta, _ in cells if meta["solution"]]
        for meta, text in cells:
            if meta["grade"] and not meta["solution"]:
                exercise = exercise_of(meta["grade_id"], solutions)
                found.setdefault(exercise, []).append((meta["grade_id"], meta["points"], text))
    return found


def points(entry: Entry) -> dict[str, float]:
    """What each graded test cell gives to a spelling."""
    return {
        grade_id: _earned(entry, most, text)
        for grade_id, most, text in graded_cells()[entry.exercise]
    }


def _earned(entry: Entry, most: float, text: str) -> float:
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            value = _run(text, {entry.name: entry.function()})
    except (Exception, SystemExit):
        return 0.0
    return most if value is None else float(value)


def _run(text: str, space: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression, is the partial credit."""
    body = ast.parse(text).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<test cell>", "exec"), space)  # noqa: S102  (our own cells)
    if not isinstance(last, ast.Expr):
        return None
    code = compile(ast.Expression(last.value), "<test cell>", "eval")
    return eval(code, space)  # noqa: S307  (our own cells)
