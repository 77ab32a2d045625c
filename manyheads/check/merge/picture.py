"""The picture of a wrong merge: the first sample's rows, yours beside the target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from manyheads.check.coded import Owners, owners
from manyheads.check.engine import Array, rounded
from manyheads.check.exercise import Trial
from manyheads.check.pictures import _tables as tables
from manyheads.check.words import shape
from manyheads.show.grids import Cell, Comparison, Grid

NOTE = (
    "First sample, one row a token. Three digits say which token, head and feature of the context "
    "a cell holds;\nthe colour shows the token. Hatched, bold and framed: another number belongs "
    "here. s1 in front: sample 1."
)


def merge_picture(trial: Trial) -> Comparison | None:
    """The first sample of a result of `merge_heads` as a table; None if it is no tensor."""
    got, want = trial.got, trial.want
    if got.array is None or want.array is None or not got.array.size:
        return None
    context = trial.case.make()["context"].double().numpy()
    ours = owners(context, want.array[0])
    numbers, titles = tables(got.array)
    theirs = owners(rounded(context, got.typename), numbers)
    alike = got.shape == want.shape
    wrong = (theirs[0] != ours).any(-1) if alike else np.zeros(theirs.shape[1:-1], bool)
    target = [Grid("out[0]", _rows(ours, want.array[0], np.zeros(ours.shape[:-1], bool)))]
    marks = [wrong] + [np.zeros_like(wrong)] * (len(theirs) - 1)
    yours = [Grid(titles[i], _rows(theirs[i], numbers[i], marks[i])) for i in range(len(theirs))]
    told = f"{int(wrong.sum())} of {wrong.size} cells differ" if alike else "another shape"
    alt = (
        f"Two tables for {trial.case.says}. Target {shape(want.array.shape)}: row t holds token t "
        f"alone, head after head. Yours {shape(got.array.shape)}: {told}."
    )
    return Comparison(target, yours, NOTE, alt)


def _rows(places: Owners, numbers: Array, wrong: NDArray[np.bool_]) -> list[list[Cell]]:
    return [
        [
            _cell(places[i, j], float(numbers[i, j]), bool(wrong[i, j]))
            for j in range(places.shape[1])
        ]
        for i in range(places.shape[0])
    ]


def _cell(place: NDArray[np.int64], number: float, wrong: bool) -> Cell:
    sample, head, token, feature = (int(n) for n in place)
    if sample < 0:
        return Cell(f"{number:.3g}", -1, wrong)
    prefix = f"s{sample} " if sample else ""
    return Cell(f"{prefix}{token}{head}{feature}", token, wrong)
