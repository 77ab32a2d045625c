"""Mistakes on the way from q and k to the weights: scale, mask and softmax.

Variants take (x, Wq, Wk, Wv, Wo, n_heads, n_kv_heads), as `attention_stages.attention` does.
"""
# ruff: noqa: ARG005  (stages have their signature, whatever they use of it)

from __future__ import annotations

import torch
from torch import Tensor

from manyheads.check.attention_stages import Stage, future, mask, score, weigh, with_stages
from manyheads.check.exercise import Cause


def _as_they_are(scores: Tensor) -> Tensor:
    return scores


def _filled(value: float, beyond: int = 0) -> Stage:
    """A mask that writes `value` where key j lies more than `beyond` tokens after query i."""
    return lambda s: torch.where(future(s).triu(1 + beyond), value, s)


def _past(scores: Tensor) -> Tensor:
    """True where key j lies before query i, [T, T]."""
    return future(scores).mT


def _first_sample(scores: Tensor) -> Tensor:
    return torch.cat((mask(scores[:1]), scores[1:]))


def _whole_matrix(scores: Tensor) -> Tensor:
    rows = torch.softmax(scores.flatten(2), dim=-1)  # [B, H, T*T]
    return rows.reshape(scores.shape)


def _turned(heads: Tensor, halves: bool) -> Tensor:
    """Rotary positions as usual, theta 10000, in either pairing; [B, H, T, Dh], even Dh."""
    T, Dh = heads.shape[-2:]
    i = torch.arange(Dh // 2)
    angle = torch.arange(T)[:, None] * 10000.0 ** (-2 * i / Dh)  # [T, Dh/2]
    a, b = (heads.tensor_split(2, -1)) if halves else (heads[..., 0::2], heads[..., 1::2])
    pair = (a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos())
    return torch.cat(pair, -1) if halves else torch.stack(pair, -1).flatten(-2)


def _unit(heads: Tensor) -> Tensor:
    return heads / heads.square().sum(-1, keepdim=True).sqrt()


def _rms(heads: Tensor) -> Tensor:
    return heads / (heads.square().mean(-1, keepdim=True) + 1e-6).sqrt()


ROW_0 = "Row 0 hides it: there each query sees itself alone, whatever its score."

SCALE = (
    Cause(
        "scale-by-model-width",
        "Scores were divided by the root of a whole width (D, or H * Dh), not of one head's. "
        f"{ROW_0}",
        "how many products does one score add up? The root of that number is asked for.",
        (
            with_stages(divisor=lambda x, q: x.shape[-1] ** 0.5),
            with_stages(divisor=lambda x, q: (q.shape[1] * q.shape[-1]) ** 0.5),
        ),
    ),
    Cause(
        "no-scale",
        "Scores were not divided by anything, so the softmax is steeper than this exercise asks "
        f"for. {ROW_0}",
        "what do you divide q @ k.T by? Its size grows with Dh.",
        (with_stages(divisor=lambda x, q: 1.0),),
    ),
    Cause(
        "scale-without-root",
        "Scores were divided by Dh itself: the root is missing, or two scalings were applied (SDPA "
        f"has its own). {ROW_0}",
        "count the divisions between q @ k.T and the softmax, and look for the root.",
        (with_stages(divisor=lambda x, q: q.shape[-1]),),
    ),
    Cause(
        "scale-upside-down",
        f"Scores were multiplied where they are divided. {ROW_0}",
        "do the scores grow or shrink at your scaling?",
        (
            with_stages(divisor=lambda x, q: q.shape[-1] ** -0.5),
            with_stages(divisor=lambda x, q: 1 / q.shape[-1]),
        ),
    ),
    Cause(
        "scale-by-another-size",
        f"Scores were divided by the root of a size that isn't Dh. {ROW_0}",
        "print the number that you take the root of, beside Dh.",
        (
            with_stages(divisor=lambda x, q: q.shape[-2] ** 0.5),
            with_stages(divisor=lambda x, q: q.shape[1] ** 0.5),
            with_stages(divisor=lambda x, q: q.shape[-1] ** 0.25),
            with_stages(divisor=lambda x, q: (2 * q.shape[-1]) ** 0.5),
            with_stages(divisor=lambda x, q: q.shape[1]),
            with_stages(divisor=lambda x, q: x.shape[-1]),
        ),
    ),
    Cause(
        "scale-after-softmax",
        "The scaling came after the softmax, so a row of weights no longer adds up to 1.",
        "what is weights.sum(-1)?",
        (
            with_stages(divisor=lambda x, q: 1.0, mix=lambda w, v: w @ v / v.shape[-1] ** 0.5),
            with_stages(mix=lambda w, v: w @ v / v.shape[-1] ** 0.5),
        ),
    ),
)
MASK = (
    Cause(
        "no-mask",
        "No key was hidden, so each token also reads the tokens after it. The last row is right, "
        "because it may see them all.",
        "which weights should be 0 in row 0?",
        (with_stages(mask=_as_they_are),),
    ),
    Cause(
        "keeps-the-future",
        "The mask is turned round: tokens read what comes after them and not what came before. In "
        "SDPA True means keep, in masked_fill it means hide.",
        "which keys has row 0 left, and which has the last row?",
        (
            with_stages(mask=lambda s: s.masked_fill(_past(s), -torch.inf)),
            with_stages(mask=lambda s: s.masked_fill(~future(s), -torch.inf)),
            with_stages(
                mask=lambda s: s.masked_fill(~future(s), -torch.inf),
                weigh=lambda s: s.softmax(-1).nan_to_num(0.0),
            ),
            with_stages(mask=lambda s: s.masked_fill(~future(s), -1e9)),
        ),
    ),
    Cause(
        "hides-itself",
        "Each token was hidden from itself too, so row 0 has nothing left to read.",
        "does the diagonal belong to what may be seen? Try tril or triu with diagonal=1 and 0.",
        (
            with_stages(mask=lambda s: s.masked_fill(~_past(s), -torch.inf)),
            with_stages(mask=lambda s: s.masked_fill(~_past(s), -1e9)),
            with_stages(
                mask=lambda s: s.masked_fill(~_past(s), -torch.inf),
                weigh=lambda s: s.softmax(-1).nan_to_num(0.0),
            ),
        ),
    ),
    Cause(
        "leaks-next-token",
        "Each token sees one token too many, the next one.",
        "how many weights of row 0 are not 0? There should be one.",
        (with_stages(mask=_filled(-torch.inf, beyond=1)),),
    ),
    Cause(
        "masked-scores-not-low-enough",
        "Hidden scores were set to a number that the softmax still gives weight to: exp(0) is 1, "
        "and exp(-1e-9) nearly so.",
        "what is the weight of a hidden key after your softmax?",
        (
            *(with_stages(mask=_filled(value)) for value in (0.0, -1e-9, 1e-9, -1.0, -10.0)),
            with_stages(mask=_filled(torch.finfo(torch.float32).tiny)),
            with_stages(mask=lambda s: s + future(s) * -10.0),
        ),
    ),
    Cause(
        "mask-after-softmax",
        "Weights were set to 0 after the softmax, so the rows no longer add up to 1.",
        "what is weights.sum(-1) in row 0?",
        (with_stages(mask=_as_they_are, weigh=lambda s: weigh(s).tril()),),
    ),
    Cause(
        "mask-added-as-0-and-1",
        "A mask of zeros and ones was added to the scores. It moves them a little and hides "
        "nothing.",
        "print one row of scores before and after your mask.",
        (
            with_stages(mask=lambda s: s + (~future(s)).float()),
            with_stages(mask=lambda s: s + future(s).float()),
        ),
    ),
    Cause(
        "masks-with-plus-infinity",
        "Hidden scores were set to plus infinity, and nan came of it.",
        "which number, put through exp, gives 0?",
        (with_stages(mask=_filled(torch.inf)),),
    ),
    Cause(
        "masks-one-sample",
        "Only the first sample was masked.",
        "compare the weights of out[0] and out[1] above the diagonal.",
        (with_stages(mask=_first_sample),),
    ),
)
SOFTMAX = (
    Cause(
        "softmax-over-another-axis",
        "The softmax ran over another axis than the keys. For each query, the weights of its keys "
        "add up to 1.",
        "what does weights.sum(-1) print?",
        (
            *(with_stages(weigh=lambda s, dim=dim: s.softmax(dim)) for dim in (2, 1, 0)),
            *(
                with_stages(mask=_as_they_are, weigh=lambda s, dim=dim: s.softmax(dim).tril())
                for dim in (2, 1, 0)
            ),
            *(
                with_stages(mask=_filled(-1e9), weigh=lambda s, dim=dim: s.softmax(dim))
                for dim in (2, 1, 0)
            ),
            with_stages(weigh=_whole_matrix),
        ),
    ),
    Cause(
        "no-softmax",
        "The scores themselves, or their shares of a plain sum, were used as weights.",
        "are your weights between 0 and 1, and do they add up to 1 in each row?",
        (
            with_stages(mask=_as_they_are, weigh=torch.tril),
            with_stages(mask=_as_they_are, weigh=lambda s: s.tril() / s.tril().sum(-1, True)),
            with_stages(weigh=torch.sigmoid),
            with_stages(weigh=torch.exp),
            with_stages(weigh=lambda s: s.log_softmax(-1)),
        ),
    ),
)
SCORE = (
    Cause(
        "scores-transposed",
        f"Q and K have changed places: entry (i, j) says how key i suits query j. {ROW_0}",
        "which of the two gives the rows of the score matrix?",
        (with_stages(score=lambda q, k: score(k, q)),),
    ),
    Cause(
        "scores-from-one",
        f"Q met Q, or K met K; the other one took no part. {ROW_0}",
        "which two names stand in your product of scores?",
        (
            with_stages(score=lambda q, k: score(q, q)),
            with_stages(score=lambda q, k: score(k, k)),
        ),
    ),
    Cause(
        "k-reshaped-not-transposed",
        f"K was given the shape of its transpose by a reshape, which moves no number. {ROW_0}",
        "which number stands in row 0, column 1 of what you use, and which in k[..., 1, 0]?",
        (with_stages(score=lambda q, k: q @ k.reshape(*k.shape[:2], k.shape[3], k.shape[2])),),
    ),
    Cause(
        "adds-rope",
        "Positions were rotated into q and k. That is right in a whole block; this exercise leaves "
        f"RoPE out. {ROW_0}",
        "which line of yours knows the position of a token?",
        tuple(
            with_stages(
                score=lambda q, k, halves=halves: score(_turned(q, halves), _turned(k, halves))
            )
            for halves in (False, True)
        ),
    ),
    Cause(
        "normalises-q-and-k",
        "q and k were normalised head by head. Some models do; this exercise leaves it out. "
        f"{ROW_0}",
        "which line of yours changes the length of q's rows?",
        tuple(
            with_stages(score=lambda q, k, norm=norm: score(norm(q), norm(k)))
            for norm in (_unit, _rms)
        ),
    ),
)
CAUSES = (*SCALE, *MASK, *SOFTMAX, *SCORE)
