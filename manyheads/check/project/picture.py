"""The picture below a wrong result of three views: yours beside the target, first sample."""

from __future__ import annotations

import numpy as np

from manyheads.check.engine import Array
from manyheads.check.exercise import Trial
from manyheads.check.views import LEAST, NAMES, near, three
from manyheads.check.words import shape
from manyheads.show.grids import Cell, Comparison, Grid

NOTE = (
    "First sample, a row a token. Hatched, bold and framed: another number belongs here.\n"
    "Large results are cut; where shapes differ, no number is marked."
)


def views_picture(trial: Trial) -> Comparison | None:
    """The three views of the first sample as tables of numbers; None if there aren't three."""
    if not three(trial) or not all(
        part.array is not None and part.array.size for part in trial.got.parts
    ):
        return None
    pairs = list(zip(NAMES, trial.got.parts, trial.want.parts, strict=True))
    target = [_grid(name, want.array, want.array, n) for n, (name, _, want) in enumerate(pairs)]
    yours = [_grid(name, got.array, want.array, n) for n, (name, got, want) in enumerate(pairs)]
    wrong = [name for name, got, want in pairs if not near(got, want)]
    alt = (
        f"Two stacks of tables for {trial.case.says}: q, k and v. "
        f"Yours differ in {', '.join(wrong)}."
    )
    return Comparison(target, yours, NOTE, alt)


def _grid(name: str, array: Array | None, want: Array | None, colour: int) -> Grid:
    mine = np.zeros((1, 1)) if array is None else array
    table = np.atleast_2d(mine)
    while table.ndim > 2:
        table = table[0]
    off = np.zeros(table.shape, bool)
    if want is not None and mine.shape == want.shape:
        off = ~np.isclose(table, want[0], LEAST, LEAST)
    rows = [
        [Cell(f"{number:.3g}", colour, bool(bad)) for number, bad in zip(row, flags, strict=True)]
        for row, flags in zip(table, off, strict=True)
    ]
    return Grid(f"{name}   {shape(mine.shape)}", rows)
