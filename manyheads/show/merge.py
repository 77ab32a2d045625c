"""The picture of a merge: heads joined token by token, and the same shape without the transpose."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from manyheads.show.heads import MOST_HEADS
from manyheads.show.look import CELL, HATCHES, HEADS, LABEL, TITLE
from manyheads.show.picture import WIDTH_INCHES, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place = tuple[int, int, int]  # token, head, feature in the head


def head_merge(H: int, T: int, Dh: int) -> Picture:
    """Draw one sample's heads [H, T, Dh], their merge [T, H*Dh], and a reshape without transpose.

    H: number of heads, 1 to 8
    T: number of tokens, 1 to 10
    Dh: features of one head, 1 to 10; legible while H*Dh is at most about 8
    returns: a Picture; cells are coloured and hatched by head and labelled 100*t + 10*h + d
    raises: ValueError when a size is out of its range

    >>> head_merge(H=2, T=3, Dh=2).alt.split(".")[0]
    'Left: 2 heads, each of 3 tokens by 2 features'
    """
    if not 1 <= H <= MOST_HEADS or not 1 <= T <= 10 or not 1 <= Dh <= 10:
        raise ValueError(
            f"head_merge: H={H}, T={T}, Dh={Dh}, but H must be 1 to {MOST_HEADS}, T and Dh 1 to 10."
        )
    return Picture(partial(_figure, H, T, Dh), _alt(H, T, Dh))


def merged_places(H: int, T: int, Dh: int) -> list[list[Place]]:
    """Rows of the merge: token t's features, head after head.

    >>> merged_places(H=2, T=2, Dh=1)
    [[(0, 0, 0), (0, 1, 0)], [(1, 0, 0), (1, 1, 0)]]
    """
    return [[(t, h, d) for h in range(H) for d in range(Dh)] for t in range(T)]


def reshaped_places(H: int, T: int, Dh: int) -> list[list[Place]]:
    """Rows of a reshape to [T, H*Dh] without the transpose: numbers as they lie in memory.

    >>> reshaped_places(H=2, T=2, Dh=1)
    [[(0, 0, 0), (1, 0, 0)], [(0, 1, 0), (1, 1, 0)]]
    """
    flat = [(t, h, d) for h in range(H) for t in range(T) for d in range(Dh)]
    width = H * Dh
    return [flat[row * width : (row + 1) * width] for row in range(T)]


def _figure(H: int, T: int, Dh: int) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, 0.34 * T + 1.2), layout="constrained")
    widths = [Dh] * H + [H * Dh, H * Dh]
    axes = figure.subplots(1, H + 2, gridspec_kw={"width_ratios": widths})
    for h, ax in enumerate(axes[:H]):
        _grid(ax, [[(t, h, d) for d in range(Dh)] for t in range(T)], f"head {h}")
        ax.set_yticks([t + 0.5 for t in range(T)], [f"token {t}" for t in range(T)], fontsize=LABEL)
        if h:
            ax.set_yticklabels([])
    right, wrong = axes[H:]
    _grid(right, merged_places(H, T, Dh), "merged: a token a row")
    _grid(wrong, reshaped_places(H, T, Dh), "no transpose: tokens mixed")
    for ax in (right, wrong):
        ax.set_yticks([t + 0.5 for t in range(T)], [f"row {t}" for t in range(T)], fontsize=LABEL)
    return figure


def _grid(ax: Axes, rows: list[list[Place]], title: str) -> None:
    """Draw rows of cells; colour and hatch say the head, the label also token and feature."""
    from matplotlib.patches import Rectangle

    for y, places in enumerate(rows):
        for column, (t, h, d) in enumerate(places):
            cell = Rectangle(
                (column, y), 1, 1, facecolor=HEADS[h] + "55", edgecolor=HEADS[h],
                hatch=HATCHES[h], linewidth=0.8,
            )  # fmt: skip
            ax.add_patch(cell)
            ax.text(
                column + 0.5, y + 0.5, f"{100 * t + 10 * h + d:03d}", ha="center", va="center",
                fontsize=CELL, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )  # fmt: skip
    width = len(rows[0])
    ax.set(xlim=(0, width), ylim=(len(rows), 0), aspect="auto")
    ax.set_xticks([c + 0.5 for c in range(width)], [str(c) for c in range(width)], fontsize=CELL)
    ax.set_xlabel("feature", fontsize=LABEL)
    ax.set_title(title, fontsize=TITLE)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _alt(H: int, T: int, Dh: int) -> str:
    mixed = sorted({t for t, _, _ in reshaped_places(H, T, Dh)[0]})
    tokens = ", ".join(str(t) for t in mixed)
    return (
        f"Left: {H} heads, each of {T} tokens by {Dh} features. "
        f"Middle: the merge, {T} rows of {H * Dh} features: row t holds token t alone, "
        "head 0's features first, then the next head's. "
        f"Right: a reshape of the same shape without the transpose: row 0 holds features of "
        f"{'token' if len(mixed) == 1 else 'tokens'} {tokens}. "
        "Each number reads token, head, feature; heads differ in colour and hatch."
    )
