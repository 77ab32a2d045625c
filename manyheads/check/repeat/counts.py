"""Mistakes in how many copies there are, what they hold, and which inputs they are made for."""
# ruff: noqa: ARG005  (variants have the signature of the exercise, whatever they use of it)

from __future__ import annotations

import torch
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.repeat.ways import right, tile


def _stopped(condition: bool, result: Tensor) -> Tensor:
    """`result`, or the error that the mistake ends with where it doesn't fit."""
    if not condition:
        raise RuntimeError("sizes do not fit")
    return result


def _filled(x: Tensor, n_rep: int, copy: int) -> Tensor:
    """Only one copy of each K/V head written, zeros for the others."""
    out = torch.zeros_like(right(x, n_rep))
    out[:, copy % n_rep :: n_rep] = x
    return out


COUNTS = (
    Cause(
        "not-repeated",
        "The heads came back as they are: nothing was repeated, or the repeated tensor wasn't "
        "kept.",
        "how many heads has your result, and how many should it have?",
        (lambda x, n: x,),
        "n_rep > 1",
    ),
    Cause(
        "other-number-of-copies",
        "Each K/V head is there, but not n_rep times.",
        "how often does K/V head 0 occur in your result?",
        (
            lambda x, n: right(x, n + 1),
            lambda x, n: right(x, n * n),
            lambda x, n: right(x, x.shape[1]),
            lambda x, n: right(x, n * x.shape[1]),
            lambda x, n: tile(x, n + 1),
            lambda x, n: tile(x, n * x.shape[1]),
            lambda x, n: tile(x, x.shape[1]),
            lambda x, n: right(x, max(n - 1, 1)),
            lambda x, n: x if n == 1 else right(x, n - 1),
            lambda x, n: right(x, 2),
            lambda x, n: right(x, max(n // x.shape[1], 1)),
            lambda x, n: x[:, :1].expand(-1, n, -1, -1),
            lambda x, n: right(x, n)[:, :n],
            lambda x, n: right(x, n)[:, :-1],
        ),
        "n_rep other than 2 and other than Hkv",
    ),
    Cause(
        "hard-coded-sizes",
        "A number of the example is written into the function: it fits one n_rep, or one Hkv, "
        "only.",
        "call it with n_rep=4 and two K/V heads. Does your result change with them?",
        (
            lambda x, n: _stopped(x.shape[1] == 3, x[:, [0, 0, 1, 1, 2, 2][: 3 * n]]),
            lambda x, n: _stopped(x.shape[1] >= 3, x[:, [0, 0, 1, 1, 2, 2]]),
            lambda x, n: _stopped(n == 2, right(x, n)),
            lambda x, n: _stopped(x.shape[1] == 3, right(x, n)),
            lambda x, n: _stopped(x.shape[1] * n == 6, right(x, n)),
            lambda x, n: torch.cat([x[:, g : g + 1] for g in (0, 0, 1, 1, 2, 2)], 1),
            lambda x, n: right(x[:, :3], n),
        ),
        "other sizes than the example's",
    ),
)
NUMBERS = (
    Cause(
        "copies-scaled",
        "The copies stand where they should, with other numbers: they were divided or multiplied. "
        "Sharing a head changes nothing about it.",
        "divide out[0, 0] by x[0, 0]. Which number do you find?",
        (
            lambda x, n: right(x, n) / n,
            lambda x, n: right(x, n) * n,
            lambda x, n: right(x, n) / n**0.5,
            lambda x, n: right(x, n) / x.shape[-1] ** 0.5,
            lambda x, n: right(x, n).softmax(-1),
            lambda x, n: -right(x, n),
            lambda x, n: right(x, n).abs(),
        ),
        "n_rep > 1",
    ),
    Cause(
        "copies-empty",
        "Some heads are all zeros: room was made for the copies, but not all of them were written.",
        "which heads of your result hold only zeros?",
        (
            lambda x, n: _filled(x, n, 0),
            lambda x, n: _filled(x, n, -1),
            lambda x, n: torch.zeros_like(right(x, n)),
            lambda x, n: torch.cat([x, *[torch.zeros_like(x)] * (n - 1)], 1),
            lambda x, n: torch.cat([*[torch.zeros_like(x)] * (n - 1), x], 1),
        ),
        "n_rep > 1",
    ),
    Cause(
        "tokens-reordered",
        "The heads are right, but inside them tokens or features stand in another order.",
        "read out[0, 0] from top to bottom: which tokens do you find?",
        (
            lambda x, n: right(x, n).flip(2),
            lambda x, n: right(x, n).flip(3),
            lambda x, n: right(x, n).roll(1, 2),
            lambda x, n: right(x, n).cumsum(2),
        ),
        "tokens that differ",
    ),
    Cause(
        "squeezes",
        "An axis of size 1 was removed, or stood in the way. The result has four axes for every "
        "input.",
        "what is out.shape for B = 1, and for T = 1?",
        (
            lambda x, n: right(x, n).squeeze(),
            lambda x, n: right(x, n).squeeze(0),
            lambda x, n: right(x, n).squeeze(1),
            lambda x, n: right(x, n).squeeze(2),
            lambda x, n: right(x, n).squeeze(3),
            lambda x, n: x if x.shape[1] == 1 else right(x, n),
        ),
        "B = 1, T = 1 or H = 1",
    ),
    Cause(
        "refuses-an-edge",
        "A valid input at the edge was refused: n_rep = 1 is multi-head attention, Hkv = 1 is "
        "multi-query attention, and both are right to ask for.",
        "which condition of yours is true for this input?",
        (
            lambda x, n: _stopped(n > 1, right(x, n)),
            lambda x, n: _stopped(x.shape[1] > 1, right(x, n)),
            lambda x, n: _stopped(n > 1 and x.shape[1] > 1, right(x, n)),
            lambda x, n: _stopped(x.shape[1] % n == 0, right(x, n)),
            lambda x, n: _stopped(x.shape[1] >= n, right(x, n)),
            lambda x, n: _stopped(x.shape[2] > 1, right(x, n)),
            lambda x, n: _stopped(x.shape[0] > 1, right(x, n)),
        ),
        "n_rep = 1 and Hkv = 1",
    ),
)
