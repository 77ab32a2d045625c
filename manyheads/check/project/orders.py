"""Mistakes about the three together: handed back in another order, or cut from one product."""

from __future__ import annotations

from itertools import permutations

import torch
from torch import Tensor

from manyheads.check.exercise import Cause, Variant


def _order(order: tuple[int, ...]) -> Variant:
    def variant(x: Tensor, *matrices: Tensor) -> tuple[Tensor, ...]:
        return tuple(x @ matrices[i] for i in order)

    return variant


def _fused(x: Tensor, matrices: tuple[Tensor, ...]) -> Tensor:
    return x @ torch.cat(matrices, 1)


def _pieces(y: Tensor, width: int) -> tuple[Tensor, ...]:
    return tuple(y[..., start : start + width] for start in range(0, y.shape[-1], width))


def _thirds_by_view(x: Tensor, *matrices: Tensor) -> tuple[Tensor, ...]:
    y = _fused(x, matrices)
    return y.reshape(*y.shape[:2], 3, y.shape[-1] // 3).unbind(2)


CAUSES = (
    Cause(
        "other-order",
        "The three are right, but they come back in another order. The caller unpacks q, k, v.",
        "replace Wk by zeros: which of your results becomes zero? Then do it with Wq and Wv.",
        tuple(_order(order) for order in permutations(range(3)) if order != (0, 1, 2)),
        "three different matrices",
    ),
    Cause(
        "equal-thirds",
        "One product was cut into three equal parts. That fits only when all three widths are "
        "equal; here K and V are narrower than Q.",
        "where does q end in your product: at a third of it, or at the width of Wq?",
        (
            lambda x, *W: _fused(x, W).chunk(3, -1),
            lambda x, *W: _fused(x, W).tensor_split(3, -1),
            lambda x, *W: _pieces(_fused(x, W), W[0].shape[1]),
            _thirds_by_view,
        ),
        "three different widths",
    ),
    Cause(
        "every-third-column",
        "The product was read as if q, k and v took turns, column by column. Side by side they "
        "lie in three blocks.",
        "which matrix does column 1 of your product come from?",
        (
            lambda x, *W: tuple(_fused(x, W)[..., n::3] for n in range(3)),
            lambda x, *W: _fused(x, W).reshape(*x.shape[:2], -1, 3).unbind(-1),
        ),
        "matrices that differ",
    ),
)
