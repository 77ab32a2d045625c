"""Mistakes in the causal mask."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.mha.steps import Steps, future, masked, same

NEVER = -torch.inf


def filled(value: float) -> Callable[[Tensor], Tensor]:
    """The future's scores set to a number."""
    return lambda scores: scores.masked_fill(future(scores), value)


def _keeps(diagonal: int) -> Callable[[Tensor], Tensor]:
    """Only keys up to `diagonal` places behind their query are kept."""
    return lambda s: s.masked_fill(torch.ones(s.shape[-2:]).triu(diagonal + 1).bool(), NEVER)


def _first_only(axis: int) -> Callable[[Tensor], Tensor]:
    def mask(scores: Tensor) -> Tensor:
        some = scores.clone()
        first = (slice(None),) * axis + (slice(0, 1),)
        some[first] = masked(scores)[first]
        return some

    return mask


def _sized_by(axis: int) -> Callable[[Tensor], Tensor]:
    """A mask as large as another axis of the scores: it fits by chance only."""
    return lambda s: s.masked_fill(torch.ones(s.shape[axis], s.shape[axis]).triu(1).bool(), NEVER)


CAUSES = (
    Cause(
        "no-mask",
        "The causal mask is missing, or its result was thrown away (masked_fill returns a new "
        "tensor). Only the last token is right: it may see all the others anyway.",
        "which weights has token 0? It should see itself alone.",
        (Steps(mask=same),),
        "T > 1, and any row but the last",
    ),
    Cause(
        "mask-inverted",
        "The mask keeps the future and hides the past. masked_fill fills where the mask is True; "
        "query i keeps keys j <= i.",
        "print your mask for T = 3. Where is it True, and what happens there?",
        (
            Steps(mask=lambda s: s.masked_fill(torch.ones(s.shape[-2:]).tril(-1).bool(), NEVER)),
            Steps(mask=lambda s: s.masked_fill(~future(s), NEVER)),
            Steps(mask=lambda s: s.masked_fill(~future(s), -1e9)),
            Steps(
                mask=lambda s: s.masked_fill(~future(s), NEVER),
                weigh=lambda s: s.softmax(-1).nan_to_num(0.0),
            ),
        ),
        "T > 1",
    ),
    Cause(
        "mask-hides-itself",
        "A token doesn't see itself: the diagonal was masked too, so token 0 has nothing left to "
        "see.",
        "which keys are left for query 0, and which for query 1?",
        (Steps(mask=_keeps(-1)), Steps(mask=lambda s: s.masked_fill(~(future(s).mT), -1e9))),
        "token 0",
    ),
    Cause(
        "mask-leaks",
        "Every query sees some of the future: the mask begins too far to the right. Query i keeps "
        "keys 0 to i.",
        "how many keys are left for query 0?",
        tuple(Steps(mask=_keeps(n)) for n in (1, 2)),
        "T > 1",
    ),
    Cause(
        "mask-window",
        "Old tokens were hidden too: every query keeps all keys up to itself.",
        "how many keys are left for the last query? There should be T.",
        tuple(
            Steps(
                mask=lambda s, n=n: masked(s).masked_fill(
                    torch.ones(s.shape[-2:]).tril(-n).bool(), NEVER
                )
            )
            for n in (2, 3)
        ),
        "T > 2",
    ),
    Cause(
        "mask-not-minus-infinity",
        "Masked scores got a number that softmax still gives weight to: exp(0) is 1, and a small "
        "negative number is hardly less. They need -inf (or something like -1e9).",
        "what weight does token 0 give to token 1 in your function? It should be 0.",
        (
            *(Steps(mask=filled(n)) for n in (0.0, -1e-9, -1.0, -2.0, -5.0, -10.0, -20.0, 1e-9)),
            Steps(mask=lambda s: s.tril(), scale=lambda n: n.Dh**-0.5),
            Steps(mask=lambda s: s + torch.ones(s.shape[-2:]).tril()),
            Steps(mask=lambda s: s - future(s).to(s.dtype)),
            Steps(mask=lambda s: s * ~future(s)),
            Steps(mask=lambda s: s - 10 * future(s)),
        ),
        "token 0",
    ),
    Cause(
        "mask-plus-infinity",
        "Masked scores were set to plus infinity, which takes all the weight, or gives nan.",
        "is exp of your fill value 0?",
        (Steps(mask=filled(torch.inf)), Steps(mask=filled(1e9)), Steps(mask=filled(torch.nan))),
        "T > 1",
    ),
    Cause(
        "masked-after-softmax",
        "The future was taken out after the softmax, where it had its part in the sum already, so "
        "rows no longer sum to 1. Mask the scores.",
        "what does row 0 of your weights sum to?",
        (
            Steps(mask=same, after=lambda w: w.tril()),
            Steps(mask=same, after=lambda w: w.masked_fill(future(w), NEVER)),
        ),
        "any row but the last",
    ),
    Cause(
        "mask-in-one-sample-or-head",
        "Only the first sample, or the first head, was masked. The mask [T, T] holds for all of "
        "them.",
        "compare the first row of the weights in the first and the last sample, and head.",
        (Steps(mask=_first_only(0)), Steps(mask=_first_only(1))),
        "B > 1 and H > 1",
    ),
    Cause(
        "mask-of-another-size",
        "The mask was made as large as another axis. It is T by T.",
        "what is mask.shape, and what are the last two sizes of the scores?",
        (Steps(mask=_sized_by(1)), Steps(mask=_sized_by(0))),
        "T other than H",
    ),
)
