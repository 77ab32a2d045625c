"""Inputs whose every number names its place, and sentences about where a number came from.

The number at sample b, token t, head h, feature d of that head is 1000b + 100t + 10h + d, so a
wrong number in a result tells which place of the input it was taken from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from manyheads.check.engine import Array, rounded
from manyheads.check.words import numbered, series

Owners = NDArray[np.int64]


def coded(sizes: Sequence[int], heads: int) -> torch.Tensor:
    """The coded input [B, T, D], float32, for `heads` heads.

    >>> coded((2, 5, 12), 3)[1, 4, :6].tolist()
    [1400.0, 1401.0, 1402.0, 1403.0, 1410.0, 1411.0]
    """
    b, t, feature = np.ogrid[: sizes[0], : sizes[1], : sizes[2]]
    width = sizes[2] // heads
    codes = 1000 * b + 100 * t + 10 * (feature // width) + feature % width
    return torch.from_numpy(codes.astype(np.float32))


def shifted(sizes: Sequence[int], heads: int) -> torch.Tensor:
    """The same codes, below zero and with a fraction: no rounding and no abs() goes unseen."""
    return -coded(sizes, heads) - 0.5


def owners(x: Array, result: Array, typename: str = "") -> Owners:
    """For each number of `result` its place (b, t, feature) in `x`; -1 where it has none.

    >>> x = coded((1, 2, 4), 2).double().numpy()
    >>> owners(x, x[:, ::-1])[0, 0, 3].tolist()
    [0, 1, 3]
    """
    values = rounded(x, typename).ravel()
    order = np.argsort(values, kind="stable")
    places = np.clip(np.searchsorted(values[order], result), 0, values.size - 1)
    index = order[places]
    found = np.stack(np.unravel_index(index, x.shape), axis=-1)
    found[values[index] != result] = -1
    return found


@dataclass(frozen=True)
class Row:
    """The owners of one row of a result, [n, 3], and the numbers themselves, [n]."""

    owners: Owners
    numbers: Array

    def says(self, home: int | None = None) -> str:
        """Where the row's numbers came from; the sample is named where it isn't `home`.

        >>> Row(np.array([[0, 1, 4], [0, 1, 5]]), np.array([104.0, 105.0])).says()
        'features 4 and 5 of token 1'
        """
        if self.numbers.size > 1 and not self.numbers.any():
            return "zeros"
        if (self.owners < 0).any():
            return self._foreign()
        samples, tokens, features = (list(map(int, column)) for column in self.owners.T)
        of = "" if set(samples) <= {home} or home is None else self._samples(samples)
        if len(set(tokens)) == 1:
            return f"{numbered('feature', features)} of token {tokens[0]}{of}"
        if len(set(features)) == 1:
            return f"feature {features[0]} of {numbered('token', tokens)}{of}"
        pairs = [f"{t}:{f}" for t, f in zip(tokens, features, strict=True)]
        shown = ", ".join(pairs[:8]) + (", ..." if len(pairs) > 8 else "")
        return f"(as token:feature) {shown}{of}"

    @staticmethod
    def _samples(samples: list[int]) -> str:
        return f" of {numbered('sample', sorted(set(samples)))}"

    def _foreign(self) -> str:
        if np.isnan(self.numbers).any():
            return "numbers that aren't numbers (nan)"
        strangers = self.numbers[(self.owners < 0).any(axis=-1)]
        shown = series([f"{number:g}" for number in strangers[:4]])
        return f"numbers that occur nowhere in x ({shown}{', ...' if strangers.size > 4 else ''})"
