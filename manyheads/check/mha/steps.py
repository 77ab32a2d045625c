"""Causal multi-head attention as a chain of steps; a mistake takes the place of one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from manyheads.check.merge.values import beside
from manyheads.check.split.orders import chunks

Three = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Sizes:
    """B samples, T tokens, D model width, H heads of Dh features."""

    B: int
    T: int
    D: int
    H: int
    Dh: int


def sizes_of(x: Tensor, Wq: Tensor, num_heads: int) -> Sizes:
    """All sizes of a call, Dh from the projection's width."""
    samples, tokens, width = x.shape
    return Sizes(samples, tokens, width, num_heads, Wq.shape[1] // num_heads)


def projections(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor) -> Three:
    """Make Q, K and V, each [B, T, H*Dh], from x [B, T, D]."""
    return torch.matmul(x, Wq), torch.matmul(x, Wk), torch.matmul(x, Wv)


def split_all(q: Tensor, k: Tensor, v: Tensor, num_heads: int) -> Three:
    """Three tensors [B, T, H*Dh] -> [B, H, T, Dh]."""
    return chunks(q, num_heads), chunks(k, num_heads), chunks(v, num_heads)


def dot(q: Tensor, k: Tensor) -> Tensor:
    """Scores before scale and mask, [B, H, T, T]."""
    return q @ k.mT


def future(scores: Tensor) -> Tensor:
    """True where a key lies behind its query, [T, T]."""
    return torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)


def masked(scores: Tensor) -> Tensor:
    """Scores without the future."""
    return scores.masked_fill(future(scores), -torch.inf)


def over_keys(scores: Tensor) -> Tensor:
    """Weights: every query's row sums to 1."""
    return scores.softmax(-1)


def same(z: Tensor) -> Tensor:
    """The step that does nothing."""
    return z


@dataclass(frozen=True)
class Steps:
    """The whole chain, called as `multi_head_attention` is; each field is one step.

    >>> x, eye = torch.ones(1, 1, 2), torch.eye(2)
    >>> Steps()(x, eye, eye, 3 * eye, eye, 2).tolist()
    [[[3.0, 3.0]]]
    """

    project: Callable[..., Three] = projections
    split: Callable[..., Three] = split_all
    score: Callable[..., Tensor] = dot
    scale: Callable[..., float] = lambda n: n.Dh**-0.5
    mask: Callable[..., Tensor] = masked
    weigh: Callable[..., Tensor] = over_keys
    after: Callable[..., Tensor] = same
    mix: Callable[..., Tensor] = lambda weights, _q, _k, v: weights @ v
    merge: Callable[..., Tensor] = beside
    out: Callable[..., Tensor] = lambda merged, Wo, _: merged @ Wo

    def __call__(
        self, x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, num_heads: int
    ) -> Tensor:
        """X [B, T, D] and raw matrices -> [B, T, D]."""
        wide = self.project(x, Wq, Wk, Wv)
        q, k, v = self.split(*wide, num_heads)
        sizes = sizes_of(x, Wq, num_heads)
        weights = self.after(self.weigh(self.mask(self.score(q, k) * self.scale(sizes))))
        return self.out(self.merge(self.mix(weights, q, k, v)), Wo, x)


RIGHT = Steps()


def target(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, num_heads: int) -> Tensor:
    """The right output [B, T, D], computed in float64."""
    exact = [z.double() for z in (x, Wq, Wk, Wv, Wo)]
    return RIGHT(exact[0], exact[1], exact[2], exact[3], exact[4], num_heads).to(x.dtype)
