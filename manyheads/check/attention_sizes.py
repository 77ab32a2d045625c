"""Mistakes of attention that show at some sizes only: an axis removed, a number written down.

Variants take (x, Wq, Wk, Wv, Wo, n_heads, n_kv_heads), as `attention_stages.attention` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from torch import Tensor

from manyheads.check.attention_errors import OTHER_MASK
from manyheads.check.attention_stages import attention, output, with_stages
from manyheads.check.exercise import Cause, Variant


class Sizes(NamedTuple):
    """The sizes of one call."""

    B: int
    T: int
    D: int
    H: int
    Dh: int


def only(fits: Callable[[Sizes], bool]) -> Variant:
    """Right where the sizes fit, an error elsewhere."""

    def variant(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Tensor:
        B, T, D = x.shape
        sizes = Sizes(B, T, D, n[0], Wq.shape[1] // n[0])
        if not fits(sizes):
            raise RuntimeError(f"{sizes} do not fit")
        return attention(x, Wq, Wk, Wv, Wo, n[0], n[1])

    return variant


CAUSES = (
    Cause(
        "squeezes",
        "An axis of size 1 was removed: squeeze() takes every such axis, also B or T when they "
        "happen to be 1. The result has three axes for every input.",
        "what is out.shape for one sequence, B = 1? And for one token?",
        (
            with_stages(output=lambda m, Wo, x: output(m, Wo, x).squeeze()),
            with_stages(output=lambda m, Wo, x: output(m, Wo, x).squeeze(0)),
            with_stages(output=lambda m, Wo, x: output(m, Wo, x).squeeze(1)),
        ),
    ),
    replace(
        OTHER_MASK,
        variants=(
            only(lambda n: n.T == n.H),
            only(lambda n: n.Dh == n.T),
            only(lambda n: n.T == n.D),
        ),
    ),
    Cause(
        "hard-coded-width",
        "The head width is written into the function as a number. It is Wq.shape[1] // H.",
        "call it with matrices of another width. Which line of yours knows the old one?",
        (only(lambda n: n.Dh == 4), only(lambda n: n.Dh == 2), only(lambda n: n.Dh == 8)),
    ),
    Cause(
        "hard-coded-tokens",
        "A number of tokens, or of samples, is written into the function.",
        "call it with one token more. Which line of yours knows the old number?",
        (
            only(lambda n: n.T == 5),
            only(lambda n: n.T <= 5),
            only(lambda n: n.B == 2),
            only(lambda n: (n.B, n.T) == (2, 5)),
        ),
    ),
    Cause(
        "refuses-valid-width",
        "A valid width was refused. H * Dh may differ from D, and H need not divide D: what is "
        "split is the projection.",
        "put D, H and Wq.shape[1] of this input into your condition by hand.",
        (
            only(lambda n: n.H * n.Dh == n.D),
            only(lambda n: n.D % n.H == 0),
            only(lambda n: n.H * n.Dh <= n.D),
            only(lambda n: n.H * n.Dh < n.D),
        ),
    ),
    Cause(
        "refuses-one",
        "One sample, or one token, was refused or failed. Both are valid.",
        "put the sizes of this input into your condition by hand.",
        (only(lambda n: n.B > 1), only(lambda n: n.T > 1), only(lambda n: n.B > 1 and n.T > 1)),
    ),
)
