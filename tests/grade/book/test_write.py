"""What is entered of a submission equals what nbgrader's own converters enter, row for row.

Nothing is executed here: the submissions come with their tests' outputs, and both sides score them.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_output
from sqlalchemy import Engine, select, update

from manyheads.errors import GradingError
from manyheads.grade.book.database import open_gradebook
from manyheads.grade.book.generate import generate
from manyheads.grade.book.late import LatePenalties
from manyheads.grade.book.register import LessonRows, register
from manyheads.grade.book.score import CellState, NotebookScores, missing_notebook, score_notebook
from manyheads.grade.book.tables import (
    ASSIGNMENT,
    BASE_CELL,
    COMMENT,
    GRADE,
    SUBMISSION,
    SUBMITTED_NOTEBOOK,
)
from manyheads.grade.book.write import Outcome, write_submission
from manyheads.grade.settings import read_settings
from tests.classroom import find, grade_id
from tests.grade.book.rows import rows
from tests.grade.book.stock import autograde
from tests.grade.foreign import ASSIGNMENT as PS1
from tests.grade.foreign import NOTEBOOKS, answered, make_foreign_course, release
from tests.grade.mini import save

LOG = logging.Logger("test", logging.CRITICAL)
SUBMITTED = datetime(2026, 1, 31, 18)
PLUGIN = """
from nbgrader.plugins import BasePlugin

