"""Wrong ways to repeat K/V heads, [B, Hkv, T, Dh] -> something like [B, Hkv * n_rep, T, Dh]."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Way = Callable[[Tensor, int], Tensor]


def by_index(owner: Callable[[int, int, int], int]) -> Way:
    """Head h is a copy of K/V head owner(h, Hkv, n_rep); one that isn't there is an error.

    >>> by_index(lambda h, Hkv, n_rep: h % Hkv)(torch.arange(2.0).view(1, 2, 1, 1), 2).flatten()
    tensor([0., 1., 0., 1.])
    """

    def way(x: Tensor, n_rep: int) -> Tensor:
        heads = x.unbind(dim=1)
        Hkv = len(heads)
        return torch.stack([heads[owner(h, Hkv, n_rep)] for h in range(Hkv * n_rep)], dim=1)

    return way


tile = by_index(lambda h, Hkv, _: h % Hkv)
right = by_index(lambda h, _, n_rep: h // n_rep)


def folded(way: Way) -> Way:
    """`way`, then a reshape of what came of it to the shape that is asked for."""

    def forced(x: Tensor, n_rep: int) -> Tensor:
        samples, kv_heads, tokens, width = x.shape
        return way(x, n_rep).reshape(samples, kv_heads * n_rep, tokens, width)

    return forced


def along(dim: int, tiled: bool = False) -> Way:
    """Copies along one axis, each number's beside it, or of the whole axis behind it."""

    def way(x: Tensor, n_rep: int) -> Tensor:
        if tiled:
            return torch.cat([x] * n_rep, dim)
        return x.repeat_interleave(n_rep, dim)

    return way


def tokens_cut(x: Tensor, n_rep: int) -> Tensor:
    """Tokens repeated, the first T of them kept, then heads repeated as they should be."""
    return right(x.repeat_interleave(n_rep, 2)[:, :, : x.shape[2]], n_rep)


recipe = folded(along(2))  # the token-major recipe, on heads first
samples = folded(along(0, tiled=True))  # copies of the whole batch, read as heads
