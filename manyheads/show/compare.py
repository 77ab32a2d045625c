"""Draw the learner's result beside the target: grids of labelled, coloured cells."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from manyheads.show import look
from manyheads.show.grids import Cell, Comparison, Grid
from manyheads.show.picture import Picture

BLANK = "#ffffff"
WIDTH = 700
ROW, TITLE, GAP, HEAD, FOOT = 23, 22, 8, 30, 42
COLUMN = 330
PIXEL = 100 / 72  # from points to the picture's pixels
MOST_ROWS, MOST_COLUMNS, MOST_GRIDS = 8, 12, 3


def draw(comparison: Comparison) -> Picture:
    """The target's grids on the left, the learner's on the right; the note stands below.

    Large grids are cut to 8 rows and 12 columns, long series to 3 grids, and the title says so.

    >>> grid = Grid("head 0", [[Cell("t0 f0", 0)]])
    >>> draw(Comparison([grid], [grid], "One cell.", "Both hold t0 f0.")).alt
    'Both hold t0 f0.'
    """
    return Picture(partial(_figure, comparison), comparison.alt)


def _figure(comparison: Comparison) -> Figure:
    columns = [_cut(comparison.target), _cut(comparison.yours)]
    height = HEAD + FOOT + max(map(_height, columns))
    figure = Figure(figsize=(WIDTH / 100, height / 100), dpi=160, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    for left, name, grids in (
        (14, "target", columns[0]),
        (WIDTH - COLUMN - 14, "yours", columns[1]),
    ):
        axes.text(left, 20, name, fontsize=look.TITLE, fontweight="bold", color="black")
        _column(axes, left, grids)
    axes.text(
        14,
        height - FOOT + 2,
        comparison.note,
        fontsize=look.CELL,
        color="#333333",
        va="top",
        linespacing=1.4,
    )
    return figure


def _column(axes: Axes, left: float, grids: Sequence[Grid]) -> None:
    top: float = HEAD
    for grid in grids:
        axes.text(left, top + TITLE - 6, grid.title, fontsize=look.LABEL, color="#333333")
        _grid(axes, left, top + TITLE, grid)
        top += TITLE + ROW * len(grid.rows) + GAP


def _grid(axes: Axes, left: float, top: float, grid: Grid) -> None:
    width = COLUMN / max(len(row) for row in grid.rows)
    size = _fontsize(grid, width)
    right: list[tuple[Rectangle, Cell]] = []
    wrong: list[tuple[Rectangle, Cell]] = []
    words: list[Path] = []
    for i, row in enumerate(grid.rows):
        for j, cell in enumerate(row):
            x, y = left + j * width, top + i * ROW
            (wrong if cell.wrong else right).append((Rectangle((x, y), width, ROW), cell))
            words.append(_word(cell.label, cell.wrong, x + width / 2, y + ROW / 2, size))
    _fill(axes, right, edge="white", line=1.2)
    _fill(axes, wrong, edge="#00000028", line=0, hatch="////")
    inset = [(_inner(box), Cell("")) for box, _ in wrong]
    _fill(axes, inset, edge="black", line=1, face="none")
    ink = Path.make_compound_path(*words)
    axes.add_artist(PathPatch(ink, facecolor="black", linewidth=0, zorder=3))


def _word(label: str, bold: bool, x: float, y: float, size: float) -> Path:
    """A label as an outline, centred at (x, y); y points down."""
    outline, width = _outline(label, bold)
    flip = Affine2D().translate(-width / 2, -0.36).scale(size * PIXEL, -size * PIXEL)
    return flip.translate(x, y).transform_path(outline)


@cache
def _outline(label: str, bold: bool) -> tuple[Path, float]:
    """The outline of a label in a size of 1, and its width: a hundred of them in a few ms."""
    text = TextPath((0, 0), label, size=1, prop=FontProperties(weight="bold" if bold else "normal"))
    return text, float(text.get_extents().width) if label.strip() else 0.0


def _fill(
    axes: Axes,
    cells: Sequence[tuple[Rectangle, Cell]],
    edge: str,
    line: float,
    face: str = "",
    hatch: str | None = None,
) -> None:
    if not cells:
        return
    faces = [face or _colour(cell) for _, cell in cells]
    boxes = [box for box, _ in cells]
    drawn = PatchCollection(boxes, facecolors=faces, edgecolors=edge, linewidths=line, hatch=hatch)
    axes.add_collection(drawn, autolim=False)


def _inner(box: Rectangle) -> Rectangle:
    corner = (box.get_x() + 1.5, box.get_y() + 1.5)
    return Rectangle(corner, box.get_width() - 3, box.get_height() - 3)


def _colour(cell: Cell) -> str:
    return BLANK if cell.colour < 0 else look.FILLS[cell.colour % len(look.FILLS)]


def _fontsize(grid: Grid, width: float) -> float:
    longest = max((len(cell.label) for row in grid.rows for cell in row), default=1)
    return max(3.5, min(8.5, 1.12 * width / max(longest, 1)))


def _height(grids: Sequence[Grid]) -> float:
    return sum(TITLE + ROW * len(grid.rows) + GAP for grid in grids)


def _cut(grids: Sequence[Grid]) -> list[Grid]:
    shown = [_cut_grid(grid) for grid in grids[:MOST_GRIDS]]
    if len(grids) > MOST_GRIDS:
        more = f"{shown[-1].title}   ({len(grids) - MOST_GRIDS} more not drawn)"
        shown[-1] = Grid(more, shown[-1].rows)
    return shown


def _cut_grid(grid: Grid) -> Grid:
    rows = [tuple(row[:MOST_COLUMNS]) for row in grid.rows[:MOST_ROWS]]
    whole = len(grid.rows) <= MOST_ROWS and all(len(row) <= MOST_COLUMNS for row in grid.rows)
    return Grid(grid.title if whole else f"{grid.title}   (cut)", rows)
