"""No query reads a whole class's rows for one submission: each finds its own by an index."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from manyheads.grade.book.database import open_gradebook
from manyheads.grade.book.generate import generate
from manyheads.grade.book.late import LatePenalties
from manyheads.grade.book.read import read_grades
from manyheads.grade.book.record import Fingerprint, Record, read_record, write_record
from manyheads.grade.book.register import LessonRows, register
from manyheads.grade.book.score import NotebookScores
from manyheads.grade.book.write import Outcome, write_submission
from manyheads.grade.settings import read_settings
from tests.grade.foreign import ASSIGNMENT, make_foreign_course

GROWING = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student")
LOG = logging.Logger("test", logging.CRITICAL)
Class = tuple[Connection, LessonRows, LatePenalties]


@pytest.fixture
def a_class(tmp_path: Path) -> Any:
    """An open gradebook with one submission in it."""
    course = make_foreign_course(tmp_path)
    settings = read_settings(course)
    sources = sorted((course.source / ASSIGNMENT).glob("*.ipynb"))
    engine = open_gradebook(settings.db_url)
    with engine.connect() as connection:
        made = generate(sources, ASSIGNMENT, tmp_path, settings.config)
        lesson = register(connection, ASSIGNMENT, made, "")
        found = connection, lesson, LatePenalties(settings.config, LOG)
        grade(found)
        yield found
    engine.dispose()


def grade(a_class: Class) -> None:
    connection, lesson, late = a_class
    scores = NotebookScores({"correct_squares": 1.0}, {"squares": "No response."})
    outcome = Outcome("s01", datetime(2026, 1, 31), {"p1": scores, "p2": scores})
    write_submission(connection, lesson, outcome, late)
    write_record(
        connection, lesson.name, "s01", Record(Fingerprint("s", "m", "e", {}), sandboxed=True)
    )


def ask(a_class: Class) -> None:
    assert read_record(a_class[0], a_class[1], "s01") is not None


def tabulate(a_class: Class) -> None:
    assert list(read_grades(a_class[0], a_class[1], ["s01"]))


@pytest.mark.parametrize("work", [grade, ask, tabulate])
def test_what_grows_with_the_class_is_never_read_through(
    a_class: Class, work: Callable[[Class], None]
) -> None:
    connection, statements = a_class[0], []

    def note(_: Any, __: Any, statement: str, values: Any, *___: Any) -> None:
        statements.append((statement, values))

    event.listen(connection, "before_cursor_execute", note)
    work(a_class)
    event.remove(connection, "before_cursor_execute", note)
    assert len(statements) > 1
    for statement, values in statements:
        first = values[0] if isinstance(values, list) else values
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", first).all()
        scanned = {row.detail.split()[1] for row in plan if row.detail.startswith("SCAN ")}
        assert not scanned & set(GROWING), statement
