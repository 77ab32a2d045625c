"""Functions that stand in for RoPE: each treats every token and every feature in its own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Rope = Callable[[Tensor], Tensor]


class NotOneTensorError(TypeError):
    """`rope` was called with something else than one tensor."""


def turn(x: Tensor) -> Tensor:
    """A rotation [B, heads, T, Dh] -> same shape: pair (2i, 2i+1) turns by t / (i + 1) + 0.3.

    >>> float(turn(torch.ones(1, 1, 2, 4)).square().sum())
    8.0
    """
    T, Dh = x.shape[-2:]
    pair = torch.arange(Dh // 2) + 1
    angle = (torch.arange(T)[:, None] / pair + 0.3).to(x.dtype)  # [T, Dh/2]
    even, odd = x[..., 0 : Dh - 1 : 2], x[..., 1::2]
    turned = (even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos())
    rest = x[..., Dh - Dh % 2 :]  # an odd width only reaches here by mistake; it tells which one
    return torch.cat((torch.stack(turned, -1).flatten(-2), rest), -1)


def stretch(x: Tensor) -> Tensor:
    """No rotation: token t and feature d are scaled by 1 + t/2 + d/8 and moved by t + 1 - d/3."""
    T, Dh = x.shape[-2:]
    t = torch.arange(T, dtype=x.dtype)[:, None]
    d = torch.arange(Dh, dtype=x.dtype)
    return x * (1 + t / 2 + d / 8) + t + 1 - d / 3


def bend(x: Tensor) -> Tensor:
    """Not even linear: each number is squared, with a weight that grows with token and feature."""
    T, Dh = x.shape[-2:]
    weight = torch.arange(T, dtype=x.dtype)[:, None] + torch.arange(Dh, dtype=x.dtype) / 4 + 1
    return x - x * x * weight / 8


def guarded(rope: Rope) -> Callable[..., Any]:
    """`rope`, with an error that a beginner understands for anything but one tensor.

    Raises NotOneTensorError for several arguments and for a value that is no tensor.
    """

    def rope_given(*tensors: Any, **named: Any) -> Tensor:
        if len(tensors) != 1 or named:
            given = f"{len(tensors)} values" + (f" and {', '.join(named)}=" if named else "")
            raise NotOneTensorError(
                f"rope takes one tensor [B, heads, T, Dh], unnamed; it was given {given}"
            )
        if not isinstance(tensors[0], Tensor):
            name = type(tensors[0]).__name__
            raise NotOneTensorError(
                f"rope takes one tensor [B, heads, T, Dh]; it was given a {name}"
            )
        return rope(tensors[0])

    rope_given.__name__ = rope_given.__qualname__ = "rope"
    return rope_given
