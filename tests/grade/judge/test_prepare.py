"""What tests import is loaded before a deadline can strike in the middle of it."""

from __future__ import annotations

import sys

import pytest

from manyheads.grade.judge.prepare import imported, prepare
from manyheads.grade.plan import LessonPlan

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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b as c", ["a.b"]),
        ("from a import b", ["a", "a.b"]),
        ("from a import *", ["a"]),
        ("from . import b", []),
        ("if True:\n    import a", ["a"]),
        ("def half(", []),
    ],
)
def test_imports_are_found_wherever_they_stand(text: str, names: list[str]) -> None:
    assert imported(text) == names
