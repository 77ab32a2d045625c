"""The picture of a head split: which head receives which feature of which token."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from manyheads.show.look import CELL, HATCHES, HEADS, LABEL, TITLE
from manyheads.show.picture import WIDTH_INCHES, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_HEADS = len(HATCHES)


def head_split(T: int, D: int, H: int) -> Picture:
    """Draw one sample [T, D] before its split and the H heads [T, Dh] after it.

    T: number of tokens, 1 to 10
    D: model width, 1 to 100; legible up to about 16
    H: number of heads, 1 to 8; it must divide D
    returns: a Picture; cells are coloured and hatched by head and labelled 100*t + f
    raises: ValueError when H does not divide D, or a size is out of its range

    >>> head_split(T=3, D=8, H=2).alt.split(".")[0]
    'Left: one sample before the split, 3 tokens by 8 features'
    """
    if not 1 <= T <= 10 or not 1 <= D <= 100 or not 1 <= H <= MOST_HEADS:
        raise ValueError(
            f"head_split: T={T}, D={D}, H={H}, but T must be 1 to 10, D 1 to 100 "
            f"and H 1 to {MOST_HEADS}."
        )
    if D % H:
        fits = ", ".join(str(n) for n in range(1, MOST_HEADS + 1) if D % n == 0)
        raise ValueError(
            f"head_split: D={D} can't be shared by H={H} heads ({D} % {H} = {D % H}). "
            f"Choose H from {fits}."
        )
    return Picture(partial(_figure, T, D, H), _alt(T, D, H))


def _figure(T: int, D: int, H: int) -> Figure:
    from matplotlib.figure import Figure

    Dh = D // H
    height = 0.34 * T + 1.1
    figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
    widths = [D] + [Dh] * H
    axes = figure.subplots(1, H + 1, gridspec_kw={"width_ratios": widths})
    _grid(axes[0], T, range(D), Dh, f"before: [T, D] = [{T}, {D}]")
    for h, ax in enumerate(axes[1:]):
        _grid(ax, T, range(h * Dh, (h + 1) * Dh), Dh, f"head {h}: [T, Dh] = [{T}, {Dh}]")
    for ax in axes[1:]:
        ax.set_yticklabels([])
    return figure


def _grid(ax: Axes, T: int, features: range, Dh: int, title: str) -> None:
    """Draw T rows of cells; a cell's colour and hatch say which head owns its feature."""
    from matplotlib.patches import Rectangle

    for t in range(T):
        for column, f in enumerate(features):
            head = f // Dh
            cell = Rectangle(
                (column, t), 1, 1, facecolor=HEADS[head] + "55", edgecolor=HEADS[head],
                hatch=HATCHES[head], linewidth=0.8,
            )  # fmt: skip
            ax.add_patch(cell)
            ax.text(
                column + 0.5, t + 0.5, str(100 * t + f), ha="center", va="center", fontsize=CELL,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )  # fmt: skip
    ax.set(xlim=(0, len(features)), ylim=(T, 0), aspect="auto")
    ax.set_xticks(
        [c + 0.5 for c in range(len(features))], [str(f) for f in features], fontsize=CELL
    )
    ax.set_yticks([t + 0.5 for t in range(T)], [f"token {t}" for t in range(T)], fontsize=LABEL)
    ax.set_xlabel("feature", fontsize=LABEL)
    ax.set_title(title, fontsize=TITLE)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _alt(T: int, D: int, H: int) -> str:
    Dh = D // H
    owned = "; ".join(
        f"head {h} holds features {h * Dh} to {(h + 1) * Dh - 1} of every token" for h in range(H)
    )
    return (
        f"Left: one sample before the split, {T} tokens by {D} features. "
        f"Right: {H} heads of {T} tokens by {Dh} features each: {owned}. "
        "No token is missing from any head."
    )
