"""Mistakes in the softmax, and in what the weights are applied to."""

from __future__ import annotations

import torch
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.mha.masking import filled
from manyheads.check.mha.steps import Steps, future, masked, over_keys, same
from manyheads.check.split.orders import must


def _by_sum(scores: Tensor) -> Tensor:
    kept = scores.masked_fill(future(scores), 0)
    return kept / kept.sum(-1, keepdim=True)


def _over_heads_and_keys(scores: Tensor) -> Tensor:
    B, H, T, S = scores.shape
    joined = scores.transpose(1, 2).reshape(B, T, H * S).softmax(-1)
    return joined.view(B, T, H, S).transpose(1, 2)


SOFTMAX = (
    Cause(
        "softmax-over-queries",
        "The softmax ran down the columns, over queries. Every query shares out its weight over "
        "the keys: dim=-1.",
        "what do the rows of your weights sum to, and what the columns?",
        (Steps(weigh=lambda s: s.softmax(-2)),),
        "T > 1",
    ),
    Cause(
        "softmax-over-heads-or-samples",
        "The softmax ran over heads or over samples, which never compete. It runs over the keys: "
        "dim=-1.",
        "what do the rows of your weights sum to?",
        (Steps(weigh=lambda s: s.softmax(1)), Steps(weigh=lambda s: s.softmax(0))),
        "H > 1 or B > 1",
    ),
    Cause(
        "softmax-over-too-much",
        "The softmax ran over more than one query's keys at once. Every query of every head has a "
        "row that sums to 1 by itself.",
        "what does one row of your weights sum to?",
        (
            Steps(weigh=lambda s: s.flatten(-2).softmax(-1).view_as(s)),
            Steps(weigh=_over_heads_and_keys),
            Steps(weigh=lambda s: s.flatten().softmax(0).view_as(s)),
        ),
        "T > 1",
    ),
    Cause(
        "no-softmax",
        "There is no softmax: the scores themselves, or their shares of the sum, were used as "
        "weights.",
        "are all your weights positive, and does each row sum to 1?",
        (
            Steps(mask=filled(0.0), weigh=same),
            Steps(mask=same, weigh=same),
            Steps(weigh=same),
            Steps(mask=same, weigh=_by_sum),
            Steps(mask=filled(0.0), weigh=lambda s: s / s.sum(-1, keepdim=True)),
            Steps(weigh=lambda s: s.exp()),
            Steps(weigh=lambda s: s.sigmoid()),
            Steps(weigh=lambda s: s.log_softmax(-1)),
            Steps(mask=filled(0.0), weigh=lambda s: s.relu()),
        ),
        "T > 1",
    ),
    Cause(
        "softmax-twice",
        "The softmax was applied twice, so the weights are nearly even, and the future has weight "
        "again.",
        "how often does softmax occur between the scores and the values?",
        (
            Steps(after=over_keys),
            Steps(after=lambda w: masked(w).softmax(-1)),
        ),
        "T > 1",
    ),
    Cause(
        "hard-choice",
        "Each query took the one key with the largest score. Softmax gives every visible key its "
        "share.",
        "how many weights in the last row of your weights are not 0?",
        (
            Steps(
                weigh=lambda s: torch.nn.functional.one_hot(s.argmax(-1), s.shape[-1]).to(s.dtype)
            ),
        ),
        "T > 1",
    ),
)
MIX = (
    Cause(
        "weights-transposed",
        "The values were mixed with the weights transposed, so tokens were given to, not taken "
        "from. Row i of the weights mixes the values for query i: weights @ v.",
        "which axis of your weights meets the tokens of v?",
        (Steps(mix=lambda w, _q, _k, v: w.mT @ v),),
        "T > 1",
    ),
    Cause(
        "mixes-queries-or-keys",
        "The weights mixed keys or queries, or V was made with their matrix. What is passed on is "
        "the values, x @ Wv.",
        "what stands to the right of the weights, and which matrix was it made with?",
        (Steps(mix=lambda w, _q, k, _v: w @ k), Steps(mix=lambda w, q, _k, _v: w @ q)),
        "V that differs from K and Q",
    ),
    Cause(
        "values-not-mixed",
        "Every token got its own value back, or all of them the same sum: the weights take no part "
        "in the result.",
        "change token 0 of x. Which rows of out change? Later ones should.",
        (
            Steps(mix=lambda _w, _q, _k, v: v),
            Steps(mix=lambda w, _q, _k, v: w.sum(-1, keepdim=True) * v),
            Steps(mix=lambda w, _q, _k, v: w.sum(-1, keepdim=True) * v.sum(2, keepdim=True)),
            Steps(mix=lambda w, _q, _k, v: w.diagonal(dim1=-2, dim2=-1).unsqueeze(-1) * v),
            Steps(mix=lambda _w, _q, _k, v: v.mean(2, keepdim=True).expand_as(v)),
            Steps(mix=lambda _w, _q, _k, v: v.cumsum(2)),
        ),
        "T > 1",
    ),
    Cause(
        "weights-shared-by-heads",
        "The weights of the heads were averaged, so all heads look alike. Every head mixes its own "
        "values with its own weights.",
        "how many different weight matrices does your function use for one sample?",
        (
            Steps(after=lambda w: w.mean(1, keepdim=True).expand_as(w)),
            Steps(
                score=lambda q, k: (q @ k.mT).mean(1, keepdim=True).expand(-1, q.shape[1], -1, -1)
            ),
            Steps(
                score=lambda q, k: (q @ k.mT).sum(1, keepdim=True).expand(-1, q.shape[1], -1, -1)
            ),
        ),
        "heads that differ, H > 1",
    ),
    Cause(
        "needs-t-equal-h",
        "K was used as it is, or other axes of it changed places than its last two. In "
        "[B, H, T, Dh] those are tokens and features.",
        "what is the shape of what you multiply q with? It should be [B, H, Dh, T].",
        (
            Steps(score=lambda q, k: q @ k.transpose(1, 2)),
            Steps(score=lambda q, k: q @ k),
            Steps(score=lambda q, k: q @ k.transpose(1, 3)),
            Steps(score=lambda q, k: q @ k.permute(3, 2, 1, 0)),
            Steps(score=lambda q, k: must(False, q @ k.mT)),
        ),
        "sizes that all differ",
    ),
)
CAUSES = (*SOFTMAX, *MIX)
