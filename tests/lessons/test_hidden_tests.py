"""Hidden tests have power and are fair: the rules that a machine can check, for every exercise.

Each exercise's own right answer is altered, and its graded cells are run on what comes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
import torch

from manyheads.teach.exams import Exam, GradedTest
from tests.bank import load
from tests.lessons.altered import code, sizes_of, tensors
from tests.lessons.answers import function_exams, solution, solved
from tests.lessons.probes import (
    altered,
    calls,
    kinds_of_tests,
    lost,
    places,
    refuses,
    takes_tensors,
)

pytestmark = pytest.mark.slow  # too much of it for the half-minute loop

EXERCISES = list(function_exams())
FLOAT64 = {"rotate_qk": ("in_float64", 2)}  # its v is handed on bit for bit, so its type stays
FIXTURES = ((5, 7), (3, 9))  # B and T of the two sets that the course draws


Table = list[tuple[str, tuple[Any, ...]]]  # an exercise, an alteration of its answer


def fair() -> Table:
    """Alterations that must not cost a point."""
    names = ("in_another_container", "strided", "wanting_gradients", "with_a_warning")
    table: Table = [(exercise, (name,)) for exercise in EXERCISES for name in names]
    table += [(exercise, FLOAT64.get(exercise, ("in_float64",))) for exercise in EXERCISES]
    for exercise in EXERCISES:
        if refuses(exercise):
            table += [(exercise, ("refusing_by", e)) for e in ("RuntimeError", "AssertionError")]
        if takes_tensors(exercise) and places(exercise, of_moved=False):
            table.append((exercise, ("rounded_otherwise", places(exercise, of_moved=False))))
    return table


def unfair() -> Table:
    """Alterations that must cost points."""
    return [(exercise, how) for exercise in EXERCISES for how in _wrong_ways(exercise)]


def _wrong_ways(exercise: str) -> Iterator[tuple[Any, ...]]:
    yield ("forgetful",)
    if refuses(exercise):
        yield ("refusing_nothing",)
        yield ("refusing_by", "NotImplementedError")
    yield from (("wrong_where", condition) for condition in _edges(exercise))
    if not takes_tensors(exercise):
        return
    yield ("refusing_strided",)
    first, *_ = calls(exercise, "values")
    yield from (("editing", which) for which in range(len(tensors(first))))
    yield from (("wrong_at_axis_of_one", axis) for axis in range(tensors(first)[0].ndim - 1))
    yield from (("wrong_at_sizes", sizes) for sizes in FIXTURES)
    if places(exercise, of_moved=True):
        yield ("rounded_otherwise", places(exercise, of_moved=True))


def _edges(exercise: str) -> Iterator[str]:
    """Edges of the whole numbers that an exercise takes, as conditions on its arguments."""
    names = solved()[exercise].__code__.co_varnames[: solved()[exercise].__code__.co_argcount]
    yield from (f"{n} == 1" for n in names if n in ("num_heads", "n_heads", "n_kv_heads", "n_rep"))
    if {"n_heads", "n_kv_heads"} <= set(names):
        yield "n_heads == n_kv_heads"


def row_id(value: Any) -> str:
    return value if isinstance(value, str) else "-".join(map(str, value))


@pytest.mark.parametrize(("exercise", "how"), fair(), ids=row_id)
def test_what_is_none_of_a_test_s_business_costs_nothing(exercise, how):
    exam = function_exams()[exercise]
    assert lost(exam, altered(exam, how)) == []


@pytest.mark.parametrize(("exercise", "how"), unfair(), ids=row_id)
def test_what_is_wrong_costs_points(exercise, how):
    exam = function_exams()[exercise]
    assert lost(exam, altered(exam, how)) != []


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_cell_tries_sizes_that_it_does_not_show(exercise):
    kinds = kinds_of_tests(exercise)
    seen = [sizes_of(args) for kind in kinds for args in calls(exercise, kind, hidden=False)]
    exam = function_exams()[exercise]
    assert lost(exam, altered(exam, ("right_at_seen", seen))) == [test.name for test in exam.tests]


# What a learner may call a helper. A test cell runs in the same namespace, so a function or a
# variable of its own under such a name would take the helper's place.
HELPERS = (
    "attention", "attend", "split", "merge", "project", "repeat", "softmax", "scores", "mask",
    "causal_mask", "split_heads", "merge_heads", "output_projection", "repeat_kv", "kv_head_of",
)  # fmt: skip


def with_helper(exercise: str, helper: str) -> str:
    """Code of a right answer that leaves the work to a helper."""
    return f"""\
from tests.lessons.answers import solved
def {helper}(*args):
    return solved()["{exercise}"](*args)
def {exercise}(*args):
    return {helper}(*args)
