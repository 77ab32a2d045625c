"""A test runs in the judge's process; names that it doesn't define come from their owners."""

from __future__ import annotations

import os
import random
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import torch

from manyheads.grade.judge import Judge, Judged
from manyheads.grade.judge.deadline import OutOfTime, deadline
from manyheads.grade.judge.execute import compiled
from manyheads.grade.judge.state import generators_kept
from manyheads.grade.plan import LessonPlan
from manyheads.grade.wire.errors import Closed, NotJudgeable
from manyheads.grade.wire.raised import MARK
from tests.grade.mini import answer, code, graded, save

F = answer("f", "def f(x):\n    return 2 * x")


def fetch(names: Mapping[str, Any]) -> Callable[[str], Any]:
    def value(name: str) -> Any:
        if name not in names:
            raise NameError(f"name {name!r} is not defined")
        return names[name]

    return value


def judge(source: str, *above: Any, seconds: float = 60, **students: Any) -> Judged:
    """The verdict on one test below some cells, with the student's names given."""
    plan = LessonPlan.of({"cells": [*above, graded("test_f", 3, source)], "metadata": {}}, "02")
    return Judge(plan).run(plan.tests["test_f"], fetch(students), seconds)


def shown(judged: Judged) -> list[str]:
    return [o["data"]["text/plain"] for o in judged.outputs if o["output_type"] != "error"]


def test_a_right_answer_passes() -> None:
    assert judge("assert f(3) == 6", F, f=lambda x: 2 * x) == Judged()


def test_a_wrong_answer_fails_with_the_tests_words() -> None:
    judged = judge("x = 3\nassert f(x) == 6, f'got {f(x)}'", F, f=lambda x: x)
    (error,) = judged.outputs
    assert (judged.passed, judged.error, judged.words) == (False, "AssertionError", "got 3")
    assert error["traceback"] == [
        "Traceback (most recent call last)",
        "  test_f, line 2, in <module>",
        "    assert f(x) == 6, f'got {f(x)}'",
        "AssertionError: got 3",
    ]


def test_a_traceback_shows_frames_of_trusted_cells_alone() -> None:
    def f(x: int) -> int:
        raise RuntimeError("inside")

    body = "def test_f():\n    f(1)\n\ntest_f()"
    (error,) = judge(body, F, f=f).outputs
    assert [line for line in error["traceback"] if "line" in line] == [
        "  test_f, line 4, in <module>",
        "  test_f, line 2, in test_f",
    ]


NAMES = ("x", "t", "q", "np", "len", "torch")


@pytest.mark.parametrize("name", NAMES)
def test_a_learners_variable_of_a_name_the_test_uses_moves_no_verdict(name: str) -> None:
    body = (
        "import torch\n\n\ndef test_f():\n    x = t = q = np.zeros(3)\n"
        "    assert len(f(x)) == len(t) == 3\n    assert torch.ones(1) == 1\n\n\ntest_f()"
    )
    cells = [code("import numpy as np\nx = t = q = 1"), F]
    judged = judge(body, *cells, f=lambda x: 2 * x, **{name: "the learner's"})
    assert judged.passed


def test_names_are_found_in_functions_comprehensions_and_classes() -> None:
    body = """
class Case:
    double = staticmethod(f)
    values = [np.abs(-i) for i in range(3)]

    def total(self):
        return sum(f(i) for i in self.values)

def nested():
    return [f(i) + sum(f(j) for j in [i]) for i in range(2)]

assert Case.double(2) == 4 and Case().total() == 6 and nested() == [0, 4]
"""
    assert judge(body, code("import numpy as np"), F, f=lambda x: 2 * x).passed


def test_a_missing_name_is_a_name_error() -> None:
    judged = judge("try:\n    f\nexcept NameError:\n    pass\nf(1)", F)
    assert (judged.error, judged.words) == ("NameError", "name 'f' is not defined")


def test_helpers_of_earlier_tests_work_and_call_the_present_answer() -> None:
    cells = [F, graded("test_a", 1, "def half(x):\n    return f(x) / 4"), code("y = 1")]
    plan = LessonPlan.of({"cells": [*cells, graded("test_f", 3, "assert half(2) == 1")]}, "02")
    judge = Judge(plan)
    assert judge.run(plan.tests["test_a"], fetch({"f": lambda x: x}), 60).passed
    assert judge.run(plan.tests["test_f"], fetch({"f": lambda x: 2 * x}), 60).passed


