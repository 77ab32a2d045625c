"""The check of multi_head_attention goes back from the output, stage by stage."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from manyheads import check
from manyheads.check.mha import CASES, EXERCISE
from manyheads.check.mha.causes import PAIRS
from manyheads.check.mha.steps import RIGHT, Steps, masked, target

pytestmark = pytest.mark.slow  # too much of it for the half-minute loop


def said(fn):
    return " ".join(check.multi_head_attention(fn).text.split())


def step(**changed):
    return Steps(**changed)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (step(mask=lambda s: s), "V, the merge and W_O are right; the weights are not"),
        (step(scale=lambda _: 1.0), "V, the merge and W_O are right; the weights are not"),
        (
            step(merge=lambda c: c.reshape(c.shape[0], c.shape[2], -1)),
            "W_O is applied; what it was given are not the merged heads",
        ),
        (lambda x, *rest: x + RIGHT(x, *rest), "x was added to the output of attention"),
        (step(out=lambda m, Wo, _: (m @ Wo).sin()), "what comes out is no product with W_O"),
        (step(mask=lambda s: masked(s).masked_fill(s < 9, -torch.inf)), "some numbers are nan"),
        (step(out=lambda m, Wo, _: (m @ Wo)[..., 0]), "the result has 2 axes; [B, T, D] has 3"),
    ],
)
def test_the_headline_says_which_steps_are_right(fn, words):
    assert words in said(fn)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (
            step(score=lambda q, k: (q @ k.mT) ** 3),
            "Attention is right in row 0 only, where a token sees itself alone.",
        ),
        (step(score=lambda q, k: (q @ k.mT) ** 3), "the scale is left, or Q and K"),
        (
            step(mask=lambda s: s.tril().masked_fill(torch.ones(s.shape[-2:]).triu(2) > 0, -9.0)),
            "give weight to later tokens",
        ),
        (
            step(after=lambda w: w * 0.7),
            "Rows of the weights don't add up to 1: the first gives 0.7",
        ),
        (
            step(split=lambda q, k, v, H: (v, v, v), project=lambda x, *W: heads_of(x, W[2] ** 3)),
            "No head's features are a mixture of its own values",
        ),
    ],
)
def test_without_a_cause_the_first_step_that_is_off_is_described(fn, words):
    result = check.multi_head_attention(fn)
    assert result.cause is None
    assert words in " ".join(result.text.split())


def heads_of(x, W):
    wide = x @ W
    heads = wide.unflatten(-1, (-1, 5 if W.shape[1] == 15 else W.shape[1])).transpose(1, 2)
    return heads, heads, heads


def test_a_mixture_in_some_heads_only_names_these_heads():
    def fn(x, Wq, Wk, Wv, Wo, num_heads):
        Dh = Wv.shape[1] // num_heads
        bent = torch.cat((Wv[:, : -Dh or None], Wv[:, -Dh:].sin() ** 2), dim=1)
        return RIGHT(x, Wq, Wk, bent, Wo, num_heads)

    assert "Only in heads 0 and 1 are the features a mixture of that head's values." in said(fn)


@pytest.mark.parametrize(("factor", "told"), [(0.3, "0.671"), (0.6, "1.34")])
def test_a_scale_that_nobody_listed_is_told_as_a_number(factor, told):
    result = check.multi_head_attention(step(scale=lambda _: factor))
    assert result.cause == "scale-off"
    assert f"your scores are {told} times" in " ".join(result.text.split())


@pytest.mark.parametrize("pair", PAIRS, ids=lambda cause: cause.id)
def test_two_mistakes_at_once_are_both_told(pair):
    result = check.multi_head_attention(pair.variants[0])
    assert result.passed is False
    assert result.cause == pair.id or result.cause in {cause.id for cause in EXERCISE.causes}


def test_most_pairs_are_told_as_pairs():
    told = [check.multi_head_attention(pair.variants[0]).cause == pair.id for pair in PAIRS]
    assert sum(told) >= 0.9 * len(told)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_the_target_agrees_with_torch(case):
    x, Wq, Wk, Wv, Wo, H = case.make().values()
    q, k, v = ((x @ W).unflatten(-1, (H, -1)).transpose(1, 2) for W in (Wq, Wk, Wv))
    heads = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    want = heads.transpose(1, 2).flatten(2) @ Wo
    assert torch.allclose(target(x, Wq, Wk, Wv, Wo, H), want, atol=1e-5)


def test_scores_are_neither_even_nor_saturated():
    for case in CASES[:-2]:
        x, Wq, Wk, _, _, H = case.make().values()
        q, k = ((x @ W).unflatten(-1, (H, -1)).transpose(1, 2) for W in (Wq, Wk))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        assert 0.5 < float(scores.std()) < 4
