"""Causes read from the numbers alone: a constant factor, an added vector, rows left out."""

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

LEAVES_OUT = Cause(
    "rows-left-out",
    "Some features never met their row of W_O: they have no effect on your result. All heads' "
    "features go through it.",
    "let merged hold a single 1 and zeros else. For which places does nothing come out?",
)


def matrix_used(trial: Trial) -> Array | None:
    """The matrix [H*Dh, D] that turns merged into the result; None where no matrix does.

    The case must have at least as many tokens in all its samples as features.
    """
    merged, got = trial.case.make()["merged"].double().numpy(), trial.got.array
    if got is None or got.shape[:-1] != merged.shape[:-1]:
        return None
    tokens, made = merged.reshape(-1, merged.shape[-1]), got.reshape(-1, got.shape[-1])
    used: Array = np.linalg.lstsq(tokens, made, rcond=None)[0]
    return used if np.allclose(tokens @ used, made, 1e-3, 1e-3) else None


def recognise_number(trials: Sequence[Trial]) -> Cause | None:
    """The cause that shows in the numbers, whatever the constant or the rows are."""
    if _leaves_out(trials[0]):
        return LEAVES_OUT
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


def _leaves_out(trial: Trial) -> bool:
    """Whether each row of the matrix used is W_O's or zero, and some of each are there."""
    used, Wo = matrix_used(trial), trial.case.make()["Wo"].double().numpy()
    if used is None or used.shape != Wo.shape:
        return False
    zero = np.isclose(used, 0, 1e-3, 1e-3).all(axis=1)
    return bool(zero.any() and not zero.all() and np.allclose(used[~zero], Wo[~zero], 1e-3, 1e-3))
