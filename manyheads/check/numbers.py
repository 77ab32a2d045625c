"""Drawn inputs for exercises that compute, and sentences about results that are off by numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from manyheads.check.engine import NARROW, Array, Outcome
from manyheads.check.words import numbered, series, shape


def drawn(sizes: Sequence[int], seed: int, scale: float = 1.0) -> Tensor:
    """Numbers of both signs, each different, always the same for one seed; float32."""
    return _drawn(tuple(sizes), seed, scale).clone()


@cache
def _drawn(sizes: tuple[int, ...], seed: int, scale: float) -> Tensor:
    numbers = np.random.default_rng(seed).standard_normal(sizes) * scale
    return torch.from_numpy(numbers.astype(np.float32))


def spread(matrix: Tensor) -> Tensor:
    """The same numbers, lying in memory column by column."""
    return matrix.mT.contiguous().mT


def near(got: Array, want: Array) -> NDArray[np.bool_]:
    """Where two arrays of one shape agree, up to the rounding of float32."""
    return np.isclose(got, want, 1e-4, 1e-5, equal_nan=True)


def matches(got: Outcome, want: Outcome) -> bool:
    """Whether two outcomes are of one kind and shape, with numbers alike up to rounding.

    What was computed in a narrower type of number is alike within a tenth: that type is then the
    one thing to be told.
    """
    if got.kind != want.kind or got.array is None or want.array is None:
        return False
    if got.shape != want.shape:
        return False
    if got.typename in NARROW:
        return bool(np.allclose(got.array, want.array, 0.1, 0.1))
    return bool(near(got.array, want.array).all())


def nearly(got: Outcome, want: Outcome) -> bool:
    """Whether two results of one shape agree to one part in twenty, as after rounding."""
    if got.array is None or want.array is None or got.shape != want.shape:
        return False
    return bool(np.allclose(got.array, want.array, 0.05, 0.05))


def first_difference(got: Array, want: Array) -> str:
    """The first wrong coordinate as a sentence, for arrays of one shape.

    >>> first_difference(np.array([[1.0, 2.0]]), np.array([[1.0, 3.0]]))
    'First difference: out[0, 1] should be 3; yours is 2.'
    """
    place = tuple(int(n) for n in np.argwhere(~near(got, want))[0])
    at = ", ".join(map(str, place))
    return f"First difference: out[{at}] should be {want[place]:.4g}; yours is {got[place]:.4g}."


def what_is_right(got: Array, want: Array) -> str:
    """Which rows [b, t] of [B, T, D] are right, and which samples, tokens or features throughout.

    >>> what_is_right(np.zeros((1, 2, 2)), np.array([[[0.0, 0.0], [0.0, 1.0]]]))
    '1 of 2 rows out[b, t] are right. Right throughout: token 0 and feature 0.'
    """
    right = near(got, want)
    rows = right.all(axis=-1)
    parts = [
        numbered(noun, [int(i) for i in np.flatnonzero(right.all(axis=others))])
        for noun, others in (("sample", (1, 2)), ("token", (0, 2)), ("feature", (0, 1)))
        if right.all(axis=others).any()
    ]
    whole = f" Right throughout: {series(parts)}." if parts else ""
    if not rows.any():
        return f"No row out[b, t] is right yet.{whole}"
    return f"{int(rows.sum())} of {rows.size} rows out[b, t] are right.{whole}"


def shape_report(
    case: str, names: Sequence[str], got: Array, want: Array
) -> tuple[str, tuple[str, ...]]:
    """Headline and lines on a result of another shape; `names` are the axes that are asked for."""
    headline = f"the shape is {shape(got.shape)}; this exercise asks for {shape(want.shape)}"
    if got.ndim != len(names):
        axes = "1 axis" if got.ndim == 1 else f"{got.ndim} axes"
        asked = f"[{', '.join(names)}] has {len(names)}"
        return headline, (f"Called with {case}, the result has {axes}; {asked}.", "")
    axis = next(i for i in range(got.ndim) if got.shape[i] != want.shape[i])
    told = f"axis {axis} should be {names[axis]} = {want.shape[axis]}; yours has {got.shape[axis]}."
    return headline, (f"Called with {case}, {told}", "")
