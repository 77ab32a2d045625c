"""The picture of what several heads weigh on one sentence, seen from one token."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from string import ascii_uppercase
from typing import TYPE_CHECKING

from manyheads.show.look import CELL, HATCHES, HEADS, LABEL, TITLE
from manyheads.show.picture import WIDTH_INCHES, Picture

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

MOST_HEADS, MOST_TOKENS = 4, 16


def head_weights(tokens: Sequence[str], weights: object, query: str | int) -> Picture:
    """Draw every head's weights [T, T] on a sentence, and one query's row of each as bars.

    tokens: the T words of the sentence, 1 to 16
    weights: tensor or array [H, T, T]; row i of a head holds what query i gives to each token;
    H is 1 to 4, and heads are called A, B, ...
    query: a token's number, or a word of the sentence (its first place counts)
    returns: a Picture; bars differ in hatch as well as colour and carry their numbers
    raises: ValueError when shapes disagree or the query is no token of the sentence

    >>> picture = head_weights(["a", "b"], [[[1.0, 0.0], [0.25, 0.75]]], query="b")
    >>> picture.alt.split(". ")[1]
    'Head A gives most to b (0.750), then a (0.250).'
    """
    import numpy as np

    P = np.asarray(weights, dtype=float).copy()  # the figure is built later
    words = list(tokens)
    _validate(words, P)
    place = token_place(words, query, "head_weights")
    return Picture(partial(_figure, words, P, place), _alt(words, P, place))


def _validate(words: list[str], P: NDArray[np.float64]) -> None:
    T = len(words)
    if P.ndim != 3 or P.shape[1:] != (T, T):
        raise ValueError(
            f"head_weights: weights are {list(P.shape)}, but {T} tokens need [H, {T}, {T}]."
        )
    if not 1 <= P.shape[0] <= MOST_HEADS or T > MOST_TOKENS:
        raise ValueError(
            f"head_weights: H={P.shape[0]}, T={T}, but H must be 1 to {MOST_HEADS} "
            f"and T at most {MOST_TOKENS} to stay legible."
        )


def token_place(words: list[str], query: str | int, asked: str) -> int:
    """The query's number in the sentence; `asked` names the function in the ValueError.

    >>> token_place(["The", "cat"], "cat", "head_weights")
    1
    """
    if isinstance(query, str) and query in words:
        return words.index(query)
    if isinstance(query, int) and 0 <= query < len(words):
        return query
    raise ValueError(
        f"{asked}: {query!r} is no token of this sentence. "
        f"Choose one of {', '.join(words)}, or a number from 0 to {len(words) - 1}."
    )


def _figure(words: list[str], P: NDArray[np.float64], query: int) -> Figure:
    from matplotlib.figure import Figure

    H, T = len(P), len(words)
    figure = Figure(figsize=(WIDTH_INCHES, 3.0 + 0.27 * T), layout="constrained")
    grid = figure.add_gridspec(2, H, height_ratios=[1.15, 1])
    for h in range(H):
        ax = figure.add_subplot(grid[0, h])
        _matrix(ax, words, P[h], query, f"head {ascii_uppercase[h]}: weights [T, T]")
        if h:
            ax.set_yticklabels([])
        else:
            ax.set_ylabel("query", fontsize=LABEL)
    title = f"what {words[query]!r} gives to each token"
    _bars(figure.add_subplot(grid[1, :]), words, P[:, query], title)
    return figure


def _matrix(ax: Axes, words: list[str], P: NDArray[np.float64], query: int, title: str) -> None:
    """One head's weights, darker for more; a frame marks the query's row."""
    from matplotlib.patches import Rectangle

    T = len(words)
    ax.imshow(P, cmap="Greys", vmin=0, vmax=max(float(P.max()), 1e-9), aspect="auto")
    frame = Rectangle((-0.5, query - 0.5), T, 1, fill=False, edgecolor=HEADS[5], linewidth=2)
    ax.add_patch(frame)
    ax.set_xticks(range(T), words, fontsize=CELL, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(T), words, fontsize=CELL)
    ax.set_xlabel("key", fontsize=LABEL)
    ax.set_title(title, fontsize=TITLE)
    ax.tick_params(length=0)


def _bars(ax: Axes, words: list[str], rows: NDArray[np.float64], title: str) -> None:
    """The query's row of every head, side by side, each bar with its number."""
    H, T = rows.shape
    width = 0.84 / H
    for h, row in enumerate(rows):
        places = [j - 0.42 + (h + 0.5) * width for j in range(T)]
        bars = ax.bar(
            places, row, width, label=f"head {ascii_uppercase[h]}", color=HEADS[h] + "99",
            edgecolor=HEADS[h], hatch=HATCHES[h], linewidth=0.8,
        )  # fmt: skip
        numbers = [f"{weight:.3f}" for weight in row]
        ax.bar_label(bars, numbers, fontsize=CELL, rotation=90, padding=2)
    ax.set_xticks(range(T), words, fontsize=LABEL)
    ax.set_ylim(0, 1.3 * float(rows.max()))
    ax.set_title(title, fontsize=TITLE)
    ax.set_ylabel("weight", fontsize=LABEL)
    ax.tick_params(length=0, labelsize=7.5)
    ax.legend(fontsize=CELL, frameon=False)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _alt(words: list[str], P: NDArray[np.float64], query: int) -> str:
    said = [
        f"Above: each head's weights, {len(words)} by {len(words)}, darker for more, and below "
        f"them as bars the row of {words[query]}, token {query}"
    ]
    for h, row in enumerate(P[:, query]):
        order = row.argsort(kind="stable")[::-1][:3]
        given = ", then ".join(f"{words[j]} ({row[j]:.3f})" for j in order)
        said.append(f"Head {ascii_uppercase[h]} gives most to {given}")
    unseen = [words[j] for j in range(len(words)) if not P[:, query, j].any()]
    if unseen:
        said.append(f"No head gives anything to {', '.join(unseen)}")
    return ". ".join(said) + "."
