"""Independent judges of lesson 01: torch's own attention, and properties at sizes drawn anew."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lessons.conftest import read

SIZES = st.integers(1, 6)


def solution(name):
    """The lesson's own function, from its solution cell."""
    cells = read("source", "01_qkv_projections").cells
    [text] = [c.source for c in cells if c.metadata.get("nbgrader", {}).get("grade_id") == name]
    space = {"torch": torch}
    exec(compile(text, name, "exec"), space)  # noqa: S102  (the course's own cell)
    return space[name]


project_qkv = solution("project_qkv")
split_fused_qkv = solution("split_fused_qkv")


def close(a, b):
    return a.shape == b.shape and torch.allclose(a, b, atol=1e-4)


def heads(z, H):
    return z.unflatten(-1, (H, -1)).transpose(1, 2)  # [B, H, T, Dh]


@pytest.mark.parametrize(("B", "T", "D", "H"), [(2, 5, 12, 3), (3, 9, 48, 8), (1, 1, 4, 1)])
def test_multihead_attention_with_copied_weights_agrees(B, T, D, H):
    torch.manual_seed(0)
    judge = torch.nn.MultiheadAttention(D, H, bias=False, batch_first=True)
    x = torch.randn(B, T, D)
    Wq, Wk, Wv = (W.T for W in judge.in_proj_weight.chunk(3))
    for views in (
        project_qkv(x, Wq, Wk, Wv),
        split_fused_qkv(x, judge.in_proj_weight.T, H, H, D // H),
    ):
        q, k, v = (heads(z, H) for z in views)
        context = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        assert close(context @ judge.out_proj.weight.T, judge(x, x, x)[0])


@settings(deadline=None, max_examples=40)
@given(B=SIZES, T=SIZES, D=SIZES, widths=st.tuples(SIZES, SIZES, SIZES), seed=st.integers(0, 999))
def test_shuffled_tokens_give_shuffled_views(B, T, D, widths, seed):
    torch.manual_seed(seed)
    x, W = torch.randn(B, T, D), [torch.randn(D, width) for width in widths]
    order = torch.randperm(T)
    for view, shuffled in zip(project_qkv(x, *W), project_qkv(x[:, order], *W), strict=True):
        assert close(view[:, order], shuffled)


@settings(deadline=None, max_examples=40)
@given(T=SIZES, D=SIZES, Hkv=SIZES, n_rep=SIZES, Dh=SIZES, seed=st.integers(0, 999))
def test_a_fused_projection_is_the_three_side_by_side(T, D, Hkv, n_rep, Dh, seed):
    torch.manual_seed(seed)
    H = Hkv * n_rep
    W = [torch.randn(D, heads * Dh) for heads in (H, Hkv, Hkv)]
    x = torch.randn(2, T, D)
    fused = split_fused_qkv(x, torch.cat(W, dim=1), H, Hkv, Dh)
    for mine, separate in zip(fused, project_qkv(x, *W), strict=True):
        assert close(mine, separate)


@settings(deadline=None, max_examples=40)
@given(H=SIZES, Hkv=SIZES, Dh=SIZES, width=st.integers(1, 60))
def test_a_width_is_refused_exactly_when_it_does_not_add_up(H, Hkv, Dh, width):
    x, Wqkv = torch.ones(1, 2, 3), torch.ones(3, width)
    if width == (H + 2 * Hkv) * Dh:
        assert len(split_fused_qkv(x, Wqkv, H, Hkv, Dh)) == 3
        return
    with pytest.raises(ValueError, match=f"{width} columns"):
        split_fused_qkv(x, Wqkv, H, Hkv, Dh)
