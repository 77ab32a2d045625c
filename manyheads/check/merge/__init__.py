"""The exercise `merge_heads`: its inputs, its target, and what is said of a wrong result."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np
import torch
from torch import Tensor

from manyheads.check.coded import Owners, owners
from manyheads.check.engine import Array, rounded
from manyheads.check.errors_alike import same_error
from manyheads.check.exercise import Case, Cause, Exercise, Trial
from manyheads.check.merge.causes import CAUSES
from manyheads.check.words import numbered, series, shape
from manyheads.show.head_coordinates import head_coordinates

ORDER = "[B, T, H*Dh]"
Sizes = tuple[int, int, int, int]


def target(context: Tensor) -> Tensor:
    """[B, H, T, Dh] -> [B, T, H*Dh]: feature f of a row is looked up at head f // Dh, f % Dh.

    >>> target(torch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
    [[[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]]]
    """
    samples, heads, tokens, width = context.shape
    grid = np.ogrid[:samples, :tokens, : heads * width]
    b, t, f = (torch.from_numpy(axis) for axis in grid)
    return context[b, f // width, t, f % width]


def _plain(sizes: Sizes) -> Tensor:
    return head_coordinates(*sizes)


def shifted(sizes: Sizes) -> Tensor:
    """The same codes, below zero and with a fraction: no rounding and no abs() goes unseen."""
    return -head_coordinates(*sizes) - 0.5


def _transposed(sizes: Sizes) -> Tensor:
    """The coded context as a split by transpose delivers it: in memory tokens before heads."""
    return head_coordinates(*sizes).transpose(1, 2).contiguous().transpose(1, 2)


def _spread(sizes: Sizes) -> Tensor:
    """The coded context with its features far apart in memory."""
    return head_coordinates(*sizes).mT.contiguous().mT


def _case(
    sizes: Sizes, make: Callable[[Sizes], Tensor] = _plain, aside: str = "", fragile: bool = False
) -> Case:
    return Case(f"context {list(sizes)}{aside}", lambda: {"context": make(sizes)}, fragile)


CASES = (
    _case((2, 3, 5, 4)),
    _case((3, 4, 7, 6), shifted),
    _case((1, 3, 5, 4)),
    _case((2, 3, 1, 4)),
    _case((2, 1, 5, 4)),
    _case((2, 3, 5, 1)),
    _case((2, 1, 5, 1)),
    _case((2, 3, 6, 4)),
    _case((4, 4, 4, 4)),
    _case((2, 3, 5, 4), _transposed, " (in memory tokens lie before heads)", fragile=True),
    _case((2, 3, 5, 4), _spread, " (not contiguous in memory)", fragile=True),
)


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """A headline, the first wrong row as a sentence, and what is right."""
    got, want = trial.got, trial.want
    if got.array is None or want.array is None:
        return f"returned {got.kind}", (f"Called with {trial.case.says}.",)
    if got.shape != want.shape:
        return _shape_report(trial, got.array, want.array)
    theirs, ours = places(trial)
    wrong = (theirs != ours).any(axis=(-1, -2))
    b, t = (int(i) for i in np.argwhere(wrong)[0])
    first = (
        f"out[{b}, {t}] should hold {row_says(ours[b, t], want.array[b, t], b)}. "
        f"Yours holds {row_says(theirs[b, t], got.array[b, t], b)}."
    )
    headline = f"the shape is right, {shape(want.array.shape)}; the owners are not"
    return headline, (first, _what_is_right(theirs, ours))


def places(trial: Trial) -> tuple[Owners, Owners]:
    """For each number of the result and of the target its place (b, h, t, d) in the context."""
    context = trial.case.make()["context"].double().numpy()
    typename = trial.got.typename
    arrays = (trial.got.array, trial.want.array)
    return tuple(  # type: ignore[return-value]  # two, as there are two arrays
        owners(context, rounded(array, typename), typename) for array in arrays if array is not None
    )


def row_says(found: Owners, numbers: Array, home: int) -> str:
    """Where the numbers of one row came from; the sample is named where it isn't `home`.

    >>> row_says(np.array([[0, 0, 1, 0], [0, 0, 1, 1], [0, 1, 1, 0]]), np.ones(3), 0)
    'features 0 and 1 of head 0, feature 0 of head 1, all of token 1'
    """
    if numbers.size > 1 and not numbers.any():
        return "zeros only"
    if (found < 0).any():
        strangers = numbers[(found < 0).any(axis=-1)]
        shown = series([f"{number:g}" for number in strangers[:4]])
        return f"numbers that occur nowhere in the context ({shown}, ...)"
    runs = [
        (key, [int(place[3]) for place in run])
        for key, run in groupby(found, key=lambda place: tuple(map(int, place[:3])))
    ]
    tokens = {t for (_, _, t), _ in runs}
    parts = [_part(key, ds, home, len(tokens) == 1) for key, ds in runs]
    shown = ", ".join(parts[:4]) + (", ..." if len(parts) > 4 else "")
    return f"{shown}, all of token {tokens.pop()}" if len(tokens) == 1 else shown


def _part(key: tuple[int, ...], features: list[int], home: int, alike: bool) -> str:
    b, h, t = key
    token = "" if alike else f" of token {t}"
    sample = "" if b == home else f" of sample {b}"
    return f"{numbered('feature', features)} of head {h}{token}{sample}"


def _shape_report(trial: Trial, got: Array, want: Array) -> tuple[str, tuple[str, ...]]:
    headline = f"the shape is {shape(got.shape)}; this exercise asks for {shape(want.shape)}"
    if got.ndim != 3:
        axes = "1 axis" if got.ndim == 1 else f"{got.ndim} axes"
        first = f"Called with {trial.case.says}, the result has {axes}; {ORDER} has 3."
    else:
        axis = next(i for i in range(3) if got.shape[i] != want.shape[i])
        name = ("B", "T", "H*Dh")[axis]
        first = (
            f"Called with {trial.case.says}, axis {axis} should be {name} = {want.shape[axis]}; "
            f"yours has {got.shape[axis]}."
        )
    if np.array_equal(np.sort(got, axis=None), np.sort(want, axis=None)):
        kept = "Every number of the context occurs once in your result; its place differs."
    else:
        kept = f"The context holds {want.size} numbers, your result {got.size}; they differ."
    return headline, (first, kept)


def _what_is_right(theirs: Owners, ours: Owners) -> str:
    """Which rows, and within them which heads' columns, hold what they should."""
    wrong = np.asarray((theirs != ours).any(axis=-1))  # [B, T, H*Dh]
    rows = np.asarray(wrong.any(axis=-1))
    right = int((~rows).sum())
    heads = ours[0, 0, :, 1]  # the head that each column belongs to
    good = [int(h) for h in np.unique(heads) if not wrong[:, :, heads == h].any()]
    parts = [
        numbered(noun, [int(i) for i in np.flatnonzero(~rows.any(axis=other))])
        for noun, other in (("sample", 1), ("token", 0))
        if not rows.any(axis=other).all()
    ]
    parts += [f"the columns of {numbered('head', good)}"] if good else []
    count = f"{right} of {rows.size} rows out[b, t] are right." if right else "No row is right yet."
    return f"{count} Right throughout: {series(parts)}." if parts else count


def _recognise(trials: Any) -> Cause | None:
    return same_error(EXERCISE, trials)


def _picture(trial: Trial) -> Any:
    from manyheads.check.merge.picture import merge_picture

    return merge_picture(trial)


EXERCISE = Exercise(
    lesson="05_concat_and_wo",
    name="merge_heads",
    arguments=1,
    returns=f"one tensor {ORDER}",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=report,
    probe="take one wrong number of your result. Which sample, head, token and feature is it?",
    passed="Compared: shape and the owner of every number, on 11 inputs (other sizes, B=1, T=1, "
    "H=1, Dh=1, three orders in memory); the context left as it was; called twice.",
    recognise=_recognise,
    picture=_picture,
)
