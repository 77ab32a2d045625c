"""Mistakes that the check of lesson 05 need not know, and more spellings of those it does."""
# ruff: noqa: ARG005  (steps have their signature, whatever they use of it)

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.gqa.grouped import grouped
from manyheads.check.merge.values import beside
from manyheads.check.mha.masking import filled
from manyheads.check.mha.steps import Steps, dot, same


def _turned(heads: Tensor, halves: bool) -> Tensor:
    """Rotary positions as usual, theta 10000, in either pairing; [B, H, T, Dh], even Dh."""
    T, Dh = heads.shape[-2:]
    i = torch.arange(Dh // 2)
    angle = torch.arange(T)[:, None] * 10000.0 ** (-2 * i / Dh)  # [T, Dh/2]
    a, b = heads.tensor_split(2, -1) if halves else (heads[..., 0::2], heads[..., 1::2])
    pair = (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())
    return torch.cat(pair, -1) if halves else torch.stack(pair, -1).flatten(-2)


def _rms(heads: Tensor) -> Tensor:
    return heads / (heads.square().mean(-1, keepdim=True) + 1e-6).sqrt()


MORE = {
    "softmax-over-heads-or-samples": tuple(
        steps
        for axis in (1, 0)
        for steps in (
            Steps(mask=filled(-1e9), weigh=lambda s, axis=axis: s.softmax(axis)),
            Steps(mask=same, weigh=lambda s, axis=axis: s.softmax(axis).tril()),
        )
    ),
    "softmax-over-queries": (
        Steps(mask=filled(-1e9), weigh=lambda s: s.softmax(-2)),
        Steps(mask=same, weigh=lambda s: s.softmax(-2).tril()),
    ),
    "weights-shared-by-heads": (
        Steps(after=lambda w: w[:, :1].expand_as(w)),
        Steps(after=lambda w: w[:, -1:].expand_as(w)),
    ),
    "other-scores": (Steps(score=lambda q, k: dot(_rms(q), _rms(k))),),
}
CAUSES = (
    Cause(
        "adds-rope",
        "Positions were rotated into q and k. That is right in a whole block; this exercise leaves "
        "RoPE out.",
        "which line of yours knows the position of a token?",
        tuple(
            grouped(
                Steps(score=lambda q, k, halves=halves: dot(_turned(q, halves), _turned(k, halves)))
            )
            for halves in (False, True)
        ),
        "T > 1",
    ),
    Cause(
        "result-scaled",
        "Everything is right but for one factor: the result was divided by, or multiplied with, a "
        "number.",
        "divide your result by merged @ Wo. Which number do you find?",
        tuple(
            grouped(Steps(merge=lambda c, factor=factor: beside(c) * factor(c)))
            for factor in (
                lambda c: 1 / c.shape[1],
                lambda c: c.shape[1],
                lambda c: c.shape[-1] ** -0.5,
                lambda c: (c.shape[1] * c.shape[-1]) ** -0.5,
                lambda c: 0.5,
                lambda c: 2.0,
            )
        ),
        "H > 1",
    ),
)


def more(cause: Cause) -> Cause:
    """`cause` with further variants where there are any."""
    added = tuple(map(grouped, MORE.get(cause.id, ())))
    return replace(cause, variants=(*cause.variants, *added))
