"""Tensors whose every value names the place it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def coordinates(B: int, T: int, D: int) -> torch.Tensor:
    """A tensor [B, T, D] whose value at [b, t, f] is 1000*b + 100*t + f.

    B, T: numbers of samples and tokens, 1 to 10 each, so that every digit stays readable
    D: model width, 1 to 100
    returns: float32 tensor [B, T, D]
    raises: ValueError when a size is out of its range

    >>> coordinates(2, 5, 12)[1, 2, 7].item()
    1207.0
    """
    for name, size, most in (("B", B, 10), ("T", T, 10), ("D", D, 100)):
        if not 1 <= size <= most:
            raise ValueError(
                f"coordinates: {name}={size}, but {name} must be 1 to {most} "
                "so that each value can be read as sample, token, feature."
            )
    import torch

    b, t, f = torch.meshgrid(torch.arange(B), torch.arange(T), torch.arange(D), indexing="ij")
    return (1000 * b + 100 * t + f).float()  # [B, T, D]
