"""Head tensors whose every value names its sample, token, head and feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def head_coordinates(B: int, H: int, T: int, Dh: int) -> torch.Tensor:
    """A tensor [B, H, T, Dh] whose value at [b, h, t, d] is 1000*b + 100*t + 10*h + d.

    B, H, T, Dh: numbers of samples, heads, tokens and features in a head, 1 to 10 each, so that
    every digit stays readable
    returns: float32 tensor [B, H, T, Dh]
    raises: ValueError when a size is out of its range

    >>> head_coordinates(B=2, H=3, T=5, Dh=4)[1, 2, 4, 3].item()
    1423.0
    """
    for name, size in (("B", B), ("H", H), ("T", T), ("Dh", Dh)):
        if not 1 <= size <= 10:
            raise ValueError(
                f"head_coordinates: {name}={size}, but {name} must be 1 to 10 "
                "so that each value can be read as sample, token, head, feature."
            )
    import torch

    axes = (torch.arange(size) for size in (B, H, T, Dh))
    sample, head, token, feature = torch.meshgrid(*axes, indexing="ij")
    return (1000 * sample + 100 * token + 10 * head + feature).float()  # [B, H, T, Dh]
