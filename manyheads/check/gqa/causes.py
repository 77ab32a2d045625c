"""Mistakes in who reads which K/V head; the others are attention's own, shared with lesson 05."""
# ruff: noqa: ARG005  (variants have the signature of the exercise, whatever they use of it)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from manyheads.check import attention_joins, attention_scores, attention_sizes
from manyheads.check.attention_errors import CUT_FOR_QUERIES, NOT_REPEATED, OTHER_COPIES
from manyheads.check.attention_stages import Stage, attention, interleave, merge, split, with_stages
from manyheads.check.exercise import Cause, Variant
from manyheads.check.repeat.ways import by_index, recipe, samples, tile, tokens_cut

Share = Callable[[Tensor, int], Tensor]


def _both(way: Share) -> Variant:
    return with_stages(share_k=way, share_v=way)


def _each(way: Share) -> tuple[Variant, ...]:
    return (_both(way), with_stages(share_k=way), with_stages(share_v=way))


def _bare(x: Tensor, _: int) -> Tensor:
    """Not repeated: fails where the heads of K or V don't fit, a single one being broadcast."""
    return x


def _bare_strict(x: Tensor, n_rep: int) -> Tensor:
    """Not repeated, and met by an attention that refuses even a single head for several."""
    if n_rep > 1:
        raise RuntimeError(f"{x.shape[1]} K/V heads meet {x.shape[1] * n_rep} query heads")
    return x


