"""The picture of grouped heads: which K/V head each query head reads, in both even orders."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from manyheads.show.look import CELL, HATCHES, HEADS, TITLE
from manyheads.show.picture import WIDTH_INCHES, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_QUERY_HEADS = 16
MOST_KV_HEADS = len(HATCHES)


def head_map(H: int, Hkv: int) -> Picture:
    """Draw H query heads above Hkv key/value heads, joined as they read: interleaved and tiled.

    H: number of query heads, 1 to 16
    Hkv: number of key/value heads, 1 to 8; it must divide H
    returns: a Picture; a query head has the colour and hatch of the K/V head it reads
    raises: ValueError when Hkv does not divide H, or a size is out of its range

    >>> head_map(H=6, Hkv=3).alt.split(". ")[0]
    'Left, interleaved: query heads 0 to 5 read K/V heads 0, 0, 1, 1, 2, 2'
    """
    if not 1 <= H <= MOST_QUERY_HEADS or not 1 <= Hkv <= MOST_KV_HEADS:
        raise ValueError(
            f"head_map: H={H}, Hkv={Hkv}, but H must be 1 to {MOST_QUERY_HEADS} "
            f"and Hkv 1 to {MOST_KV_HEADS}."
        )
    if H % Hkv:
        fits = ", ".join(str(n) for n in range(1, MOST_KV_HEADS + 1) if H % n == 0)
        raise ValueError(
            f"head_map: H={H} query heads can't share Hkv={Hkv} K/V heads evenly "
            f"({H} % {Hkv} = {H % Hkv}). Choose Hkv from {fits}."
        )
    orders = _orders(H, Hkv)
    return Picture(partial(_figure, orders, Hkv), _alt(orders, H))


def _orders(H: int, Hkv: int) -> dict[str, list[int]]:
    """The K/V head that each query head reads, in either order."""
    n_rep = H // Hkv
    return {
        "interleaved": [g for g in range(Hkv) for _ in range(n_rep)],
        "tiled": list(range(Hkv)) * n_rep,
    }


def _figure(orders: dict[str, list[int]], Hkv: int) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, 2.3), layout="constrained")
    notes = {"interleaved": "h // n_rep: neighbours share", "tiled": "h % Hkv: other owners"}
    for ax, (name, reads) in zip(figure.subplots(1, 2), orders.items(), strict=True):
        _half(ax, reads, Hkv)
        ax.set_title(f"{name}, {notes[name]}", fontsize=TITLE)
    return figure


def _half(ax: Axes, reads: list[int], Hkv: int) -> None:
    """Draw one order: query heads above, K/V heads below, a line for each reading."""
    stride = len(reads) / Hkv
    below = [stride * (g + 0.5) - 0.5 for g in range(Hkv)]  # each in the middle of its share
    for h, g in enumerate(reads):
        ax.plot((h, below[g]), (1, 0), color=HEADS[g], linewidth=1.4, zorder=1)
        _box(ax, h, 1, g, f"q{h}")
    for g, place in enumerate(below):
        _box(ax, place, 0, g, f"k{g} v{g}")
    ax.set(xlim=(-0.7, len(reads) - 0.3), ylim=(-0.35, 1.35))
    ax.axis("off")


def _box(ax: Axes, x: float, y: float, g: int, label: str) -> None:
    from matplotlib.patches import Rectangle

    half = 0.4
    box = Rectangle(
        (x - half, y - 0.2), 2 * half, 0.4, facecolor=_tint(HEADS[g]), edgecolor=HEADS[g],
        hatch=HATCHES[g], linewidth=0.8, zorder=2,
    )  # fmt: skip
    ax.add_patch(box)
    ax.text(
        x, y, label, ha="center", va="center", fontsize=CELL, zorder=3,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip


def _tint(colour: str) -> tuple[float, float, float]:
    """The colour, two thirds of the way to white, opaque so that no line shows through."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - (1 - part) / 3 for part in to_rgb(colour))
    return red, green, blue


def _alt(orders: dict[str, list[int]], H: int) -> str:
    heads = f"query heads 0 to {H - 1} read" if H > 1 else "query head 0 reads"
    says = {name: f"{heads} K/V heads {', '.join(map(str, r))}" for name, r in orders.items()}
    return f"Left, interleaved: {says['interleaved']}. Right, tiled: {says['tiled']}."
