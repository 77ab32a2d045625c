"""Lesson 06's own answers, judged by torch and by what must hold for every input."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from tests.lessons.conftest import read

LESSON = "06_gqa_merge"
CELLS = ("given_attend", "kv_head_of", "repeat_kv", "grouped_query_attention")
# B, T, Hkv, n_rep, Dh, D
SIZES = st.tuples(*(st.integers(1, 4) for _ in range(5)), st.integers(1, 8))
CLOSE = {"rtol": 1e-4, "atol": 1e-5}
few = settings(max_examples=40, deadline=None)


@cache
def answers() -> SimpleNamespace:
    """The functions that the lesson's source defines, run in one namespace."""
    space: dict[str, object] = {"torch": torch}
    for cell in read("source", LESSON).cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") in CELLS:
            exec(cell.source, space)  # noqa: S102  (the lesson's own cells)
    return SimpleNamespace(**space)


def drawn(sizes, seed=6):
    """x, Wq, Wk, Wv, Wo, H and Hkv for sizes B, T, Hkv, n_rep, Dh, D."""
    B, T, Hkv, n_rep, Dh, D = sizes
    H, source = Hkv * n_rep, torch.Generator().manual_seed(seed)
    x = torch.randn(B, T, D, generator=source)
    W = [torch.randn(D, n * Dh, generator=source) / D**0.5 for n in (H, Hkv, Hkv)]
    return x, *W, torch.randn(H * Dh, D, generator=source), H, Hkv


def heads_of(x, W, n):
    return torch.stack((x @ W).chunk(n, dim=-1), dim=1)


def joined(context, Wo):
    return torch.cat(list(context.unbind(1)), dim=-1) @ Wo


@few
@given(SIZES)
def test_it_equals_torch_s_own_grouping(sizes):
    x, Wq, Wk, Wv, Wo, H, Hkv = drawn(sizes)
    q, k, v = heads_of(x, Wq, H), heads_of(x, Wk, Hkv), heads_of(x, Wv, Hkv)
    context = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    got = answers().grouped_query_attention(x, Wq, Wk, Wv, Wo, H, Hkv)
    assert torch.allclose(got, joined(context, Wo), **CLOSE)


@pytest.mark.parametrize(("H", "Dh"), [(1, 6), (3, 4), (8, 6), (4, 1)])
def test_with_as_many_kv_heads_it_equals_torch_s_multi_head_module(H, Dh):
    x, Wq, Wk, Wv, Wo, *heads = drawn((3, 9, H, 1, Dh, H * Dh))
    judge = torch.nn.MultiheadAttention(H * Dh, H, bias=False, batch_first=True)
    judge.in_proj_weight.data = torch.cat((Wq.T, Wk.T, Wv.T))
    judge.out_proj.weight.data = Wo.T.contiguous()
    later = torch.ones(9, 9, dtype=torch.bool).triu(1)  # True means: must not look
    want, _ = judge(x, x, x, attn_mask=later, need_weights=False)
    got = answers().grouped_query_attention(x, Wq, Wk, Wv, Wo, *heads)
    assert torch.allclose(got, want.detach(), **CLOSE)


@few
@given(SIZES)
def test_with_one_kv_head_every_query_head_reads_it(sizes):
    B, T, _, n_rep, Dh, D = sizes
    x, Wq, Wk, Wv, Wo, H, Hkv = drawn((B, T, 1, n_rep, Dh, D))
    k, v = heads_of(x, Wk, 1), heads_of(x, Wv, 1)
    each = [
        functional.scaled_dot_product_attention(q[:, None], k, v, is_causal=True)
        for q in heads_of(x, Wq, H).unbind(1)
    ]
    got = answers().grouped_query_attention(x, Wq, Wk, Wv, Wo, H, Hkv)
    assert torch.allclose(got, joined(torch.cat(each, dim=1), Wo), **CLOSE)


