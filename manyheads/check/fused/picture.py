"""The picture below a wrong cut: which column of the fused product each feature comes from."""

from __future__ import annotations

from manyheads.check.exercise import Trial
from manyheads.check.fused import blocks, columns
from manyheads.check.project import target as project
from manyheads.check.project.picture import views_picture
from manyheads.check.views import NAMES, three
from manyheads.show.grids import Cell, Comparison, Grid

NOTE = (
    "Each cell is a feature: the block (Q, K, V) and the column of x @ Wqkv that it holds.\n"
    "Hatched, bold and framed: another column belongs here. A question mark: no column of it."
)


def columns_picture(trial: Trial) -> Comparison | None:
    """One row for q, k and v each; numbers instead where no column is recognised."""
    if not three(trial):
        return None
    x, *rest = trial.case.make().values()
    product = project(x, rest[0])[0].numpy()
    mine = [part.array for part in trial.got.parts if part.array is not None]
    asked = [part.array for part in trial.want.parts if part.array is not None]
    if any(array.ndim != 3 or array.shape[:2] != product.shape[:2] for array in mine):
        return views_picture(trial)
    found = [columns(array, product).tolist() for array in mine]
    right = [columns(array, product).tolist() for array in asked]
    if all(column < 0 for row in found for column in row):
        return views_picture(trial)
    owner = [n for n, block in enumerate(blocks(*rest)) for _ in range(block.shape[1])]
    target = [_grid(name, row, row, owner) for name, row in zip(NAMES, right, strict=True)]
    yours = [
        _grid(name, row, wanted, owner)
        for name, row, wanted in zip(NAMES, found, right, strict=True)
    ]
    alt = (
        f"Two stacks of rows for {trial.case.says}. Target: q, k and v hold columns {right}. "
        f"Yours hold columns {found}; -1 stands for no column of x @ Wqkv."
    )
    return Comparison(target, yours, NOTE, alt)


def _grid(name: str, row: list[int], right: list[int], owner: list[int]) -> Grid:
    cells = [
        _cell(column, owner, wrong=n >= len(right) or right[n] != column)
        for n, column in enumerate(row)
    ]
    return Grid(f"{name}: {len(row)} features", [cells or [Cell("empty")]])


def _cell(column: int, owner: list[int], *, wrong: bool) -> Cell:
    if column < 0:
        return Cell("?", -1, wrong)
    return Cell(f"{'QKV'[owner[column]]} {column}", owner[column], wrong)
