"""What the check of output_projection says of a wrong product."""

from __future__ import annotations

import pytest
import torch

from manyheads import check
from manyheads.check.engine import call
from manyheads.check.exercise import Trial
from manyheads.check.output import CASES
from manyheads.check.output.shown import matrix_used
from manyheads.check.output.target import mixed


def said(fn):
    return " ".join(check.output_projection(fn).text.split())


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda m, W: m @ W + 1, "First difference: out[0, 0, 0] should be"),
        (lambda m, W: (m @ W).mT, "axis 1 should be T = 7; yours has 10"),
        (lambda m, W: (m @ W)[:, 0], "the result has 2 axes; [B, T, D] has 3"),
        (lambda m, W: (m @ W).exp(), "It is no product of the features with any matrix"),
        (lambda m, W: m @ W.sin(), "no row of that matrix is W_O's"),
        (
            lambda m, W: m @ torch.cat((W[:4], W[4:].sin())),
            "Features met the right rows of W_O in rows 0..3 only",
        ),
    ],
)
def test_it_says_what_came_of_w_o(fn, words):
    assert words in said(fn)


@pytest.mark.parametrize("factor", [-1, 0.25, 3])
def test_any_constant_factor_is_named(factor):
    assert check.output_projection(lambda m, W: factor * (m @ W)).cause == "scales-output"


def test_any_bias_is_named():
    bias = torch.linspace(-1, 1, 64)
    fn = lambda m, W: m @ W + bias[: W.shape[1]]  # noqa: E731
    assert check.output_projection(fn).cause == "adds-bias"


def test_any_rows_that_are_left_out_are_named():
    def fn(merged, Wo):
        kept = Wo.clone()
        kept[3:5] = 0
        return merged @ kept

    assert check.output_projection(fn).cause == "rows-left-out"


def test_the_matrix_is_read_back_from_the_result():
    case = CASES[0]
    trial = Trial(case, call(mixed, case.make()), call(mixed, case.make()), True)
    assert torch.allclose(
        torch.from_numpy(matrix_used(trial)).float(), case.make()["Wo"], atol=1e-4
    )
