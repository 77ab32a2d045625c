"""Mistakes that return too little of x, too much of it, or cut the wrong axis."""

from __future__ import annotations

import torch
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.split.orders import chunks, must

FIRST, LAST = slice(0, 1), slice(-1, None)


def _token_blocks(x: Tensor, H: int) -> Tensor:
    block = x.shape[1] // H
    return torch.stack([x[:, h * block : (h + 1) * block] for h in range(H)], 1)


CAUSES = (
    Cause(
        "unchanged",
        "This is x as it came. The last axis still holds all D features, so there are no heads "
        "yet.",
        "which of the three axes has to become two?",
        (
            lambda x, _: x,
            lambda x, H: chunks(x, H).permute(0, 2, 1, 3).reshape(x.shape),
            lambda x, _: x[:, None],
            lambda x, _: x.unsqueeze(2),
        ),
    ),
    Cause(
        "transposed-only",
        "Two axes of x changed places, but no axis was cut: D is still whole.",
        "12 features are to become 3 heads of 4. Which operation makes two axes of one?",
        tuple(
            lambda x, _, order=order: x.permute(order)
            for order in ((0, 2, 1), (1, 0, 2), (2, 1, 0), (2, 0, 1), (1, 2, 0))
        ),
    ),
    Cause(
        "repeats-x",
        "Every head received all D features. The heads share the features; only the tokens are "
        "given to each of them in full.",
        "multiply the sizes of your result and compare with x.numel().",
        (
            lambda x, H: x[:, None].repeat(1, H, 1, 1),
            lambda x, H: x.repeat(1, H, 1),
            lambda x, H: x.unsqueeze(2).repeat(1, 1, H, 1),
            lambda x, H: x.repeat(1, 1, H),
            lambda x, H: x.repeat_interleave(H, 1),
            lambda x, H: x.repeat_interleave(H, 2),
            lambda x, H: x[None].repeat(H, 1, 1, 1),
        ),
    ),
    Cause(
        "one-head-only",
        "One head came back, not all of them. A `return` inside the loop over heads ends the loop.",
        "how many of the D features occur in your result?",
        tuple(
            lambda x, H, pick=pick: chunks(x, H)[:, pick]
            for pick in (0, -1, FIRST, LAST, slice(0, -1), slice(1, None))
        ),
    ),
    Cause(
        "one-sample-only",
        "The batch axis is gone or cut short: other sequences of the batch are missing.",
        "how many sequences are in x, and how many in your result?",
        (
            *(lambda x, H, pick=pick: chunks(x, H)[pick] for pick in (0, -1, FIRST, LAST)),
            lambda x, H: chunks(x, H).mean(0),
            lambda x, H: chunks(x, H).mean(0, keepdim=True),
            lambda x, H: chunks(x, H)[0].permute(1, 0, 2),
        ),
    ),
    Cause(
        "loses-tokens",
        "Tokens are missing. Every head receives all T tokens; what is shared out is their "
        "features.",
        "how many tokens has x, and how many has out[0, 0]?",
        (
            *(
                lambda x, H, pick=pick: chunks(x, H)[:, :, pick]
                for pick in (0, -1, FIRST, LAST, slice(0, -1), slice(1, None))
            ),
            lambda x, H: chunks(x, H).mean(2),
        ),
    ),
    Cause(
        "tokens-chunked",
        "The sentence was cut, not the features: each head received some of the tokens, whole. "
        "That is the belief this lesson is about. T never changes.",
        "how many of the 5 tokens does head 0 see in your result?",
        (
            _token_blocks,
            lambda x, H: must(x.shape[1] % H == 0, _token_blocks(x, H)),
            lambda x, H: torch.stack(x.chunk(H, dim=1), 1),
            lambda x, H: torch.stack(x.split(x.shape[1] // H, dim=1), 1),
            lambda x, H: x.reshape(x.shape[0], H, -1, x.shape[-1]),
            lambda x, H: x.reshape(x.shape[0], -1, H, x.shape[-1]).transpose(1, 2),
            lambda x, H: torch.stack([x[:, h::H] for h in range(H)], 1),
        ),
        "T that H doesn't divide, and D larger than Dh",
    ),
    Cause(
        "chunks-batch",
        "The batch was cut: without a `dim`, chunk and split work along the first axis, the "
        "samples.",
        "print the shape of the first chunk.",
        (
            lambda x, H: torch.stack(x.chunk(H), 1),
            lambda x, H: torch.stack(x.chunk(H), 0),
            lambda x, H: torch.stack(x.split(x.shape[-1] // H), 1),
            lambda x, H: torch.stack(x.split(x.shape[-1] // H), 0),
        ),
    ),
    Cause(
        "pads-always",
        "Features were added although D divides evenly: the rest to fill up is 0, not H.",
        "what is D % num_heads for this x, and how many features did you add?",
        (
            lambda x, H: chunks(torch.nn.functional.pad(x, (0, H - x.shape[-1] % H)), H),
            lambda x, H: chunks(torch.nn.functional.pad(x, (0, H)), H),
        ),
    ),
)
