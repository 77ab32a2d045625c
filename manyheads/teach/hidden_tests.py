"""Grade one answer in this process: run an exercise's graded cells against it.

nbgrader and a kernel do the same for students, and take a second or more an answer.
"""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from manyheads.grade.verdict import is_score
from manyheads.teach.exams import Exam, GradedTest


def earned(exam: Exam, code: str) -> dict[str, float]:
    r"""The points that an answer's code earns in each graded cell, by the cell's `grade_id`.

    Each cell runs in a namespace of its own that holds what the answer's cell binds, and may bind
    its own names over them, as in a notebook. An answer that never ends never returns: use
    `workers` where that may happen.

    >>> exam = Exam("01_small", "double", (GradedTest("test_double", 2, "assert double(3) == 6"),))
    >>> earned(exam, "def double(x):\n    return 2 * x")
    {'test_double': 2.0}
    >>> earned(exam, "def double(x):\n    return x")
    {'test_double': 0.0}
    """
    return {test.name: _score(test, code) for test in exam.tests}


def _score(test: GradedTest, code: str) -> float:
    space = answered(code)
    try:
        value = _run_cell(test.code, space)
    except BaseException:  # exit() in an answer fails its test and ends nothing else
        return 0.0
    if value is None:
        return float(test.points)
    text = repr(value)
    return float(text) if is_score(text, test.points) else 0.0


def answered(code: str) -> dict[str, Any]:
    r"""What a notebook's names are after an answer's cell ran, even if it stopped with an error.

    >>> answered("width = 4\n1 / 0\nheads = 3")["width"]
    4
    """
    space: dict[str, Any] = {"__name__": "__main__"}
    with suppress(BaseException):
        exec(compile(code, "<answer>", "exec"), space)  # noqa: S102  (the course's own bank)
    return space


def _run_cell(code: str, space: dict[str, Any]) -> object:
    """Run a cell; the value of its last line if that is an expression, else None."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<test>", "exec"), space)  # noqa: S102  (a lesson's own graded cell)
    if not isinstance(last, ast.Expr):
        return None
    value: object = eval(compile(ast.Expression(last.value), "<test>", "eval"), space)  # noqa: S307
    return value
