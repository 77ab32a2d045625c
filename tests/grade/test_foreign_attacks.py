"""Attacks on a course that knows nothing of this package: they earn no more there either."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from manyheads.course import Course
from manyheads.grade import ClassReport, grade_class
from tests.grade.foreign import ASSIGNMENT, answered, make_foreign_course
from tests.grade.mini import save
from tests.hostile import load
from tests.hostile.classes import refuse_without_sandbox
from tests.hostile.room import scores

pytestmark = pytest.mark.slow

# What needs no torch: it is put above the first answer.
USED = (
    *("comparisons-numpy-testing", "comparisons-numpy-from-inside", "comparisons-builtins"),
    *("notebook-asserts-dropped", "notebook-lines-to-pass", "notebook-run-cell"),
    *("notebook-result-without-error", "writing-every-descriptor", "wire-every-peers-class"),
)
WRONG = {
    "squares": "def squares(n):\n    return np.arange(n)",
    "center": "def center(x):\n    return x + 1",
    "total": "total = 0",
}
# It deletes a student's name, so it runs in the student's process, where a verdict can be forged.
OPTED_OUT = "deletes_a_name"


def notebook(start: str) -> NotebookNode:
    made = answered("p1", **WRONG)
    made.cells.insert(1, nbformat.v4.new_code_cell(start))
    return made


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, ClassReport]:
    """The foreign course with one more student for each attack, and one without any."""
    refuse_without_sandbox()
    course = make_foreign_course(Path(tmp_path_factory.mktemp("foreign")))
    starts = {"wrong": "# nothing"} | {a.student: a.start for a in load() if a.student in USED}
    assert len(starts) == 1 + len(USED)
    for student, start in starts.items():
        folder = course.submitted / student / ASSIGNMENT
        save(notebook(start), folder / "p1.ipynb")
        save(answered("p2", rank="rank = 3"), folder / "p2.ipynb")
    return course, grade_class(course, course.lessons(), lambda *_: None, feedback=False)


def judged(graded: tuple[Course, ClassReport], student: str) -> dict[str, float]:
    earned = scores(graded[0], ASSIGNMENT)[student]
    return {cell: points for cell, points in earned.items() if cell != OPTED_OUT}


def test_the_wrong_answers_earn_what_they_deserve(graded: tuple[Course, ClassReport]) -> None:
    assert {cell for cell, points in judged(graded, "wrong").items() if points} == {
        "partial_center"  # shifted numbers have the right spread
    }


@pytest.mark.parametrize("student", USED)
def test_an_attack_earns_no_more(graded: tuple[Course, ClassReport], student: str) -> None:
    plain = judged(graded, "wrong")
    gains = {cell for cell, points in judged(graded, student).items() if points > plain[cell]}
    assert gains == set()


@pytest.mark.parametrize(("student", "points"), [("s01", 7), ("s02", 4), ("s03", 0)])
def test_bystanders_keep_their_points(
    graded: tuple[Course, ClassReport], student: str, points: float
) -> None:
    assert sum(judged(graded, student).values()) == points


def test_a_verdict_that_can_be_forged_is_flagged(graded: tuple[Course, ClassReport]) -> None:
    flags = graded[1].flags["wrong", ASSIGNMENT]
    assert any(OPTED_OUT in flag for flag in flags)
