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
from manyheads.teach.judge import Attempt, judge
from manyheads.teach.workers import Lost, run_all
from tests.bank import load
from tests.grade.judge.bank import graded
from tests.grade.mini import REPOSITORY

EVERY = 16  # the whole bank takes many minutes
# It counts its calls: in one process for all tests, as in a notebook, it fails sooner.
SOONER = {"counts-calls", "remembers-sizes"}

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


@pytest.fixture(scope="module")
def expected() -> Mapping[tuple[str, str], float]:
    """What each answer earns in one process, by exercise and id; nothing if it comes to no end."""
    entries = spread()
    jobs = [Attempt(exercises()[entry.exercise], entry.code) for entry in entries]
    found = run_all(judge, jobs, 60)
    return {
        (entry.exercise, entry.id): 0.0 if isinstance(verdict, Lost) else verdict.earned
        for entry, verdict in zip(entries, found, strict=True)
    }


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(cell_seconds=10)) as made:
        yield made


@pytest.mark.parametrize("exercise", sorted(exercises()))
def test_the_judge_gives_what_one_process_gives(
    exercise: str, sandbox: Sandbox, expected: Mapping[tuple[str, str], float]
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
            assert sum(got.points.values()) == expected[exercise, entry.id], (entry.id, got)
            assert entry.cause is None or got.cause is not None, (entry.id, got)
