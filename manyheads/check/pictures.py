"""Turn a wrong trial into the picture that stands below the text: yours beside the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyheads.check.coded import owners
from manyheads.check.engine import Array, Outcome, outcome_of, rounded
from manyheads.check.exercise import Trial
from manyheads.check.rotate.atoms import ATOMS, bits_equal
from manyheads.check.words import shape
from manyheads.show.grids import Cell, Comparison, Grid

SPLIT_NOTE = (
    "First sample. Each cell says which token (t) and feature (f) of x it holds; the colour shows "
    "the token.\n"
)
MARKED = (
    "Hatched, bold and framed: another number belongs here. A sample other than 0 is written in "
    "front (s1)."
)
UNMARKED = "The shapes differ, so no cell is marked as wrong."
ROTATE_NOTE = (
    "First sample. One row a head, one column a token; each cell says what the result holds "
    "there.\nHatched, bold and framed: something else belongs here."
)
NAMES = ("q'", "k'", "v")
COLOURS = {"rope(q)": 0, "rope(k)": 1, "v": 2, "q": 3, "k": 4, "rope(v)": 5, "zeros": 7}


def split_picture(trial: Trial) -> Comparison | None:
    """The first sample of a result of `split_heads`, head by head; None if it is no tensor."""
    got, want = trial.got, trial.want
    if got.array is None or want.array is None or not got.array.size:
        return None
    x = trial.case.make()["x"].double().numpy()
    ours = owners(x, want.array)[0]
    numbers, titles = _tables(got.array)
    theirs = owners(rounded(x, got.typename), numbers)
    alike = got.shape == want.shape
    wrong = (theirs != ours).any(-1) if alike else np.zeros(theirs.shape[:-1], bool)
    target = [
        Grid(f"head {h}   out[0, {h}]", _coded_rows(table, want.array[0, h], None))
        for h, table in enumerate(ours)
    ]
    yours = [
        Grid(titles[i], _coded_rows(theirs[i], numbers[i], wrong[i])) for i in range(len(theirs))
    ]
    told = f"{int(wrong.sum())} of {wrong.size} cells differ" if alike else "another shape"
    alt = (
        f"Two stacks of tables for {trial.case.says}. Target {shape(want.array.shape)}: head h "
        f"holds all tokens with the features of its own chunk. Yours {shape(got.array.shape)}: "
        f"{told}."
    )
    return Comparison(target, yours, SPLIT_NOTE + (MARKED if alike else UNMARKED), alt)


def rotate_picture(trial: Trial) -> Comparison | None:
    """What each of the three results of `rotate_qk` holds, head by token; None if not three."""
    got, want = trial.got, trial.want
    if len(got.parts) != 3 or any(p.array is None or p.array.ndim != 4 for p in got.parts):
        return None
    made = [(a.name, outcome_of(a.make(*trial.case.make().values()))) for a in ATOMS]
    target = [_held(NAMES[i], part, part, made, i == 2) for i, part in enumerate(want.parts)]
    yours = [_held(NAMES[i], part, want.parts[i], made, i == 2) for i, part in enumerate(got.parts)]
    wrong = [
        name
        for name, grid in zip(NAMES, yours, strict=True)
        if any(cell.wrong for row in grid.rows for cell in row)
    ]
    alt = (
        f"Two stacks of tables for {trial.case.says}, head by token. Target: q' holds rope(q), k' "
        f"rope(k), v is v. Yours differs in {', '.join(wrong) or 'the shape'}."
    )
    return Comparison(target, yours, ROTATE_NOTE, alt)


def numbers_picture(trial: Trial) -> Comparison | None:
    """The numbers of any result beside the target's; None if there are none, or all are close."""
    from manyheads.explore.compare import comparison

    got, want = trial.got.array, trial.want.array
    if got is None or want is None or not got.size or not want.size:
        return None
    shown = comparison(got, want)
    marked = any(cell.wrong for grid in shown.yours for row in grid.rows for cell in row)
    return shown if marked or got.shape != want.shape else None


def _tables(result: Array) -> tuple[Array, list[str]]:
    """The first sample of any array as tables [n, rows, columns], and a title for each."""
    prefix = ""
    while result.ndim > 3 or (result.ndim == 3 and not prefix):
        result, prefix = result[0], f"{prefix}0, "
    if result.ndim == 3:
        return result, [f"out[{prefix}{i}]" for i in range(len(result))]
    title = f"out[{prefix.removesuffix(', ')}]" if prefix else "out"
    return np.atleast_2d(result)[None], [title]


def _coded_rows(
    places: NDArray[np.int64], numbers: Array, wrong: NDArray[np.bool_] | None
) -> list[list[Cell]]:
    return [
        [
            _coded_cell(places[i, j], numbers[i, j], bool(wrong is not None and wrong[i, j]))
            for j in range(places.shape[1])
        ]
        for i in range(places.shape[0])
    ]


def _coded_cell(place: NDArray[np.int64], number: float, wrong: bool) -> Cell:
    sample, token, feature = (int(n) for n in place)
    if sample < 0 or (wrong and number == 0):  # a zero is more likely empty than token 0's
        return Cell(f"{number:.3g}", -1, wrong)
    prefix = f"s{sample} " if sample else ""
    return Cell(f"{prefix}t{token} f{feature}", token, wrong)


def _held(
    name: str, part: Outcome, want: Outcome, made: list[tuple[str, Outcome]], exact: bool
) -> Grid:
    """Name what the rows [h, t] of one result hold; the third result is compared bit for bit."""
    array = part.array
    if array is None:
        return Grid(name, [[Cell("?")]])
    rows = [
        [_row_cell(array, want, made, exact, h, t) for t in range(array.shape[2])]
        for h in range(array.shape[1])
    ]
    return Grid(f"{name}   {shape(array.shape)}", rows or [[Cell("empty")]])


def _row_cell(
    array: Array, want: Outcome, made: list[tuple[str, Outcome]], exact: bool, h: int, t: int
) -> Cell:
    label = next((name for name, other in made if _row_is(array, other.array, h, t)), "?")
    wrong = not _row_is(array, want.array, h, t)
    if exact and not wrong and want.array is not None:
        wrong = not bits_equal(
            Outcome("tensor", array=array[0, h, t]), Outcome("tensor", array=want.array[0, h, t])
        )
    return Cell(label, COLOURS.get(label, -1), wrong)


def _row_is(array: Array, other: Any, h: int, t: int) -> bool:
    if other is None or other.ndim != 4 or h >= other.shape[1] or t >= other.shape[2]:
        return False
    mine, theirs = array[0, h, t], other[0, h, t]
    return mine.shape == theirs.shape and bool(np.allclose(mine, theirs, 1e-5, 1e-5))
