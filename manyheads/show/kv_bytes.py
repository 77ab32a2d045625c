"""The picture of what grouping saves: bytes of K and V a token, for every even Hkv."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from manyheads.show.look import HATCHES, HEADS, LABEL
from manyheads.show.picture import WIDTH_INCHES, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_HEADS = 64
KINDS = ("MQA", "GQA", "MHA")  # one K/V head, some, as many as query heads


def kv_bytes(H: int, Dh: int, bytes_per_value: int) -> Picture:
    """Draw the bytes of K and V that one layer stores for one token, for each Hkv that divides H.

    H: number of query heads, 1 to 64
    Dh: head width, at least 1
    bytes_per_value: 4 for float32, 2 for float16 and bfloat16; at least 1
    returns: a Picture of bars with 2 * Hkv * Dh * bytes_per_value bytes each
    raises: ValueError when a number is out of its range

    >>> print(kv_bytes(H=6, Dh=4, bytes_per_value=4).alt)  # doctest: +ELLIPSIS
    Bytes of K and V one layer stores for one token, H = 6, Dh = 4, 4 bytes a number: ...
    """
    numbers = (("H", H, MOST_HEADS), ("Dh", Dh, 4096), ("bytes_per_value", bytes_per_value, 16))
    for name, number, most in numbers:
        if not 1 <= number <= most:
            raise ValueError(f"kv_bytes: {name}={number}, but {name} must be 1 to {most}.")
    sizes = {n: 2 * n * Dh * bytes_per_value for n in range(1, H + 1) if H % n == 0}
    return Picture(partial(_figure, sizes, H), _alt(sizes, H, Dh, bytes_per_value))


def _kind(Hkv: int, H: int) -> str:
    if Hkv == H:
        return "MHA"
    return "MQA" if Hkv == 1 else "GQA"


def _figure(sizes: dict[int, int], H: int) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, 0.36 * len(sizes) + 0.9), layout="constrained")
    ax = figure.subplots()
    for row, (Hkv, size) in enumerate(sizes.items()):
        _bar(ax, row, size, _kind(Hkv, H))
    labels = [f"Hkv = {Hkv}  ({_kind(Hkv, H)})" for Hkv in sizes]
    ax.set_yticks(range(len(sizes)), labels, fontsize=LABEL)
    ax.set(ylim=(len(sizes) - 0.5, -0.5), xlim=(0, 1.12 * max(sizes.values())))
    ax.set_xlabel("bytes of K and V a token, one layer", fontsize=LABEL)
    ax.tick_params(length=0, labelsize=8)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    return figure


def _bar(ax: Axes, row: int, size: int, kind: str) -> None:
    carrier = KINDS.index(kind)
    ax.barh(
        row, size, height=0.62, color=HEADS[carrier] + "55", edgecolor=HEADS[carrier],
        hatch=HATCHES[carrier],
    )  # fmt: skip
    ax.annotate(
        f"{size:,} bytes", (size, row), xytext=(4, 0), textcoords="offset points",
        va="center", fontsize=LABEL,
    )  # fmt: skip


def _alt(sizes: dict[int, int], H: int, Dh: int, bytes_per_value: int) -> str:
    rows = "; ".join(f"{size} at Hkv = {Hkv} ({_kind(Hkv, H)})" for Hkv, size in sizes.items())
    return (
        f"Bytes of K and V one layer stores for one token, H = {H}, Dh = {Dh}, "
        f"{bytes_per_value} bytes a number: {rows}. They grow in proportion to Hkv."
    )