def test_a_helper_is_missing_where_its_test_stopped_before_it() -> None:
    cells = [graded("test_a", 1, "assert False\nhelper = 1"), graded("test_f", 1, "helper")]
    plan = LessonPlan.of({"cells": cells}, "02")
    judge = Judge(plan)
    judge.run(plan.tests["test_a"], fetch({}), 60)
    assert judge.run(plan.tests["test_f"], fetch({"helper": 1}), 60).error == "NameError"


def test_given_code_is_the_judges_own() -> None:
    given = code("def scale(x):\n    return 3 * x\n\nsizes = [1, 2]", "given_scale", locked=True)
    body = "assert [scale(n) for n in sizes] == [3, 6]"
    assert judge(body, given, F, scale=lambda x: 0, sizes=[]).passed


def test_given_code_that_fails_here_is_taken_from_the_student() -> None:
    given = code("import no_such_module\nsize = no_such_module.size", "given_size", locked=True)
    assert judge("assert size == 3", given, size=3).passed


def test_given_objects_are_the_students_own() -> None:
    given = code("import threading\nlock = threading.Lock()", "given_lock", locked=True)
    assert judge("assert lock == 'theirs'", given, lock="theirs").passed


def test_star_imports_come_before_the_student() -> None:
    body = "assert sqrt(f(2)) == 2 and isinstance(pi, float)"
    assert judge(body, code("from math import *"), F, f=lambda x: 2 * x, pi="theirs").passed


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("1.5", ["1.5"]),
        ("x = 1\nx + 1", ["2"]),
        ("1.5;", []),
        ("1.5 ;  # quiet", []),
        ("1.5  # a comment; with a semicolon", ["1.5"]),
        ("None", []),
        ("x = 2", []),
        ("'all'", ["'all'"]),
        ("def test_f():\n    return 2.25\n\n\ntest_f()", ["2.25"]),
        ("# nothing but a comment", []),
    ],
)
def test_the_last_expressions_value_is_shown_as_in_a_notebook(source: str, text: list[str]) -> None:
    judged = judge(source)
    assert judged.passed
    assert shown(judged) == text


def test_what_a_test_prints_is_kept_in_order_and_capped() -> None:
    judged = judge("import sys\nprint('one')\nprint('two', file=sys.stderr)\nprint('x' * 10**6)")
    assert [(o["name"], o["text"][:3]) for o in judged.outputs] == [
        ("stdout", "one"),
        ("stderr", "two"),
        ("stdout", "xxx"),
    ]
    assert judged.outputs[-1]["text"].endswith("[more was printed]\n")
    assert len(judged.outputs[-1]["text"]) < 21_000


def test_warnings_cost_nothing() -> None:
    judged = judge("import warnings\nwarnings.warn('careful')\nassert f(1) == 2", F, f=lambda x: 2)
    assert judged.passed


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, BaseException])
def test_whatever_a_student_raises_fails_the_test_and_nothing_else(error: type) -> None:
    def f(x: int) -> int:
        over = error("over")
        vars(over)[MARK] = True  # as what comes over the wire is marked
        raise over

    judged = judge("f(1)", F, f=f)
    assert (judged.error, judged.words, judged.broken) == (error.__name__, "over", None)


def test_an_interrupt_of_whoever_grades_is_let_out() -> None:
    with pytest.raises(KeyboardInterrupt):
        judge("raise KeyboardInterrupt")


def test_an_error_whose_words_can_not_be_read_is_still_an_error() -> None:
    judged = judge(
        "class Odd(Exception):\n    def __str__(self):\n        return 1 / 0\n\n\nraise Odd"
    )
    assert (judged.error, judged.words) == ("Odd", "(its message can't be read)")


def test_long_words_are_cut() -> None:
    assert len(judge("raise ValueError('x' * 10**6)").words) < 2100


def test_a_broken_wire_is_told_apart() -> None:
    def f(x: int) -> int:
        raise Closed("the other end is gone")

    assert isinstance(judge("f(1)", F, f=f).broken, Closed)


