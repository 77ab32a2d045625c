"""The picture below a wrong `repeat_kv`: yours beside the target, head by token."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyheads.check.coded import owners
from manyheads.check.engine import Array, rounded
from manyheads.check.exercise import Trial
from manyheads.check.words import shape
from manyheads.show.grids import Cell, Comparison, Grid

NOTE = (
    "First sample, feature 0. One row a head, one column a token; each cell says which K/V head "
    "(k) and token (t) of x it holds,\nthe colour shows the K/V head. Hatched, bold and framed: "
    "another one belongs here."
)


def repeat_picture(trial: Trial) -> Comparison | None:
    """The first sample of a result of `repeat_kv`; None if it has no four axes."""
    got, want = trial.got.array, trial.want.array
    if got is None or want is None or got.ndim != 4 or not got.size:
        return None
    x = trial.case.make()["x"].double().numpy()
    x = rounded(x, trial.got.typename)
    ours, theirs = _table(x, want), _table(x, got)
    alike = got.shape == want.shape
    wrong = (ours != theirs).any(-1) if alike else np.zeros(theirs.shape[:2], bool)
    target = Grid(f"head by token   {shape(want.shape)}", _rows(ours, np.zeros_like(ours[..., 0])))
    yours = Grid(f"head by token   {shape(got.shape)}", _rows(theirs, wrong))
    told = f"{int(wrong.sum())} of {wrong.size} cells differ" if alike else "another shape"
    alt = (
        f"Two tables for {trial.case.says}, head by token. Target: each K/V head stands in n_rep "
        f"neighbouring rows. Yours: {told}."
    )
    return Comparison([target], [yours], NOTE, alt)


def _table(x: Array, result: Array) -> Any:
    """Sample, K/V head and token of feature 0 at [h, t] in the first sample, [H, T, 3]."""
    return owners(x, result[:1, :, :, :1])[0, :, :, 0, :3]


def _rows(places: Any, wrong: Any) -> list[list[Cell]]:
    return [
        [_cell(place, bool(off)) for place, off in zip(row, flags, strict=True)]
        for row, flags in zip(places, wrong, strict=True)
    ]


def _cell(place: Any, wrong: bool) -> Cell:
    sample, head, token = (int(i) for i in place)
    if sample < 0:
        return Cell("?", -1, wrong)
    return Cell(f"{f's{sample} ' if sample else ''}k{head} t{token}", head, wrong)
