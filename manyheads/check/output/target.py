"""The output projection, computed feature by feature."""

from __future__ import annotations

from torch import Tensor


def mixed(merged: Tensor, Wo: Tensor) -> Tensor:
    """[..., H*Dh] and [H*Dh, D] -> [..., D]: each feature times its row of W_O, added up.

    >>> import torch
    >>> mixed(torch.tensor([[[2.0, 3.0]]]), torch.tensor([[1.0], [10.0]])).tolist()
    [[[32.0]]]
    """
    return (merged.double().unsqueeze(-1) * Wo.double()).sum(-2).to(merged.dtype)
