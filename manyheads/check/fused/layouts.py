"""Mistakes about where the columns of Q, K and V lie in a fused projection, and what comes back."""
# ruff: noqa: ARG001, ARG005  (all ways of doing it have one signature, whatever they use)

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from manyheads.check.exercise import Cause, Variant

Parts = tuple[Any, ...]


def cut(pieces: Callable[[Tensor, int, int, int], Parts]) -> Variant:
    """A variant from the product y and the widths of all query heads, all K/V heads, one head."""

    def variant(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Parts:
        return tuple(pieces(x @ Wqkv, H * Dh, Hkv * Dh, Dh))

    return variant


def _fold(y: Tensor, *sizes: int) -> Tensor:
    """The last axis of y taken apart into several."""
    return y.reshape(*y.shape[:-1], *sizes)


def _blocks(y: Tensor, a: int, b: int) -> tuple[Tensor, Tensor, Tensor]:
    return y[..., :a], y[..., a : a + b], y[..., a + b : a + 2 * b]


def _returned(order: tuple[int, ...]) -> Variant:
    return cut(lambda y, a, b, d: tuple(_blocks(y, a, b)[i] for i in order))


def _lying(order: tuple[int, ...]) -> Variant:
    """Read the blocks as if they lay in another order, 0 for Q, 1 for K, 2 for V."""

    def pieces(y: Tensor, a: int, b: int, d: int) -> Parts:
        named, start = {}, 0
        for block in order:
            width = a if block == 0 else b
            named[block] = y[..., start : start + width]
            start += width
        return named[0], named[1], named[2]

    return cut(pieces)


def _groups(q_first: bool, values_first: bool = False) -> Variant:
    """Read the columns group by group: some query heads, then their key and value head."""

    def pieces(y: Tensor, a: int, b: int, d: int) -> Parts:
        groups = _fold(y, b // d, a // b + 2, d)  # [B, T, Hkv, n_rep + 2, Dh]
        q, k, v = groups[..., :-2, :], groups[..., -2, :], groups[..., -1, :]
        if not q_first:
            k, v, q = groups[..., 0, :], groups[..., 1, :], groups[..., 2:, :]
        k, v = (v, k) if values_first else (k, v)
        return q.flatten(2), k.flatten(2), v.flatten(2)

    return cut(pieces)


def _pairs(whole_heads: bool) -> Variant:
    def pieces(y: Tensor, a: int, b: int, d: int) -> Parts:
        pair = _fold(y[..., a:], -1, 2, d if whole_heads else 1)
        return y[..., :a], pair[..., 0, :].flatten(2), pair[..., 1, :].flatten(2)

    return cut(pieces)


def _turned(y: Tensor, a: int, b: int, d: int) -> Parts:
    return _blocks(_fold(y, -1, d).mT.flatten(2), a, b)


def _turned_apart(y: Tensor, a: int, b: int, d: int) -> Parts:
    parts = _blocks(_fold(y, d, -1), a // d, b // d)
    return tuple(part.flatten(2) for part in parts)


CAUSES = (
    Cause(
        "other-order",
        "The blocks were cut as they should be, but they come back in another order. The caller "
        "unpacks q, k, v.",
        "which columns of x @ Wqkv does each of your results hold?",
        tuple(_returned(order) for order in permutations(range(3)) if order != (0, 1, 2)),
        "blocks that differ",
    ),
    Cause(
        "other-blocks",
        "The widths are right, but the columns were read as if the blocks lay in another order. "
        "Here they lie as [Q | K | V].",
        "which columns of x @ Wqkv does each of your results hold?",
        tuple(_lying(order) for order in permutations(range(3)) if order[0] != 0),
        "blocks that differ",
    ),
    Cause(
        "interleaved-groups",
        "The columns were read group by group: some query heads, their key head, their value head. "
        "Several real models store them so (GPT-NeoX, Falcon); this exercise has three blocks.",
        "which columns of x @ Wqkv does your k hold? Where do K's columns lie in [Q | K | V]?",
        tuple(_groups(*flags) for flags in ((True,), (False,), (True, True), (False, True))),
        "columns that differ",
    ),
    Cause(
        "k-and-v-interleaved",
        "Q is right. K and V were read as if they took turns; all of K comes before all of V.",
        "which columns of x @ Wqkv does your k hold? Are they neighbours?",
        (_pairs(True), _pairs(False)),
        "more than one K/V head, or a head wider than 1",
    ),
    Cause(
        "every-third-column",
        "The product was read as if q, k and v took turns, column by column. They lie in three "
        "blocks.",
        "which columns of x @ Wqkv does your q hold? Are they neighbours?",
        (
            cut(lambda y, a, b, d: tuple(y[..., n::3] for n in range(3))),
            cut(lambda y, a, b, d: _fold(y, -1, 3).unbind(-1)),
        ),
        "columns that differ",
    ),
    Cause(
        "columns-reordered",
        "The blocks are right, but inside them the columns have changed places: features and heads "
        "were exchanged, or turned round.",
        "in which order does your q hold the columns of x @ Wqkv?",
        (
            cut(_turned),
            cut(_turned_apart),
            cut(lambda y, a, b, d: tuple(block.flip(-1) for block in _blocks(y, a, b))),
            cut(
                lambda y, a, b, d: tuple(
                    _by_heads(block, d).flip(2).flatten(2) for block in _blocks(y, a, b)
                )
            ),
        ),
        "columns that differ",
    ),
    Cause(
        "same-columns-twice",
        "Two of your results hold the same columns. K and V have blocks of their own.",
        "compare k and v: are they equal? Where does V's block begin?",
        (
            cut(lambda y, a, b, d: (y[..., :a], y[..., a : a + b], y[..., a : a + b])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a + b :], y[..., a + b :])),
        ),
        "K and V columns that differ",
    ),
    Cause(
        "split-too-early",
        "The blocks are right, and cut into heads already. This exercise returns [B, T, width]; "
        "lesson 02 splits.",
        "how many axes has your result, and how many does the text ask for?",
        (
            cut(lambda y, a, b, d: tuple(_by_heads(z, d) for z in _blocks(y, a, b))),
            cut(
                lambda y, a, b, d: tuple(_by_heads(z, d).transpose(1, 2) for z in _blocks(y, a, b))
            ),
        ),
        "the shape",
    ),
    Cause(
        "repeats-kv",
        "K and V were repeated to Q's number of heads. That comes later, in lesson 06; here they "
        "stay narrow.",
        "how wide should k be for Hkv heads of Dh?",
        (
            cut(lambda y, a, b, d: _repeated(y, a, b, lambda z: z.repeat(1, 1, a // b))),
            cut(
                lambda y, a, b, d: _repeated(
                    y, a, b, lambda z: _by_heads(z, d).repeat_interleave(a // b, 2).flatten(2)
                )
            ),
        ),
        "Hkv < H",
    ),
    Cause(
        "pads-kv",
        "K and V were filled up with zeros to Q's width. Narrow is how they should be.",
        "how wide should k be for Hkv heads of Dh?",
        (
            cut(
                lambda y, a, b, d: _repeated(
                    y, a, b, lambda z: torch.nn.functional.pad(z, (0, a - b))
                )
            ),
        ),
        "Hkv < H",
    ),
)


def _by_heads(z: Tensor, d: int) -> Tensor:
    return _fold(z, -1, d)  # [B, T, heads, Dh]


def _repeated(y: Tensor, a: int, b: int, more: Callable[[Tensor], Tensor]) -> Parts:
    q, k, v = _blocks(y, a, b)
    return q, more(k), more(v)
