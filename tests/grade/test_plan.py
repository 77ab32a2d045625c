"""A lesson's plan says of each test whose names it reads, and where it has to run."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from manyheads.course import Course, notebook_path
from manyheads.errors import UnreadableNotebookError
from manyheads.grade.plan import LessonPlan
from tests.grade.mini import REPOSITORY, answer, code, graded, text

LESSONS = sorted(path.stem for path in (REPOSITORY / "notebooks").glob("[0-9][0-9]_*.py"))


def plan_of(*cells: Any) -> LessonPlan:
    return LessonPlan.of({"cells": list(cells), "metadata": {}}, "02_mini")


def given(source: str, name: str = "given_helper") -> Any:
    return code(source, name, locked=True)


def kinds(plan: LessonPlan, test: str = "test_f") -> Mapping[str, str]:
    return {name: owner.kind for name, owner in plan.tests[test].owners.items()}


F = answer("f", "def f(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION")


def test_an_import_of_any_cell_is_the_judges() -> None:
    plan = plan_of(code("import numpy as np"), F, graded("test_f", 1, "assert f(np.pi)"))
    assert kinds(plan) == {"f": "student", "np": "import"}
    assert plan.tests["test_f"].owners["np"].text == "import numpy as np"
    assert plan.tests["test_f"].names == ("f",)


def test_a_solutions_import_is_the_judges_too() -> None:
    plan = plan_of(answer("f", "import math\nf = math.sqrt"), graded("test_f", 1, "math.pi, f(1)"))
    assert kinds(plan)["math"] == "import"


def test_the_last_cell_above_the_test_decides() -> None:
    cells = [code("import math as q"), answer("q", "q = 3"), graded("test_f", 1, "assert q == 3")]
    assert kinds(plan_of(*cells)) == {"q": "student"}
    assert kinds(plan_of(cells[1], cells[0], cells[2])) == {"q": "import"}


def test_what_a_cell_below_binds_does_not_count() -> None:
    plan = plan_of(graded("test_f", 1, "assert np"), code("import numpy as np"))
    assert kinds(plan) == {"np": "student"}


def test_a_builtin_is_a_builtin_unless_a_cell_of_the_lesson_binds_it() -> None:
    test = graded("test_f", 1, "assert len([1]) == sum([1])")
    assert kinds(plan_of(test)) == {"len": "builtin", "sum": "builtin"}
    bound = plan_of(answer("sum", "def sum(numbers):\n    return 1"), test)
    assert kinds(bound) == {"len": "builtin", "sum": "student"}


def test_what_an_earlier_test_defines_is_the_judges() -> None:
    helper = graded("test_helper", 1, "def close(a, b):\n    return abs(a - b) < eps")
    plan = plan_of(code("eps = 1"), F, helper, graded("test_f", 1, "assert close(f(1), 2)"))
    assert kinds(plan)["close"] == "test"
    assert plan.tests["test_f"].needs == ("test_helper",)
    assert plan.tests["test_f"].names == ("eps", "f")  # what the helper reads may be asked for, too


GIVEN = {
    "a function": ("def helper(x):\n    return x", "given"),
    "one that reads an import": ("def helper(x):\n    return np.abs(x)", "given"),
    "one that reads given code": ("def helper(x):\n    return base + x", "given"),
    "data": ("helper = [1, 2]", "given"),
    "one that reads a student's name": ("def helper(x):\n    return f(x)", "student"),
    "a class": ("class helper:\n    pass", "student"),
    "one drawn without a seed": ("helper = np.random.rand(3)", "student"),
    "one drawn with a seed": ("np.random.seed(3)\nhelper = np.random.rand(3)", "given"),
    "one read from a file": ("helper = open('data.txt').read()", "student"),
    "one with magics": ("%matplotlib inline\nhelper = 3", "student"),
}


@pytest.mark.parametrize(("source", "kind"), GIVEN.values(), ids=GIVEN.keys())
def test_given_code_is_the_judges_where_it_can_run_it_alike(source: str, kind: str) -> None:
    cells = [code("import numpy as np"), given("base = 1", "given_base"), F, given(source)]
    plan = plan_of(*cells, graded("test_f", 1, "assert f(helper)"))
    assert kinds(plan)["helper"] == kind
    assert ([one.source for one in plan.given.values()][-1:] == [source]) == (kind == "given")


def test_a_plain_cells_names_are_the_students() -> None:
    assert kinds(plan_of(code("t = 3"), graded("test_f", 1, "assert t")))["t"] == "student"


def test_a_star_import_is_asked_before_the_student() -> None:
    plan = plan_of(code("from math import *"), F, graded("test_f", 1, "assert f(pi)"))
    assert (kinds(plan)["pi"], kinds(plan)["f"]) == ("star", "student")
    assert plan.tests["test_f"].owners["pi"].final.kind == "student"


def test_the_tests_own_names_are_its_own() -> None:
    plan = plan_of(F, graded("test_f", 1, "x = 3\ndef check(y):\n    return f(y)\ncheck(x)"))
    assert kinds(plan) == {"f": "student"}


def test_names_that_class_bodies_read_are_known() -> None:
    body = "class Case:\n    call = staticmethod(f)\nassert Case.call(1)"
    assert "f" in plan_of(F, graded("test_f", 1, body)).tests["test_f"].early


@pytest.mark.parametrize(
    ("source", "seeds"),
    [
        ("torch.manual_seed(0)", True),
        ("np.random.seed(0)", True),
        ("import random\nrandom.seed(1)", True),
        ("torch.Generator().manual_seed(0)", False),
        ("rng = np.random.default_rng(0)", False),
        ("assert f(1)", False),
    ],
)
def test_only_global_seeds_share_generators(source: str, seeds: bool) -> None:
    plan = plan_of(code("import torch, numpy as np"), F, graded("test_f", 1, source))
    assert plan.tests["test_f"].seeds is seeds


OPT_OUTS = [
    ("del f", "deletes f"),
    ("%timeit f(1)", "uses magics or shell lines"),
    ("!ls", "uses magics or shell lines"),
    ("assert f(1) ==", "is no plain Python"),
]


@pytest.mark.parametrize(("source", "reason"), OPT_OUTS)
def test_a_test_that_no_judge_can_run_goes_to_the_student(source: str, reason: str) -> None:
    assert plan_of(F, graded("test_f", 1, source)).tests["test_f"].with_student == reason


def test_the_tag_sends_a_test_to_the_student() -> None:
    test = graded("test_f", 1, "assert f(1) == 2")
    test.metadata["tags"] = ["runs-with-student"]
    assert plan_of(F, test).tests["test_f"].with_student == "has the tag runs-with-student"


SQUARES = [
    answer("squares", "def squares(n):\n    return [i**2 for i in range(n)]"),
    answer("total", "def total(n):\n    return sum(squares(n))"),
]


def test_replacing_what_another_answer_calls_needs_the_students_process() -> None:
    test = graded("test_total", 1, "squares = None\ntotal(3)")
    assert plan_of(*SQUARES, test).tests["test_total"].with_student == "replaces squares"


def test_a_name_of_a_demonstration_may_be_used_again() -> None:
    test = graded("test_total", 1, "x = 3\nassert total(x) == 5")
    assert plan_of(*SQUARES, code("x = 1"), test).tests["test_total"].with_student == ""


def test_what_builds_upon_an_opted_out_test_goes_with_it() -> None:
    first = graded("test_a", 1, "del f\nhelper = 1")
    plan = plan_of(F, first, graded("test_f", 1, "assert helper"))
    assert plan.tests["test_f"].with_student == "uses what test_a defines, which runs there"


def test_reasons_found_later_are_added() -> None:
    plan = plan_of(F, graded("test_f", 1, "assert f(1)"))
    assert plan.with_student({"test_f": "compares objects"}).tests["test_f"].with_student


def test_a_visible_part_is_kept_for_a_later_cell_that_needs_it() -> None:
    body = "scale = 2\n### BEGIN HIDDEN TESTS\nsecret = 1\n### END HIDDEN TESTS\nassert f(1)"
    plan = plan_of(F, graded("test_f", 1, body), code("print(scale)"))
    assert plan.tests["test_f"].visible == "scale = 2\nassert f(1)"
    assert plan_of(F, graded("test_f", 1, body)).tests["test_f"].visible == ""


def test_an_import_that_a_lesson_makes_elsewhere_needs_no_visible_part() -> None:
    test = graded("test_f", 1, "import math\nassert f(1)")
    later = code("print(math.pi)")
    assert plan_of(code("import math"), F, test, later).tests["test_f"].visible == ""
    assert plan_of(F, test, later).tests["test_f"].visible


def test_checks_stubs_and_unchanged_cells_are_known() -> None:
    cells = [
        code("x = 1"),
        F,
        code("check.f(f)"),
        answer("quiz_1", 'quiz_1 = "b"\ncheck.answer("02_mini", "quiz_1", quiz_1)'),
        graded("test_f", 1, "assert f(1)"),
    ]
    plan = plan_of(*cells)
    assert plan.unchanged == {"x = 1", "check.f(f)"}
    assert plan.stubs == {"f": "def f(x):\n    ...", "quiz_1": "..."}
    assert (plan.checks["f"].variable, plan.checks["quiz_1"].question) == ("f", "quiz_1")


def test_cells_hold_tests_in_full_and_answers_as_released() -> None:
    hidden = "### BEGIN HIDDEN TESTS\nassert f(2) == 4\n### END HIDDEN TESTS"
    plan = plan_of(text("# Title"), F, graded("test_f", 2, hidden))
    assert [(cell.grade_id, cell.source, cell.points) for cell in plan.cells] == [
        ("f", "def f(x):\n    ...", None),
        ("test_f", hidden, 2),
    ]


def test_a_foreign_courses_test_belongs_to_the_answer_above_it() -> None:
    plan = plan_of(*SQUARES, graded("correct_total", 1, "assert total(2) == 1"))
    assert plan.tests["correct_total"].answer == "total"
    assert plan.tests["correct_total"].exercise == "correct_total"


def test_only_what_is_wanted_is_named_by_test_or_exercise() -> None:
    plan = plan_of(F, graded("test_f_a", 1, "f(1)"), graded("test_f_b", 1, "f(2)"))
    assert plan.wanted(None) == {"test_f_a", "test_f_b"}
    assert plan.wanted(["test_f_b"]) == {"test_f_b"}
    assert plan.wanted(["f"]) == {"test_f_a", "test_f_b"}


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_lessons_tests_need_their_own_answer_alone(lesson: str) -> None:
    plan = LessonPlan.of(notebook_path(Course(REPOSITORY).source, lesson))
    assert plan.tests
    for test in plan.tests.values():
        assert len(test.names) == 1
        assert (test.with_student, test.visible, test.needs) == ("", "", ())
    assert pickle.loads(pickle.dumps(plan)) == plan  # noqa: S301 - our own bytes


def test_a_file_that_is_no_notebook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "02_mini.ipynb").write_text("[]", encoding="utf-8")
    with pytest.raises(UnreadableNotebookError, match="not a notebook"):
        LessonPlan.of(tmp_path / "02_mini.ipynb")


def test_a_name_that_an_opted_out_test_puts_back_is_the_students_again() -> None:
    tricky = "tmp = squares\ndel squares\ntry:\n    total(3)\nfinally:\n    squares = tmp"
    tests = [graded("test_total", 1, tricky), graded("test_squares", 1, "assert squares(2)")]
    plan = plan_of(*SQUARES, *tests)
    assert plan.tests["test_total"].with_student == "deletes squares"
    assert kinds(plan, "test_squares")["squares"] == "student"
    assert plan.tests["test_squares"].with_student == ""
