"""What the check of grouped_query_attention says: which steps are right, and who reads whom."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from manyheads import check
from manyheads.check.engine import call
from manyheads.check.gqa import CASES, REFUSED
from manyheads.check.gqa.grouped import Grouped, of_attention, shared, target, widened
from manyheads.check.mha.causes import CAUSES as OF_ATTENTION
from manyheads.check.mha.steps import RIGHT
from manyheads.check.mha.steps import target as attention
from manyheads.check.repeat.ways import tile


def right(x, Wq, Wk, Wv, Wo, H, Hkv, repeat=lambda z, n: z.repeat_interleave(n, 1), **how):
    if H % Hkv:
        raise ValueError("H % Hkv")
    q, k, v = (
        (x @ W).unflatten(-1, (n, -1)).transpose(1, 2) for W, n in ((Wq, H), (Wk, Hkv), (Wv, Hkv))
    )
    k, v = repeat(k, H // Hkv), repeat(v, H // Hkv)
    context = functional.scaled_dot_product_attention(q, k, v, **{"is_causal": True, **how})
    return context.transpose(1, 2).flatten(2) @ Wo


def biased(x, past=0.0, later=-torch.inf):
    """SDPA's arguments for scores that are moved by a number of their own for each key."""
    T = x.shape[1]
    keys = torch.arange(float(T)).sin()
    future = torch.ones(T, T, dtype=torch.bool).triu(1)
    return {"is_causal": False, "attn_mask": torch.where(future, later, past * keys)}


def attend(q, k, v):
    """As lesson 06 gives it."""
    if not q.shape == k.shape == v.shape:
        raise ValueError(f"attend: shapes differ: {[tuple(z.shape) for z in (q, k, v)]}")
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def with_attend(x, Wq, Wk, Wv, Wo, H, Hkv, kv_heads, copies):
    """An answer that uses the lesson's attend, with K/V cut and repeated in its own way."""
    B, T, _ = x.shape
    q = (x @ Wq).view(B, T, H, -1).transpose(1, 2)
    k, v = ((x @ W).view(B, T, kv_heads, -1).transpose(1, 2) for W in (Wk, Wv))
    k, v = (z.repeat_interleave(copies, 1) for z in (k, v))
    return attend(q, k, v).transpose(1, 2).flatten(2) @ Wo


def test_a_tile_is_told_as_a_tile():
    result = check.grouped_query_attention(
        lambda *a: right(*a, repeat=lambda z, n: z.repeat(1, n, 1, 1))
    )
    assert result.cause == "tiled"
    assert "neighbours share" in result.text


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda *a: right(*a, scale=0.3), "V, the merge and W_O are right; the weights are not"),
        (lambda *a: right(*a, **biased(a[0], past=1.0)), "Attention is right in row 0 only"),
        (
            lambda *a: right(*a, **biased(a[0], later=0.7)),
            "Attention is right in the last row only",
        ),
        (lambda *a: right(*a) + a[0], "x was added to the output of attention"),
        (lambda *a: right(*a)[:, :1], "axis 1 should be T = 3; yours has 1"),
    ],
)
def test_it_says_which_steps_are_right(fn, words):
    assert words in " ".join(check.grouped_query_attention(fn).text.split())


@pytest.mark.parametrize(
    ("kv_heads", "copies", "cause"),
    [
        (lambda H, Hkv: Hkv, lambda H, Hkv: 1, "kv-not-repeated"),
        (lambda H, Hkv: H, lambda H, Hkv: H // Hkv, "kv-cut-into-query-heads"),
        (lambda H, Hkv: Hkv, lambda H, Hkv: H, "repeats-by-another-number"),
    ],
)
def test_clashing_heads_are_told_by_their_number(kv_heads, copies, cause):
    def answer(*args):
        H, Hkv = args[-2:]
        return with_attend(*args, kv_heads(H, Hkv), copies(H, Hkv))

    assert check.grouped_query_attention(answer).cause == cause


def test_a_scale_that_nobody_listed_is_read_back():
    result = check.grouped_query_attention(lambda *a: right(*a, scale=0.123))
    assert result.cause == "scale-off"


def test_two_mistakes_at_once_are_both_named():
    def no_mask_and_flat_merge(x, Wq, Wk, Wv, Wo, H, Hkv):
        q, k, v = (
            (x @ W).unflatten(-1, (n, -1)).transpose(1, 2)
            for W, n in ((Wq, H), (Wk, Hkv), (Wv, Hkv))
        )
        k, v = (z.repeat_interleave(H // Hkv, 1) for z in (k, v))
        context = functional.scaled_dot_product_attention(q, k, v)
        return context.reshape(*x.shape[:2], -1) @ Wo

    result = check.grouped_query_attention(no_mask_and_flat_merge)
    assert result.cause == "no-mask+merged-without-transpose"


def test_rounding_is_told_from_mistakes():
    result = check.grouped_query_attention(
        lambda *a: right(*(z.bfloat16() for z in a[:5]), *a[5:]).float()
    )
    assert result.cause == "low-precision"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_the_target_is_torch_s_own_grouping(case):
    args = case.make()
    want = right(*args.values(), repeat=lambda z, n: z, enable_gqa=True)
    assert torch.allclose(target(*args.values()), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.says)
def test_sharing_heads_is_repeating_weights(case):
    x, Wq, Wk, Wv, Wo, H, Hkv = case.make().values()
    wide = attention(x, Wq, widened(Wk, H, Hkv), widened(Wv, H, Hkv), Wo, H)
    assert torch.allclose(target(x, Wq, Wk, Wv, Wo, H, Hkv), wide, rtol=1e-4, atol=1e-5)


def test_sizes_that_can_t_be_shared_are_refused_inputs():
    for case in REFUSED:
        args = case.make()
        assert args["n_heads"] % args["n_kv_heads"]
        assert call(right, args).typename == "ValueError"


def test_a_way_of_sharing_takes_the_place_of_the_right_one():
    args = CASES[0].make().values()
    want = right(*args, repeat=lambda z, n: z.repeat(1, n, 1, 1))
    assert torch.allclose(Grouped(shared(RIGHT, tile, tile))(*args), want, rtol=1e-4, atol=1e-5)


def test_a_cause_of_multi_head_attention_keeps_its_words():
    cause = OF_ATTENTION[0]
    made = of_attention(cause)
    assert (made.id, made.says, made.probe) == (cause.id, cause.says, cause.probe)
    assert len(made.variants) == len(cause.variants)
