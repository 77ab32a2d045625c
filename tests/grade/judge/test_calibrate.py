"""A lesson's own answers tell which of its tests no judge can run from a distance."""

from __future__ import annotations

from manyheads.grade.plan import LessonPlan
from manyheads.grade.run.calibrate import calibrated
from tests.grade.fake import FakeSandbox
from tests.grade.mini import answer, code, graded
from tests.grade.test_run import notebook

F = answer("f", "def f(x):\n    return 2 * x")


def made(*cells: object) -> tuple[LessonPlan, list[str]]:
    source = notebook(*cells)  # type: ignore[arg-type]
    return calibrated(LessonPlan.of(source, "02"), source, FakeSandbox())  # type: ignore[arg-type]


def test_a_lesson_whose_answers_pass_stays_as_it_is() -> None:
    plan, words = made(F, graded("test_f", 1, "assert f(2) == 4"))
    assert plan.tests["test_f"].with_student == ""
    assert words == []


def test_a_test_that_passes_with_the_student_alone_is_opted_out() -> None:
    cells = [code("seen = [1]"), answer("f", "def f():\n    return seen")]
    plan, words = made(*cells, graded("test_f", 1, "seen.append(2)\nassert f() == [1, 2]"))
    assert plan.tests["test_f"].with_student == "fails from a distance on the lesson's own answer"
    assert words == []


def test_a_test_that_passes_nowhere_is_told_and_stays_with_the_judge() -> None:
    plan, words = made(F, graded("test_f", 1, "assert f(2) == 5"))
    assert plan.tests["test_f"].with_student == ""
    assert words == ["the lesson's own answer does not pass test_f"]


def test_an_end_of_the_process_sends_no_test_to_the_student() -> None:
    leaves = answer("f", "def f(x):\n    return leave()")
    plan, words = made(leaves, graded("test_f", 1, "f(2)"))
    assert (plan.tests["test_f"].with_student, words) == ("", [])
