"""The judge and the student's process together, in the real sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from manyheads.course import Course, notebook_path
from manyheads.grade.plan import LessonPlan
from manyheads.grade.run import RunReport, run_notebook
from manyheads.grade.run.calibrate import calibrated
from manyheads.grade.sandbox import Limits, Sandbox, missing
from manyheads.student.notebook import read_notebook
from tests.grade.mini import REPOSITORY, answer, code, graded
from tests.grade.test_run import cell_of, notebook, points, words

LESSONS = sorted(path.stem for path in (REPOSITORY / "notebooks").glob("[0-9][0-9]_*.py"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(missing() is not None, reason="no sandbox on this machine"),
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(cell_seconds=5, submission_seconds=60)) as made:
        yield made


def run(
    sandbox: Sandbox, *cells: NotebookNode, **answers: str
) -> tuple[dict[str, float], RunReport, NotebookNode]:
    """Points by test, report and notebook, after the cells ran with a student's answers."""
    made = notebook(*deepcopy(cells))
    plan = LessonPlan.of(made, "02_mini")
    for name, text in answers.items():
        cell_of(made, name).source = text
    report = run_notebook(made, plan, sandbox)
    return points(made), report, made


DOUBLE = answer("double", "import torch\n\n\ndef double(x):\n    return 2 * x")
LATER = [
    answer("quiz", 'quiz = "b"'),
    graded("test_quiz", 1, "assert quiz == 'b'"),
    answer("triple", "def triple(x):\n    return 3 * x"),
    graded("test_triple", 2, "assert triple(2) == 6"),
]
TESTS = [
    graded("test_double_one", 1, "assert double(2) == 4"),
    graded("test_double_more", 2, "import torch\nassert double(torch.ones(3)).sum() == 6"),
]


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lessons_own_answers_earn_all(sandbox: Sandbox, lesson: str) -> None:
    path = notebook_path(Course(REPOSITORY).source, lesson)
    made = nbformat.read(path, as_version=4)
    plan = LessonPlan.of(path)
    report = run_notebook(made, plan, sandbox)
    assert points(made) == {name: test.points for name, test in plan.tests.items()}
    assert (report.causes, report.notes) == ({}, ())
    assert calibrated(plan, read_notebook(path), sandbox) == (plan, [])


ENDS = {
    "an exit in the cell": ("import os\nos._exit(0)", "the process exited"),
    "a crash in the cell": ("import ctypes\nctypes.string_at(0)", "segmentation fault"),
    "an endless cell": ("while True:\n    pass", "ran longer than"),
    "an endless cell that swallows all": (
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n"
        "        pass",
        "ran longer than",
    ),
    "an exit when called": (
        "import os\n\n\ndef double(x):\n    os._exit(0)",
        "the process exited",
    ),
    "endless when called": ("def double(x):\n    while True:\n        pass", "ran longer than"),
    "endless in C code": ("def double(x):\n    return sum(iter(int, 1))", "ran longer than"),
}


@pytest.mark.parametrize(("text", "reason"), ENDS.values(), ids=ENDS.keys())
def test_what_ends_a_process_costs_its_own_exercise(
    sandbox: Sandbox, text: str, reason: str
) -> None:
    earned, report, made = run(sandbox, DOUBLE, *TESTS, *LATER, double=text)
    assert earned == {"test_double_one": 0, "test_double_more": 0, "test_quiz": 1, "test_triple": 2}
    assert any(reason in note for note in report.notes)
    told = words(made, "double") + words(made, "test_double_one")
    assert reason in told


def test_what_was_earned_before_the_end_is_kept(sandbox: Sandbox) -> None:
    killed = "print('here')\nimport os\nos.kill(os.getpid(), 9)"
    earned, _, _ = run(sandbox, *LATER, DOUBLE, *TESTS, double=killed)
    assert earned == {"test_quiz": 1, "test_triple": 2, "test_double_one": 0, "test_double_more": 0}


def test_hidden_inputs_do_not_reach_later_cells(sandbox: Sandbox) -> None:
    keeps = (
        "seen = []\n\n\ndef double(x):\n    seen.append(x)\n"
        "    open('seen.txt', 'a').write(str(x))\n    return 2 * x"
    )
    later = code("import gc\nprint(seen, [o for o in gc.get_objects() if o == 'CANARY-input'])")
    test = graded("test_double", 1, "double('CANARY-input')\nassert double(2) == 4")
    earned, _, made = run(sandbox, DOUBLE, test, later, double=keeps)
    assert earned == {"test_double": 1}
    assert cell_of(made, "cell-2").outputs[0].text == "[] []\n"


