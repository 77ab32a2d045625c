"""Mistakes in who reads which K/V head; the others are multi-head attention's own."""
# ruff: noqa: ARG005  (ways have their signature, whatever they use of it)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from manyheads.check.exercise import Cause, Variant
from manyheads.check.gqa.beyond import CAUSES as BEYOND
from manyheads.check.gqa.beyond import more
from manyheads.check.gqa.clashes import CUT_FOR_QUERIES, NOT_REPEATED, OTHER_COPIES
from manyheads.check.gqa.grouped import Grouped, of_attention, shared, target
from manyheads.check.merge.values import beside
from manyheads.check.mha.causes import CAUSES as OF_ATTENTION
from manyheads.check.mha.splitting import reordered
from manyheads.check.mha.steps import RIGHT, Steps
from manyheads.check.repeat.ways import Way, by_index, recipe, right, samples, tile, tokens_cut
from manyheads.check.split.orders import chunks

LOW_PRECISION = Cause(
    "low-precision",
    "Every number is nearly right: something was rounded on the way, as float16 and bfloat16 do.",
    "print the dtype of each of your tensors, from x to the result.",
)


def _both(way: Way) -> Variant:
    return Grouped(shared(RIGHT, way, way))


def _each(way: Way) -> tuple[Variant, ...]:
    """Made in K and V, in K alone, and in V alone."""
    return (_both(way), Grouped(shared(RIGHT, way)), Grouped(shared(RIGHT, way_v=way)))


def _bare(x: Tensor, _: int) -> Tensor:
    """Not repeated: a single head is broadcast, others don't fit."""
    return x


def _bare_strict(x: Tensor, n_rep: int) -> Tensor:
    """Not repeated, and met by an attention that refuses even a single head for several."""
    if n_rep > 1:
        raise ValueError(f"{x.shape[1]} K/V heads meet {x.shape[1] * n_rep} query heads")
    return x


