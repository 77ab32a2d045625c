"""Mistakes around the weights: projections, split, mixing values, merge and W_O.

Variants take (x, Wq, Wk, Wv, Wo, n_heads, n_kv_heads), as `attention_stages.attention` does.
"""
# ruff: noqa: ARG005  (stages have their signature, whatever they use of it)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from manyheads.check.attention_errors import NOT_CONCATENATED
from manyheads.check.attention_stages import attention, merge, mix, output, split, with_stages
from manyheads.check.exercise import Cause, Variant


def straight(y: Tensor, heads: int) -> Tensor:
    """[B, T, heads*Dh] read as [B, heads, T, Dh] as it lies in memory."""
    B, T, width = y.shape
    return y.reshape(B, heads, T, width // heads)


def strided(y: Tensor, heads: int) -> Tensor:
    """[B, T, heads*Dh] -> [B, heads, T, Dh]: head h takes features h, h+heads, ..."""
    return torch.stack([y[..., h::heads] for h in range(heads)], dim=1)


def flat(context: Tensor) -> Tensor:
    """[B, H, T, Dh] read as [B, T, H*Dh] as it lies in memory."""
    B, H, T, Dh = context.shape
    return context.reshape(B, T, H * Dh)


def woven(context: Tensor) -> Tensor:
    """[B, H, T, Dh] -> [B, T, Dh*H]: feature 0 of every head, then feature 1, ..."""
    return torch.stack(context.unbind(dim=1), dim=-1).flatten(2)


def _misread(context: Tensor) -> Tensor:
    """[B, H, T, Dh] taken for [H, B, T, Dh]."""
    B, H, T, Dh = context.shape
    return context.reshape(H, B, T, Dh)


def _all(way: Callable[[Tensor, int], Tensor]) -> dict[str, Any]:
    return {"split_q": way, "split_k": way, "split_v": way}


def _some(way: Callable[[Tensor, int], Tensor]) -> tuple[Variant, ...]:
    """The split done one way in all three, in one, or in two of them."""
    names = ("split_q", "split_k", "split_v")
    chosen = [names, *((name,) for name in names), names[1:], names[:2]]
    return tuple(with_stages(**dict.fromkeys(group, way)) for group in chosen)


def _other_weights(order: str) -> Variant:
    """Q, K and V from other matrices: "qvk" takes Wv for K and Wk for V."""

    def variant(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
        W = {"q": Wq, "k": Wk, "v": Wv}
        q, k, v = (W[name] for name in order)
        return attention(x, q, k, v, Wo, n[0], n[1])

    return variant


def _upright(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
    """Q, K and V by the transposed matrices, where their sizes allow it."""
    return attention(x, Wq.T, Wk.T, Wv.T, Wo, n[0], n[1])


def _wo_upright(merged: Tensor, Wo: Tensor, x: Tensor) -> Tensor:
    return output(merged, Wo.T, x)


def _width_from_d(way: Callable[[Tensor, int], Tensor]) -> Variant:
    """A split that takes D // H for the head width, which fails unless H * Dh = D."""

    def variant(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
        if x.shape[-1] // n[0] != Wq.shape[1] // n[0]:
            raise RuntimeError(f"{Wq.shape[1]} features do not make heads of {x.shape[-1]} // H")
        return attention(x, Wq, Wk, Wv, Wo, n[0], n[1], _all(way))

    return variant


PROJECT = (
    Cause(
        "transposed-matrices",
        "The matrices were used the other way round. Here they are [in, out] and used as x @ W; "
        "only nn.Linear stores [out, in]. With square matrices nothing stops you.",
        "which axis of Wq has the length of a token's features?",
        (_upright,),
    ),
    Cause(
        "other-matrix",
        "One of q, k and v was made with another one's matrix. It is easy to copy a line and leave "
        "one letter.",
        "read your three projections side by side: which matrix stands in each?",
        tuple(map(_other_weights, ("qvk", "qkk", "qvv", "kqv", "kkv", "qqv", "qkq", "vkv", "qqq"))),
    ),
)
SPLIT = (
    Cause(
        "split-by-view",
        "Heads were cut by a view straight to [B, H, T, Dh]. A view moves no number, so a head "
        "received pieces of the first tokens and not its own features of all.",
        "cut first, then bring heads forward: what does heads[0, 0] hold for a coded x?",
        (*_some(straight), with_stages(**_all(straight), merge=flat)),
    ),
    Cause(
        "split-strided",
        "Head h took features h, h+H, h+2H, ...; it owns a block of neighbouring columns.",
        "which columns of W_Q should head 0 own?",
        (*_some(strided), with_stages(**_all(strided), merge=woven)),
    ),
    Cause(
        "head-width-from-model-width",
        "The head width was taken as D // H. That fits only where H * Dh = D; what is split is the "
        "projection, so its own width counts.",
        "print Wq.shape[1] and x.shape[-1]. Which of them do the heads share?",
        (_width_from_d(split),),
    ),
)
MIX = (
    Cause(
        "weights-transposed",
        "The weights were transposed before they met the values: each value was handed out by "
        "columns.",
        "which axis of the weights adds up to 1, and which one meets the tokens of v?",
        (with_stages(mix=lambda w, v: mix(w.mT, v)),),
    ),
    Cause(
        "no-attention",
        "The values went on unmixed, or evenly mixed: the weights took no part.",
        "where do your weights meet v?",
        (
            with_stages(mix=lambda w, v: v),
            with_stages(mix=lambda w, v: v.mean(2, keepdim=True).expand_as(v)),
            with_stages(mix=lambda w, v: v.cumsum(2)),
            with_stages(mix=lambda w, v: mix((w > 0).to(v) / (w > 0).sum(-1, True), v)),
        ),
    ),
    Cause(
        "heads-share-weights",
        "All heads used the same weights, those of one head or their mean. Each head has scores of "
        "its own.",
        "compare the weights of two heads in one sample.",
        (
            with_stages(mix=lambda w, v: mix(w.mean(1, keepdim=True).expand_as(w), v)),
            with_stages(mix=lambda w, v: mix(w[:, :1].expand_as(w), v)),
            with_stages(mix=lambda w, v: mix(w[:, -1:].expand_as(w), v)),
        ),
    ),
)
MERGE = (
    Cause(
        "merge-without-transpose",
        "Attention is right in every head; the merge isn't. It flattened [B, H, T, Dh] as it lies, "
        "so one row holds one head of several tokens.",
        "which axes stand side by side at the moment you flatten?",
        (with_stages(merge=flat), with_stages(merge=lambda c: flat(c.transpose(2, 3)))),
    ),
    Cause(
        "merge-woven",
        "Attention is right in every head; the merge isn't. It took feature 0 of every head, then "
        "feature 1; heads are laid side by side as blocks.",
        "which four numbers come first in a merged row? They should be one head's.",
        (with_stages(merge=woven),),
    ),
    Cause(
        "merge-reordered",
        "Attention is right in every head, but the heads were laid side by side in another order, "
        "so W_O's row blocks met the wrong ones.",
        "which head comes first in a merged row?",
        (
            with_stages(merge=lambda c: merge(c.flip(1))),
            with_stages(merge=lambda c: merge(c.roll(1, 1))),
            with_stages(merge=lambda c: merge(c.roll(-1, 1))),
        ),
    ),
    replace(
        NOT_CONCATENATED,
        variants=(
            with_stages(merge=lambda c: c.mean(1)),
            with_stages(merge=lambda c: c.sum(1)),
            with_stages(merge=lambda c: c[:, 0]),
            with_stages(merge=lambda c: merge(c.mean(1, keepdim=True).expand_as(c))),
            with_stages(merge=lambda c: merge(c.sum(1, keepdim=True).expand_as(c))),
        ),
    ),
    Cause(
        "merge-mixes-samples",
        "Batch and another axis changed places in the merge.",
        "change one sample of x: which samples of the result change?",
        (
            with_stages(merge=lambda c: merge(c).transpose(0, 1)),
            with_stages(merge=lambda c: merge(_misread(c).transpose(0, 1))),
        ),
    ),
)
OUTPUT = (
    Cause(
        "no-output-projection",
        "The merged heads came back as they are; W_O was not applied.",
        "where in your function does Wo occur?",
        (
            with_stages(output=lambda merged, Wo, x: merged),
            with_stages(merge=lambda c: c, output=lambda c, Wo, x: c),
            with_stages(merge=lambda c: c.transpose(1, 2), output=lambda c, Wo, x: c),
        ),
    ),
    Cause(
        "output-transposed",
        "W_O was used the other way round. Here it is [H*Dh, D] and used as merged @ Wo.",
        "which axis of Wo has the length of a merged row?",
        (with_stages(output=_wo_upright),),
    ),
    Cause(
        "adds-residual",
        "x was added to the result. The block around attention does that; this exercise returns "
        "what attention adds.",
        "subtract x from your result: what is left?",
        (with_stages(output=lambda merged, Wo, x: x + output(merged, Wo, x)),),
    ),
    Cause(
        "adds-bias",
        "Something was added to every token after W_O. There is no bias here.",
        "subtract merged @ Wo from your result: is the rest the same for every token?",
        (
            with_stages(output=lambda merged, Wo, x: output(merged, Wo, x) + Wo.mean(0)),
            with_stages(output=lambda merged, Wo, x: output(merged, Wo, x) + 1),
            with_stages(output=lambda merged, Wo, x: output(merged, Wo, x) + Wo.sum(0)),
        ),
    ),
    Cause(
        "output-scaled",
        "The result was scaled: divided by the number of heads, by the width, or normalised.",
        "divide your result by merged @ Wo: is it one number?",
        (
            with_stages(mix=lambda w, v: mix(w, v) / v.shape[1]),
            with_stages(mix=lambda w, v: mix(w, v) * v.shape[1]),
            with_stages(mix=lambda w, v: mix(w, v) * 2),
            with_stages(mix=lambda w, v: mix(w, v) / 2),
            with_stages(output=lambda merged, Wo, x: output(merged, Wo, x) / x.shape[-1] ** 0.5),
            with_stages(output=lambda merged, Wo, x: output(merged, Wo, x).softmax(-1)),
            with_stages(output=lambda merged, Wo, x: output(merged, Wo, x).tanh()),
            with_stages(output=lambda merged, Wo, x: output(merged, Wo, x).relu()),
            with_stages(output=lambda m, Wo, x: torch.layer_norm(output(m, Wo, x), x.shape[-1:])),
        ),
    ),
)
CAUSES = (*PROJECT, *SPLIT, *MIX, *MERGE, *OUTPUT)
