"""Causes that show in how a wrong view differs from the right one, whatever code made it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from manyheads.check.engine import Array
from manyheads.check.exercise import Cause, Trial
from manyheads.check.project.axes import SLOTS as AXES
from manyheads.check.project.values import SLOTS as VALUES
from manyheads.check.views import LEAST, close, three

Pairs = list[tuple[Array, Array]]
KNOWN = {slot.cause.id: slot.cause for slot in (*AXES, *VALUES)}

SCALED = Cause(
    "scaled",
    "Every number is the right one times a constant. The scale 1/sqrt(Dh) belongs to the scores, "
    "later, and there is no other.",
    "divide one of your numbers by the right one. Where in your code does that factor come from?",
    exposed_by="values compared, not shapes",
)
BIAS = Cause(
    "adds-bias",
    "In each feature the same number was added for every token: a bias. This exercise has none.",
    "what does your function return when x is zero?",
    exposed_by="an x of zeros",
)
ZEROES = Cause(
    "zeroes-some",
    "Some numbers are zero that shouldn't be, the others are right: a mask, a loop that ends "
    "early, or a place that was never filled.",
    "which tokens and features are zero? What do they have in common?",
    exposed_by="every token and every feature compared",
)
CLAMPS = Cause(
    "clamps",
    "Large numbers were cut off at a limit. A projection has no limits.",
    "what are the largest and the smallest number of your result?",
    exposed_by="values that are large enough",
)
POSITION = Cause(
    "depends-on-position",
    "The first token is right and later ones are not: the result depends on the position. RoPE "
    "comes later, after the split into heads, and V never gets it.",
    "give two tokens the same features. Are their rows of q equal?",
    exposed_by="T > 1",
)
TOO_EARLY = Cause(
    "split-too-early",
    "The features were cut into heads already. This exercise returns [B, T, width]; lesson 02 "
    "splits.",
    "how many axes has your result, and how many does the text ask for?",
    exposed_by="the shape",
)
IGNORES = Cause(
    "ignores-the-matrices",
    "With the same x and other matrices the very same numbers came back, so the matrices that "
    "were passed in take no part.",
    "where in your function does each of its arguments occur?",
    exposed_by="two calls with the same x",
)


def by_signs(trials: Sequence[Trial], wrong: Sequence[int]) -> Cause | None:
    """The first sign that all wrong views show on all trials that gave three tensors."""
    readable = [trial for trial in trials if three(trial)]
    views = [_pairs(readable, i) for i in wrong]
    if not views or any(not pairs for pairs in views):
        return None
    if all(_split(pairs) for pairs in views):
        return TOO_EARLY
    if any(got.shape != want.shape for pairs in views for got, want in pairs):
        return None
    for cause, shows in SIGNS:
        if all(shows(pairs) for pairs in views):
            return cause
    return None


def ignores_matrices(first: Trial, again: Trial, wrong: Sequence[int]) -> bool:
    """Whether two calls with one x and different matrices gave the same wrong views."""
    if not three(first) or not three(again):
        return False
    pairs = [(first.got.parts[i].array, again.got.parts[i].array) for i in wrong]
    return bool(pairs) and all(a is not None and b is not None and close(a, b) for a, b in pairs)


def _pairs(trials: Sequence[Trial], i: int) -> Pairs:
    both = ((trial.got.parts[i].array, trial.want.parts[i].array) for trial in trials)
    return [(got, want) for got, want in both if got is not None and want is not None]


def _scaled(pairs: Pairs) -> bool:
    factors = [_factor(got.ravel(), want.ravel()) for got, want in pairs]
    fits = all(close(got, f * want) for f, (got, want) in zip(factors, pairs, strict=True))
    return fits and abs(factors[0] - 1) > LEAST and bool(factors[0])


def _factor(got: Array, want: Array) -> float:
    return float((got * want).sum() / max((want * want).sum(), LEAST))


def _rows_scaled(pairs: Pairs) -> bool:
    """Every row, or every piece of a row, is the right one times a factor of its own."""
    got, want = pairs[0]
    if close(got, want):
        return False
    pieces = [n for n in range(2, want.shape[-1] + 1) if want.shape[-1] % n == 0]
    return any(
        all(
            close(mine, _factor(mine, yours) * yours)
            for mine, yours in zip(got.reshape(-1, n), want.reshape(-1, n), strict=True)
        )
        for n in pieces
    )


def _bias(pairs: Pairs) -> bool:
    return all(close(got - want, (got - want)[:1, :1] + 0 * want) for got, want in pairs)


def _zeroes(pairs: Pairs) -> bool:
    return all(close(got, np.where(got == 0, 0, want)) for got, want in pairs)


def _clamps(pairs: Pairs) -> bool:
    return all(close(got, want.clip(got.min(), got.max())) for got, want in pairs if got.size)


def _nearly(pairs: Pairs) -> bool:
    return all(np.allclose(got, want, 0.02, 0.25) for got, want in pairs)


def _spans(rows: Array, by: Array) -> bool:
    """Whether all `rows` are sums of multiples of the rows `by`, of which there are few."""
    if by.shape[0] >= by.shape[1]:
        return False
    weights = np.linalg.lstsq(by.T, rows.T, rcond=None)[0]
    return bool(np.allclose(by.T @ weights, rows.T, 1e-3, 1e-3))


def _tokens(pairs: Pairs) -> bool:
    got, want = pairs[0]
    spans = all(_spans(mine, yours) for mine, yours in zip(got, want, strict=True))
    return spans and not close(got, want)


def _samples(pairs: Pairs) -> bool:
    got, want = pairs[0]
    width = want.shape[-1]
    spans = _spans(got.reshape(-1, width), want.reshape(-1, width))
    return spans and not close(got, want)


def _position(pairs: Pairs) -> bool:
    return all(close(got[:, :1], want[:, :1]) for got, want in pairs)


def _split(pairs: Pairs) -> bool:
    """Whether the right numbers stand in four axes, in any order."""
    return all(
        got.ndim == 4 and close(np.sort(got, None), np.sort(want, None)) for got, want in pairs
    )


SIGNS: tuple[tuple[Cause, Callable[[Pairs], bool]], ...] = (
    (ZEROES, _zeroes),
    (SCALED, _scaled),
    (KNOWN["normalises"], _rows_scaled),
    (BIAS, _bias),
    (CLAMPS, _clamps),
    (KNOWN["rounds"], _nearly),
    (KNOWN["mixes-tokens"], _tokens),
    (KNOWN["mixes-samples"], _samples),
    (POSITION, _position),
)
OTHERS = (SCALED, BIAS, ZEROES, CLAMPS, POSITION, TOO_EARLY, IGNORES)
