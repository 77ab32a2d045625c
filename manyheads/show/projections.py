"""Pictures of projections: one token becomes three views, and where a fused projection is cut."""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from manyheads.show.heads import MOST_HEADS
from manyheads.show.look import CELL, HATCHES, HEADS, LABEL, TITLE
from manyheads.show.picture import WIDTH_INCHES, Picture

if TYPE_CHECKING:
    import torch
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VIEWS = ("q", "k", "v")
MOST_COLUMNS = 32  # more would be too narrow to read


def three_views(
    token: torch.Tensor, Wq: torch.Tensor, Wk: torch.Tensor, Wv: torch.Tensor, H: int
) -> Picture:
    """Draw token @ W for three matrices: the token on the left, W in the middle, the view below.

    token: tensor [D]
    Wq, Wk, Wv: tensors [D, H*Dh]
    H: number of heads, 1 to 8; it must divide the matrices' width
    returns: a Picture; the columns that head h owns have its colour and hatch
    raises: ValueError when shapes don't fit each other, or H doesn't divide the width

    >>> import torch
    >>> three_views(torch.ones(2), torch.eye(2), torch.eye(2), torch.eye(2), H=1).alt.split(";")[0]
    'The token (1, 1) becomes q = (1, 1)'
    """
    matrices = (Wq, Wk, Wv)
    width = Wq.shape[-1]
    if any(tuple(W.shape) != (len(token), width) for W in matrices):
        shapes = ", ".join(str(tuple(W.shape)) for W in matrices)
        raise ValueError(
            f"three_views: the token has {len(token)} features and the matrices have shapes "
            f"{shapes}. Give three matrices of one shape ({len(token)}, width)."
        )
    if not 1 <= H <= MOST_HEADS or width % H:
        raise ValueError(
            f"three_views: {width} columns can't be shared by H={H} heads. "
            f"Choose a divisor of {width} from 1 to {MOST_HEADS}."
        )
    views = [(token @ W).tolist() for W in matrices]
    entries = [W.tolist() for W in matrices]
    return Picture(
        partial(_views_figure, token.tolist(), entries, views, H), _views_alt(token, views, H)
    )


