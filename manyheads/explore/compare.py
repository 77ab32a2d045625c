"""The explorer that shows a learner's own result beside the target, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from manyheads.explore.explorer import Explorer
from manyheads.explore.slices import Array, Part, first_wrong, parts, wrong_cells
from manyheads.show.grids import Cell, Comparison, Grid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_ROWS, MOST_COLUMNS = 8, 8  # of the text's tables
MARKED = "Hatched, bold and framed: another number belongs here."
UNMARKED = "The shapes differ, so no cell is marked as wrong."


def compare(yours: object, target: object) -> Explorer:
    """Open your own result beside the target, zoomed to the first wrong cell.

    yours: tensor or array of any shape; anything else, as from a function that isn't written yet,
    is named in words
    target: tensor or array of any shape with at least one number; large ones are cut to 12 tables
    of 32 by 32, around the first wrong cell
    returns: an Explorer whose text names the first wrong place
    raises: ValueError when the target is no array of numbers

    >>> print(compare([[1.0, 2.0]], [[1.0, 3.0]]).text.splitlines()[0])
    yours [1, 2], target [1, 2]: 1 of 2 numbers differ. First at [0, 1]: yours 2, target 3.
    """
    return explored(comparison(yours, target))


def comparison(yours: object, target: object) -> Comparison:
    """The same as grids, for who shows them otherwise; it raises what `compare` raises.

    >>> comparison([[1.0, 2.0]], [[1.0, 3.0]]).yours[0].rows[0][1].wrong
    True
    """
    want, got = _array(target), _array(yours)
    if want is None or not want.size:
        raise ValueError(
            f"compare: the target is {_kind(target)}, but it must be a tensor or an array "
            "with at least one number. Call compare(yours, target)."
        )
    alike = got is not None and got.shape == want.shape
    wrong = wrong_cells(got, want) if alike and got is not None else None
    first = first_wrong(wrong)
    ours = [_grid(part, want, None) for part in parts(want.shape, first)]
    theirs = []
    if got is not None and got.size:
        theirs = [_grid(part, got, wrong) for part in parts(got.shape, first if alike else None)]
    note = _note(got, wrong)
    return Comparison(ours, theirs, note, _headline(yours, got, want, wrong, first))


def _note(got: Array | None, wrong: NDArray[np.bool_] | None) -> str:
    if got is None:
        return "There is nothing of yours yet, so the target stands alone."
    if wrong is None:
        return UNMARKED
    return MARKED if wrong.any() else ""


def explored(comparison: Comparison) -> Explorer:
    """The explorer of a comparison whose cells are labelled already; its text begins with `alt`."""
    state = {
        "target": [_plain(grid) for grid in comparison.target],
        "yours": [_plain(grid) for grid in comparison.yours],
        "note": comparison.note,
    }
    return Explorer("compare", state, "\n".join([comparison.alt, *_tables(comparison)]))


def _plain(grid: Grid) -> dict[str, Any]:
    return {
        "title": grid.title,
        "rows": [[cell.label for cell in row] for row in grid.rows],
        "fill": [[cell.colour for cell in row] for row in grid.rows],
        "wrong": [[int(cell.wrong) for cell in row] for row in grid.rows],
        "top": grid.top,
        "left": grid.left,
    }


def _array(value: object) -> Array | None:
    """The numbers of a tensor, an array or nested lists; None of anything else."""
    import numpy as np

    plain: Any = value
    try:
        if hasattr(plain, "detach"):
            plain = plain.detach().cpu()
        if str(getattr(plain, "dtype", "")) == "torch.bfloat16":  # NumPy has no such numbers
            plain = plain.float()
        array = np.asarray(plain)
        return array.astype(np.float64) if array.dtype.kind in "fiub" else None
    except (TypeError, ValueError, RuntimeError):
        return None


def _kind(value: object) -> str:
    if value is None or value is ...:
        return "nothing yet"
    return f"a {type(value).__name__}"


def _headline(
    yours: object, got: Array | None, want: Array, wrong: NDArray[np.bool_] | None, first: Any
) -> str:
    if got is None:
        return f"yours is {_kind(yours)}; target {list(want.shape)}."
    shapes = f"yours {list(got.shape)}, target {list(want.shape)}"
    if wrong is None:
        return f"{shapes}: the shapes differ, so no numbers are compared."
    if first is None:
        return f"{shapes}: all {want.size} numbers agree."
    place = f"[{', '.join(map(str, first))}]"
    numbers = f"yours {_number(got[first])}, target {_number(want[first])}"
    differ = f"{int(wrong.sum())} of {want.size} numbers differ"
    return f"{shapes}: {differ}. First at {place}: {numbers}."


def _number(value: float) -> str:
    return f"{value:.4g}"


def _grid(part: Part, array: Array, wrong: NDArray[np.bool_] | None) -> Grid:
    import numpy as np

    numbers = part.cut(array)
    marks = np.zeros(numbers.shape, bool) if wrong is None else part.cut(wrong)
    rows = [
        [Cell(_number(number), wrong=bool(mark)) for number, mark in zip(row, line, strict=True)]
        for row, line in zip(numbers, marks, strict=True)
    ]
    return Grid(part.title, rows, part.top, part.left)


def _tables(comparison: Comparison) -> list[str]:
    """The pair of grids with the first wrong cell as text, side by side; ! marks a wrong cell."""
    pairs = list(zip(comparison.target, comparison.yours, strict=False))
    if not pairs:
        return []
    target, yours = next((pair for pair in pairs if _any_wrong(pair[1])), pairs[0])
    left, right = _lines(target), _lines(yours)
    wide = max(map(len, left))
    count = max(len(left), len(right))
    left += [""] * (count - len(left))
    right += [""] * (count - len(right))
    return [f"{a:{wide}}   |   {b}".rstrip() for a, b in zip(left, right, strict=True)]


def _any_wrong(grid: Grid) -> bool:
    return any(cell.wrong for row in grid.rows for cell in row)


def _lines(grid: Grid) -> list[str]:
    rows = [row[:MOST_COLUMNS] for row in grid.rows[:MOST_ROWS]]
    words = [[f"{cell.label}{'!' if cell.wrong else ''}" for cell in row] for row in rows]
    wide = max((len(word) for row in words for word in row), default=0)
    cut = len(grid.rows) > MOST_ROWS or any(len(row) > MOST_COLUMNS for row in grid.rows)
    title = f"{grid.title} (cut)" if cut else grid.title
    return [title, *(_line(row, wide) for row in words)]


def _line(words: Sequence[str], wide: int) -> str:
    return "  ".join(f"{word:>{wide}}" for word in words)