def _only(condition: Callable[[int, int], bool]) -> Variant:
    """Right where the condition on H and Hkv holds, an error elsewhere."""

    def variant(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
        if not condition(n[0], n[1]):
            raise ValueError(f"H={n[0]}, Hkv={n[1]} do not fit")
        return target(x, Wq, Wk, Wv, Wo, n[0], n[1])

    return variant


def _one_query_head(mean: bool) -> Variant:
    """One query head a group, the mean or the first; its context is handed to all of the group."""

    def variant(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
        def one(q: Tensor, k: Tensor, v: Tensor, H: int) -> tuple[Tensor, Tensor, Tensor]:
            groups = chunks(q, H).tensor_split(n[1], dim=1)  # Hkv times [B, n_rep, T, Dh]
            queries = torch.stack([g.mean(1) if mean else g[:, 0] for g in groups], dim=1)
            return queries, chunks(k, n[1]), chunks(v, n[1])

        steps = Steps(split=one, merge=lambda c: beside(right(c, n[0] // n[1])))
        return steps(x, Wq, Wk, Wv, Wo, n[0])

    return variant


def _crosswise(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
    """Heads laid side by side with the place in the group first."""

    def merge(context: Tensor) -> Tensor:
        return beside(torch.cat([context[:, i :: n[0] // n[1]] for i in range(n[0] // n[1])], 1))

    return shared(replace(RIGHT, merge=merge))(x, Wq, Wk, Wv, Wo, n[0])


MAPS = (
    Cause(
        "tiled",
        "K/V heads were handed out as a tile, 0, 1, 2, 0, 1, 2. Query head h reads K/V head "
        "h // n_rep, so neighbours share. With Hkv = 1 or Hkv = H no one can see the difference.",
        "give each K/V head its own number and print which one every query head reads.",
        (_both(tile),),
        "Hkv between 1 and H",
    ),
    Cause(
        "tiled-in-one",
        "K and V were repeated in different orders: the weights come from one K/V head and the "
        "values from another.",
        "put the two lines that repeat K and V side by side.",
        _each(tile)[1:],
        "Hkv between 1 and H",
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
        "n_rep other than Hkv",
    ),
    Cause(
        "one-kv-head-for-all",
        "Every query head read the same K/V head. That is multi-query attention; here there are "
        "Hkv of them.",
        "change K/V head 1 in W_K: does your result change?",
        (
            *_each(by_index(lambda h, Hkv, n: 0)),
            _both(by_index(lambda h, Hkv, n: Hkv - 1)),
            *_each(lambda x, n: x.mean(1, keepdim=True).expand(-1, x.shape[1] * n, -1, -1)),
        ),
        "Hkv > 1",
    ),
    Cause(
        "other-head-map",
        "Query heads read K/V heads in an order that is neither the group's nor a tile.",
        "give each K/V head its own number and print which one every query head reads.",
        (
            *_each(by_index(lambda h, Hkv, n: Hkv - 1 - h // n)),
            _both(by_index(lambda h, Hkv, n: h % n)),
            _both(by_index(lambda h, Hkv, n: h % n % Hkv)),
            _both(by_index(lambda h, Hkv, n: (h // n + 1) % Hkv)),
            _both(by_index(lambda h, Hkv, n: (h // n - 1) % Hkv)),
            _both(by_index(lambda h, Hkv, n: -(-h // n) % Hkv)),
            _both(by_index(lambda h, Hkv, n: h if h < Hkv else Hkv - 1)),
            _both(by_index(lambda h, Hkv, n: h % Hkv if h // Hkv % 2 == 0 else Hkv - 1 - h % Hkv)),
        ),
        "Hkv between 1 and H",
    ),
)
COPIES = (
    Cause(
        "repeats-tokens",
        "The copies went along the token axis, so a head holds some tokens twice and lacks others. "
        "A recipe for [B, T, Hkv, Dh] does that to [B, Hkv, T, Dh].",
        "which tokens does repeated[0, 0] hold, for an x that names them?",
        (*_each(recipe), *_each(tokens_cut)),
        "n_rep > 1 and T > 1",
    ),
    Cause(
        "repeats-samples",
        "The copies went along the batch axis, so one sample reads another one's keys.",
        "change one sample of x: which samples of the result change?",
        _each(samples),
        "n_rep > 1 and B > 1",
    ),
    replace(
        NOT_REPEATED,
        variants=(*_each(_bare), *_each(_bare_strict)),
        exposed_by="Hkv between 1 and H",
    ),
    replace(
        CUT_FOR_QUERIES, variants=(_only(lambda H, Hkv: H // Hkv == 1),), exposed_by="n_rep > 1"
    ),
    replace(
        OTHER_COPIES,
        variants=(
            _only(lambda H, Hkv: Hkv * Hkv == H),
            _only(lambda H, Hkv: Hkv in (1, H // Hkv)),
        ),
        exposed_by="n_rep other than Hkv",
    ),
    Cause(
        "copies-scaled",
        "The shared heads were divided by, or multiplied with, the number of query heads that read "
        "them. Sharing changes no number.",
        "compare repeated[:, 0] with k[:, 0].",
        (
            *_each(lambda x, n: right(x, n) / n),
            *_each(lambda x, n: right(x, n) * n),
            *_each(lambda x, n: right(x, n) / n**0.5),
        ),
        "n_rep > 1",
    ),
)
GROUPS = (
    Cause(
        "query-heads-joined",
        "The query heads of a group were made one. Only K and V are shared; every query head keeps "
        "scores of its own.",
        "are heads 0 and 1 of your context equal? They should not be.",
        (_one_query_head(mean=True), _one_query_head(mean=False)),
        "n_rep > 1",
    ),
    Cause(
        "query-heads-misplaced",
        "Query heads changed places, or all of them were the same one, so they met another group's "
        "K/V head.",
        "in what order do the heads of q stand just before the scores?",
        tuple(
            Grouped(shared(Steps(split=reordered(change, "q"))))
            for change in (
                lambda z: z.flip(1),
                lambda z: z.roll(1, 1),
                lambda z: z.roll(-1, 1),
                lambda z: z[:, :1].expand_as(z),
                lambda z: z.mean(1, keepdim=True).expand_as(z),
            )
        ),
        "H > 1",
    ),
    Cause(
        "merges-groups-crosswise",
        "Attention is right, but query heads were laid side by side with the place in the group "
        "first: 0, n_rep, 2 * n_rep, ... Head 1 stands next to head 0.",
        "in which order do your two group axes stand when you flatten?",
        (_crosswise,),
        "Hkv between 1 and H",
    ),
)
REPLACED = ("one-head-for-all", "heads-mismatched")  # sharing has its own words for them
SIZES = (
    Cause(
        "hard-coded-groups",
        "A number of an example is written into the function: one n_rep, one H or one Hkv.",
        "call it with other numbers of heads. Which line of yours knows the old ones?",
        (
            _only(lambda H, Hkv: 2 * Hkv == H),
            _only(lambda H, Hkv: H == 6),
            _only(lambda H, Hkv: Hkv == 3),
            _only(lambda H, Hkv: (H, Hkv) == (6, 3)),
        ),
        "other numbers of heads than the example's",
    ),
    Cause(
        "refuses-an-end",
        "A valid pair of heads was refused: Hkv = H is multi-head attention, Hkv = 1 is "
        "multi-query attention, and n_rep need not divide Hkv.",
        "put H and Hkv of this input into your condition by hand.",
        (
            _only(lambda H, Hkv: Hkv < H),
            _only(lambda H, Hkv: Hkv > 1),
            _only(lambda H, Hkv: Hkv not in (1, H)),
            _only(lambda H, Hkv: Hkv % (H // Hkv) == 0),
        ),
        "Hkv = H and Hkv = 1",
    ),
)
CAUSES = (
    *MAPS,
    *COPIES,
    *GROUPS,
    *(more(of_attention(cause)) for cause in OF_ATTENTION if cause.id not in REPLACED),
    *BEYOND,
    *SIZES,
)
