"""Mistakes in the scores and their scale."""

from __future__ import annotations

from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.mha.steps import Steps, dot, over_keys


def _recut(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.reshape(*k.shape[:2], k.shape[3], k.shape[2])


def _distance(q: Tensor, k: Tensor) -> Tensor:
    return -(q[..., :, None, :] - k[..., None, :, :]).square().sum(-1)


CAUSES = (
    Cause(
        "no-scale",
        "The scores were not divided by sqrt(Dh), so the softmax is too sharp. A dot product of Dh "
        "terms grows with sqrt(Dh).",
        "how large is the largest score before the softmax? Compare with and without the scale.",
        (Steps(scale=lambda _: 1.0),),
        "Dh > 1, and rows after the first",
    ),
    Cause(
        "divides-by-dh",
        "The scores were divided by Dh: by the root twice, or by Dh itself. Once by sqrt(Dh) is "
        "right. (SDPA scales by itself.)",
        "in how many places of your function does Dh, or its root, divide something?",
        (Steps(scale=lambda n: 1 / n.Dh), Steps(scale=lambda n: n.Dh**-0.5 / n.Dh)),
        "Dh > 1, and rows after the first",
    ),
    Cause(
        "scale-by-model-width",
        "The scores were divided by the root of the whole width. A head's dot product has Dh terms "
        "only, so the divisor is sqrt(Dh).",
        "how many products are added up for one score of one head?",
        (
            Steps(scale=lambda n: n.D**-0.5),
            Steps(scale=lambda n: (n.H * n.Dh) ** -0.5),
            Steps(scale=lambda n: 1 / n.D),
        ),
        "H > 1, and rows after the first",
    ),
    Cause(
        "scale-by-d-over-h",
        "The scale was taken from D // H. Dh is Wq.shape[1] // num_heads; the two differ as soon "
        "as H*Dh isn't D.",
        "what are D // H and Wq.shape[1] // H in this call?",
        (Steps(scale=lambda n: (n.D // n.H) ** -0.5),),
        "H*Dh other than D",
    ),
    Cause(
        "scale-by-other-size",
        "The scores were divided by the root of another size: of the tokens, the heads or the "
        "batch. What counts is the number of terms in one dot product, Dh.",
        "how many products are added up for one score of one head?",
        (
            Steps(scale=lambda n: n.T**-0.5),
            Steps(scale=lambda n: n.H**-0.5),
            Steps(scale=lambda n: n.B**-0.5),
            Steps(scale=lambda n: 1 / n.T),
            Steps(scale=lambda n: 1 / n.H),
        ),
        "sizes that all differ",
    ),
    Cause(
        "multiplies-by-root",
        "The scores were multiplied by sqrt(Dh), or by Dh, not divided.",
        "are your scaled scores smaller or larger than before?",
        (Steps(scale=lambda n: n.Dh**0.5), Steps(scale=lambda n: float(n.Dh))),
        "Dh > 1",
    ),
    Cause(
        "negative-scores",
        "The scores have the wrong sign: the least alike key gets the most weight.",
        "which key gets most weight from a query that equals it?",
        (Steps(scale=lambda n: -(n.Dh**-0.5)),),
        "rows after the first",
    ),
    Cause(
        "scale-after-softmax",
        "The weights were divided, not the scores, so a row no longer sums to 1. The scale comes "
        "before the softmax.",
        "what does a row of your weights sum to?",
        (
            Steps(
                scale=lambda _: 1.0,
                mix=lambda w, _q, _k, v: w @ v * v.shape[-1] ** -0.5,
            ),
        ),
        "Dh > 1",
    ),
    Cause(
        "k-recut-not-transposed",
        "K was given the shape [B, H, Dh, T] by a reshape, which deals its numbers out again. The "
        "last two axes have to change places: transpose(-2, -1).",
        "compare your K for one head with k[0, 0].T.",
        (Steps(score=_recut),),
        "T > 1, Dh > 1",
    ),
    Cause(
        "keys-meet-queries",
        "The scores came out transposed: rows are keys and columns are queries, K times Q "
        "transposed.",
        "which of q and k gives score[0, 0] its rows?",
        (
            Steps(score=lambda q, k: k @ q.mT),
            Steps(score=lambda q, k: (q @ k.mT).mT),
        ),
        "rows after the first",
    ),
    Cause(
        "scores-of-one-alone",
        "Q met Q, or K met K, or both were made with one matrix: the scores compare queries, "
        "x @ Wq, with keys, x @ Wk.",
        "which two tensors does your score line multiply, and which matrices made them?",
        (Steps(score=lambda q, _: q @ q.mT), Steps(score=lambda _, k: k @ k.mT)),
        "Q and K that differ",
    ),
    Cause(
        "other-scores",
        "The scores are no dot products of one query with one key: cosines, distances, absolute "
        "values or squares are something else.",
        "how is score[0, 0, 1, 0] made from q[0, 0, 1] and k[0, 0, 0]?",
        (
            Steps(score=_distance),
            Steps(score=lambda q, k: dot(q, k).abs()),
            Steps(score=lambda q, k: dot(q, k).square()),
            Steps(score=lambda q, k: dot(q, k).relu()),
            Steps(score=lambda q, k: dot(q, k).sigmoid()),
            Steps(score=lambda q, k: dot(q.softmax(-1), k)),
            Steps(score=lambda q, k: dot(q / q.norm(dim=-1, keepdim=True), k)),
            *(
                Steps(
                    score=lambda q, k: dot(
                        q / q.norm(dim=-1, keepdim=True), k / k.norm(dim=-1, keepdim=True)
                    ),
                    scale=scale,
                )
                for scale in (lambda n: n.Dh**-0.5, lambda _: 1.0)
            ),
        ),
        "rows after the first",
    ),
    Cause(
        "uniform-weights",
        "Every visible token got the same weight: the scores play no part in the weights.",
        "do q and k reach the softmax in your function?",
        (Steps(scale=lambda _: 0.0), Steps(scale=lambda _: 0.0, weigh=over_keys)),
        "rows after the first",
    ),
)
