"""Load what a lesson's tests and checks import, before any of them runs against a deadline.

A deadline that strikes in the middle of an import leaves half a module behind, and every later
test of the process would fail by it.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

from manyheads.grade.plan import LessonPlan

_OF_CHECKS = ("run", "questions", "clinic", "diagnose")


def prepare(plan: LessonPlan) -> None:
    """Import, once and without a deadline, the modules that a plan's trusted code names.

    What can't be imported is left to the test that asks for it.

    >>> prepare(LessonPlan.of({"cells": [], "metadata": {}}, "02_small"))
    """
    texts = [test.source for test in plan.tests.values()]
    texts += [given.source for given in plan.given.values()]
    names = {name for text in texts for name in imported(text)}
    for name in sorted(names | set(_of_checks(plan))):
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_module(name)


def imported(text: str) -> list[str]:
    r"""The modules that a cell's code imports, wherever in it; none of a cell that is no Python.

    >>> imported("def test():\n    import numpy.testing as t, math\n    from torch import nn")
    ['numpy.testing', 'math', 'torch', 'torch.nn']
    """
    with suppress(SyntaxError):
        return [name for step in ast.walk(ast.parse(text)) for name in _modules(step)]
    return []


def _modules(step: ast.AST) -> Iterator[str]:
    if isinstance(step, ast.Import):
        yield from (alias.name for alias in step.names)
    elif isinstance(step, ast.ImportFrom) and step.module and not step.level:
        yield step.module
        # What is imported from a package may be a module of it.
        yield from (f"{step.module}.{alias.name}" for alias in step.names if alias.name != "*")


def _of_checks(plan: LessonPlan) -> Iterator[str]:
    if plan.checks:
        from manyheads.check.prepare import EXERCISES

        for name in (*_OF_CHECKS, *EXERCISES.get(plan.lesson, ())):
            yield f"manyheads.check.{name}"