"""


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_cell_takes_a_likely_name_from_the_answer(exercise):
    exam = function_exams()[exercise]
    names = [name for name in HELPERS if name != exercise]
    found = {name: lost(exam, with_helper(exercise, name)) for name in names}
    assert {name: cells for name, cells in found.items() if cells} == {}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_lesson_s_own_answer_keeps_every_point(exercise):
    exam = function_exams()[exercise]
    assert lost(exam, solution(exam)) == []


RIGHT = [entry for entry in load() if entry.right and entry.exercise in EXERCISES]


@pytest.mark.slow
@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_bank_s_right_answers_may_be_float64(exercise):
    exam, how = function_exams()[exercise], FLOAT64.get(exercise, ("in_float64",))
    right = [entry for entry in RIGHT if entry.exercise == exercise]
    found = {entry.id: lost(exam, code(entry.code, exercise, *how)) for entry in right}
    assert found
    assert {name: cells for name, cells in found.items() if cells} == {}


@pytest.mark.parametrize("exercise", EXERCISES)
def test_values_and_contract_are_cells_of_their_own(exercise):
    assert (
        {"values", "contract"} <= set(kinds_of_tests(exercise)) <= {"shape", "values", "contract"}
    )


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_shape_is_worth_a_fifth_at_most(exercise):
    exam = function_exams()[exercise]
    shape = sum(test.points for test in exam.tests if test.name.endswith("_shape"))
    assert shape <= exam.points / 5


def fixture_calls(exercise: str) -> list[tuple[Any, ...]]:
    """The hidden calls at the two sets of sizes that values are drawn at."""
    return [
        args
        for args in calls(exercise, "values")
        if any(set(sizes) <= set(tensors(args)[0].shape) for sizes in FIXTURES)
    ]


WITH_TENSORS = [exercise for exercise in EXERCISES if takes_tensors(exercise)]


@pytest.mark.parametrize("exercise", WITH_TENSORS)
def test_all_sizes_of_a_set_differ(exercise):
    for args in fixture_calls(exercise):
        sizes = [*tensors(args)[0].shape, *(value for value in args if isinstance(value, int))]
        assert len(sizes) == len(set(sizes)), sizes


@pytest.mark.parametrize("exercise", WITH_TENSORS)
def test_no_two_slices_of_an_input_are_alike(exercise):
    for args in fixture_calls(exercise):
        for tensor in tensors(args):
            assert alike(tensor) == []


def alike(tensor: torch.Tensor) -> list[tuple[int, int, int]]:
    """Axis and indices of equal slices."""
    return [
        (axis, i, j)
        for axis in range(tensor.ndim)
        for i, j in combinations(range(tensor.shape[axis]), 2)
        if torch.equal(tensor.select(axis, i), tensor.select(axis, j))
    ]


@pytest.mark.parametrize("exercise", WITH_TENSORS)
def test_inputs_of_arithmetic_have_both_signs_and_no_two_are_alike(exercise):
    for args in fixture_calls(exercise):
        given = tensors(args)
        if not places(exercise, of_moved=False):
            continue  # coordinates are moved, and each says whose it is
        assert all((tensor < 0).any() and (tensor > 0).any() for tensor in given)
        pairs = combinations(given, 2)
        assert not any(a.shape == b.shape and torch.equal(a, b) for a, b in pairs)
        assert not any(t.ndim == 2 and len(t) == len(t.T) and torch.equal(t, t.T) for t in given)


WEAK = "import torch\nassert torch.is_tensor(split_heads(torch.ones(2, 5, 12), 3))"
STRICT = """\
import torch
heads = split_heads(torch.randn(2, 5, 12), 3)
assert type(heads) is torch.Tensor and heads.dtype is torch.float32 and not heads.requires_grad
assert not heads.is_contiguous(), "a view, as in the lesson's own answer"
try:
    split_heads(torch.ones(2, 5, 10), 3)
except Exception as error:
    assert type(error) is ValueError
"""


def exam_of(cell: str) -> Exam:
    """Another exam for the exercise `split_heads`."""
    real = function_exams()["split_heads"]
    return Exam(real.lesson, real.exercise, (GradedTest("test_split_heads", 1, cell),))


@pytest.mark.parametrize(
    "how", [how for name, how in unfair() if name == "split_heads"], ids=row_id
)
def test_a_test_without_power_is_found_out(how):
    exam = exam_of(WEAK)
    assert lost(exam, altered(exam, how)) == []


@pytest.mark.parametrize(
    "how",
    [("in_float64",), ("wanting_gradients",), ("refusing_by", "RuntimeError")],
    ids=row_id,
)
def test_an_unfair_test_is_found_out(how):
    exam = exam_of(STRICT)
    assert lost(exam, altered(exam, how)) != []


def test_a_warning_made_an_error_is_found_out():
    exam = exam_of(f"import warnings\nwarnings.simplefilter('error')\n{WEAK}")
    assert lost(exam, altered(exam, ("with_a_warning",))) != []


def test_a_name_taken_from_the_answer_is_found_out():
    exam = exam_of(f"def split(x, H):\n    return None\n{WEAK}")
    assert lost(exam, with_helper("split_heads", "split")) != []


def test_equal_slices_are_found():
    assert alike(torch.tensor([[1, 2], [1, 2], [3, 4]])) == [(0, 0, 1)]
