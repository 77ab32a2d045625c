"""One answer before the hidden tests and the check."""

from __future__ import annotations

import pytest
import torch

from manyheads.course import Course
from manyheads.teach.exams import exams
from manyheads.teach.judge import Attempt, Verdict, judge
from tests.teach.small_course import REPOSITORY

RIGHT = """\
def split_heads(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
"""


@pytest.fixture(scope="module")
def exam():
    return exams(Course(REPOSITORY))["split_heads"]


def test_a_right_answer_earns_all_and_is_passed(exam):
    assert judge(Attempt(exam, RIGHT)) == Verdict(exam.points, True, None)


def test_a_wrong_answer_loses_points_and_is_told_its_cause(exam):
    verdict = judge(Attempt(exam, RIGHT.replace(".transpose(1, 2)", "")))
    assert verdict == Verdict(0, False, "tokens-before-heads")


def test_an_answer_without_the_function_is_told_so(exam):
    assert judge(Attempt(exam, "")) == Verdict(0, False, "not-a-function")


def test_a_warning_costs_nothing(exam):
    noisy = RIGHT.replace(
        "    return", "    import warnings; warnings.warn('hm'); print(x)\n    return"
    )
    assert judge(Attempt(exam, noisy)) == Verdict(exam.points, True, None)


def test_an_interrupt_in_an_answer_ends_no_run(exam):
    code = "def split_heads(x, num_heads):\n    raise KeyboardInterrupt"
    assert judge(Attempt(exam, code)) == Verdict(0, None, None)


def test_what_one_answer_sets_in_torch_is_gone_for_the_next(exam):
    judge(Attempt(exam, "import torch\ntorch.set_default_dtype(torch.float64)"))
    judge(Attempt(exam, RIGHT))
    assert torch.get_default_dtype() is torch.float32
