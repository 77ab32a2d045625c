"""What the check of split_heads says, sentence by sentence."""

from __future__ import annotations

import pytest
import torch

from manyheads import check
from manyheads.check.coded import coded, owners
from manyheads.check.split import CASES, EXERCISE, REFUSED, target

TASTE = """\
split_heads   the shape is right, (2, 3, 5, 4); the owners are not
  out[0, 0, 1] should hold features 0..3 of token 1. Yours holds features 4..7 of token 0.
  A view never moves data: head 0 received the first token's features before it saw the second
  token.
  Probe: how many different tokens do you see in out[0, 0]? There should be five.
"""


def right(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("D % H")
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def text(fn):
    return " ".join(check.split_heads(fn).text.split())


def test_the_taste_of_a_diagnosis():
    said = check.split_heads(lambda x, H: x.reshape(x.shape[0], H, x.shape[1], -1)).text
    assert said.startswith(TASTE)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda x, H: right(x, H).transpose(1, 2), "the shape is (2, 5, 3, 4); this exercise asks"),
        (lambda x, H: right(x, H).transpose(1, 2), "axis 1 should be H = 3; yours has 5"),
        (lambda x, H: right(x, H)[0], "the result has 3 axes; [B, H, T, Dh] has 4"),
        (lambda x, H: right(x, H).flip(0), "Yours holds features 0..3 of token 0 of sample 1"),
        (lambda x, H: right(x, H) * 0, "Yours holds zeros."),
        (lambda x, H: right(x, H) * float("nan"), "numbers that aren't numbers (nan)"),
        (lambda x, H: right(x, H).mT.reshape(right(x, H).shape), "feature 0 of tokens 0..3"),
        (lambda x, H: right(x, H) + 0.25, "numbers that occur nowhere in x (0.25, 1.25, 2.25"),
    ],
)
def test_the_first_wrong_place_is_a_sentence(fn, words):
    assert words in text(fn)


def test_without_a_cause_it_says_what_is_right_and_does_not_guess():
    def one_head_overwritten(x, H):
        out = right(x, H).clone()
        out[0, 1] = out[-1, -1].flip(0)
        return out

    result = check.split_heads(one_head_overwritten)
    assert result.cause is None
    assert "25 of 30 rows out[b, h, t] are right" in result.text
    assert "Right throughout: sample 1 and heads 0 and 2" in " ".join(result.text.split())
    assert "Probe: " in result.text


@pytest.mark.parametrize(
    ("fn", "case"),
    [
        (lambda x, H: right(x, H).squeeze(0), "but not for x [1, 5, 12], num_heads=3"),
        (lambda x, H: right(x, 3), "but not for x [3, 7, 24], num_heads=4"),
        (
            lambda x, H: x.as_strided((x.shape[0], H, x.shape[1], x.shape[2] // H),
                                      (x.shape[1] * x.shape[2], x.shape[2] // H, x.shape[2], 1)),
            "(x not contiguous in memory)",
        ),
    ],
)  # fmt: skip
def test_a_later_case_is_named_beside_the_first(fn, case):
    said = text(fn)
    assert "split_heads is right for x [2, 5, 12], num_heads=3" in said
    assert case in said


def test_bad_input_is_looked_at_after_valid_input_has_passed():
    def wrong_and_careless(x, H):
        return x[..., : x.shape[2] // H * H].unflatten(-1, (H, -1))

    assert check.split_heads(wrong_and_careless).cause == "tokens-before-heads"


def test_a_late_error_is_accepted_and_called_less_kind():
    result = check.split_heads(lambda x, H: x.unflatten(-1, (H, -1)).transpose(1, 2))
    assert result.passed is True
    assert "An early error that names D and H would be kinder" in " ".join(result.text.split())


def test_an_early_error_is_not_called_less_kind():
    assert "kinder" not in check.split_heads(right).text


def test_a_pass_says_what_was_compared_and_that_hidden_tests_follow():
    result = check.split_heads(right)
    assert result.passed is True
    assert "Hidden tests, on other inputs, run at grading." in result.text


@pytest.mark.parametrize("case", [*CASES, *REFUSED], ids=lambda case: case.says)
def test_every_number_of_an_input_is_different(case):
    x = case.make()["x"]
    assert x.unique().numel() == x.numel()


def test_the_cases_differ_in_every_size():
    for case in CASES[:2]:
        x, heads = case.make().values()
        sizes = [*x.shape, heads, x.shape[2] // heads]
        assert len(set(sizes)) == 5
    first, second = (case.make()["x"].shape for case in CASES[:2])
    assert all(a != b for a, b in zip(first, second, strict=True))


def test_the_last_case_is_not_contiguous():
    assert not CASES[-1].make()["x"].is_contiguous()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_the_target_agrees_with_torch(case):
    x, heads = case.make().values()
    assert torch.equal(target(x, heads), torch.stack(x.chunk(heads, dim=-1), dim=1))


def test_owners_finds_each_place():
    x = coded((2, 3, 8), 2).double().numpy()
    assert owners(x, x)[1, 2, 7].tolist() == [1, 2, 7]
    assert owners(x, x + 0.5)[1, 2, 7].tolist() == [-1, -1, -1]


def test_the_exercise_belongs_to_lesson_02():
    assert (EXERCISE.lesson, EXERCISE.name) == ("02_head_split", "split_heads")