@few
@given(SIZES)
def test_the_repeat_follows_the_map(sizes):
    B, T, Hkv, n_rep, Dh, _ = sizes
    x = torch.arange(float(B * Hkv * T * Dh)).view(B, Hkv, T, Dh)
    heads = answers().kv_head_of(Hkv * n_rep, Hkv)
    assert torch.equal(answers().repeat_kv(x, n_rep), x[:, heads])


@few
@given(st.integers(1, 12), st.integers(1, 12))
def test_the_map_is_even_and_in_order_or_refused(H, Hkv):
    if H % Hkv:
        with pytest.raises(ValueError, match=f"H={H} query heads can't share Hkv={Hkv}"):
            answers().kv_head_of(H, Hkv)
        return
    heads = answers().kv_head_of(H, Hkv)
    assert heads == sorted(heads)
    assert [heads.count(g) for g in range(Hkv)] == [H // Hkv] * Hkv


@few
@given(SIZES, st.randoms(use_true_random=False))
def test_query_heads_permuted_within_groups_with_their_blocks_change_nothing(sizes, random):
    x, Wq, Wk, Wv, Wo, H, Hkv = drawn(sizes)
    n_rep, Dh = sizes[3], sizes[4]
    groups = [random.sample(range(g * n_rep, (g + 1) * n_rep), n_rep) for g in range(Hkv)]
    order = [h for group in groups for h in group]
    moved_q = Wq.view(-1, H, Dh)[:, order].flatten(1)
    moved_o = Wo.view(H, Dh, -1)[order].flatten(0, 1)
    attention = answers().grouped_query_attention
    got = attention(x, moved_q, Wk, Wv, moved_o, H, Hkv)
    assert torch.allclose(got, attention(x, Wq, Wk, Wv, Wo, H, Hkv), **CLOSE)


def test_query_heads_permuted_across_groups_change_the_result():
    x, Wq, Wk, Wv, Wo, H, Hkv = drawn((2, 5, 3, 2, 4, 10))
    order = [0, 2, 1, 3, 4, 5]
    moved_q = Wq.view(-1, H, 4)[:, order].flatten(1)
    moved_o = Wo.view(H, 4, -1)[order].flatten(0, 1)
    attention = answers().grouped_query_attention
    got = attention(x, moved_q, Wk, Wv, moved_o, H, Hkv)
    assert not torch.allclose(got, attention(x, Wq, Wk, Wv, Wo, H, Hkv), atol=0.1)


@few
@given(SIZES)
def test_sharing_heads_is_repeating_weights(sizes):
    x, Wq, Wk, Wv, Wo, H, Hkv = drawn(sizes)
    n_rep, Dh = sizes[3], sizes[4]
    wide = [W.view(-1, Hkv, Dh).repeat_interleave(n_rep, 1).flatten(1) for W in (Wk, Wv)]
    attention = answers().grouped_query_attention
    got, want = attention(x, Wq, *wide, Wo, H, H), attention(x, Wq, Wk, Wv, Wo, H, Hkv)
    assert torch.allclose(got, want, **CLOSE)


@few
@given(SIZES, st.integers(0, 3))
def test_a_token_s_output_never_depends_on_later_tokens(sizes, t):
    t = t % sizes[1]
    x, *weights = drawn(sizes)
    changed = x.clone()
    changed[:, t:] = torch.randn(changed[:, t:].shape, generator=torch.Generator().manual_seed(7))
    got = [answers().grouped_query_attention(z, *weights)[:, :t] for z in (x, changed)]
    assert torch.allclose(*got, **CLOSE)


@few
@given(SIZES)
def test_a_sample_never_depends_on_the_others(sizes):
    x, *weights = drawn(sizes)
    together = answers().grouped_query_attention(x, *weights)
    alone = torch.cat([answers().grouped_query_attention(one[None], *weights) for one in x])
    assert torch.allclose(together, alone, **CLOSE)
