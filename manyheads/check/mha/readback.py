"""Read the steps of a learner's attention back from its output alone, without looking inside.

Where W_O has as many columns as rows or more, the merged heads follow from the output; where a
head has as many features as tokens or more, the weights follow from the merged heads and V; and
the logarithms of weights are the scores, but for a number in each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyheads.check.engine import Array

TOLERANCE = 2e-3


@dataclass(frozen=True)
class Inside:
    """What the right chain holds on the way, in float64; heads are [B, H, T, ...]."""

    x: Array
    Wo: Array
    scores: Array
    weights: Array
    values: Array
    merged: Array

    @classmethod
    def of(cls, args: Mapping[str, Any]) -> Inside:
        """Follow the right chain for one call's arguments."""
        x, Wq, Wk, Wv, Wo = (args[name].double().numpy() for name in ("x", "Wq", "Wk", "Wv", "Wo"))
        q, k, v = (in_heads(x @ W, args["num_heads"]) for W in (Wq, Wk, Wv))
        scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
        grown = np.tril(np.exp(scores))
        weights = grown / grown.sum(-1, keepdims=True)
        heads = np.einsum("bhij,bhjd->bhid", weights, v)
        merged = np.concatenate(list(np.moveaxis(heads, 1, 0)), axis=-1)
        return cls(x, Wo, scores, weights, v, merged)


def in_heads(wide: Array, num_heads: int) -> Array:
    """[B, T, H*Dh] -> [B, H, T, Dh]."""
    return np.stack(np.split(wide, num_heads, axis=-1), axis=1)


def merged_from(out: Array, inside: Inside) -> Array | None:
    """The merged heads that W_O turns into `out`; None where no merged heads could."""
    merged = out @ np.linalg.pinv(inside.Wo)
    return merged if _alike(merged @ inside.Wo, out) else None


def weights_from(heads: Array, inside: Inside) -> Array | None:
    """The weights [B, H, T, T] that mix V into `heads`; None where no weights could."""
    weights: Array = heads @ np.linalg.pinv(inside.values)
    return weights if _alike(weights @ inside.values, heads) else None


def mixable(heads: Array, inside: Inside) -> NDArray[np.bool_]:
    """For each head whether its features are a mixture of that head's own values, [H]."""
    back = heads @ np.linalg.pinv(inside.values) @ inside.values
    return np.asarray(np.isclose(back, heads, TOLERANCE, TOLERANCE).all(axis=(0, 2, 3)))


def score_ratio(weights: Array, inside: Inside) -> float | None:
    """By which number the right scores were multiplied; None if by no single one.

    Weights must be positive where they may be. A row's scores are known but for a constant, so
    their differences from the row's own key are compared.
    """
    T = weights.shape[-1]
    rows, columns = np.tril_indices(T, -1)
    own = np.arange(T)
    if T < 2 or (weights[..., rows, columns] <= 0).any() or (weights[..., own, own] <= 0).any():
        return None
    theirs = np.log(weights[..., rows, columns]) - np.log(weights[..., own, own][..., rows])
    ours = inside.scores[..., rows, columns] - inside.scores[..., own, own][..., rows]
    ratio = float((theirs * ours).sum() / (ours * ours).sum())
    return ratio if np.allclose(theirs, ratio * ours, 1e-2, 1e-2) else None


def _alike(got: Array, want: Array) -> bool:
    return bool(np.allclose(got, want, TOLERANCE, TOLERANCE))