def _averaged(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
    """Query heads of a group averaged down to one, its context handed to all of them."""
    n_rep = n[0] // n[1]

    def mean(y: Tensor, heads: int) -> Tensor:
        q = split(y, heads)  # [B, H, T, Dh]
        groups = q.reshape(q.shape[0], n[1], n_rep, *q.shape[2:])
        return groups.mean(2)

    stages: dict[str, Stage] = {
        "split_q": mean,
        "share_k": _bare,
        "share_v": _bare,
        "merge": lambda c: merge(interleave(c, n_rep)),
    }
    return attention(x, Wq, Wk, Wv, Wo, n[0], n[1], stages)


def _first_query(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
    """One query head of each group attends; its context is handed to all of the group."""
    n_rep = n[0] // n[1]
    stages: dict[str, Stage] = {
        "split_q": lambda y, heads: split(y, heads)[:, ::n_rep],
        "share_k": _bare,
        "share_v": _bare,
        "merge": lambda c: merge(interleave(c, n_rep)),
    }
    return attention(x, Wq, Wk, Wv, Wo, n[0], n[1], stages)


def _heads_for_kv(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
    """K and V cut into as many heads as Q: each is too narrow where they share."""
    if n[0] != n[1]:
        raise RuntimeError(f"K/V of width {Wk.shape[1]} cut into {n[0]} heads")
    return attention(x, Wq, Wk, Wv, Wo, n[0], n[1])


def _only(condition: Callable[[int, int], bool]) -> Variant:
    """Right where the condition on H and Hkv holds, an error elsewhere."""

    def variant(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
        if not condition(n[0], n[1]):
            raise RuntimeError(f"H={n[0]}, Hkv={n[1]} do not fit")
        return attention(x, Wq, Wk, Wv, Wo, n[0], n[1])

    return variant


def _regrouped(context: Tensor, Hkv: int) -> Tensor:
    """[B, Hkv, n_rep, T, Dh] laid side by side with n_rep in front."""
    B, H, T, Dh = context.shape
    return merge(context.reshape(B, Hkv, H // Hkv, T, Dh).transpose(1, 2).flatten(1, 2))


def _merged_by_rep(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
    return attention(x, Wq, Wk, Wv, Wo, n[0], n[1], {"merge": lambda c: _regrouped(c, n[1])})


OWN = (
    Cause(
        "tiled",
        "K/V heads were handed out as a tile, 0, 1, 2, 0, 1, 2. Query head h reads K/V head "
        "h // n_rep, so neighbours share. With Hkv = 1 or Hkv = H no one can see the difference.",
        "give each K/V head its own number and print which one every query head reads.",
        (_both(tile),),
    ),
    Cause(
        "tiled-in-one",
        "K and V were repeated in different orders: the weights come from one K/V head and the "
        "values from another.",
        "put the two lines that repeat K and V side by side.",
        _each(tile)[1:],
    ),
    Cause(
        "divides-by-hkv",
        "Query head h was given K/V head h // Hkv. It is h // n_rep; the two are the same number "
        "only where n_rep = Hkv.",
        "which K/V head does the last query head read in your map, and does it exist?",
        (
            _both(by_index(lambda h, Hkv, n: h // Hkv)),
            _both(by_index(lambda h, Hkv, n: h // Hkv % Hkv)),
            _both(by_index(lambda h, Hkv, n: min(h // Hkv, Hkv - 1))),
        ),
    ),
    Cause(
        "one-kv-head-for-all",
        "Every query head read the same K/V head. That is multi-query attention; here there are "
        "Hkv of them.",
        "change K/V head 1 in W_K: does your result change?",
        (
            *_each(by_index(lambda h, Hkv, n: 0)),
            _both(by_index(lambda h, Hkv, n: Hkv - 1)),
            _both(lambda x, n: x.mean(1, keepdim=True).expand(-1, x.shape[1] * n, -1, -1)),
        ),
    ),
    Cause(
        "other-head-map",
        "Query heads read K/V heads in an order that is neither the group's nor a tile.",
        "give each K/V head its own number and print which one every query head reads.",
        (
            _both(by_index(lambda h, Hkv, n: Hkv - 1 - h // n)),
            _both(by_index(lambda h, Hkv, n: h % n % Hkv)),
            _both(by_index(lambda h, Hkv, n: (h // n + 1) % Hkv)),
            _both(by_index(lambda h, Hkv, n: (h // n - 1) % Hkv)),
            _both(by_index(lambda h, Hkv, n: -(-h // n) % Hkv)),
            _both(by_index(lambda h, Hkv, n: h if h < Hkv else Hkv - 1)),
        ),
    ),
    Cause(
        "repeats-tokens",
        "The copies went along the token axis, so a head holds some tokens twice and lacks others. "
        "A recipe for [B, T, Hkv, Dh] does that to [B, Hkv, T, Dh].",
        "which tokens does repeated[0, 0] hold, for an x that names them?",
        tuple(v for way in (recipe, tokens_cut) for v in _each(way)),
    ),
    Cause(
        "repeats-samples",
        "The copies went along the batch axis, so one sample reads another one's keys.",
        "change one sample of x: which samples of the result change?",
        _each(samples),
    ),
    replace(NOT_REPEATED, variants=(*_each(_bare), *_each(_bare_strict))),
    replace(CUT_FOR_QUERIES, variants=(_heads_for_kv,)),
    replace(
        OTHER_COPIES,
        variants=(
            _only(lambda H, Hkv: Hkv * Hkv == H),
            _only(lambda H, Hkv: Hkv in (1, H // Hkv)),
        ),
    ),
    Cause(
        "query-heads-averaged",
        "The query heads of a group were made one. Only K and V are shared; every query head keeps "
        "scores of its own.",
        "are heads 0 and 1 of your context equal? They should not be.",
        (_averaged, _first_query),
    ),
    Cause(
        "merges-groups-crosswise",
        "Attention is right, but query heads were laid side by side with the place in the group "
        "first: 0, n_rep, 2 * n_rep, ... Head 1 stands next to head 0.",
        "in which order do your two group axes stand when you flatten?",
        (_merged_by_rep,),
    ),
    Cause(
        "values-scaled-by-group",
        "The shared heads were divided by, or multiplied with, the number of query heads that read "
        "them. Sharing changes no number.",
        "compare repeated[:, 0] with k[:, 0].",
        (
            *_each(lambda x, n: interleave(x, n) / n),
            *_each(lambda x, n: interleave(x, n) * n),
        ),
    ),
)
SIZES = (
    Cause(
        "hard-coded-sizes",
        "A number of an example is written into the function: one n_rep, one H or one Hkv.",
        "call it with other numbers of heads. Which line of yours knows the old ones?",
        (
            _only(lambda H, Hkv: 2 * Hkv == H),
            _only(lambda H, Hkv: H == 6),
            _only(lambda H, Hkv: Hkv == 3),
            _only(lambda H, Hkv: (H, Hkv) == (6, 3)),
        ),
    ),
    Cause(
        "refuses-an-edge",
        "A valid pair of heads was refused: Hkv = H is multi-head attention, Hkv = 1 is "
        "multi-query attention, and one head alone is allowed too.",
        "put H and Hkv of this input into your condition by hand.",
        (
            _only(lambda H, Hkv: Hkv < H),
            _only(lambda H, Hkv: Hkv > 1),
            _only(lambda H, Hkv: H > 1),
            _only(lambda H, Hkv: Hkv not in (1, H)),
            _only(lambda H, Hkv: Hkv % (H // Hkv) == 0),
        ),
    ),
)
CAUSES = (
    *OWN,
    *attention_scores.CAUSES,
    *attention_joins.CAUSES,
    *SIZES,
    *attention_sizes.CAUSES,
)
