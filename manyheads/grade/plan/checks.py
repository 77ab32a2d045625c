"""The check that a lesson's own cells make of each exercise."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from manyheads.build.cell_code import Code


@dataclass(frozen=True)
class CheckCall:
    """One call of `manyheads.check` in a lesson.

    `function` is the check, `split_heads` or `answer`; `variable` the student's name that it is
    given; `lesson` and `question` are set for answers.
    """

    function: str
    variable: str
    lesson: str = ""
    question: str = ""


def check_calls(cells: Iterable[Code]) -> dict[str, CheckCall]:
    """The checks in a lesson's cells, by the exercise's or the question's id.

    >>> check_calls([Code.of('check.answer("02_small", "quiz_1", quiz_1)')])["quiz_1"]
    CheckCall(function='answer', variable='quiz_1', lesson='02_small', question='quiz_1')
    """
    calls: dict[str, CheckCall] = {}
    for code in cells:
        for node in ast.walk(code.tree) if code.tree else ():
            call = _call(node)
            if call:
                calls.setdefault(call.question or call.function, call)
    return calls


def _call(node: ast.AST) -> CheckCall | None:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    checker, last = node.func.value, node.args[-1]
    if not (isinstance(checker, ast.Name) and checker.id == "check" and isinstance(last, ast.Name)):
        return None
    constants = [a.value for a in node.args[:-1] if isinstance(a, ast.Constant)]
    if node.func.attr != "answer":
        return CheckCall(node.func.attr, last.id) if len(node.args) == 1 else None
    if len(constants) != 2 or not all(isinstance(value, str) for value in constants):
        return None
    return CheckCall("answer", last.id, str(constants[0]), str(constants[1]))