def test_the_cause_can_not_carry_hidden_inputs_out(sandbox: Sandbox) -> None:
    """The check runs in a copy of its own, whose functions have met no hidden test."""
    carries = (
        "seen = []\n\n\ndef split_heads(x, num_heads):\n    seen.append(tuple(x.shape))\n"
        "    if (5, 7, 24) in seen[:-1] or (x.shape == (2, 5, 12) and len(seen) > 3):\n"
        "        raise ValueError(str(seen))\n"
        "    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)"
    )
    path = notebook_path(Course(REPOSITORY).source, "02_head_split")
    made = nbformat.read(path, as_version=4)
    cell_of(made, "split_heads").source = carries
    report = run_notebook(made, LessonPlan.of(path), sandbox, only=["split_heads"])
    hidden = "(5, 7, 24)"
    assert hidden in words(made, "test_split_heads_values")  # which its student never sees
    assert "ValueError" in report.causes["split_heads"]
    assert hidden not in report.causes["split_heads"]


def test_a_warning_and_a_log_cost_nothing(sandbox: Sandbox) -> None:
    warns = (
        "import logging, sys, warnings\n\n\ndef double(x):\n    warnings.warn('old')\n"
        "    logging.warning('careful')\n    print('note', file=sys.stderr)\n    return 2 * x"
    )
    earned, report, _ = run(sandbox, DOUBLE, *TESTS, double=warns)
    assert earned == {"test_double_one": 1, "test_double_more": 2}
    assert report.notes == ()


@pytest.mark.parametrize("name", ["x", "t", "q", "np", "len", "torch", "test_double", "__name__"])
def test_a_learners_name_moves_no_verdict(sandbox: Sandbox, name: str) -> None:
    body = (
        "import torch\n\n\ndef test_double():\n    t = q = [torch.ones(len(range(3)))]\n"
        "    for x in t:\n        assert float(double(x).sum()) == 6 and np.pi > 3\n\n\n"
        "test_double()"
    )
    cells = [code("import numpy as np\nx = t = q = 3"), DOUBLE, graded("test_double", 1, body)]
    text = f"def double(x):\n    return 2 * x\n\n\n{name} = 'mine'"
    assert run(sandbox, *cells, double=text)[0] == {"test_double": 1}


@pytest.mark.parametrize("expression", ["nan", "inf", "-1.0", "4.5", "'3'", "[3]"])
def test_partial_credit_computed_from_a_student_is_a_possible_score_or_nothing(
    sandbox: Sandbox, expression: str
) -> None:
    cells = [answer("share", "share = 0.5"), graded("test_share", 3, "share")]
    text = f"from math import inf, nan\nshare = {expression}"
    assert run(sandbox, *cells, share=text)[0] == {"test_share": 0}
    assert run(sandbox, *cells)[0] == {"test_share": 0.5}


def test_an_object_that_equals_everything_earns_nothing(sandbox: Sandbox) -> None:
    forged = (
        "class Any:\n    def __eq__(self, other):\n        return True\n\n"
        "    __bool__ = __eq__\n\n\ndef double(x):\n    return Any()\n\n\nquiz = Any()"
    )
    test = graded(
        "test_double_one", 1, "try:\n    assert double(2) == 4\nexcept TypeError:\n    pass"
    )
    cells = [
        DOUBLE,
        test,
        answer("quiz", 'quiz = "b"'),
        graded("test_quiz", 1, "assert quiz == 'b'"),
    ]
    earned, _, made = run(sandbox, *cells, double=forged, quiz="quiz = Any()")
    assert earned == {"test_double_one": 0, "test_quiz": 0}
    assert "the test tried to compare it" in words(made, "test_double_one")


