"""Independent judges of the lessons' own answers: torch's attention, and laws that must hold.

A judge needs some of the lessons' functions and says whether they keep a law, at any sizes. It
appears here as soon as the lessons that build its functions are there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings

from tests.lessons.answers import solved
from tests.lessons.cases import ALL_DIFFERENT, Case, blocks, cases, close, heads

pytestmark = pytest.mark.slow  # too much of it for the half-minute loop


@dataclass(frozen=True)
class Judge:
    """A law over functions of the lessons, and for one of them a wrong version that breaks it."""

    law: Callable[[Any, Case], bool]
    needs: tuple[str, ...]
    wrong: Callable[..., Any]

    @property
    def broken(self) -> str:
        """The function that `wrong` stands for: the first that the law needs."""
        return self.needs[0]


JUDGES: list[Judge] = []


def judge(*needs: str, wrong: Callable[..., Any]) -> Callable[[Any], Any]:
    def keep(law: Callable[[Any, Case], bool]) -> Callable[[Any, Case], bool]:
        JUDGES.append(Judge(law, needs, wrong))
        return law

    return keep


def wrong_attention(causal: bool = True, scaled: bool = True, tiled: bool = False) -> Any:
    """Multi-head (or grouped-query) attention with one mistake."""

    def attention(x, Wq, Wk, Wv, Wo, H, Hkv=None):
        Hkv = Hkv or H
        q, k, v = heads(x @ Wq, H), heads(x @ Wk, Hkv), heads(x @ Wv, Hkv)
        order = [h % Hkv if tiled else h * Hkv // H for h in range(H)]
        scale = None if scaled else 1.0
        k, v = k[:, order], v[:, order]
        context = F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
        return torch.cat(context.unbind(1), dim=-1) @ Wo

    return attention


def favours_first_rows(x, Wq, Wk, Wv, Wo, *counts):
    """Treats heads by their place: row i of W_O counts i + 1 times."""
    by_place = torch.arange(1, len(Wo) + 1, dtype=Wo.dtype)
    return wrong_attention()(x, Wq, Wk, Wv, by_place[:, None] * Wo, *counts)


def mixes_samples(x, *rest):
    return wrong_attention()(x + x.roll(1, dims=0), *rest)


@judge("split_heads", wrong=lambda x, H: x.reshape(x.shape[0], H, x.shape[1], -1))
def a_head_is_the_product_with_its_own_columns(fns: Any, c: Case) -> bool:
    x, Wq, *_ = c.weights
    split = fns.split_heads(x @ Wq, c.H)
    own = [x @ Wq[:, h * c.Dh : (h + 1) * c.Dh] for h in range(c.H)]
    return all(close(split[:, h], own[h]) for h in range(c.H))


@judge("merge_heads", "split_heads", wrong=lambda c: c.reshape(len(c), c.shape[2], -1))
def merge_inverts_split(fns: Any, c: Case) -> bool:
    x, context = c.draw(c.B, c.T, c.H * c.Dh), c.draw(c.B, c.H, c.T, c.Dh)
    there_and_back = fns.merge_heads(fns.split_heads(x, c.H))
    back_and_there = fns.split_heads(fns.merge_heads(context), c.H)
    return torch.equal(there_and_back, x) and torch.equal(back_and_there, context)


@judge("output_projection", "merge_heads", wrong=lambda merged, Wo: merged @ Wo.flip(0))
def concat_then_w_o_is_the_sum_over_heads(fns: Any, c: Case) -> bool:
    context, Wo = c.draw(c.B, c.H, c.T, c.Dh), c.draw(c.H * c.Dh, c.D)
    by_head = zip(context.unbind(1), Wo.split(c.Dh), strict=True)
    want = sum(O_h @ W_h for O_h, W_h in by_head)
    return close(fns.output_projection(fns.merge_heads(context), Wo), want)


@judge("multi_head_attention", wrong=wrong_attention(scaled=False))
def multi_head_attention_is_torch_s_sdpa(fns: Any, c: Case) -> bool:
    x, Wq, Wk, Wv, Wo = replace(c, n_rep=1).weights
    q, k, v = (heads(x @ W, c.Hkv) for W in (Wq, Wk, Wv))
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    want = context.permute(0, 2, 1, 3).reshape(c.B, c.T, -1) @ Wo
    return close(fns.multi_head_attention(x, Wq, Wk, Wv, Wo, c.Hkv), want)


@judge("multi_head_attention", wrong=wrong_attention(causal=False))
def multi_head_attention_is_torch_s_module(fns: Any, c: Case) -> bool:
    """The module wants D = H*Dh, keeps weights as [out, in], and True in its mask hides."""
    D = c.H * c.Dh
    x, Wq, Wk, Wv, Wo = replace(c, Hkv=c.H, n_rep=1, D=D).weights
    module = torch.nn.MultiheadAttention(D, c.H, bias=False, batch_first=True, dtype=x.dtype)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([Wq.T, Wk.T, Wv.T]))
        module.out_proj.weight.copy_(Wo.T)
        hidden = torch.ones(c.T, c.T, dtype=torch.bool).triu(1)
        want, _ = module(x, x, x, attn_mask=hidden, need_weights=False)
    return close(fns.multi_head_attention(x, Wq, Wk, Wv, Wo, c.H), want)


@judge("grouped_query_attention", wrong=wrong_attention(tiled=True))
def grouped_query_attention_is_torch_s_sdpa(fns: Any, c: Case) -> bool:
    x, Wq, Wk, Wv, Wo = c.weights
    q, k, v = heads(x @ Wq, c.H), heads(x @ Wk, c.Hkv), heads(x @ Wv, c.Hkv)
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    want = context.permute(0, 2, 1, 3).reshape(c.B, c.T, -1) @ Wo
    return close(fns.grouped_query_attention(x, Wq, Wk, Wv, Wo, c.H, c.Hkv), want)


@judge("multi_head_attention", wrong=favours_first_rows)
def permuting_heads_with_w_o_s_row_blocks_changes_nothing(fns: Any, c: Case) -> bool:
    x, Wq, Wk, Wv, Wo = replace(c, Hkv=c.H, n_rep=1).weights
    order = [*range(1, c.H), 0]
    moved = [blocks(W, order, c.Dh, dim=1) for W in (Wq, Wk, Wv)]
    got = fns.multi_head_attention(x, *moved, blocks(Wo, order, c.Dh, dim=0), c.H)
    return close(got, fns.multi_head_attention(x, Wq, Wk, Wv, Wo, c.H))


@judge("grouped_query_attention", wrong=wrong_attention(tiled=True))
def query_heads_may_change_places_within_their_group(fns: Any, c: Case) -> bool:
    x, Wq, Wk, Wv, Wo = c.weights
    order = [g * c.n_rep + i for g in range(c.Hkv) for i in reversed(range(c.n_rep))]
    moved = blocks(Wq, order, c.Dh, dim=1), Wk, Wv, blocks(Wo, order, c.Dh, dim=0)
    got = fns.grouped_query_attention(x, *moved, c.H, c.Hkv)
    return close(got, fns.grouped_query_attention(x, Wq, Wk, Wv, Wo, c.H, c.Hkv))


@judge("grouped_query_attention", "multi_head_attention", wrong=wrong_attention(scaled=False))
def with_a_k_v_head_for_each_query_head_it_is_multi_head_attention(fns: Any, c: Case) -> bool:
    x, Wq, Wk, Wv, Wo = replace(c, Hkv=c.H, n_rep=1).weights
    got = fns.grouped_query_attention(x, Wq, Wk, Wv, Wo, c.H, c.H)
    return close(got, fns.multi_head_attention(x, Wq, Wk, Wv, Wo, c.H))


@judge("grouped_query_attention", wrong=wrong_attention(causal=False))
def with_one_k_v_head_it_is_multi_query_attention(fns: Any, c: Case) -> bool:
    x, Wq, Wk, Wv, Wo = replace(c, Hkv=1, n_rep=c.H).weights
    q = heads(x @ Wq, c.H)  # [B, H, T, Dh]
    k, v = (x @ Wk).unsqueeze(1), (x @ Wv).unsqueeze(1)  # [B, 1, T, Dh], broadcast over heads
    future = torch.ones(c.T, c.T, dtype=torch.bool).triu(1)
    scores = (q @ k.mT / c.Dh**0.5).masked_fill(future, -torch.inf)  # [B, H, T, T]
    by_head = (scores.softmax(-1) @ v).unbind(1)
    want = torch.cat(by_head, dim=-1) @ Wo
    return close(fns.grouped_query_attention(x, Wq, Wk, Wv, Wo, c.H, 1), want)


def causal(attention: Callable[..., Any], c: Case, *counts: int) -> bool:
    x, *matrices = c.weights
    t = c.seed % c.T  # the token that is changed
    changed = x.clone()
    changed[:, t] += 1.0
    before, after = attention(x, *matrices, *counts), attention(changed, *matrices, *counts)
    return close(after[:, :t], before[:, :t])


@judge("multi_head_attention", wrong=wrong_attention(causal=False))
def a_later_token_never_changes_an_earlier_row(fns: Any, c: Case) -> bool:
    return causal(fns.multi_head_attention, replace(c, Hkv=c.H, n_rep=1), c.H)


@judge("grouped_query_attention", wrong=wrong_attention(causal=False))
def a_later_token_never_changes_an_earlier_row_of_groups(fns: Any, c: Case) -> bool:
    return causal(fns.grouped_query_attention, c, c.H, c.Hkv)


def independent(attention: Callable[..., Any], c: Case, *counts: int) -> bool:
    x, *matrices = c.weights
    alone = [attention(sample[None], *matrices, *counts) for sample in x]
    return close(attention(x, *matrices, *counts), torch.cat(alone))


@judge("multi_head_attention", wrong=mixes_samples)
def samples_are_independent(fns: Any, c: Case) -> bool:
    return independent(fns.multi_head_attention, replace(c, Hkv=c.H, n_rep=1), c.H)


@judge("grouped_query_attention", wrong=mixes_samples)
def samples_are_independent_of_groups_too(fns: Any, c: Case) -> bool:
    return independent(fns.grouped_query_attention, c, c.H, c.Hkv)


@judge("repeat_kv", "kv_head_of", wrong=lambda x, n_rep: x.repeat(1, n_rep, 1, 1))
def repeated_heads_are_where_the_map_says(fns: Any, c: Case) -> bool:
    x = c.draw(c.B, c.Hkv, c.T, c.Dh)
    return torch.equal(fns.repeat_kv(x, c.n_rep), x[:, fns.kv_head_of(c.H, c.Hkv)])


@judge("kv_head_of", wrong=lambda H, Hkv: [h % Hkv for h in range(H)])
def each_k_v_head_serves_a_run_of_neighbours(fns: Any, c: Case) -> bool:
    read = list(fns.kv_head_of(c.H, c.Hkv))
    return read == sorted(read) and all(read.count(g) == c.n_rep for g in range(c.Hkv))


@judge("project_qkv", wrong=lambda x, *W: [x.cumsum(1) @ w for w in W])
def projection_commutes_with_permuting_tokens(fns: Any, c: Case) -> bool:
    x, *W = c.weights[:4]
    order = torch.randperm(c.T)
    first, then = fns.project_qkv(x[:, order], *W), fns.project_qkv(x, *W)
    return all(close(a, b[:, order]) for a, b in zip(first, then, strict=True))


@judge("split_fused_qkv", wrong=lambda x, W, *_: (x @ W).tensor_split(3, dim=-1))
def fused_pieces_are_products_with_slices(fns: Any, c: Case) -> bool:
    x, *W = c.weights[:4]
    got = fns.split_fused_qkv(x, torch.cat(W, dim=1), c.H, c.Hkv, c.Dh)
    return all(close(a, x @ w) for a, w in zip(got, W, strict=True))


@judge("rotate_qk", wrong=lambda q, k, v, rope: (rope(q), rope(k), rope(v)))
def values_are_left_alone(fns: Any, c: Case) -> bool:
    q, k = c.draw(c.B, c.H, c.T, c.Dh), c.draw(c.B, c.Hkv, c.T, c.Dh)
    v = k.roll(1, dims=0) + 1
    new = fns.rotate_qk(q, k, v.clone(), lambda z: 2 * z)
    return torch.equal(new[0], 2 * q) and torch.equal(new[1], 2 * k) and torch.equal(new[2], v)


PRESENT = [one for one in JUDGES if set(one.needs) <= set(solved())]


def law(one: Judge) -> str:
    return one.law.__name__


@pytest.mark.parametrize("one", PRESENT, ids=law)
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(case=cases())
def test_the_lessons_answers_keep_the_law(one: Judge, case: Case) -> None:
    assert one.law(SimpleNamespace(**solved()), case)


@pytest.mark.parametrize("one", PRESENT, ids=law)
def test_the_judge_says_no_to_a_wrong_answer(one: Judge) -> None:
    functions = SimpleNamespace(**solved() | {one.broken: one.wrong})
    assert not one.law(functions, ALL_DIFFERENT)


def test_every_exercise_has_a_judge() -> None:
    assert set(solved()) <= {one.broken for one in JUDGES}
