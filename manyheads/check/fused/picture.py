"""The picture below a wrong cut: which column of the fused product each feature comes from."""

from __future__ import annotations

from manyheads.check.engine import Array
from manyheads.check.exercise import Trial
from manyheads.check.fused import blocks, columns
from manyheads.check.project import target as project
from manyheads.check.project.picture import views_picture
from manyheads.check.views import NAMES, three
from manyheads.check.words import shape
from manyheads.show.compare import Cell, Grid, Picture, compare

NOTE = (
    "Each cell is a feature: the block (Q, K, V) and the column of x @ Wqkv that it holds.\n"
    "Hatched, bold and framed: another column belongs here. A question mark: no column of it."
)


def columns_picture(trial: Trial) -> Picture | None:
    """One row for q, k and v each; numbers instead where no column is recognised."""
    if not three(trial):
        return None
    x, *rest = trial.case.make().values()
    product = project(x, rest[0])[0].numpy()
    arrays = [(got.array, want.array) for got, want in _pairs(trial)]
    fits = [got is not None and got.ndim == 3 and got.shape[:2] == product.shape[:2] for got, _ in arrays]
    owner = [n for n, block in enumerate(blocks(*rest)) for _ in range(block.shape[1])]
    if not all(fits):
        return views_picture(trial)
    found = [columns(got, product).tolist() for got, _ in arrays if got is not None]
    asked = [columns(want, product).tolist() for _, want in arrays if want is not None]
    if all(column < 0 for row in found for column in row):
        return views_picture(trial)
    target = [_grid(*row, row[1], owner) for row in zip(NAMES, asked, strict=True)]
    yours = [_grid(n, row, right, owner) for n, row, right in zip(NAMES, found, asked, strict=True)]
    alt = (
        f"Two stacks of rows for {trial.case.says}. Target: q, k and v hold neighbouring blocks of "
        f"columns. Yours have shapes {', '.join(shape(got.shape) for got, _ in arrays if got is not None)}."
    )
    return compare(target, yours, NOTE, alt)


def _pairs(trial: Trial) -> list[tuple[object, object]]:
    return list(zip(trial.got.parts, trial.want.parts, strict=True))


def _grid(name: str, row: list[int], right: list[int], owner: list[int]) -> Grid:
    cells = [
        Cell("?" if column < 0 else f"{'QKV'[owner[column]]} {column}", -1 if column < 0 else owner[column],
             n >= len(right) or right[n] != column)
        for n, column in enumerate(row)
    ]
    return Grid(f"{name}: {len(row)} features", [cells or [Cell("empty")]])


__all__ = ["Array", "columns_picture"]