FOREIGN = {
    "numpy.testing": "np.testing.assert_allclose(double(np.ones(3)), 2 * np.ones(3))",
    "unittest": (
        "import unittest\ncase = unittest.TestCase()\ncase.assertEqual(double(2), 4)\n"
        "with case.assertRaises(TypeError):\n    double(None)"
    ),
    "pytest": "import pytest\nassert double(0.1) == pytest.approx(0.2)\n"
    "with pytest.raises(TypeError):\n    double(None)",
    "a helper of an earlier test": "check(2, 4)",
    "a given helper": "assert double(base) == 2 * base",
    "a callback": "calls = []\ndouble.__name__\nassert twice(lambda: calls.append(1)) is None\n"
    "assert calls == [1, 1]",
    "in-place changes": "numbers = [1]\nextend(numbers)\nassert numbers == [1, 1]",
    "a seeded draw": "np.random.seed(3)\nwant = np.random.rand()\nnp.random.seed(3)\n"
    "assert draw() == want",
    "a name that is missing": "try:\n    nothing_of_that_name\nexcept NameError:\n    pass\nelse:\n"
    "    raise AssertionError",
}
COURSE = [
    code("import numpy as np"),
    code("base = 21", "given_base", locked=True),
    answer(
        "double",
        "def double(x):\n    return 2 * x\n\n\ndef twice(f):\n    f()\n    f()\n\n\n"
        "def extend(x):\n    x += x\n\n\ndef draw():\n    return np.random.rand()",
    ),
    graded("test_helper", 1, "def check(x, want):\n    assert double(x) == want"),
]


@pytest.mark.parametrize("body", FOREIGN.values(), ids=FOREIGN.keys())
def test_tests_of_other_courses_work_unchanged(sandbox: Sandbox, body: str) -> None:
    earned, report, made = run(sandbox, *COURSE, graded("test_foreign", 2, body))
    assert earned == {"test_helper": 1, "test_foreign": 2}, words(made, "test_foreign")
    assert report.notes == ()


QUICKSTART = (
    "keep = double\ndel double\ntry:\n    quadruple(1)\nexcept NameError:\n    pass\nelse:\n"
    "    raise AssertionError('quadruple does not use double')\nfinally:\n    double = keep"
)


def test_a_test_that_deletes_a_name_runs_with_the_student_and_is_flagged(
    sandbox: Sandbox,
) -> None:
    cells = [
        DOUBLE,
        answer("quadruple", "def quadruple(x):\n    return double(double(x))"),
        graded("test_quadruple", 1, QUICKSTART),
        graded("test_double", 1, "assert double(2) == 4"),
    ]
    earned, report, _ = run(sandbox, *cells)
    assert earned == {"test_quadruple": 1, "test_double": 1}
    assert report.notes == (
        "test_quadruple ran in the student's process: it deletes double; its verdict can be forged",
    )
    earned, _, _ = run(sandbox, *cells, quadruple="def quadruple(x):\n    return 4 * x")
    assert earned == {"test_quadruple": 0, "test_double": 1}


def test_gradients_in_the_cells_above_do_not_keep_a_test_from_its_own(sandbox: Sandbox) -> None:
    text = (
        "import torch\nw = torch.ones(3, requires_grad=True)\n(w * w).sum().backward()\n\n\n"
        "def double(x):\n    x = x.clone().requires_grad_()\n    (x * x).sum().backward()\n"
        "    return x.grad"
    )
    test = graded("test_double", 1, "import torch\nassert double(torch.ones(2)).sum() == 4")
    assert run(sandbox, DOUBLE, test, double=text)[0] == {"test_double": 1}


def test_reruns_agree(sandbox: Sandbox) -> None:
    draws = "import random\n\n\ndef double(x):\n    return 2 * x if random.random() < 0.5 else x"
    cells = [DOUBLE, *(graded(f"test_double_{n}", 1, "assert double(2) == 4") for n in range(8))]
    first, second = (run(sandbox, *cells, double=draws)[0] for _ in range(2))
    assert first == second


def test_files_lie_in_the_students_folder(sandbox: Sandbox) -> None:
    cells = [answer("total", "total = 0"), graded("test_total", 1, "assert total == 3")]
    made = notebook(*cells)
    plan = LessonPlan.of(made, "02")
    cell_of(made, "total").source = "total = sum(map(int, open('data.csv').read().split(',')))"
    run_notebook(made, plan, sandbox, files={"data.csv": b"1,2"})
    assert points(made) == {"test_total": 1}


def test_nothing_of_a_submission_is_left_for_the_next(sandbox: Sandbox, tmp_path: Path) -> None:
    leaves = "open('left.txt', 'w').write('x')\nimport builtins\nbuiltins.left = 1\nquiz = 'b'"
    looks = "import os\nquiz = [os.listdir('.'), 'left' in dir(__builtins__)]"
    cells: list[Any] = [
        answer("quiz", "quiz = 0"),
        graded("test_quiz", 1, "assert quiz == [[], False]"),
    ]
    run(sandbox, *cells, quiz=leaves)
    assert run(sandbox, *cells, quiz=looks)[0] == {"test_quiz": 1}
