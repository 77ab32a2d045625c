"""Mistakes about how wide Q, K and V are in a fused projection, and along which axis it is cut."""
# ruff: noqa: ARG001, ARG005  (all ways of doing it have one signature, whatever they use)

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import Tensor

from manyheads.check.exercise import Cause, Variant
from manyheads.check.fused.layouts import Parts, cut
from manyheads.check.project import products


def _slices(y: Tensor, *widths: int) -> Parts:
    """Neighbouring pieces of y; a slice past the end is short, as in Python."""
    parts, start = [], 0
    for width in widths:
        parts.append(y[..., start : start + width])
        start += width
    return tuple(parts)


def _pieces(y: Tensor, width: int) -> Parts:
    """All of y in pieces of one width; the last one may be shorter."""
    return tuple(y[..., start : start + width] for start in range(0, y.shape[-1], width))


def _exact(y: Tensor, *widths: int) -> Parts:
    """The same for code that stops when the widths don't add up."""
    if sum(widths) != y.shape[-1]:
        raise ValueError
    return _slices(y, *widths)


def _thirds_by_view(y: Tensor, a: int, b: int, d: int) -> Parts:
    return y.reshape(*y.shape[:2], 3, y.shape[-1] // 3).unbind(2)


def _by_model_width(how: str) -> Variant:
    """Take D where H*Dh is meant."""

    def variant(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Any:
        y, D, b = x @ Wqkv, x.shape[-1], Hkv * Dh
        if how == "slices":
            return _slices(y, D, b, b)
        if how == "rest":
            return (*_slices(y, D, b), y[..., D + b :])
        if how == "exact":
            return _exact(y, D, b, b)
        if how == "pieces":
            return _pieces(y, D)
        if how == "strict" and H * Dh != D:
            raise ValueError
        if how == "strict":
            return _exact(y, D, b, b)
        n = D // H
        return (_exact if how == "own head exact" else _slices)(y, H * n, Hkv * n, Hkv * n)

    return variant


def _heads_confused(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Any:
    return _slices(x @ Wqkv, Hkv * Dh, H * Dh, Hkv * Dh)


def _turned(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Any:
    return _exact(x @ Wqkv.T, H * Dh, Hkv * Dh, Hkv * Dh)


def _turned_if_square(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Any:
    W = Wqkv.T if Wqkv.shape[0] == Wqkv.shape[1] else Wqkv
    return _exact(x @ W, H * Dh, Hkv * Dh, Hkv * Dh)


def _cuts_x(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Any:
    return _slices(x, H * Dh, Hkv * Dh, Hkv * Dh)


def _whole_x(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Any:
    return x, x, x


MODEL_WIDTH = ("slices", "rest", "exact", "pieces", "strict", "own head", "own head exact")

CAUSES = (
    replace(products.TRANSPOSED, variants=(_turned, _turned_if_square)),
    replace(products.UNPROJECTED, variants=(_cuts_x, _whole_x)),
    Cause(
        "equal-thirds",
        "The product was cut into three equal parts. That fits only when Hkv = H; here K and V are "
        "narrower than Q.",
        "how many columns belong to Q alone? Is that a third of all?",
        (
            cut(lambda y, a, b, d: y.chunk(3, -1)),
            cut(lambda y, a, b, d: y.tensor_split(3, -1)),
            cut(lambda y, a, b, d: _pieces(y, y.shape[-1] // 3)),
            cut(lambda y, a, b, d: (*_slices(y, n := y.shape[-1] // 3, n), y[..., 2 * n :])),
            cut(lambda y, a, b, d: _slices(y, *[y.shape[-1] // 3] * 3)),
            cut(_thirds_by_view),
        ),
        "Hkv < H",
    ),
    Cause(
        "k-as-wide-as-q",
        "K and V were given Q's width. With fewer K/V heads they are narrower: Hkv*Dh.",
        "how many heads has K here, and how many columns are that?",
        (
            cut(lambda y, a, b, d: _slices(y, a, a, a)),
            cut(lambda y, a, b, d: (*_slices(y, a, a), y[..., 2 * a :])),
            cut(lambda y, a, b, d: _pieces(y, a)),
            cut(lambda y, a, b, d: _exact(y, a, a, a)),
        ),
        "Hkv < H",
    ),
    Cause(
        "q-as-narrow-as-k",
        "Q was given K's width. It has H heads, more than K and V.",
        "how many heads has Q here, and how many columns are that?",
        (
            cut(lambda y, a, b, d: _slices(y, b, b, b)),
            cut(lambda y, a, b, d: _pieces(y, b)),
        ),
        "Hkv < H",
    ),
    Cause(
        "heads-confused",
        "H and Hkv have changed places: the first piece got the K/V heads' width, the second the "
        "query heads'.",
        "print n_heads and n_kv_heads inside your function. Which is the larger one?",
        (
            _heads_confused,
            cut(lambda y, a, b, d: (*_slices(y, b, a), y[..., a + b :])),
            cut(lambda y, a, b, d: _slices(y, b, a, a)),
            cut(lambda y, a, b, d: (*_slices(y, b, a), y[..., a + b : a + 2 * b])),
        ),
        "Hkv < H",
    ),
    Cause(
        "q-as-wide-as-d",
        "Q's width was taken for D. It is H*Dh, which equals D by custom only; some models differ.",
        "what is H * Dh for this input, and what is D?",
        tuple(_by_model_width(how) for how in MODEL_WIDTH),
        "H*Dh other than D",
    ),
    Cause(
        "forgets-head-dim",
        "The pieces have as many columns as there are heads. Every head is Dh columns wide.",
        "how many columns does one head have?",
        (
            cut(lambda y, a, b, d: _slices(y, a // d, b // d, b // d)),
            cut(lambda y, a, b, d: (*_slices(y, a // d, b // d), y[..., (a + b) // d :])),
            cut(lambda y, a, b, d: _exact(y, a // d, b // d, b // d)),
        ),
        "Dh > 1",
    ),
    Cause(
        "one-head-each",
        "A piece is one head wide where several heads belong: the number of heads is missing.",
        "how many columns do Hkv heads of Dh have?",
        (
            cut(lambda y, a, b, d: _slices(y, d, d, d)),
            cut(lambda y, a, b, d: (*_slices(y, d, d), y[..., 2 * d :])),
            cut(lambda y, a, b, d: _slices(y, a, d, d)),
            cut(lambda y, a, b, d: (*_slices(y, a, d), y[..., a + d :])),
            cut(lambda y, a, b, d: _exact(y, a, d, d)),
        ),
        "Hkv > 1",
    ),
    Cause(
        "wrong-start",
        "A piece begins or ends at a wrong column. Each block begins where the one before it ends, "
        "and a slice leaves its last number out.",
        "write down the first and the last column of each block, counting from 0.",
        (
            cut(lambda y, a, b, d: (y[..., :a], y[..., :b], y[..., b : 2 * b])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., b : 2 * b], y[..., 2 * b : 3 * b])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a + 1 : a + b + 1], y[..., a + b + 1 :])),
            cut(lambda y, a, b, d: (y[..., 1 : a + 1], y[..., a : a + b], y[..., a + b :])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a : a + b], y[..., a + d : a + d + b])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a : a + b], y[..., b : 2 * b])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a : a + b], y[..., 2 * b : 3 * b])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a : a + b], y[..., a + b + 1 :])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a + 1 : a + b], y[..., a + b + 1 :])),
            cut(lambda y, a, b, d: tuple(part[..., :-1] for part in _slices(y, a, b, b))),
        ),
        "columns that differ",
    ),
    Cause(
        "kv-not-separated",
        "K and V were not told apart: a piece holds both. After Q come K's columns, then V's.",
        "how many columns lie after Q, and how many of them are K's?",
        (
            cut(lambda y, a, b, d: (y[..., :a], y[..., a:], y[..., a:])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a : a + b], y[..., a:])),
            cut(lambda y, a, b, d: (y[..., :a], y[..., a:], y[..., a + b :])),
        ),
        "any sizes",
    ),
    Cause(
        "cuts-another-axis",
        "The tokens were cut, not the features. Axis 0 is the batch, axis 1 the tokens, axis 2 the "
        "columns of x @ Wqkv.",
        "which axis of your q is shorter than that of x? Which one should change?",
        (
            cut(lambda y, a, b, d: y.chunk(3, 1)),
            cut(lambda y, a, b, d: y.tensor_split(3, 1)),
            cut(lambda y, a, b, d: (y[:, :a], y[:, a : a + b], y[:, a + b :])),
            cut(lambda y, a, b, d: (y[:, :a], y[:, a : a + b], y[:, a + b : a + 2 * b])),
            cut(lambda y, a, b, d: (y[:a], y[a : a + b], y[a + b :])),
            cut(lambda y, a, b, d: y.chunk(3)),
        ),
        "T other than the number of columns",
    ),
)
