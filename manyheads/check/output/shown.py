"""Causes that no variant can list: a constant factor, or a vector added to every token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manyheads.check.engine import Array
from manyheads.check.exercise import Cause, Trial

ADDS_BIAS = Cause(
    "adds-bias",
    "The same vector was added to every token: a bias. This projection has none.",
    "what does your function return for merged = zeros?",
)
SCALES = Cause(
    "scales-output",
    "Every number is the right one times a constant. The only scale of attention belongs to the "
    "scores, before the softmax.",
    "divide one number of your result by the one it should be. Where does that factor come from?",
)


def recognise_number(trials: Sequence[Trial]) -> Cause | None:
    """The cause that shows in every trial's numbers, whatever the constant is."""
    pairs = [(t.got.array, t.want.array) for t in trials]
    arrays = [(got, want) for got, want in pairs if got is not None and want is not None]
    if len(arrays) < len(pairs) or any(got.shape != want.shape for got, want in arrays):
        return None
    if all(_factor(got, want) for got, want in arrays):
        return SCALES
    return ADDS_BIAS if all(_same_for_all_tokens(got - want) for got, want in arrays) else None


def _factor(got: Array, want: Array) -> bool:
    """Whether `got` is `want` times one number."""
    factor = float((got * want).sum() / (want * want).sum())
    return bool(np.allclose(got, factor * want, 1e-3, 1e-4))


def _same_for_all_tokens(difference: Array) -> bool:
    """Whether every row [b, t] of [B, T, D] holds the same vector."""
    return bool(np.allclose(difference, difference[:1, :1], 1e-3, 1e-4))
