"""Mistakes about which numbers are multiplied: the other way round, another matrix, none at all."""
# ruff: noqa: ARG001, ARG005  (all ways of doing it have one signature, whatever they use)

from __future__ import annotations

from itertools import permutations

import torch
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.project.slots import Matrices, Slot, View


def _other(n: int) -> View:
    return lambda x, W, i: x @ W[(i + n) % 3]


def _sum(*which: int) -> View:
    return lambda x, W, i: x @ torch.stack([W[j] for j in which]).sum(0)


def _chain(*which: int) -> View:
    def view(x: Tensor, W: Matrices, i: int) -> Tensor:
        for j in which:
            x = x @ W[j]
        return x

    return view


def _square_turned(x: Tensor, W: Matrices, i: int) -> Tensor:
    return x @ (W[i].T if W[i].shape[0] == W[i].shape[1] else W[i])


TRANSPOSED = Cause(
    "transposed",
    "That is what the transposed matrix gives. Here W is stored [in, out]: row d says "
    "where feature d goes. (nn.Linear and F.linear expect [out, in] and transpose.)",
    "for token (1, 4) and W with the rows (1, 3), (0, 1): which product gives (1, 7)?",
    exposed_by="a square W that isn't symmetric, compared by value",
)
UNPROJECTED = Cause(
    "unprojected",
    "A view is still x itself. All three are projections, V too.",
    "what does your function return if every matrix is zero?",
    exposed_by="a W that isn't the identity",
)
SLOTS = (
    Slot(
        TRANSPOSED,
        (lambda x, W, i: x @ W[i].T, _square_turned),
    ),
    Slot(
        Cause(
            "wrong-matrix",
            "A view was made with another view's matrix. Each of the three has a matrix of its "
            "own.",
            "replace Wk by zeros: which of your results become zero? Then do it with Wq and Wv.",
            exposed_by="three different matrices",
        ),
        (_other(1), _other(2), _sum(0, 1), _sum(0, 2), _sum(1, 2), _sum(0, 1, 2)),
    ),
    Slot(
        UNPROJECTED,
        (
            lambda x, W, i: x,
            lambda x, W, i: x @ torch.eye(*W[i].shape),
            lambda x, W, i: x[..., : W[i].shape[1]],
        ),
    ),
    Slot(
        Cause(
            "returns-matrices",
            "The weights came back, not what they make of x. A matrix is the same for every "
            "token; a view differs from token to token.",
            "does your result change when x changes?",
            exposed_by="any x",
        ),
        (
            lambda x, W, i: W[i],
            lambda x, W, i: W[i].T,
            lambda x, W, i: W[i].expand(x.shape[0], -1, -1),
        ),
    ),
    Slot(
        Cause(
            "chained",
            "A view was made from another view: it went through two matrices or more. All three "
            "start from x.",
            "what stands to the left of each @ in your function, at the moment when it runs?",
            exposed_by="matrices that aren't the identity",
        ),
        (
            *(_chain(a, b) for a in range(3) for b in range(3)),
            *(_chain(*order) for order in permutations(range(3))),
        ),
    ),
    Slot(
        Cause(
            "adds-x",
            "x was added to the projection. The residual is added once, after W_O, not here.",
            "what does your function return if every matrix is zero?",
            exposed_by="a square W and any x",
        ),
        (lambda x, W, i: x + x @ W[i], lambda x, W, i: x - x @ W[i]),
    ),
    Slot(
        Cause(
            "skips-features",
            "Not every feature of a token takes part: the sum leaves one end out.",
            "change only the last feature of a token, then only the first. Do q, k, v change?",
            exposed_by="a token whose first and last features aren't zero",
        ),
        (
            lambda x, W, i: x[..., :-1] @ W[i][:-1],
            lambda x, W, i: x[..., 1:] @ W[i][1:],
            lambda x, W, i: x[..., : x.shape[-1] // 2] @ W[i][: x.shape[-1] // 2],
        ),
    ),
    Slot(
        Cause(
            "elementwise",
            "Numbers were multiplied place by place, or rows of W were summed first. In a matrix "
            "product every output is a sum over all features, weighted by one column of W.",
            "is there a * where an @ should be, or a sum over the wrong axis?",
            exposed_by="a W with more than its diagonal",
        ),
        (
            lambda x, W, i: x * W[i].diagonal(),
            lambda x, W, i: x * W[i].sum(0),
            lambda x, W, i: x * W[i].sum(1),
            lambda x, W, i: x * W[i][0],
            lambda x, W, i: x * W[i][:, 0],
            lambda x, W, i: x * W[i],
        ),
    ),
)
