"""What the first wrong answer would wait for is computed while the learner reads."""

from __future__ import annotations

from importlib import import_module

import pytest

from manyheads.check import diagnose, prepare
from manyheads.check.questions import load


@pytest.fixture(autouse=True)
def nothing_prepared(monkeypatch):
    prepare.prepare.cache_clear()
    diagnose._on_first_case.cache_clear()
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)


@pytest.mark.parametrize("lesson", prepare.EXERCISES)
def test_every_function_of_a_lesson_is_prepared(lesson):
    names = {
        import_module(f"manyheads.check.{module}").EXERCISE.name
        for module in prepare.EXERCISES[lesson]
    }
    asked = {
        name
        for name, question in load(lesson).questions.items()
        if question.kind == "function" and not name.startswith("clinic_")
    }
    assert names == asked


def test_the_mistakes_are_computed_in_advance():
    prepare.prepare("02_head_split")
    assert diagnose._on_first_case.cache_info().currsize == len(prepare.EXERCISES["02_head_split"])


def test_grading_does_not_wait_for_it(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    prepare.prepare("02_head_split")
    assert diagnose._on_first_case.cache_info().currsize == 0
