"""Grouped-query attention as the chain of multi-head attention, with shared K/V heads in its split.

Every mistake of multi-head attention can be made here too: `grouped` turns one into the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from manyheads.check.exercise import Cause, Variant
from manyheads.check.mha.steps import RIGHT, Steps, Three
from manyheads.check.repeat.ways import Way, right


@dataclass(frozen=True)
class Sharing:
    """A split of q, k and v that also repeats K/V heads, by `way_k` and `way_v`.

    `split` is one of multi-head attention: it cuts three tensors into the same number of heads.
    """

    split: Callable[..., Three]
    way_k: Way = right
    way_v: Way = right

    def __call__(self, q: Tensor, k: Tensor, v: Tensor, n_heads: int) -> Three:
        """Q [B, T, H*Dh], k and v [B, T, Hkv*Dh] -> three times [B, H, T, Dh]."""
        n_kv_heads = k.shape[-1] * n_heads // q.shape[-1]
        copies = n_heads // n_kv_heads
        heads = self.split(q, q, q, n_heads)[0]
        shared_k = self.split(k, k, k, n_kv_heads)[1]
        shared_v = self.split(v, v, v, n_kv_heads)[2]
        return heads, self.way_k(shared_k, copies), self.way_v(shared_v, copies)


@dataclass(frozen=True)
class Grouped:
    """A chain whose split shares K/V heads, called as `grouped_query_attention` is.

    >>> x, one = torch.ones(1, 1, 1), torch.ones(1, 1)
    >>> Grouped(shared(RIGHT))(x, torch.ones(1, 2), one, 3 * one, torch.ones(2, 1), 2, 1).tolist()
    [[[6.0]]]
    """

    steps: Steps

    def __call__(
        self, x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, n_heads: int, _: int
    ) -> Tensor:
        """X [B, T, D] and raw matrices -> [B, T, D]."""
        return self.steps(x, Wq, Wk, Wv, Wo, n_heads)


def shared(steps: Steps, way_k: Way = right, way_v: Way = right) -> Steps:
    """`steps` with K/V heads that are shared, in these ways, after its own split."""
    return replace(steps, split=Sharing(steps.split, way_k, way_v))


def widened(W: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    """W_K or W_V [D, Hkv*Dh] -> [D, H*Dh], each block of columns n_rep times.

    >>> widened(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), 4, 2).tolist()
    [[1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]]
    """
    blocks = W.tensor_split(n_kv_heads, dim=1)
    return torch.cat([block for block in blocks for _ in range(n_heads // n_kv_heads)], dim=1)


def grouped(variant: Variant) -> Variant:
    """A mistake of multi-head attention, made in grouped-query attention."""
    if isinstance(variant, Steps):
        return Grouped(shared(variant))

    def made(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, *n: int) -> Any:
        return variant(x, Wq, widened(Wk, *n), widened(Wv, *n), Wo, n[0])

    return made


def of_attention(cause: Cause) -> Cause:
    """A cause of multi-head attention for grouped-query attention, in the same words."""
    return replace(cause, variants=tuple(map(grouped, cause.variants)))


def target(
    x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, n_heads: int, n_kv_heads: int
) -> Tensor:
    """The right output [B, T, D], computed in float64."""
    exact = [z.double() for z in (x, Wq, Wk, Wv, Wo)]
    chain = Grouped(shared(RIGHT))
    return chain(exact[0], exact[1], exact[2], exact[3], exact[4], n_heads, n_kv_heads).to(x.dtype)
