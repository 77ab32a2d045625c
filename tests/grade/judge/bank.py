"""A bank's answer as a submission: the exercise's cells of its lesson, with the answer in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbgrader.utils import determine_grade

from manyheads.grade.cells import node
from manyheads.grade.plan import LessonPlan
from manyheads.grade.run import run_notebook
from manyheads.grade.sandbox import Sandbox
from manyheads.grade.verdict import is_test, settle
from manyheads.student.notebook import Cell, Notebook, code_cells, grade_id, grading, source
from manyheads.teach.bank import Entry
from manyheads.teach.exams import Exam


@dataclass(frozen=True)
class Graded:
    """What an answer earned in each test, and the id of the cause that it was told."""

    points: Mapping[str, float]
    cause: str | None
    notes: tuple[str, ...]


def graded(
    entry: Entry, exam: Exam, notebook: Notebook, plan: LessonPlan, sandbox: Sandbox
) -> Graded:
    """Put an answer through the sandbox and the judge."""
    made = node(cells=[node(**cell) for cell in _cells(entry, exam, notebook)])
    report = run_notebook(made, plan, sandbox)
    points = {}
    for cell in filter(is_test, made.cells):
        settle(cell)
        points[grade_id(cell)] = float(determine_grade(cell)[0])
    return Graded(points, report.cause_ids.get(entry.exercise), tuple(report.notes))


def _cells(entry: Entry, exam: Exam, notebook: Notebook) -> list[dict[str, Any]]:
    """The first code cell, given code, the exercise's own cell and its tests."""
    tests = {test.name for test in exam.tests}
    kept: list[dict[str, Any]] = []
    for cell in code_cells(notebook):
        name = grade_id(cell)
        if not kept or name in tests or _is_given(cell):
            kept.append({**cell, "source": source(cell)})
        elif name == entry.exercise:
            kept.append({**cell, "source": entry.code})
    return kept


def _is_given(cell: Cell) -> bool:
    return bool(grading(cell).get("locked")) and not grading(cell).get("grade")
