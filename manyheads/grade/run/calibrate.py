"""Try a lesson's tests on its own answers before any student's, and find what no judge can run."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from manyheads.grade.cells import node
from manyheads.grade.plan import LessonPlan, PlannedTest
from manyheads.grade.run import run_notebook
from manyheads.grade.run.causes import full_marks
from manyheads.grade.run.exams import ENDED
from manyheads.grade.sandbox import Sandbox
from manyheads.grade.verdict import NOT_RUN
from manyheads.student.notebook import grade_id, source

REASON = "fails from a distance on the lesson's own answer"


def calibrated(
    plan: LessonPlan,
    notebook: Mapping[str, Any],
    sandbox: Sandbox,
    files: Mapping[str, bytes] | None = None,
) -> tuple[LessonPlan, list[str]]:
    """The plan with those tests opted out that the lesson's own answers pass only with the student.

    `notebook` is the instructor's source. Also told, in words, is which tests its own answers don't
    pass anywhere. A test that ended its process or ran out of time is left as it is.
    """
    lost = _lost(plan, notebook, sandbox, files)
    if not lost:
        return plan, []
    tried = plan.with_student(dict.fromkeys(lost, REASON))
    still = set(_lost(tried, notebook, sandbox, files)) & set(lost)
    words = [f"the lesson's own answer does not pass {name}" for name in sorted(still)]
    return plan.with_student(dict.fromkeys(set(lost) - still, REASON)), words


def _lost(
    plan: LessonPlan,
    notebook: Mapping[str, Any],
    sandbox: Sandbox,
    files: Mapping[str, bytes] | None,
) -> list[str]:
    """The tests in which the lesson's own answers lose points by what they compute."""
    cells = [{**cell, "source": source(cell)} for cell in deepcopy(notebook["cells"])]
    own = node(**{**notebook, "cells": cells})
    run_notebook(own, plan, sandbox, files=files, diagnose=False)
    tests = [(cell, plan.tests.get(grade_id(cell))) for cell in own["cells"]]
    return [test.name for cell, test in tests if test is not None and _loses(cell, test)]


def _loses(cell: Any, test: PlannedTest) -> bool:
    outputs = list(cell["outputs"])
    ends = {output.get("ename") for output in outputs} & {ENDED, NOT_RUN}
    return not ends and not full_marks(outputs, test.points)
