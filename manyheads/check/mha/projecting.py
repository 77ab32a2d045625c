"""Mistakes in the projections: which matrix, which way round, and of what."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import torch
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.mha.steps import Steps, Three

ROLES = "qkv"


def _chosen(choice: tuple[int, ...]) -> Callable[..., Three]:
    """Q, K and V, each made with the matrix that `choice` names for it."""
    return lambda x, *W: tuple(torch.matmul(x, W[i]) for i in choice)


def _with(change: Callable[[Tensor, Tensor], Tensor], which: str = ROLES) -> Callable[..., Three]:
    """Projections of which some are made by `change(x, W)`."""
    return lambda x, *W: tuple(
        change(x, w) if role in which else torch.matmul(x, w)
        for role, w in zip(ROLES, W, strict=True)
    )


def _after(change: Callable[[Tensor], Tensor], which: str = ROLES) -> Callable[..., Three]:
    return _with(lambda x, W: change(torch.matmul(x, W)), which)


def _chained(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor) -> Three:
    q = torch.matmul(x, Wq)
    k = torch.matmul(q, Wk)
    return q, k, torch.matmul(k, Wv)


def _every_third(x: Tensor, *W: Tensor) -> Three:
    wide = torch.matmul(x, torch.cat(W, 1))
    return wide[..., 0::3], wide[..., 1::3], wide[..., 2::3]


PAIRS = ("q", "k", "v", "qk", "qv", "kv", "qkv")
AS_OTHERS = {(1, 0, 2), (0, 0, 2), (1, 1, 2), (0, 1, 1), (0, 1, 0)}  # scores or mixes tell these
CHOICES = tuple(
    choice
    for choice in product(range(3), repeat=3)
    if choice != (0, 1, 2) and choice not in AS_OTHERS
)
CAUSES = (
    Cause(
        "transposed-w",
        "x was multiplied by a matrix transposed. Here Wq, Wk and Wv are stored [in, out] and used "
        "as x @ W; only nn.Linear.weight is [out, in], and F.linear transposes what it is given.",
        "which size of Wq is equal to x.shape[-1]? Try it with H*Dh other than D.",
        tuple(Steps(project=_with(lambda x, W: torch.matmul(x, W.T), which)) for which in PAIRS),
        "square matrices that aren't symmetric; others raise",
    ),
    Cause(
        "projections-swapped",
        "The matrices were used in another order: Q comes from Wq, K from Wk, V from Wv. Scores "
        "are Q times K transposed, so even Q and K can't change places.",
        "follow Wq, Wk and Wv by name from the def line to the product with x.",
        tuple(Steps(project=_chosen(c)) for c in CHOICES if len(set(c)) == 3),
        "three different matrices",
    ),
    Cause(
        "matrix-reused",
        "Two of Q, K and V were made with the same matrix. Each has its own.",
        "how often do Wq, Wk and Wv occur in your function? Once each would do.",
        tuple(Steps(project=_chosen(c)) for c in CHOICES if len(set(c)) < 3),
        "three different matrices",
    ),
    Cause(
        "not-projected",
        "Q, K or V is x itself, cut into heads. Each is x times its matrix first.",
        "which of your q, k and v have the width H*Dh, and which the width D?",
        tuple(Steps(project=_with(lambda x, _: x, which)) for which in PAIRS),
        "H*Dh other than D",
    ),
    Cause(
        "projections-chained",
        "K or V was made from Q or K. All three start from x.",
        "what stands to the left of each @?",
        (
            Steps(project=_chained),
            Steps(project=lambda x, q, k, v: (x @ q, (x @ q) @ k, x @ v)),
            Steps(project=lambda x, q, k, v: (x @ q, x @ k, (x @ k) @ v)),
        ),
        "matrices that aren't square",
    ),
    Cause(
        "projections-bent",
        "An activation or a bias was applied to Q, K or V. They are plain products x @ W.",
        "what stands around x @ Wq in your function?",
        tuple(
            Steps(project=_after(bend, which))
            for bend in (torch.relu, torch.tanh, lambda z: z + 1)
            for which in ("qkv", "qk", "v")
        ),
        "negative numbers",
    ),
    Cause(
        "fused-read-interleaved",
        "The three matrices were joined side by side, so Q, K and V are three blocks of columns. "
        "You read every third column.",
        "which columns of the joined product belong to Wq?",
        (Steps(project=_every_third),),
        "any weights",
    ),
)
