"""Mistakes that show at some sizes only: an axis removed, a number written into the code."""

from __future__ import annotations

import torch

from manyheads.check.exercise import Cause
from manyheads.check.split.orders import chunks, must

CAUSES = (
    Cause(
        "squeezes",
        "An axis of size 1 was removed: squeeze() takes every such axis, also B, T or H when they "
        "happen to be 1. The result has four axes for every input.",
        "what is out.shape for one sequence, B = 1? And for one token?",
        (
            lambda x, H: chunks(x, H).squeeze(),
            lambda x, H: chunks(x, H).squeeze(0),
            lambda x, H: chunks(x, H).squeeze(1),
            lambda x, H: chunks(x, H).squeeze(2),
            lambda x, H: chunks(x, H).squeeze(3),
            lambda x, H: must(1 not in x.shape, chunks(x, H)),
            lambda x, H: x if H == 1 else chunks(x, H),
            lambda x, H: chunks(x, H)[0] if x.shape[0] == 1 else chunks(x, H),
            lambda x, H: must(x.shape[1] > 1, chunks(x, H)),
        ),
        "B = 1 or T = 1",
    ),
    Cause(
        "hard-coded-heads",
        "The number of heads, or the width that goes with it, is written into the function, so it "
        "fits one example only.",
        "change num_heads to another divisor of 12. Does your result change with it?",
        (
            *(
                lambda x, _, n=n: must(x.shape[-1] % n == 0, chunks(x, n))
                for n in (2, 3, 4, 6, 8, 12)
            ),
            lambda x, H: must(x.shape[-1] // H * 3 == x.shape[-1], chunks(x, 3)),
            lambda x, H: must(H == 3, chunks(x, H)),
            lambda x, _: must(x.shape[-1] == 12, chunks(x, 3)),
            lambda x, _: torch.stack([x[..., 0:4], x[..., 4:8], x[..., 8:12]], 1),
            lambda x, _: must(x.shape[-1] % 3 == 0, chunks(x, 3)) if x.shape[0] > 1 else x,
        ),
        "a num_heads that is not the example's",
    ),
    Cause(
        "hard-coded-width",
        "The head width is written into the function as a number. It is D // H, whatever D and H "
        "are.",
        "what is the head width for D = 24, H = 8?",
        (
            lambda x, _: must(x.shape[-1] % 4 == 0, chunks(x, x.shape[-1] // 4)),
            lambda x, _: torch.stack(x.split(4, dim=-1), 1),
            lambda x, H: torch.stack([x[..., 4 * h : 4 * h + 4] for h in range(H)], 1),
            lambda x, H: must(x.shape[-1] % H == 0 and x.shape[-1] == 12 // H * H, chunks(x, H)),
        ),
        "a D that is not the example's",
    ),
    Cause(
        "hard-coded-batch",
        "The batch size is written into the function as a number, so it fits this batch only.",
        "which numbers stand in your code, and which of them does x.shape tell?",
        (
            lambda x, H: must(x.shape[0] == 2, chunks(x, H)),
            lambda x, H: chunks(x[:2], H),
            lambda x, H: torch.stack([chunks(x, H)[0], chunks(x, H)[1]]),
            lambda x, H: chunks(x.reshape(2, -1, x.shape[-1]), H),
        ),
        "another B",
    ),
    Cause(
        "hard-coded-tokens",
        "The number of tokens is written into the function as a number, so it fits this sentence "
        "only.",
        "which numbers stand in your code, and which of them does x.shape tell?",
        (
            lambda x, H: must(x.shape[1] == 5, chunks(x, H)),
            lambda x, H: chunks(x[:, :5], H),
            lambda x, H: chunks(x.reshape(-1, 5, x.shape[-1]), H),
            lambda x, H: torch.stack([chunks(x, H)[:, :, t] for t in range(5)], 2),
        ),
        "another T",
    ),
    Cause(
        "divides-wrong-size",
        "Valid input was refused. The heads share the D features; neither T nor B has to be "
        "divisible, and D is what is divided, H what it is divided by.",
        "for D = 12, H = 3, T = 5: which two of these does your test divide?",
        (
            lambda x, H: must(x.shape[1] % H == 0, chunks(x, H)),
            lambda x, H: must(x.shape[0] % H == 0, chunks(x, H)),
            lambda x, H: must(H % x.shape[-1] == 0, chunks(x, H)),
            lambda x, H: must(x.shape[-1] % x.shape[1] == 0, chunks(x, H)),
            lambda x, H: must(x.shape[-1] // H == H, chunks(x, H)),
            lambda x, H: must(x.shape[1] >= H, chunks(x, H)),
            lambda x, H: must(x.shape[1] == H, chunks(x, H)),
        ),
        "T that H doesn't divide",
    ),
    Cause(
        "demands-even-width",
        "Valid input was refused. Dh may be odd here; only rotary positions, later, need it even.",
        "what is Dh for D = 24, H = 8?",
        (lambda x, H: must(x.shape[-1] // H % 2 == 0, chunks(x, H)),),
        "an odd Dh",
    ),
    Cause(
        "refuses-one",
        "Valid input was refused. One head, one token, one sequence, or heads of one feature are "
        "all ordinary sizes.",
        "what should the shape be for num_heads = 1?",
        (
            lambda x, H: must(H > 1, chunks(x, H)),
            lambda x, H: must(x.shape[0] > 1, chunks(x, H)),
            lambda x, H: must(x.shape[-1] > H, chunks(x, H)),
            lambda x, H: must(x.shape[-1] > H > 1, chunks(x, H)),
        ),
    ),
    Cause(
        "ignores-strides",
        "The numbers were read from memory in the order of an ordinary tensor, and this x lies "
        "otherwise in memory. Its strides tell how.",
        "what does x.stride() print for x.mT, and what did your code assume?",
        (
            lambda x, H: x.as_strided(
                (x.shape[0], H, x.shape[1], x.shape[2] // H),
                (x.shape[1] * x.shape[2], x.shape[2] // H, x.shape[2], 1),
            ),
        ),
        "an x that isn't contiguous",
    ),
    Cause(
        "needs-contiguous",
        "It works only where the numbers of x lie one after the other in memory. After a transpose "
        "they don't.",
        "what does x.is_contiguous() print here, and which line of yours needs it to be True?",
        (lambda x, H: must(x.is_contiguous(), chunks(x, H)),),
        "an x that isn't contiguous",
    ),
)