def fused_columns(H: int, Hkv: int, Dh: int) -> Picture:
    """Draw the columns of a fused projection [Q | K | V], cut at the real widths and in thirds.

    H, Hkv: numbers of query heads and of key/value heads, at least 1
    Dh: head width, at least 1; (H + 2*Hkv) * Dh may be 32 at most
    returns: a Picture; each column has the colour, hatch and letter of its block
    raises: ValueError when a size is out of its range

    >>> fused_columns(H=4, Hkv=1, Dh=2).alt.split(". ")[1]
    'Equal thirds: Q Q Q Q, Q Q Q Q, K K V V'
    """
    widths = [heads * Dh for heads in (H, Hkv, Hkv)]
    if min(H, Hkv, Dh) < 1 or sum(widths) > MOST_COLUMNS:
        raise ValueError(
            f"fused_columns: H={H}, Hkv={Hkv}, Dh={Dh} make {sum(widths)} columns. Each size must "
            f"be at least 1, and (H + 2*Hkv) * Dh at most {MOST_COLUMNS}."
        )
    third = -(-sum(widths) // 3)  # torch.chunk rounds up
    thirds = [len(range(start, min(start + third, sum(widths)))) for start in (0, third, 2 * third)]
    return Picture(partial(_columns_figure, widths, thirds), _columns_alt(widths, thirds))


def _views_figure(
    token: list[float], entries: list[list[list[float]]], views: list[list[float]], H: int
) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, 0.42 * len(token) + 1.5), layout="constrained")
    for ax, name, W, view in zip(figure.subplots(1, 3), VIEWS, entries, views, strict=True):
        Dh = len(view) // H
        for row, feature in enumerate(token):
            _cell(ax, -1.4, row, f"{feature:g}")
            for column, entry in enumerate(W[row]):
                _cell(ax, column, row, f"{entry:g}", column // Dh)
        for column, feature in enumerate(view):
            _cell(ax, column, len(token) + 0.4, f"{feature:g}", column // Dh, bold=True)
        for head in range(H):
            middle = head * Dh + Dh / 2
            ax.text(
                middle, len(token) + 1.65, f"head {head}", ha="center", va="top", fontsize=LABEL
            )
        ax.text(-0.9, len(token) + 0.9, f"{name} =", ha="center", va="center", fontsize=TITLE)
        _bare(ax, (-1.6, len(view) + 0.1), (len(token) + 2.2, -0.1))
        ax.set_title(f"token   @   W_{name.upper()}", fontsize=TITLE)
    return figure


def _columns_figure(widths: list[int], thirds: list[int]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, 2.1), layout="constrained")
    ax = figure.subplots()
    blocks = _blocks(widths)
    for row, cuts in ((0.0, widths), (2.4, thirds)):
        for column, block in enumerate(blocks):
            _cell(ax, column, row, "QKV"[block], block)
        for cut in (0, *accumulate(cuts)):
            ax.plot([cut, cut], [row - 0.25, row + 1.25], color="black", linewidth=2.2)
    for row, label in ((0.5, "real widths"), (2.9, "equal thirds")):
        ax.text(-0.4, row, label, ha="right", va="center", fontsize=TITLE)
    for column in range(len(blocks)):
        ax.text(column + 0.5, 1.72, str(column), ha="center", va="center", fontsize=CELL)
    ax.text(-0.4, 1.72, "column of Wqkv", ha="right", va="center", fontsize=CELL)
    _bare(ax, (-0.25 * len(blocks) - 0.4, len(blocks) + 0.2), (3.8, -0.4))
    return figure


def _cell(
    ax: Axes, x: float, y: float, label: str, owner: int | None = None, *, bold: bool = False
) -> None:
    """Draw one square; its owner (a head or a block) gives colour and hatch."""
    from matplotlib.patches import Rectangle

    colour = "#666666" if owner is None else HEADS[owner]
    square = Rectangle(
        (x, y), 1, 1, facecolor="white" if owner is None else colour + "55", edgecolor=colour,
        hatch="" if owner is None else HATCHES[owner], linewidth=1.6 if bold else 0.8,
    )  # fmt: skip
    ax.add_patch(square)
    ax.text(
        x + 0.5, y + 0.5, label, ha="center", va="center", fontsize=LABEL,
        fontweight="bold" if bold else "normal",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip


def _bare(ax: Axes, across: tuple[float, float], down: tuple[float, float]) -> None:
    ax.set(xlim=across, ylim=down, xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)


def _blocks(widths: list[int]) -> list[int]:
    """The block (0 for Q, 1 for K, 2 for V) of each column."""
    return [block for block, width in enumerate(widths) for _ in range(width)]


def _views_alt(token: torch.Tensor, views: list[list[float]], H: int) -> str:
    Dh = len(views[0]) // H
    named = "; ".join(f"{n} = {_row(z)}" for n, z in zip(VIEWS, views, strict=True))
    heads = "; ".join(
        f"head {h} holds "
        + ", ".join(
            f"{n} {_row(z[h * Dh : (h + 1) * Dh])}" for n, z in zip(VIEWS, views, strict=True)
        )
        for h in range(H)
    )
    return f"The token {_row(token.tolist())} becomes {named}. Of these, {heads}."


def _row(numbers: list[float]) -> str:
    return f"({', '.join(f'{number:g}' for number in numbers)})"


def _columns_alt(widths: list[int], thirds: list[int]) -> str:
    letters = [("Q", "K", "V")[block] for block in _blocks(widths)]
    ends = list(accumulate(thirds))
    pieces = [" ".join(letters[a:b]) for a, b in zip((0, *ends), ends, strict=False)]
    q, k, v = widths
    return (
        f"The columns of Wqkv: Q has {q}, K has {k}, V has {v}. "
        f"Equal thirds: {', '.join(pieces)}. The cuts agree only when all widths are equal."
    )
