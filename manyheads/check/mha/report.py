"""What is said of a wrong attention: which steps are right, and what is off in the next one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from manyheads.check.engine import Array
from manyheads.check.exercise import Cause, Trial
from manyheads.check.mha.readback import (
    TOLERANCE,
    Inside,
    in_heads,
    merged_from,
    mixable,
    score_ratio,
    weights_from,
)
from manyheads.check.numbers import first_difference, shape_report, what_is_right
from manyheads.check.words import numbered, shape

AXES = ("B", "T", "D")
Told = tuple[str, str]  # the headline, and what is known of the first step that is off


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """A headline that names the right steps, the first wrong number, and what is right."""
    got, want = trial.got.array, trial.want.array
    if got is None or want is None:
        return f"returned {trial.got.kind}", (f"Called with {trial.case.says}.",)
    if got.shape != want.shape:
        return shape_report(trial.case.says, AXES, got, want)
    called = f"Called with {trial.case.says}. {first_difference(got, want)}"
    headline, known = _stages(got, Inside.of(trial.case.make()))
    headline = headline or f"the shape is right, {shape(want.shape)}; the values are not"
    return headline, (called, what_is_right(got, want), known)


def _stages(out: Array, inside: Inside) -> Told:
    """Go back from the output, step by step, as far as the sizes of this case allow."""
    H, Dh = inside.values.shape[1], inside.values.shape[-1]
    if not np.isfinite(out).all():
        rows = np.flatnonzero(~np.isfinite(out).all(axis=(0, 2)))
        told = f"There are numbers that aren't numbers (nan, inf) in {_tokens(rows)}."
        return "some numbers are nan or inf", f"{told} A row without any visible key gives nan."
    if np.linalg.matrix_rank(inside.Wo) < H * Dh:
        return "", ""
    merged = merged_from(out, inside)
    if merged is None:
        return _not_from_wo(out, inside)
    heads = in_heads(merged, H)
    weights = weights_from(heads, inside) if inside.values.shape[2] <= Dh else None
    if weights is None:
        return _not_from_values(heads, inside)
    return _weights(weights, inside)


def _not_from_wo(out: Array, inside: Inside) -> Told:
    if merged_from(out - inside.x, inside) is not None:
        return "x was added to the output of attention", ""
    told = (
        "Whatever the heads hold, merged @ Wo can't give this output: W_O was not used as it is, "
        "or something was done after it."
    )
    return "the last step is off: what comes out is no product with W_O", told


def _not_from_values(heads: Array, inside: Inside) -> Told:
    good = mixable(heads, inside)
    headline = "W_O is applied; what it was given are not the merged heads"
    if inside.values.shape[2] > inside.values.shape[-1]:
        return "", ""
    if good.any():
        named = numbered("head", [int(h) for h in np.flatnonzero(good)])
        return headline, f"Only in {named} are the features a mixture of that head's values."
    told = (
        "No head's features are a mixture of its own values, x @ Wv cut into heads: the merge is "
        "off, or V, or the split."
    )
    return headline, told


def _weights(weights: Array, inside: Inside) -> Told:
    """V, its split, the merge and W_O are right; say what is right of the weights."""
    headline = "V, the merge and W_O are right; the weights are not"
    off = ~np.isclose(weights, inside.weights, TOLERANCE, TOLERANCE)
    good = [int(t) for t in np.flatnonzero(~off.any(axis=(0, 1, 3)))]
    T = weights.shape[-1]
    parts = [_rows(good, T), *_sums(weights), *_future(weights)]
    if len(parts) == 1:
        ratio = score_ratio(weights, inside)
        if ratio is not None:
            parts.append(f"The scores are {ratio:.3g} times the right ones, in every row.")
        else:
            parts.append(
                "Rows add up to 1 and leave the future out, so softmax and mask are right: the "
                "scale is left, or Q and K."
            )
    return headline, " ".join(parts)


def _rows(good: list[int], T: int) -> str:
    if not good:
        return "Read back from your output, no row of the weights is right in every head."
    if good == [0]:
        return "Attention is right in row 0 only, where a token sees itself alone."
    if good == [T - 1]:
        return "Attention is right in the last row only, where a token may see all others."
    return f"Attention is right in {numbered('row', good)} of {T}."


def _sums(weights: Array) -> list[str]:
    sums = weights.sum(axis=-1)
    if np.allclose(sums, 1, TOLERANCE, 5 * TOLERANCE):
        return []
    if np.allclose(weights.sum(axis=-2), 1, TOLERANCE, 5 * TOLERANCE):
        return ["Columns of the weights add up to 1; rows should."]
    return [f"Rows of the weights don't add up to 1: the first gives {sums[0, 0, 0]:.3g}."]


def _future(weights: Array) -> list[str]:
    leak = np.abs(np.triu(weights, 1)) > TOLERANCE
    if not leak.any():
        return []
    rows = np.flatnonzero(leak.any(axis=(0, 1, 3)))
    verb = "gives" if len(rows) == 1 else "give"
    return [f"{_tokens(rows).capitalize()} {verb} weight to later tokens."]


def _tokens(rows: Iterable[Any]) -> str:
    return numbered("token", [int(row) for row in rows])


def recognise_number(trials: Sequence[Trial]) -> Cause | None:
    """The scale, a bias, or a factor that no variant lists, read back from the first case."""
    got, want = trials[0].got.array, trials[0].want.array
    if got is None or want is None or got.shape != want.shape or not np.isfinite(got).all():
        return None
    if trials[0].right:
        return None
    inside = Inside.of(trials[0].case.make())
    merged = merged_from(got, inside)
    heads = None if merged is None else in_heads(merged, inside.values.shape[1])
    weights = None if heads is None else weights_from(heads, inside)
    if weights is None or _future(weights) or _sums(weights):
        return None
    ratio = score_ratio(weights, inside)
    return None if ratio is None else _scale(ratio)


def _scale(ratio: float) -> Cause:
    return Cause(
        "scale-off",
        f"Everything is right but the scale: your scores are {ratio:.3g} times what q @ k "
        "transposed, divided by sqrt(Dh), gives.",
        "which number do you divide the scores by, and which is sqrt(Dh) here?",
    )