class HalfAnHour(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return {"s01": score / 2, "s02": 100, "s03": -1}.get(student_id)

c.AssignLatePenalties.plugin_class = HalfAnHour
"""


def outputs(notebook: NotebookNode, **of: list[Any]) -> NotebookNode:
    """The notebook with these outputs under its cells, by grade_id."""
    for name, found in of.items():
        find(notebook, name).outputs = found
    return notebook


def result(value: str) -> NotebookNode:
    return new_output("execute_result", {"text/plain": value}, execution_count=1)


ERROR = new_output("error", ename="AssertionError", evalue="no", traceback=["no"])
STDERR = new_output("stream", name="stderr", text="warning")
STDOUT = new_output("stream", name="stdout", text="hello")
FIGURE = new_output("display_data", {"text/plain": "<Figure>"})


def first() -> dict[str, dict[str, NotebookNode]]:
    """A class's first submissions: all verdicts there are, a missing notebook, a blank one."""
    return {
        "s01": {
            "p1": outputs(answered("p1"), partial_center=[result("4.0")], correct_squares=[STDOUT]),
            "p2": outputs(answered("p2"), correct_rank=[FIGURE]),
        },
        "s02": {
            "p1": outputs(answered("p1"), partial_center=[result("1.5")], correct_squares=[ERROR]),
            "p2": outputs(answered("p2"), correct_rank=[STDERR]),
        },
        "s03": {name: release(name) for name in NOTEBOOKS},
        "s04": {"p1": answered("p1")},
    }


def second() -> dict[str, dict[str, NotebookNode]]:
    """The same class once more: worse, better, at last handed in, one taken away."""
    return {
        "s01": {
            "p1": outputs(answered("p1"), partial_center=[result("0.0")], correct_squares=[ERROR]),
            "p2": release("p2"),
        },
        "s02": {name: answered(name) for name in NOTEBOOKS},
        "s03": {"p2": answered("p2")},
        "s04": {name: answered(name) for name in NOTEBOOKS},
    }


class Both:
    """Two gradebooks of one course: nbgrader's own and ours."""

    def __init__(self, root: Path) -> None:
        self.course = make_foreign_course(root)
        with (root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
            file.write(PLUGIN)
        self.settings = read_settings(self.course)
        self.engines: dict[str, Engine] = {}
        sources = sorted((self.course.source / PS1).glob("*.ipynb"))
        made = generate(sources, PS1, root, self.settings.config)
        for name in ("gradebook.db", "ours.db"):
            engine = open_gradebook(f"sqlite:///{root / name}", self.settings.course_id)
            with engine.begin() as connection:
                self.lesson = register(connection, PS1, made, self.settings.course_id)
            self.engines[name] = engine

    def submit(self, submissions: dict[str, dict[str, NotebookNode]]) -> None:
        for student, notebooks in submissions.items():
            folder = self.course.submitted / student / PS1
            for path in folder.glob("*.ipynb"):
                path.unlink()
            for name, notebook in notebooks.items():
                save(notebook, folder / f"{name}.ipynb")

    def grade(self, submissions: dict[str, dict[str, NotebookNode]]) -> None:
        """Grade by nbgrader, without running anything, and by ours."""
        self.submit(submissions)
        kept = ["OverwriteKernelspec", "OverwriteCells", "CheckCellMetadata"]
        scored = ["SaveAutoGrades", "AssignLatePenalties", "CheckCellMetadata"]
        autograde(
            self.course,
            PS1,
            sanitize_preprocessors=[f"nbgrader.preprocessors.{name}" for name in kept],
            autograde_preprocessors=[f"nbgrader.preprocessors.{name}" for name in scored],
        )
        for student, notebooks in submissions.items():
            self.write(student, notebooks)

    def write(self, student: str, notebooks: dict[str, NotebookNode]) -> None:
        late = LatePenalties(self.settings.config, LOG)
        with self.engines["ours.db"].connect() as connection:
            due = connection.scalar(select(ASSIGNMENT.c.duedate))
        lesson = replace(self.lesson, due=due)
        outcome = Outcome(student, SUBMITTED, scores(lesson, notebooks))
        with self.engines["ours.db"].begin() as connection:
            write_submission(connection, lesson, outcome, late)

    def change(self, statement: Any) -> None:
        """Change both gradebooks, as a person would in formgrader."""
        for engine in self.engines.values():
            with engine.begin() as connection:
                connection.execute(statement)

    @property
    def rows(self) -> list[Any]:
        return [rows(self.course.root / name) for name in self.engines]


def scores(lesson: LessonRows, notebooks: dict[str, NotebookNode]) -> dict[str, NotebookScores]:
    return {
        one.name: score_notebook(one, states(notebooks[one.name]), LOG)
        if one.name in notebooks
        else missing_notebook(one)
        for one in lesson.notebooks
    }


def states(notebook: NotebookNode) -> dict[str, CellState]:
    return {
        grade_id(cell): CellState(cell.source, cell.get("outputs", []))
        for cell in notebook.cells
        if grade_id(cell)
    }


def of_cell(table: Any, name: str) -> Any:
    """Which rows of a table are about a cell of the first student's."""
    cells = select(BASE_CELL.c.id).where(BASE_CELL.c.name == name)
    submitted = (
        select(SUBMITTED_NOTEBOOK.c.id)
        .join(SUBMISSION, SUBMISSION.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
        .where(SUBMISSION.c.student_id == "s01")
    )
    return table.c.cell_id.in_(cells) & table.c.notebook_id.in_(submitted)


@pytest.fixture
def both(tmp_path: Path) -> Both:
    return Both(tmp_path)


def by_hand(both: Both) -> None:
    """What persons enter between two runs: scores, extra credit, comments, dates."""
    both.change(
        update(GRADE)
        .where(of_cell(GRADE, "why"))
        .values(manual_score=2.5, needs_manual_grade=False)
    )
    both.change(update(GRADE).where(of_cell(GRADE, "correct_squares")).values(extra_credit=0.5))
    both.change(
        update(GRADE)
        .where(of_cell(GRADE, "correct_rank"))
        .values(manual_score=1.0, needs_manual_grade=False)
    )
    both.change(update(COMMENT).where(of_cell(COMMENT, "squares")).values(manual_comment="Well."))
    both.change(update(ASSIGNMENT).values(duedate=SUBMITTED - timedelta(hours=1)))
    both.change(
        update(SUBMISSION)
        .where(SUBMISSION.c.student_id == "s02")
        .values(extension=timedelta(minutes=30))
    )


@pytest.mark.slow
def test_a_class_graded_once_twice_and_late(both: Both) -> None:
    both.grade(first())
    assert both.rows[0] == both.rows[1]
    by_hand(both)
    both.grade(first())
    assert both.rows[0] == both.rows[1]
    both.grade(second())
    assert both.rows[0] == both.rows[1]
    both.change(update(ASSIGNMENT).values(duedate=SUBMITTED + timedelta(1)))  # in time after all
    both.grade(second())
    assert both.rows[0] == both.rows[1]


def grades(both: Both, student: str) -> dict[str, Any]:
    query = (
        select(BASE_CELL.c.name, GRADE)
        .join(GRADE, GRADE.c.cell_id == BASE_CELL.c.id)
        .join(SUBMITTED_NOTEBOOK, SUBMITTED_NOTEBOOK.c.id == GRADE.c.notebook_id)
        .join(SUBMISSION, SUBMISSION.c.id == SUBMITTED_NOTEBOOK.c.assignment_id)
        .where(SUBMISSION.c.student_id == student)
    )
    with both.engines["ours.db"].connect() as connection:
        return {row.name: row for row in connection.execute(query)}


def test_what_a_person_gave_is_kept(both: Both) -> None:
    both.write("s01", first()["s01"])
    by_hand(both)
    both.write("s01", second()["s01"])
    found = grades(both, "s01")
    assert (found["why"].manual_score, found["why"].auto_score) == (2.5, 0)
    assert (found["correct_squares"].extra_credit, found["correct_squares"].auto_score) == (0.5, 0)
    assert found["correct_rank"].needs_manual_grade  # the automatic score may have changed


def test_scores_that_are_not_named_stay(both: Both) -> None:
    both.write("s01", first()["s01"])
    only = NotebookScores({"correct_squares": 0.0})
    outcome = Outcome("s01", SUBMITTED, {"p1": only, "p2": NotebookScores()})
    late = LatePenalties(both.settings.config, LOG)
    before = grades(both, "s01")
    with both.engines["ours.db"].begin() as connection:
        write_submission(connection, both.lesson, outcome, late)
    after = grades(both, "s01")
    assert after["correct_squares"].auto_score == 0
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"correct_squares"}


def test_a_failure_half_way_leaves_nothing(both: Both) -> None:
    before = both.rows[1]
    incomplete = Outcome("s01", SUBMITTED, {"p1": NotebookScores({"correct_squares": 1.0})})
    with (
        pytest.raises(KeyError, match="p2"),
        both.engines["ours.db"].begin() as connection,
    ):
        write_submission(
            connection, both.lesson, incomplete, LatePenalties(both.settings.config, LOG)
        )
    assert both.rows[1] == before


def test_a_notebook_without_one_of_its_cells_is_not_scored(both: Both) -> None:
    rows_of = both.lesson.notebooks[0]
    found = states(answered("p1"))
    del found["partial_center"]
    with pytest.raises(GradingError, match="p1 came back without its cells partial_center"):
        score_notebook(rows_of, found, LOG)


def test_a_plugin_that_fails_is_that_submissions_failure(both: Both) -> None:
    late = LatePenalties(both.settings.config, LOG)

    def broken(*_: object) -> float:
        raise ZeroDivisionError("no rate")

    late._step.plugin_inst.late_submission_penalty = broken
    with pytest.raises(GradingError, match=r"plugin .* failed: ZeroDivisionError: no rate"):
        late.penalty("s01", 1, SUBMITTED, None, SUBMITTED + timedelta(1))


@pytest.mark.parametrize(
    ("line", "enabled"),
    [
        ("", True),
        ("c.AssignLatePenalties.enabled = False", False),
        ('c.Autograde.autograde_preprocessors = ["nbgrader.preprocessors.SaveAutoGrades"]', False),
    ],
)
def test_penalties_are_given_where_nbgraders_step_is_on(
    tmp_path: Path, line: str, enabled: bool
) -> None:
    course = make_foreign_course(tmp_path)
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert LatePenalties(read_settings(course).config, LOG).enabled is enabled
