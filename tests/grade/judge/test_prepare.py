"""What tests import is loaded before a deadline can strike in the middle of it."""

from __future__ import annotations

import ast
import sys

import pytest

from manyheads.build.imports import modules
from manyheads.grade.judge.prepare import prepare
from manyheads.grade.plan import LessonPlan
from tests.grade.mini import code, graded

MARKS = {"grade_id": "test_f", "grade": True, "locked": True, "solution": False, "points": 1}


def plan_of(source: str) -> LessonPlan:
    cell = {"cell_type": "code", "metadata": {"nbgrader": MARKS}, "source": source}
    return LessonPlan.of({"cells": [cell], "metadata": {}}, "02_small")


def test_a_module_that_a_test_imports_within_a_function_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "this", raising=False)
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    prepare(plan_of("def test_f():\n    import colorsys\n    assert f(colorsys)\n\n\ntest_f()"))
    assert "colorsys" in sys.modules


def test_a_module_that_is_not_there_is_left_to_the_test() -> None:
    prepare(plan_of("import a_module_of_no_name\n\nassert f(1)"))


def test_an_import_of_another_cell_that_the_test_reads_is_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    cells = [code("import colorsys"), graded("test_f", 1, "assert f(colorsys)")]
    prepare(LessonPlan.of({"cells": cells}, "02_small"))
    assert "colorsys" in sys.modules


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b as c", ["a.b"]),
        ("from a import b", ["a", "a.b"]),
        ("from a import *", ["a"]),
        ("from . import b", []),
        ("if True:\n    import a", ["a"]),
    ],
)
def test_imports_are_found_wherever_they_stand(text: str, names: list[str]) -> None:
    assert list(modules(ast.parse(text))) == names
