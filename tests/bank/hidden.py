"""Run a lesson's graded test cells against a spelling, in this process and fast.

The cells are taken from the lesson's text with their hidden regions in, and each runs in a
namespace that holds what the exercise's own cell defines, as grading promises.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import jupytext

from manyheads.build.pairs import answer_name, exercise_of
from tests.bank import Entry

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@dataclass(frozen=True)
class HiddenTest:
    """One graded cell: its id, its points, its code but for the last expression, and that."""

    name: str
    points: float
    body: CodeType
    last: CodeType | None

    def earned(self, space: dict[str, Any]) -> float:
        """The points that the answer in `space` earns; an error or a wrong result earns none."""
        try:
            exec(self.body, space)  # noqa: S102  (our own test cells)
            value = eval(self.last, space) if self.last else None  # noqa: S307
        except (Exception, SystemExit):  # exit() in an answer ends no test either
            return 0.0
        return self.points if value is None else float(value)


@cache
def hidden_tests(exercise: str) -> tuple[HiddenTest, ...]:
    """The graded cells of an exercise, in the lesson's order; empty for an unknown one."""
    for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.py")):
        cells = jupytext.read(path, fmt="py:percent").cells
        metas = [(cell, cell.metadata.get("nbgrader", {})) for cell in cells]
        ids = [meta["grade_id"] for _, meta in metas if meta.get("solution")]
        if exercise in ids:
            return tuple(
                _compiled(cell.source, meta)
                for cell, meta in metas
                if meta.get("grade") and exercise_of(meta["grade_id"], ids) == exercise
            )
    return ()


def _compiled(source: str, meta: dict[str, Any]) -> HiddenTest:
    import ast

    tree = ast.parse(source)
    last = None
    if isinstance(tree.body[-1], ast.Expr):
        last = compile(ast.Expression(tree.body.pop().value), meta["grade_id"], "eval")
    body = compile(tree, meta["grade_id"], "exec")
    return HiddenTest(meta["grade_id"], float(meta["points"]), body, last)


def scores(entry: Entry) -> dict[str, tuple[float, float]]:
    """Points earned and to be had in each graded cell of the entry's exercise."""
    return {
        test.name: (test.earned({answer_name(entry.exercise): entry.function()}), test.points)
        for test in hidden_tests(entry.exercise)
    }
