"""Mistakes in the axes of the result, and those that show at some sizes only."""

from __future__ import annotations

import torch

from manyheads.check.exercise import Cause
from manyheads.check.output.target import mixed
from manyheads.check.split.orders import must

CAUSES = (
    Cause(
        "one-sample-only",
        "Only one sample of the batch, or one token, was projected.",
        "what is out.shape, and which axes of merged are missing from it?",
        (
            lambda merged, Wo: mixed(merged[0], Wo),
            lambda merged, Wo: mixed(merged[:1], Wo),
            lambda merged, Wo: mixed(merged[:, 0], Wo),
            lambda merged, Wo: mixed(merged[:, -1], Wo),
            lambda merged, Wo: mixed(merged[:, -1:], Wo),
        ),
        "B > 1 and T > 1",
    ),
    Cause(
        "axes-reordered",
        "The numbers are right, but the axes stand in another order than [B, T, D], or two of them "
        "were made one.",
        "name the axes of your result from left to right.",
        (
            lambda merged, Wo: mixed(merged, Wo).mT,
            lambda merged, Wo: mixed(merged, Wo).transpose(0, 1),
            lambda merged, Wo: mixed(merged, Wo).permute(2, 0, 1),
            lambda merged, Wo: mixed(merged, Wo).flatten(0, 1),
            lambda merged, Wo: mixed(merged, Wo).flatten(1, 2),
            lambda merged, Wo: mixed(merged, Wo).flatten(),
            lambda merged, Wo: mixed(merged, Wo).unsqueeze(1),
        ),
        "sizes that all differ",
    ),
    Cause(
        "squeezes",
        "An axis of size 1 was removed: squeeze() takes every such axis, also B, T or D when they "
        "happen to be 1. The result has three axes for every input.",
        "what is out.shape for one sample, B = 1?",
        (
            lambda merged, Wo: mixed(merged, Wo).squeeze(),
            lambda merged, Wo: mixed(merged, Wo).squeeze(0),
            lambda merged, Wo: mixed(merged, Wo).squeeze(1),
            lambda merged, Wo: mixed(merged, Wo).squeeze(-1),
        ),
        "B = 1, T = 1 or D = 1",
    ),
    Cause(
        "hard-coded-sizes",
        "A size of the first example is written into the function as a number.",
        "which numbers stand in your code, and which of them do the two shapes tell?",
        (
            lambda merged, Wo: must(merged.shape[0] == 2, mixed(merged, Wo)),
            lambda merged, Wo: must(merged.shape[1] == 7, mixed(merged, Wo)),
            lambda merged, Wo: must(merged.shape[1] == 5, mixed(merged, Wo)),
            lambda merged, Wo: must(merged.shape[-1] == 12, mixed(merged, Wo)),
            lambda merged, Wo: must(Wo.shape[1] == 10, mixed(merged, Wo)),
            lambda merged, Wo: must(Wo.shape == (12, 10), mixed(merged, Wo)),
            lambda merged, Wo: mixed(merged, Wo).reshape(2, -1, Wo.shape[1]),
        ),
        "other sizes",
    ),
    Cause(
        "demands-square",
        "Valid input was refused. H*Dh = D is a custom, not a law: W_O may lead to another width.",
        "which two sizes does your test compare, and why should they be equal?",
        (
            lambda merged, Wo: must(Wo.shape[0] == Wo.shape[1], mixed(merged, Wo)),
            lambda merged, Wo: must(merged.shape[-1] == Wo.shape[1], mixed(merged, Wo)),
        ),
        "D other than H*Dh",
    ),
    Cause(
        "needs-contiguous",
        "It works only where the numbers lie one after the other in memory. After a transpose they "
        "don't.",
        "what does merged.is_contiguous() print here, and which line of yours needs it?",
        (
            lambda merged, Wo: must(merged.is_contiguous(), mixed(merged, Wo)),
            lambda merged, Wo: must(Wo.is_contiguous(), mixed(merged, Wo)),
        ),
        "inputs that aren't contiguous",
    ),
    Cause(
        "never-filled",
        "The result was made, and its numbers were never put in: it is zero everywhere.",
        "does your loop assign into the tensor that is returned?",
        (lambda merged, Wo: torch.zeros_like(mixed(merged, Wo)),),
        "any input that isn't zero",
    ),
)
