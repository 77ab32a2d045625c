"""What the check of merge_heads says of a wrong merge."""

from __future__ import annotations

import pytest
import torch

from manyheads import check
from manyheads.check.engine import call, outcome_of
from manyheads.check.exercise import Trial
from manyheads.check.merge import CASES, target
from manyheads.check.merge.picture import merge_picture
from manyheads.show import head_coordinates


def joined(context):
    return torch.cat(list(context.unbind(1)), -1)


def straight(context):
    return context.reshape(context.shape[0], context.shape[2], -1)


def said(fn):
    return " ".join(check.merge_heads(fn).text.split())


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (straight, "the shape is right, (2, 5, 12); the owners are not"),
        (straight, "out[0, 0] should hold features 0..3 of head 0, features 0..3 of head 1"),
        (straight, "features 0..3 of head 0 of token 1"),
        (lambda c: joined(c.flip(0)), "of sample 1"),
        (lambda c: c.sum(1), "the shape is (2, 5, 4); this exercise asks for (2, 5, 12)"),
        (lambda c: c.sum(1), "axis 2 should be H*Dh = 12; yours has 4"),
        (lambda c: c.flatten(1), "the result has 2 axes; [B, T, H*Dh] has 3"),
        (lambda c: 0 * joined(c), "Yours holds zeros only"),
        (lambda c: joined(c) + 0.25, "numbers that occur nowhere in the context"),
        (lambda c: joined(c).squeeze(), "right for context [2, 3, 5, 4], but not for"),
    ],
)
def test_the_first_wrong_row_is_told_as_a_sentence(fn, words):
    assert words in said(fn)


def test_without_a_cause_it_says_which_rows_and_heads_are_right():
    def odd(context):
        merged = joined(context).clone()
        merged[:, 1, -1] = merged[:, 1, -1] + 1000
        return merged

    result = check.merge_heads(odd)
    assert result.cause is None
    text = " ".join(result.text.split())
    assert "rows out[b, t] are right" in text
    assert "the columns of heads 0 and 1" in text


def test_the_target_is_the_heads_side_by_side():
    context = head_coordinates(B=2, H=3, T=5, Dh=4)
    assert torch.equal(target(context), joined(context))


def test_one_case_can_only_be_merged_by_a_copy_and_one_by_a_view():
    kinds = [case.make()["context"].transpose(1, 2).is_contiguous() for case in CASES]
    assert set(kinds) == {True, False}


def trial(fn, case=CASES[0]):
    return Trial(case, call(fn, case.make()), call(target, case.make()), False)


def test_the_picture_says_how_many_cells_differ():
    assert "48 of 60 cells differ" in merge_picture(trial(straight)).alt


def test_the_picture_of_another_shape_says_so():
    assert "Yours (2, 15, 4): another shape" in merge_picture(trial(lambda c: c.flatten(1, 2))).alt


def test_there_is_no_picture_of_what_is_no_tensor():
    wrong = Trial(CASES[0], outcome_of(None), outcome_of(torch.zeros(2)), False)
    assert merge_picture(wrong) is None
