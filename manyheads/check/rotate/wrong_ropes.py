"""Ways of calling rope wrongly, from which the variants of the causes are made."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from manyheads.check.exercise import Variant
from manyheads.check.rotate.ropes import Rope

Triple = tuple[Any, ...]


def with_rope(other: Any) -> Variant:
    """The right function, with `other(rope)` in the place of rope."""

    def variant(q: Tensor, k: Tensor, v: Tensor, rope: Rope) -> Triple:
        mine = other(rope)
        return mine(q), mine(k), v

    return variant


def mixed(mine: Any) -> tuple[Variant, ...]:
    """The mistaken rope `mine(rope)` on q and k, on q only, and on k only."""
    return (
        with_rope(mine),
        lambda q, k, v, rope: (mine(rope)(q), rope(k), v),
        lambda q, k, v, rope: (rope(q), mine(rope)(k), v),
    )


def swapped(rope: Rope, first: int, second: int) -> Rope:
    """`rope` applied with two axes exchanged, and the result turned back."""
    return lambda x: rope(x.transpose(first, second)).transpose(first, second)


def only(rope: Rope, where: tuple[Any, ...]) -> Rope:
    """`rope` applied to a part, the rest left as it was."""

    def part(x: Tensor) -> Tensor:
        out = x.clone()
        out[where] = rope(x)[where]
        return out

    return part


def textbook(halves: bool, theta: float = 10000.0) -> Rope:
    """The rotation of the paper (pairs), or with half-split pairs; the one given is not asked."""

    def rope(x: Tensor) -> Tensor:
        T, Dh = x.shape[-2:]
        frequency = theta ** (-torch.arange(0, Dh, 2, dtype=x.dtype) / Dh)
        angle = torch.arange(T, dtype=x.dtype)[:, None] * frequency
        cos, sin = angle.cos(), angle.sin()
        a, b = (x[..., : Dh // 2], x[..., Dh // 2 :]) if halves else (x[..., ::2], x[..., 1::2])
        turned = (a * cos - b * sin, a * sin + b * cos)
        return torch.cat(turned, -1) if halves else torch.stack(turned, -1).flatten(-2)

    return rope
