"""Answers of the bank through the sandbox and the judge: the same points as in one process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from manyheads.course import Course
from manyheads.grade.plan import LessonPlan
from manyheads.grade.sandbox import Limits, Sandbox, missing
from manyheads.teach.bank import Entry
from manyheads.teach.exams import Exam, exams, source_notebooks
from manyheads.teach.hidden_tests import earned
from manyheads.teach.judge import Attempt, _apart
from manyheads.teach.workers import Lost, run_all
from tests.bank import load
from tests.grade.judge.bank import graded
from tests.grade.mini import REPOSITORY

EVERY = 16  # the whole bank takes many minutes
# It counts its calls: in one process for all tests, as in a notebook, it fails sooner.
SOONER = {"counts-calls"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(missing() is not None, reason="no sandbox on this machine"),
]


def spread() -> list[Entry]:
    """Some right and some wrong answers of every exercise."""
    entries: list[Entry] = []
    for exercise in exercises():
        known = load(exercise)
        entries += [entry for entry in known if entry.right][::EVERY]
        entries += [entry for entry in known if not entry.right][::EVERY]
    return entries


@cache
def exercises() -> dict[str, Exam]:
    known = {entry.exercise for entry in load()}
    return {name: exam for name, exam in exams(Course(REPOSITORY)).items() if name in known}


def in_one_process(attempt: Attempt) -> dict[str, float]:
    with _apart():
        return earned(attempt.exam, attempt.code)


@pytest.fixture(scope="module")
def expected() -> Mapping[tuple[str, str], dict[str, float]]:
    """What each answer earns in one process, by exercise and id; nothing if it comes to no end."""
    entries = spread()
    jobs = [Attempt(exercises()[entry.exercise], entry.code) for entry in entries]
    found = run_all(in_one_process, jobs, 60)
    tests = [{test.name: 0.0 for test in job.exam.tests} for job in jobs]
    return {
        (entry.exercise, entry.id): nothing if isinstance(points, Lost) else points
        for entry, points, nothing in zip(entries, found, tests, strict=True)
    }


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(cell_seconds=10)) as made:
        yield made


@pytest.mark.parametrize("exercise", sorted(exercises()))
def test_the_judge_gives_what_one_process_gives(
    exercise: str, sandbox: Sandbox, expected: Mapping[tuple[str, str], dict[str, float]]
) -> None:
    exam = exercises()[exercise]
    notebook = source_notebooks(Course(REPOSITORY))[exam.lesson]
    plan = LessonPlan.of(notebook, exam.lesson)
    entries = [entry for entry in spread() if entry.exercise == exercise]
    assert {entry.right for entry in entries} == {True, False}
    for entry in entries:
        got = graded(entry, exam, notebook, plan, sandbox)
        if entry.right:
            assert sum(got.points.values()) == exam.points, (entry.id, got)
        elif entry.id in SOONER:
            assert sum(got.points.values()) < exam.points
        else:
            assert got.points == expected[exercise, entry.id], (entry.id, got)
            assert entry.cause is None or got.cause is not None, (entry.id, got)
