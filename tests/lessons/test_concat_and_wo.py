"""Lesson 05's own answers, judged by torch and by what must hold for every input."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from tests.lessons.conftest import read

LESSON = "05_concat_and_wo"
CELLS = ("given_attend", "merge_heads", "output_projection", "multi_head_attention")
SIZES = st.tuples(*(st.integers(1, 5) for _ in range(4)), st.integers(1, 8))  # B, T, H, Dh, D
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


def drawn(sizes, seed=5):
    """x, Wq, Wk, Wv, Wo and H for sizes B, T, H, Dh, D."""
    B, T, H, Dh, D = sizes
    source = torch.Generator().manual_seed(seed)
    x = torch.randn(B, T, D, generator=source)
    Wq, Wk, Wv = torch.randn(3, D, H * Dh, generator=source) / D**0.5
    return x, Wq, Wk, Wv, torch.randn(H * Dh, D, generator=source), H


def context_of(sizes, seed=5):
    B, T, H, Dh, _ = sizes
    return torch.randn(B, H, T, Dh, generator=torch.Generator().manual_seed(seed))


@few
@given(SIZES)
def test_it_equals_torch_s_scaled_dot_product_attention(sizes):
    x, Wq, Wk, Wv, Wo, H = drawn(sizes)
    q, k, v = (torch.stack((x @ W).chunk(H, -1), 1) for W in (Wq, Wk, Wv))
    heads = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    want = torch.cat(list(heads.unbind(1)), -1) @ Wo
    assert torch.allclose(answers().multi_head_attention(x, Wq, Wk, Wv, Wo, H), want, **CLOSE)


@pytest.mark.parametrize(("H", "Dh"), [(1, 6), (3, 4), (8, 6), (4, 1)])
def test_it_equals_torch_s_module_with_the_same_weights(H, Dh):
    x, Wq, Wk, Wv, Wo, _ = drawn((3, 9, H, Dh, H * Dh))
    judge = torch.nn.MultiheadAttention(H * Dh, H, bias=False, batch_first=True)
    judge.in_proj_weight.data = torch.cat((Wq.T, Wk.T, Wv.T))
    judge.out_proj.weight.data = Wo.T.contiguous()
    later = torch.ones(9, 9, dtype=torch.bool).triu(1)  # True means: must not look
    want, _ = judge(x, x, x, attn_mask=later, need_weights=False)
    got = answers().multi_head_attention(x, Wq, Wk, Wv, Wo, H)
    assert torch.allclose(got, want.detach(), **CLOSE)


@few
@given(SIZES)
def test_merging_undoes_splitting(sizes):
    B, T, H, Dh, _ = sizes
    x = torch.arange(float(B * T * H * Dh)).view(B, T, H * Dh)
    assert torch.equal(answers().merge_heads(answers().split_heads(x, H)), x)


@few
@given(SIZES)
def test_join_then_project_is_a_sum_over_heads(sizes):
    context, Wo = context_of(sizes), drawn(sizes)[4]
    Dh = sizes[3]
    got = answers().output_projection(answers().merge_heads(context), Wo)
    terms = [context[:, h] @ Wo[h * Dh : (h + 1) * Dh] for h in range(sizes[2])]
    assert torch.allclose(got, torch.stack(terms).sum(0), **CLOSE)


@few
@given(SIZES, st.randoms(use_true_random=False))
def test_heads_permuted_with_their_blocks_change_nothing(sizes, random):
    order = random.sample(range(sizes[2]), sizes[2])
    context, Wo = context_of(sizes), drawn(sizes)[4]
    blocks = Wo.view(sizes[2], sizes[3], -1)[order].flatten(0, 1)
    merge, project = answers().merge_heads, answers().output_projection
    got, want = project(merge(context[:, order]), blocks), project(merge(context), Wo)
    assert torch.allclose(got, want, **CLOSE)


@few
@given(SIZES, st.integers(0, 4))
def test_a_token_s_output_never_depends_on_later_tokens(sizes, t):
    t = t % sizes[1]
    x, *weights = drawn(sizes)
    changed = x.clone()
    changed[:, t:] = torch.randn(changed[:, t:].shape, generator=torch.Generator().manual_seed(6))
    got = [answers().multi_head_attention(z, *weights)[:, :t] for z in (x, changed)]
    assert torch.allclose(*got, **CLOSE)


@few
@given(SIZES)
def test_a_sample_never_depends_on_the_others(sizes):
    x, *weights = drawn(sizes)
    together = answers().multi_head_attention(x, *weights)
    alone = torch.cat([answers().multi_head_attention(one[None], *weights) for one in x])
    assert torch.allclose(together, alone, **CLOSE)
