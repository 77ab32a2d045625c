"""Mistakes that keep the shape [B, H, T, Dh] and put wrong numbers into it."""

from __future__ import annotations

import torch
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.split.orders import chunks

ALL = slice(None)
FIRST, LAST = slice(0, 1), slice(-1, None)


def _filled(x: Tensor, H: int, where: tuple[slice, ...]) -> Tensor:
    """Zeros everywhere but in one part of the right answer."""
    heads = chunks(x, H)
    out = torch.zeros_like(heads)
    out[where] = heads[where]
    return out


def _starts(x: Tensor, H: int, step: int, offset: int = 0) -> Tensor:
    """Windows of the right width that begin `step` features apart."""
    Dh = x.shape[-1] // H
    return torch.stack([x[..., offset + h * step :][..., :Dh] for h in range(H)], 1)


NEVER_FILLED = Cause(
    "never-filled",
    "The result was made, and its numbers were never put in: it is zero everywhere.",
    "does your loop assign into the tensor that is returned?",
    (lambda x, H: torch.zeros_like(chunks(x, H)),),
    "any x that isn't zero",
)

CAUSES = (
    Cause(
        "heads-reordered",
        "Every head holds a proper chunk of features, but not its own: head h owns the h-th chunk, "
        "counted from the left.",
        "which features do you find in out[0, 0], and which in the last head?",
        (
            lambda x, H: chunks(x, H).flip(1),
            lambda x, H: chunks(x, H).roll(1, 1),
            lambda x, H: chunks(x, H).roll(-1, 1),
        ),
        "x whose heads differ, at H > 1",
    ),
    Cause(
        "tokens-reordered",
        "The features went to the right heads, but the tokens changed places. Splitting heads "
        "never moves a token.",
        "which token do you find in out[0, 0, 0]?",
        (
            lambda x, H: chunks(x, H).flip(2),
            lambda x, H: chunks(x, H).roll(1, 2),
            lambda x, H: chunks(x, H).roll(-1, 2),
        ),
        "x whose tokens differ, at T > 1",
    ),
    Cause(
        "features-reordered",
        "Each head owns the right features, but inside the head they stand in another order.",
        "read the features of out[0, 0, 0] from left to right.",
        (
            lambda x, H: chunks(x, H).flip(3),
            lambda x, H: chunks(x, H).roll(1, 3),
            lambda x, H: chunks(x, H).roll(-1, 3),
        ),
        "x whose features differ, at Dh > 1",
    ),
    Cause(
        "all-features-reversed",
        "The features were turned round from the last to the first before they were shared out.",
        "which feature do you find in out[0, 0, 0, 0]?",
        (lambda x, H: chunks(x.flip(2), H),),
        "x whose features differ",
    ),
    Cause(
        "samples-reordered",
        "The sequences of the batch changed places; each one must stay at its own index.",
        "which sample do you find in out[0]?",
        (lambda x, H: chunks(x, H).flip(0), lambda x, H: chunks(x, H).roll(1, 0)),
        "two different sequences, B > 1",
    ),
    Cause(
        "overlapping-heads",
        "The windows of features don't start where the last one ended, so neighbouring heads share "
        "features or leave some out. A head's chunk starts at a multiple of Dh.",
        "at which feature does head 1 start, and at which did head 0 end?",
        (
            lambda x, H: _starts(x, H, 1),
            lambda x, H: _starts(x, H, H),
            lambda x, H: x.unfold(2, x.shape[2] // H, 1).transpose(1, 2),
            lambda x, H: _starts(x, H, x.shape[-1] // H, 1),
            lambda x, H: _starts(x, H, x.shape[-1] // H - 1),
            lambda x, H: torch.stack(
                [
                    x[..., h * (x.shape[-1] // H) : (h + 1) * (x.shape[-1] // H) - 1]
                    for h in range(H)
                ],
                1,
            ),
        ),
        "a head beyond the second, features that differ",
    ),
    Cause(
        "same-head-everywhere",
        "Every head holds the same chunk of features. The heads share one token's features between "
        "them; none is there twice.",
        "compare out[:, 0] with out[:, 1].",
        (
            lambda x, H: chunks(x, H)[:, :1].repeat(1, H, 1, 1),
            lambda x, H: chunks(x, H)[:, -1:].repeat(1, H, 1, 1),
        ),
        "H > 1 and features that differ",
    ),
    Cause(
        "averages-heads",
        "The heads were averaged or added up. They stay apart until after attention; that is what "
        "gives H mixtures of values rather than one.",
        "which axis of your result has length H?",
        (
            *(
                lambda x, H, how=how, keep=keep: getattr(chunks(x, H), how)(1, keepdim=keep)
                for how in ("mean", "sum")
                for keep in (False, True)
            ),
            lambda x, H: chunks(x, H).mean(1, keepdim=True).repeat(1, H, 1, 1),
        ),
        "H > 1",
    ),
    NEVER_FILLED,
    Cause(
        "fills-a-part",
        "Only a part of the result was filled; the rest is still zero. A loop that returns inside "
        "itself, or counts one too few, does that.",
        "how often does the body of your loop run? Count the heads, tokens and samples it reaches.",
        tuple(
            lambda x, H, axis=axis, part=part: _filled(x, H, (ALL,) * axis + (part,))
            for axis in (0, 1, 2)
            for part in (FIRST, LAST, slice(0, -1), slice(1, None))
        ),
        "more than one head, token and sample",
    ),
    Cause(
        "scales-values",
        "The numbers were multiplied or divided. Splitting moves numbers and changes none; the "
        "scale by the root of Dh comes later, with the scores.",
        "divide out[0, 1, 1, 1] by the number that x holds there.",
        tuple(
            lambda x, H, factor=factor: chunks(x, H) * factor(x.shape[-1], H)
            for factor in (
                lambda D, H: (D // H) ** -0.5,
                lambda D, H: (D // H) ** 0.5,
                lambda D, _: D**-0.5,
                lambda _, H: 1 / H,
                lambda _, H: H,
                lambda D, H: H / D,
                lambda *_: -1,
            )
        ),
        "any x that isn't zero",
    ),
)
