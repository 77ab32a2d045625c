"""Load what a lesson's tests and checks import, before any of them runs against a deadline.

A deadline that strikes in the middle of an import leaves half a module behind, and every later
test of the process would fail by it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from importlib import import_module

from manyheads.grade.plan import LessonPlan

_OF_CHECKS = ("run", "questions", "clinic", "diagnose")


_absent: set[str] = set()  # what can't be imported is not tried for every notebook


def prepare(plan: LessonPlan) -> None:
    """Import, once and without a deadline, the modules that a plan's trusted code names.

    What can't be imported is left to the test that asks for it.

    >>> prepare(LessonPlan.of({"cells": [], "metadata": {}}, "02_small"))
    """
    for name in plan.modules:
        if name not in sys.modules and name not in _absent:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _import(name)
    if plan.checks:
        for name in _of_checks(plan.lesson):
            _import(name)


def _import(name: str) -> None:
    try:
        import_module(name)
    except Exception:  # whatever a module's own code raises
        _absent.add(name)


def _of_checks(lesson: str) -> Iterator[str]:
    from manyheads.check.prepare import EXERCISES

    for name in (*_OF_CHECKS, *EXERCISES.get(lesson, ())):
        yield f"manyheads.check.{name}"
