"""Mistakes in which K/V head is copied where, and along which axis."""
# ruff: noqa: ARG005  (variants have the signature of the exercise, whatever they use of it)

from __future__ import annotations

import torch

from manyheads.check.exercise import Cause
from manyheads.check.repeat.ways import (
    along,
    by_index,
    folded,
    recipe,
    right,
    samples,
    tile,
    tokens_cut,
)

ORDERS = (
    Cause(
        "tiled",
        "All K/V heads stand once, then all of them again. Each K/V head serves n_rep neighbouring "
        "query heads, so its copies stand side by side.",
        "which K/V head does out[0, 1] hold, and which one should query head 1 read?",
        (tile,),
        "Hkv > 1 and n_rep > 1",
    ),
    Cause(
        "divides-by-hkv",
        "Head h is a copy of K/V head h // Hkv. It is h // n_rep that is asked for; the two are "
        "the same only where n_rep = Hkv.",
        "how many copies of K/V head 0 do you find, and how many should there be?",
        (
            by_index(lambda h, Hkv, n: h // Hkv),
            by_index(lambda h, Hkv, n: h // Hkv % Hkv),
            by_index(lambda h, Hkv, n: min(h // Hkv, Hkv - 1)),
        ),
        "n_rep other than Hkv",
    ),
    Cause(
        "one-head-for-all",
        "Every head is a copy of the same K/V head. That is multi-query attention; here there are "
        "Hkv of them.",
        "is K/V head 1 anywhere in your result?",
        (
            by_index(lambda h, Hkv, n: 0),
            by_index(lambda h, Hkv, n: Hkv - 1),
            lambda x, n: x.mean(1, keepdim=True).expand(-1, x.shape[1] * n, -1, -1),
            lambda x, n: x.sum(1, keepdim=True).expand(-1, x.shape[1] * n, -1, -1),
        ),
        "K/V heads that differ",
    ),
    Cause(
        "heads-reordered",
        "The copies stand side by side, but the K/V heads have changed places.",
        "which K/V head does out[0, 0] hold?",
        (
            by_index(lambda h, Hkv, n: Hkv - 1 - h // n),
            by_index(lambda h, Hkv, n: (h // n + 1) % Hkv),
            by_index(lambda h, Hkv, n: (h // n - 1) % Hkv),
        ),
        "K/V heads that differ",
    ),
    Cause(
        "other-order",
        "Heads were copied in an order that is neither the group's nor a tile.",
        "write down, for h = 0, 1, 2, ..., which K/V head you find in out[0, h].",
        (
            by_index(lambda h, Hkv, n: h % n % Hkv),
            by_index(lambda h, Hkv, n: h % n),
            by_index(lambda h, Hkv, n: -(-h // n) % Hkv),
            by_index(lambda h, Hkv, n: min(h, Hkv - 1)),
            by_index(lambda h, Hkv, n: h % Hkv if h // Hkv % 2 == 0 else Hkv - 1 - h % Hkv),
            lambda x, n: right(x, n).roll(1, 1),
            lambda x, n: right(x, n).roll(-1, 1),
            lambda x, n: torch.cat((x, x[:, -1:].repeat(1, (n - 1) * x.shape[1], 1, 1)), 1),
            lambda x, n: torch.cat((x[:, :1].repeat(1, (n - 1) * x.shape[1], 1, 1), x), 1),
        ),
        "H = 6 and Hkv = 3",
    ),
)
AXES = (
    Cause(
        "repeats-tokens",
        "The copies went along the token axis. Here x is [B, Hkv, T, Dh]: heads are axis 1, tokens "
        "axis 2. A recipe written for [B, T, Hkv, Dh] repeats the wrong one.",
        "which tokens does out[0, 0] hold, from top to bottom?",
        (
            recipe,
            along(2),
            along(2, tiled=True),
            tokens_cut,
            lambda x, n: x[:, :, :, None].expand(-1, -1, -1, n, -1),
        ),
        "T > 1",
    ),
    Cause(
        "repeats-samples",
        "The copies went along the batch axis, so whole samples were repeated and heads now hold "
        "another sample's numbers.",
        "is every number of out[0] taken from x[0]?",
        (samples, along(0), along(0, tiled=True)),
        "B > 1",
    ),
    Cause(
        "repeats-features",
        "The copies went along the feature axis. A head keeps its width; there are more heads.",
        "how wide is one head in x, and in your result?",
        (along(3), along(3, tiled=True), folded(along(3))),
        "n_rep > 1",
    ),
    Cause(
        "copies-on-an-axis-of-their-own",
        "The copies are there, on an axis of their own. It has to be joined with the head axis, so "
        "that there are Hkv * n_rep heads.",
        "which two axes of your result belong together, and in which order do they stand?",
        (
            lambda x, n: x[:, :, None].expand(-1, -1, n, -1, -1),
            lambda x, n: x[:, None].expand(-1, n, -1, -1, -1),
            lambda x, n: x[None].expand(n, -1, -1, -1, -1),
            lambda x, n: x[..., None].expand(-1, -1, -1, -1, n),
        ),
        "any input",
    ),
    Cause(
        "token-major-result",
        "Tokens stand before heads. This exercise keeps heads first, [B, H, T, Dh].",
        "which axis of your result has length T?",
        (
            lambda x, n: right(x, n).transpose(1, 2),
            lambda x, n: tile(x, n).transpose(1, 2),
            lambda x, n: right(x.transpose(1, 2), n),
            lambda x, n: right(x, n).transpose(1, 2).reshape(right(x, n).shape),
        ),
        "T other than H",
    ),
    Cause(
        "last-axes-exchanged",
        "Tokens and features have changed places in every head.",
        "what is the length of the last axis of your result?",
        (
            lambda x, n: right(x, n).mT,
            lambda x, n: right(x, n).mT.reshape(right(x, n).shape),
        ),
        "T other than Dh",
    ),
    Cause(
        "flattened",
        "The result is one long row: without an axis, repeat_interleave and flatten take all of "
        "them together.",
        "which argument tells repeat_interleave along which axis it works?",
        (
            lambda x, n: x.repeat_interleave(n),
            lambda x, n: right(x, n).flatten(),
            lambda x, n: torch.cat([x.flatten()] * n),
        ),
        "any input",
    ),
)
