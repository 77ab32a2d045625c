"""Mistakes that show at some sizes or in some memory order only."""

from __future__ import annotations

import torch

from manyheads.check.exercise import Cause
from manyheads.check.merge.values import beside
from manyheads.check.split.orders import must

CAUSES = (
    Cause(
        "squeezes",
        "An axis of size 1 was removed: squeeze() takes every such axis, also B or T when they "
        "happen to be 1. The result has three axes for every input.",
        "what is out.shape for one sample, B = 1? And for one token?",
        (
            lambda context: beside(context).squeeze(),
            lambda context: beside(context).squeeze(0),
            lambda context: beside(context).squeeze(1),
            lambda context: beside(context).squeeze(2),
            lambda context: must(context.shape[0] > 1, beside(context)),
            lambda context: must(context.shape[2] > 1, beside(context)),
            lambda context: must(context.shape[0] > 1 < context.shape[2], beside(context)),
            lambda context: must(1 not in context.shape, beside(context)),
        ),
        "B = 1 or T = 1",
    ),
    Cause(
        "hard-coded-heads",
        "The number of heads is written into the function, so it fits one example only. It is "
        "context.shape[1].",
        "which numbers stand in your code, and which of them does context.shape tell?",
        (
            lambda context: must(context.shape[1] == 3, beside(context)),
            lambda context: must(context.shape[1] >= 3, beside(context[:, :3])),
            lambda context: beside(context[:, :3]),
            lambda context: must(context.shape[1] >= 2, beside(context[:, :2])),
        ),
        "a number of heads that is not the example's",
    ),
    Cause(
        "hard-coded-width",
        "The width is written into the function as a number. It is H*Dh, whatever H and Dh are.",
        "which numbers stand in your code, and which of them does context.shape tell?",
        (
            lambda context: must(context.shape[3] == 4, beside(context)),
            lambda context: must(context.shape[1] * context.shape[3] == 12, beside(context)),
            lambda context: beside(context).reshape(context.shape[0], -1, 12),
            lambda context: beside(context)[..., :12],
            lambda context: must(context.shape[1] == 3 and context.shape[3] == 4, beside(context)),
        ),
        "an H*Dh that is not the example's",
    ),
    Cause(
        "hard-coded-batch",
        "The batch size is written into the function as a number, so it fits this batch only.",
        "which numbers stand in your code, and which of them does context.shape tell?",
        (
            lambda context: must(context.shape[0] == 2, beside(context)),
            lambda context: beside(context[:2]),
            lambda context: beside(context).reshape(2, -1, context.shape[1] * context.shape[3]),
            lambda context: torch.stack([beside(context)[0], beside(context)[1]]),
        ),
        "another B",
    ),
    Cause(
        "hard-coded-tokens",
        "The number of tokens is written into the function as a number, so it fits this sentence "
        "only.",
        "which numbers stand in your code, and which of them does context.shape tell?",
        (
            lambda context: must(context.shape[2] == 5, beside(context)),
            lambda context: beside(context[:, :, :5]),
            lambda context: beside(context).reshape(-1, 5, context.shape[1] * context.shape[3]),
        ),
        "another T",
    ),
    Cause(
        "view-after-transpose",
        "It works only where the heads came from a transpose, so that transposing them back puts "
        "the data in order again. Anywhere else a view can't span H and Dh; a copy can.",
        "what does .is_contiguous() print just before that view, for this context?",
        (
            lambda context: context.transpose(1, 2).view(
                context.shape[0], context.shape[2], context.shape[1] * context.shape[3]
            ),
        ),
        "a context that lies in memory as [B, H, T, Dh]",
    ),
    Cause(
        "needs-contiguous",
        "It works only where the numbers of the context lie one after the other in memory. What "
        "attention hands over need not.",
        "what does context.is_contiguous() print here, and which line of yours needs it?",
        (lambda context: must(context.is_contiguous(), beside(context)),),
        "a context that isn't contiguous",
    ),
    Cause(
        "ignores-strides",
        "The numbers were read from memory in the order of an ordinary tensor, and this context "
        "lies otherwise in memory. Its strides tell how.",
        "what does context.stride() print here, and what did your code assume?",
        (
            lambda context: beside(
                context.as_strided(
                    context.shape,
                    (
                        context.shape[1] * context.shape[2] * context.shape[3],
                        context.shape[2] * context.shape[3],
                        context.shape[3],
                        1,
                    ),
                )
            ),
        ),
        "a context that isn't contiguous",
    ),
    Cause(
        "reads-other-axes",
        "B, H, T and Dh were taken from the wrong places of context.shape. It is [B, H, T, Dh].",
        "print context.shape, and the four names you unpacked it into.",
        tuple(
            lambda context, b=b, t=t: context.transpose(1, 2).reshape(
                context.shape[b], context.shape[t], -1
            )
            for b in range(4)
            for t in range(4)
            if (b, t) != (0, 2)
        ),
        "sizes that all differ",
    ),
)
