"""Sizes and numbers that a law of the lessons is tried on, and the few operations it needs."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from hypothesis import strategies as st


@dataclass(frozen=True)
class Case:
    """Sizes, and the seed that numbers are drawn from."""

    B: int
    T: int
    Hkv: int
    n_rep: int
    Dh: int
    D: int
    seed: int

    @property
    def H(self) -> int:  # noqa: N802  (the field's own name)
        return self.Hkv * self.n_rep

    def draw(self, *shape: int) -> torch.Tensor:
        """Normal numbers in float64; other shapes and later draws give other numbers."""
        torch.manual_seed(self.seed + len(shape) + 7 * sum(shape))
        return torch.randn(*shape, dtype=torch.float64)

    @property
    def weights(self) -> tuple[torch.Tensor, ...]:
        """The tensors x [B, T, D], Wq [D, H*Dh], Wk and Wv [D, Hkv*Dh], Wo [H*Dh, D]."""
        torch.manual_seed(self.seed)
        q, kv = self.H * self.Dh, self.Hkv * self.Dh
        shapes = [(self.B, self.T, self.D), (self.D, q), (self.D, kv), (self.D, kv), (q, self.D)]
        x, *matrices = (torch.randn(*shape, dtype=torch.float64) for shape in shapes)
        return x, *(W / len(W) ** 0.5 for W in matrices)  # scores neither uniform nor saturated


def cases() -> st.SearchStrategy[Case]:
    fields = {"B": 3, "T": 6, "Hkv": 4, "n_rep": 3, "Dh": 5, "D": 9, "seed": 1000}
    return st.builds(Case, **{name: st.integers(1, most) for name, most in fields.items()})


ALL_DIFFERENT = Case(B=2, T=5, Hkv=3, n_rep=4, Dh=6, D=7, seed=1)


def close(got: torch.Tensor, want: torch.Tensor) -> bool:
    return got.shape == want.shape and torch.allclose(got, want, rtol=1e-8, atol=1e-8)


def heads(x: torch.Tensor, H: int) -> torch.Tensor:
    return torch.stack(x.chunk(H, dim=-1), dim=1)  # [B, H, T, Dh]


def blocks(matrix: torch.Tensor, order: list[int], Dh: int, dim: int) -> torch.Tensor:
    """The matrix with its blocks of Dh columns (dim 1) or rows (dim 0) in another order."""
    parts = matrix.split(Dh, dim=dim)
    return torch.cat([parts[h] for h in order], dim=dim)
