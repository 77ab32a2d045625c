"""A sixteenth of the bank's answers: each test gives through the wire what it gives without one."""

from __future__ import annotations

import builtins
import time
from contextlib import suppress
from typing import Any

import pytest

from manyheads.course import Course
from manyheads.grade.judge.execute import execute
from manyheads.grade.judge.namespace import Namespace
from manyheads.grade.wire import Peer, WireError
from manyheads.teach.exams import Exam, exams
from manyheads.teach.hidden_tests import earned
from tests.bank import load
from tests.grade.mini import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

ENTRIES = load()[::16]
EXAMS = exams(Course(REPOSITORY))


def earned_through(student: Peer, exam: Exam, code: str) -> dict[str, float]:
    """The points of an answer, a fresh one for each test as in `earned`."""
    return {test.name: _score(student, code, test.code, test.points) for test in exam.tests}


def _score(student: Peer, code: str, test: str, points: float) -> float:
    with suppress(Exception):
        student.ask("run", {"source": code})

    def find(name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return student.value(name)

    try:
        with student.until(time.monotonic() + 30):
            value = execute("test", test, Namespace(find))
    except WireError:
        raise
    except BaseException:
        return 0.0
    return points if value is None else float(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("exercise", sorted({entry.exercise for entry in ENTRIES}))
def test_an_answer_earns_the_same_through_the_wire(apart: Peer, exercise: str) -> None:
    exam = EXAMS[exercise]
    answers = [entry for entry in ENTRIES if entry.exercise == exercise]
    got = {entry.id: earned_through(apart, exam, entry.code) for entry in answers}
    assert got == {entry.id: earned(exam, entry.code) for entry in answers}
