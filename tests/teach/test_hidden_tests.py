"""An answer earns in this process what it would earn in a notebook."""

from __future__ import annotations

import pytest

from manyheads.teach.exams import Exam, GradedTest
from manyheads.teach.hidden_tests import answered, earned

RIGHT = "def double(x):\n    return 2 * x"


def points(answer: str, *tests: str) -> list[float]:
    """What an answer earns in tests of two points each."""
    graded = tuple(GradedTest(f"test_double_{n}", 2, test) for n, test in enumerate(tests))
    return list(earned(Exam("01_small", "double", graded), answer).values())


def test_a_passed_test_earns_its_points_and_a_failed_one_none():
    assert points(RIGHT, "assert double(2) == 4", "assert double(2) == 5") == [2, 0]


@pytest.mark.parametrize(
    "answer",
    [
        "def double(x):\n    raise ValueError('no')",
        "def double(x):\n    exit()",
        "def double(x):\n    raise KeyboardInterrupt",
        "def dubble(x):\n    return 2 * x",
        "def double(x) return 2 * x",
        "",
    ],
    ids=["raises", "exits", "interrupts", "another name", "no Python", "empty"],
)
def test_an_answer_that_can_t_run_earns_nothing(answer):
    assert points(answer, "assert double(2) == 4") == [0]


def test_what_an_answer_bound_before_it_failed_is_there():
    assert points(f"{RIGHT}\n1 / 0", "assert double(2) == 4") == [2]


@pytest.mark.parametrize(
    ("last", "score"),
    [("0.5", 0.5), ("0.0", 0), ("2", 2), ("None", 2), ("3", 0), ("float('nan')", 0), ("'all'", 0)],
)
def test_the_last_expression_is_a_score_if_it_can_be_one(last, score):
    assert points(RIGHT, f"double(1)\n{last}") == [score]


def test_no_name_passes_from_one_test_to_the_next():
    assert points(RIGHT, "seen = 1", "assert 'seen' not in globals()") == [2, 2]


def test_a_test_s_names_replace_the_answer_s_own_as_in_a_notebook():
    answer = "def twice(x):\n    return 2 * x\ndef double(x):\n    return twice(x)"
    test = "def twice(x):\n    return 0\nassert double(2) == 4"
    assert points(answer, test) == [0]


def test_a_method_of_an_answer_s_dataclass_works():
    answer = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Two:\n    x: int\n" + RIGHT
    )
    assert answered(answer)["Two"](3).x == 3
