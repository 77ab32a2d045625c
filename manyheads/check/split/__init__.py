"""The exercise `split_heads`: its inputs, its target, and what is said of a wrong result."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from manyheads.check.coded import Row, coded, owners, shifted
from manyheads.check.engine import Array, rounded
from manyheads.check.exercise import Case, Exercise, Trial
from manyheads.check.split.causes import CAUSES
from manyheads.check.split.late import recognise_late
from manyheads.check.split.refusals import accepted, remarks
from manyheads.check.words import numbered, series, shape

ORDER = "[B, H, T, Dh]"


def target(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """[B, T, D] -> [B, H, T, Dh]: entry (b, h, t, d) is looked up at (b, t, h*Dh + d).

    >>> target(torch.arange(12.0).reshape(1, 2, 6), 3).tolist()[0][1]
    [[2.0, 3.0], [8.0, 9.0]]
    """
    samples, tokens, features = x.shape
    width = features // num_heads
    grid = np.ogrid[:samples, :num_heads, :tokens, :width]
    b, h, t, d = (torch.from_numpy(axis) for axis in grid)
    return x[b, t, h * width + d]


def _spread(sizes: tuple[int, int, int], heads: int) -> torch.Tensor:
    """The coded input with its features far apart in memory, so it is not contiguous."""
    return coded(sizes, heads).mT.contiguous().mT


def _case(
    sizes: tuple[int, int, int],
    heads: int,
    make: Any = coded,
    aside: str = "",
    fragile: bool = False,
) -> Case:
    says = f"x {list(sizes)}, num_heads={heads}{aside}"
    return Case(says, lambda: {"x": make(sizes, heads), "num_heads": heads}, fragile)


def _uncoded(sizes: tuple[int, int, int], _: int) -> torch.Tensor:
    return torch.arange(1.0, 1.0 + np.prod(sizes)).reshape(sizes)


CASES = (
    _case((2, 5, 12), 3),
    _case((3, 7, 24), 4, shifted),
    _case((1, 5, 12), 3),
    _case((2, 1, 12), 3),
    _case((2, 5, 12), 1),
    _case((2, 5, 6), 6),
    _case((2, 5, 15), 3),
    _case((2, 6, 12), 3),
    _case((2, 5, 12), 3, _spread, " (x not contiguous in memory)", fragile=True),
)
REFUSED = (_case((2, 5, 10), 3, _uncoded), _case((2, 9, 10), 3, _uncoded))


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """A headline, the first wrong coordinate as a sentence, and what is right."""
    got, want = trial.got, trial.want
    if got.array is None or want.array is None:
        return f"returned {got.kind}", (f"Called with {trial.case.says}.",)
    if got.shape != want.shape:
        return _shape_report(trial, got.array, want.array)
    x = trial.case.make()["x"].double().numpy()
    theirs, ours = (
        owners(x, rows, got.typename) for rows in (got.array, rounded(want.array, got.typename))
    )
    wrong = (theirs != ours).any(axis=(-1, -2))
    b, h, t = (int(i) for i in np.argwhere(wrong)[0])
    should = Row(ours[b, h, t], want.array[b, h, t]).says(b)
    holds = Row(theirs[b, h, t], got.array[b, h, t]).says(b)
    first = f"out[{b}, {h}, {t}] should hold {should}. Yours holds {holds}."
    headline = f"the shape is right, {shape(want.array.shape)}; the owners are not"
    return headline, (first, _what_is_right(wrong))


def _shape_report(trial: Trial, got: Array, want: Array) -> tuple[str, tuple[str, ...]]:
    headline = f"the shape is {shape(got.shape)}; this exercise asks for {shape(want.shape)}"
    if got.ndim != 4:
        axes = "1 axis" if got.ndim == 1 else f"{got.ndim} axes"
        first = f"Called with {trial.case.says}, the result has {axes}; {ORDER} has 4."
    else:
        axis = next(i for i in range(4) if got.shape[i] != want.shape[i])
        name = ("B", "H", "T", "Dh")[axis]
        first = (
            f"Called with {trial.case.says}, axis {axis} should be {name} = {want.shape[axis]}; "
            f"yours has {got.shape[axis]}."
        )
    kept = np.array_equal(np.sort(got, axis=None), np.sort(want, axis=None))
    if kept:
        return headline, (first, "Every number of x occurs once in your result; its place differs.")
    return headline, (
        first,
        f"x holds {want.size} numbers, your result {got.size}; they are not the same ones.",
    )


def _what_is_right(wrong: Any) -> str:
    """Which rows, heads, tokens and samples of the owners [B, H, T] are right."""
    right, total = int((~wrong).sum()), wrong.size
    if not right:
        return "No row out[b, h, t] is right yet."
    parts = [
        numbered(noun, [int(i) for i in np.flatnonzero(~wrong.any(axis=others))])
        for noun, others in (("sample", (1, 2)), ("head", (0, 2)), ("token", (0, 1)))
        if not wrong.any(axis=others).all()
    ]
    whole = f" Right throughout: {series(parts)}." if parts else ""
    return f"{right} of {total} rows out[b, h, t] are right.{whole}"


def _picture(trial: Trial) -> Any:
    from manyheads.check.pictures import split_picture

    return split_picture(trial)


EXERCISE = Exercise(
    lesson="02_head_split",
    name="split_heads",
    arguments=2,
    returns=f"one tensor {ORDER}",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=report,
    probe="take one wrong number of your result. Which sample, token and feature of x is it?",
    passed="Compared: shape and the owner of every number, on 9 inputs (other sizes, B=1, T=1, "
    "H=1, H=D, x not contiguous); x left as it was; called twice; D=10, H=3 refused.",
    refused=REFUSED,
    recognise_late=recognise_late,
    accepted=accepted,
    remarks=remarks,
    picture=_picture,
)