def test_a_test_that_can_not_be_judged_fails_in_words() -> None:
    def f(x: int) -> int:
        raise NotJudgeable("the test compares an object of the student's")

    assert judge("f(1)", F, f=f).words == "the test compares an object of the student's"


def test_an_endless_test_is_stopped() -> None:
    started = time.monotonic()
    judged = judge("while True:\n    pass", seconds=0.2)
    assert isinstance(judged.broken, OutOfTime)
    assert judged.words == "the test ran longer than 0.2 s and was stopped"
    assert time.monotonic() - started < 2


def test_a_test_that_swallows_the_alarm_is_stopped_by_the_next() -> None:
    loop = "while True:\n        pass\n"
    body = f"try:\n    {loop}except BaseException:\n    {loop}"
    assert isinstance(judge(body, seconds=0.1).broken, OutOfTime)


def test_a_timer_that_ran_before_goes_on() -> None:
    import signal

    before = signal.getitimer(signal.ITIMER_REAL)[0]
    with deadline(0.5):
        pass
    after = signal.getitimer(signal.ITIMER_REAL)[0]
    assert (before == 0) == (after == 0)
    assert after <= before


CHANGES = {
    "torch's dtype": ("torch.set_default_dtype(torch.float64)", torch.get_default_dtype),
    "gradients": ("torch.set_grad_enabled(False)", torch.is_grad_enabled),
    "threads": ("torch.set_num_threads(torch.get_num_threads() + 1)", torch.get_num_threads),
    "numpy's errors": ("np.seterr(all='raise')", np.geterr),
    "numpy's printing": ("np.set_printoptions(precision=2)", np.get_printoptions),
    "the path": ("sys.path.insert(0, '/nowhere')", lambda: list(sys.path)),
    "the environment": ("os.environ['HEADS'] = '3'", lambda: dict(os.environ)),
    "the folder": ("os.chdir('/')", os.getcwd),
    "warnings": ("warnings.simplefilter('ignore')", lambda: list(warnings.filters)),
}


@pytest.mark.parametrize(("change", "state"), CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("fails", [False, True])
def test_what_a_test_changes_is_put_back(
    change: str, state: Callable[[], Any], fails: bool
) -> None:
    before = state()
    body = f"import os, random, sys, warnings\nimport numpy as np\nimport torch\n{change}\n"
    plan = LessonPlan.of({"cells": [graded("test_f", 1, body + "1 / 0" * fails)]}, "02")
    Judge(plan).run(plan.tests["test_f"], fetch({}), 60)
    assert state() == before


def test_generators_are_seeded_so_that_reruns_agree() -> None:
    imports = "import random, torch\nimport numpy as np\n"
    body = f"{imports}(random.random(), np.random.rand(), float(torch.rand(1)))"
    assert shown(judge(body)) == shown(judge(body))


def test_the_process_has_its_own_generators_back_after_a_run() -> None:
    def states() -> list[Any]:
        numbers = np.random.get_state()[1].tolist()  # type: ignore[index]
        return [random.getstate(), numbers, torch.get_rng_state().tolist()]

    random.seed(5)
    np.random.seed(5)
    torch.manual_seed(5)
    before = states()
    with generators_kept():
        judge("import random, torch, numpy as np\nrandom.random(), np.random.rand(), torch.rand(1)")
        assert states() != before
    assert states() == before


def test_compiling_is_done_once() -> None:
    assert compiled("test_f", "1 + 1") is compiled("test_f", "1 + 1")


def test_a_module_beside_the_source_is_there_for_tests_and_forgotten_after_them(
    tmp_path: Path,
) -> None:
    plans = {}
    for lesson, value in (("02_a", 1), ("02_b", 2)):
        folder = tmp_path / lesson
        folder.mkdir()
        (folder / "lesson_helpers.py").write_text(f"VALUE = {value}\n", encoding="utf-8")
        cells = [
            code("from lesson_helpers import VALUE"),
            graded("test_f", 1, f"assert VALUE == {value}"),
        ]
        save(nbformat.v4.new_notebook(cells=cells), folder / f"{lesson}.ipynb")
        plans[lesson] = LessonPlan.of(folder / f"{lesson}.ipynb")
    for plan in plans.values():
        assert Judge(plan).run(plan.tests["test_f"], fetch({}), 60).passed
    assert "lesson_helpers" not in sys.modules
