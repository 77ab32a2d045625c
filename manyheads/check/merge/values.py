"""Mistakes that join the right axes and put wrong numbers into them, or too few of them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from manyheads.check.exercise import Cause

ALL = slice(None)
FIRST, LAST = slice(0, 1), slice(-1, None)


def beside(context: Tensor) -> Tensor:
    """The heads side by side, [B, T, H*Dh]; mistakes are made to it, or before it."""
    return torch.cat(list(context.unbind(1)), -1)


def filled(context: Tensor, where: tuple[slice, ...]) -> Tensor:
    """Zeros everywhere but in one part of the right answer."""
    joined = beside(context)
    out = torch.zeros_like(joined)
    out[where] = joined[where]
    return out


def _written(context: Tensor, start: Callable[[int, int, int], int]) -> Tensor:
    """Heads written into zeros from `start(h, H, Dh)` on; a later one covers an earlier one."""
    samples, heads, tokens, width = context.shape
    out = context.new_zeros(samples, tokens, heads * (width + heads))
    for h in range(heads):
        at = start(h, heads, width)
        out[..., at : at + width] = context[:, h]
    return out[..., : heads * width]


CAUSES = (
    Cause(
        "averages-heads",
        "The heads were averaged, so their differences are gone. They go side by side; only W_O "
        "adds them, each with rows of its own.",
        "how many features does one token have in your result, and how many in [B, T, H*Dh]?",
        (
            lambda context: context.mean(1),
            lambda context: context.mean(1).repeat(1, 1, context.shape[1]),
            lambda context: beside(context.mean(1, keepdim=True).expand_as(context)),
            lambda context: context.mean(1, keepdim=True),
        ),
        "H > 1",
    ),
    Cause(
        "sums-heads",
        "The heads were added up. They go side by side; only W_O adds them, each with rows of its "
        "own.",
        "how many features does one token have in your result, and how many in [B, T, H*Dh]?",
        (
            lambda context: context.sum(1),
            lambda context: context.sum(1).repeat(1, 1, context.shape[1]),
            lambda context: context.sum(1, keepdim=True),
        ),
        "H > 1",
    ),
    Cause(
        "picks-the-largest",
        "Of the heads' numbers only the largest (or the smallest, or the middle one) was kept. All "
        "of them go side by side.",
        "how many numbers hold the heads of one token together? And your row?",
        tuple(
            lambda context, pick=pick: pick(context)
            for pick in (
                lambda c: c.amax(1),
                lambda c: c.amin(1),
                lambda c: c.median(1).values,
                lambda c: c.prod(1),
            )
        ),
        "H > 1",
    ),
    Cause(
        "heads-reordered",
        "Every row keeps its token, but the heads stand in another order: head 0's features come "
        "first, then head 1's. W_O's rows rely on that order.",
        "which head do the first Dh numbers of out[0, 0] come from?",
        (
            lambda context: beside(context.flip(1)),
            lambda context: beside(context.roll(1, 1)),
            lambda context: beside(context.roll(-1, 1)),
            lambda context: beside(torch.cat((context[:, 0::2], context[:, 1::2]), 1)),
        ),
        "heads that differ, H > 1",
    ),
    Cause(
        "features-reordered",
        "The heads are in their order, but inside each the features are not as they were.",
        "read the first Dh numbers of out[0, 0], and then context[0, 0, 0].",
        (
            lambda context: beside(context.flip(3)),
            lambda context: beside(context.flip(3).flip(1)),
            lambda context: beside(context.roll(1, 3)),
            lambda context: beside(context).roll(1, -1),
        ),
        "features that differ, Dh > 1",
    ),
    Cause(
        "tokens-reordered",
        "The rows are whole, but they changed places. Merging never moves a token.",
        "which token do you find in out[0, 0]?",
        (
            lambda context: beside(context.flip(2)),
            lambda context: beside(context.roll(1, 2)),
            lambda context: beside(context.roll(-1, 2)),
        ),
        "tokens that differ, T > 1",
    ),
    Cause(
        "samples-reordered",
        "The samples of the batch changed places; each one must stay at its own index.",
        "which sample do you find in out[0]?",
        (lambda context: beside(context.flip(0)), lambda context: beside(context.roll(1, 0))),
        "two different samples, B > 1",
    ),
    Cause(
        "one-sample-everywhere",
        "Every sample of your result holds the same sequence of the batch.",
        "compare out[0] with out[1].",
        (
            lambda context: beside(context[:1].expand_as(context)),
            lambda context: beside(context[-1:].expand_as(context)),
        ),
        "two different samples, B > 1",
    ),
    Cause(
        "same-head-everywhere",
        "One head is there H times, and the others are missing.",
        "compare the first Dh numbers of out[0, 0] with the next Dh.",
        (
            lambda context: beside(context[:, :1].expand_as(context)),
            lambda context: beside(context[:, -1:].expand_as(context)),
        ),
        "heads that differ, H > 1",
    ),
    Cause(
        "heads-missing",
        "Some heads are missing: all H of them go side by side. A `return` inside the loop over "
        "heads, or a range that ends too early, does that.",
        "how many features does one token have in your result, and how many in [B, T, H*Dh]?",
        (
            *(lambda context, pick=pick: context[:, pick] for pick in (0, -1)),
            *(
                lambda context, pick=pick: beside(context[:, pick])
                for pick in (slice(0, -1), slice(1, None), slice(0, 2), slice(0, None, 2))
            ),
            lambda context: context[:, FIRST],
        ),
        "H > 1",
    ),
    Cause(
        "samples-missing",
        "The batch axis is gone or cut short: other samples are missing.",
        "how many samples has the context, and how many has your result?",
        (
            *(lambda context, pick=pick: beside(context)[pick] for pick in (0, -1, FIRST, LAST)),
            lambda context: beside(context).mean(0),
        ),
        "B > 1",
    ),
    Cause(
        "tokens-missing",
        "Tokens are missing. All T of them leave attention again, each in a row of its own.",
        "how many tokens has the context, and how many rows has out[0]?",
        (
            *(
                lambda context, pick=pick: beside(context)[:, pick]
                for pick in (0, -1, FIRST, LAST, slice(0, -1), slice(1, None))
            ),
            lambda context: beside(context).mean(1),
        ),
        "T > 1",
    ),
    Cause(
        "never-filled",
        "The result was made, and its numbers were never put in: it is zero everywhere.",
        "does your loop assign into the tensor that is returned?",
        (lambda context: torch.zeros_like(beside(context)),),
        "any context that isn't zero",
    ),
    Cause(
        "wrong-columns",
        "The heads were written to columns that overlap: head h owns columns h*Dh to "
        "(h+1)*Dh - 1 of the result.",
        "which columns does your loop write for head 1, and which for head 2?",
        tuple(
            lambda context, start=start: _written(context, start)
            for start in (
                lambda h, _H, _Dh: h,
                lambda h, H, _Dh: h * H,
                lambda h, _H, Dh: h * (Dh - 1),
                lambda _h, _H, _Dh: 0,
                lambda h, _H, Dh: h * Dh + 1,
                lambda h, _H, Dh: (h + 1) * Dh,
            )
        ),
        "H > 2",
    ),
    Cause(
        "fills-a-part",
        "Only a part of the result was filled; the rest is still zero. A loop that returns inside "
        "itself, or counts one too few, does that.",
        "how often does the body of your loop run? Count the heads, tokens and samples it reaches.",
        (
            *(
                lambda context, axis=axis, part=part: filled(context, (ALL,) * axis + (part,))
                for axis in (0, 1)
                for part in (FIRST, LAST, slice(0, -1), slice(1, None))
            ),
            lambda context: filled(context, (ALL, ALL, slice(0, context.shape[3]))),
            lambda context: filled(context, (ALL, ALL, slice(-context.shape[3], None))),
            lambda context: filled(context, (ALL, ALL, slice(0, -context.shape[3]))),
            lambda context: filled(context, (ALL, ALL, slice(context.shape[3], None))),
        ),
        "more than one head, token and sample",
    ),
    Cause(
        "scales-values",
        "The numbers were multiplied or divided. Merging moves numbers and changes none.",
        "divide out[0, 1, 1] by the number that the context holds there.",
        tuple(
            lambda context, factor=factor: beside(context) * factor(*context.shape)
            for factor in (
                lambda _B, H, _T, _Dh: 1 / H,
                lambda _B, H, _T, _Dh: H,
                lambda _B, H, _T, _Dh: H**-0.5,
                lambda _B, _H, _T, Dh: Dh**-0.5,
                lambda _B, _H, _T, Dh: Dh**0.5,
                lambda _B, H, _T, Dh: (H * Dh) ** -0.5,
                lambda *_: -1,
            )
        ),
        "any context that isn't zero",
    ),
    Cause(
        "normalises",
        "The numbers went through a softmax or a normalisation. Merging moves numbers and changes "
        "none.",
        "which line of yours computes anything? A merge needs none that does.",
        (
            lambda context: beside(context).softmax(-1),
            lambda context: torch.nn.functional.normalize(beside(context), dim=-1),
            lambda context: beside(context).relu(),
            lambda context: beside(context).abs(),
        ),
        "negative numbers",
    ),
)
