"""What the check of repeat_kv says, sentence by sentence, and its picture."""

from __future__ import annotations

import pytest
import torch
from matplotlib.figure import Figure

from manyheads import check
from manyheads.check.diagnose import attempt
from manyheads.check.repeat import CASES, EXERCISE, target
from manyheads.check.repeat.picture import repeat_picture

TILED = """\
repeat_kv   the shape is right, (2, 6, 5, 4); the owners are not
  Your heads are copies of K/V heads 0, 1, 2, 0, 1, 2.
"""


def right(x, n_rep):
    return x.repeat_interleave(n_rep, 1)


def own_order(x, n_rep):
    """An order of heads that no cause lists."""
    H = x.shape[1] * n_rep
    return right(x, n_rep)[:, [*range(2, H), 0, 1][:H]] if H > 2 else right(x, n_rep)


def text(fn):
    return " ".join(check.repeat_kv(fn).text.split())


def test_an_order_of_heads_is_told_in_numbers():
    assert check.repeat_kv(lambda x, n: x.repeat(1, n, 1, 1)).text.startswith(TILED)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda x, n: right(x, n)[:, :, :, None], "the result has 5 axes; [B, H, T, Dh] has 4"),
        (lambda x, n: right(x, n + 1), "axis 1 should be H = Hkv * n_rep = 6, yours is 9"),
        (
            lambda x, n: x.repeat_interleave(n, 2).reshape(right(x, n).shape),
            "out[0, 0, 1] should hold token 1 of K/V head 0. Yours holds token 0 of K/V head 0.",
        ),
        (lambda x, n: right(x, n).flip(0), "Yours holds token 0 of K/V head 0 of sample 1."),
        (lambda x, n: right(x, n) + 0.25, "numbers that occur nowhere in x"),
    ],
)
def test_the_first_wrong_place_is_a_sentence(fn, words):
    assert words in text(fn)


@pytest.mark.parametrize(
    ("fn", "cause"),
    [
        (own_order, "other-order"),
        (lambda x, n: right(x, n).roll(2, 2), "wrong-tokens"),
        (lambda x, n: right(x, n).roll(2, 3), "wrong-features"),
        (lambda x, n: right(x, n).roll(1, 0), "wrong-samples"),
        (lambda x, n: right(x, n) + 0.25, "changes-values"),
        (lambda x, n: right(x, n) * float("nan"), "not-numbers"),
    ],
)
def test_without_a_known_cause_it_says_what_can_be_read_off(fn, cause):
    assert check.repeat_kv(fn).cause == cause


def test_the_target_is_torch_s_repeat_interleave():
    for case in CASES:
        x, n_rep = case.make().values()
        assert torch.equal(target(x, n_rep), right(x, n_rep))


@pytest.mark.parametrize(
    "fn", [lambda x, n: x.repeat(1, n, 1, 1), lambda x, n: x, lambda x, n: right(x, n) + 0.25]
)
def test_a_picture_stands_below_a_wrong_result(fn):
    picture = repeat_picture(attempt(EXERCISE, fn, CASES[0]))
    assert isinstance(picture.picture().figure, Figure)
    assert "head by token" in picture.alt


@pytest.mark.parametrize("fn", [lambda x, n: x.flatten(), lambda x, n: None])
def test_no_picture_of_what_has_no_four_axes(fn):
    assert repeat_picture(attempt(EXERCISE, fn, CASES[0])) is None
