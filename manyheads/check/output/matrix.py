"""Mistakes in what W_O is and where it stands in the product."""
# ruff: noqa: ARG005  (variants have the signature of the exercise, whatever they use of it)

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from manyheads.check.exercise import Cause
from manyheads.check.output.target import mixed


def _columns_only(merged: Tensor, Wo: Tensor) -> Tensor:
    """Each column's sum times the sum of the features: two letters where one belongs."""
    return torch.einsum("bti,jk->btk", merged, Wo)


CAUSES = (
    Cause(
        "transposed-wo",
        "You multiplied by W_O transposed. Here W_O is stored [in, out] and used as merged @ W_O; "
        "only nn.Linear.weight is [out, in], and F.linear multiplies by the transpose of what it "
        "is given.",
        "what are Wo.shape[0] and merged.shape[-1], and which axis of W_O is summed away?",
        (
            lambda merged, Wo: functional.linear(merged, Wo),
            lambda merged, Wo: mixed(merged, Wo.T) if Wo.shape[0] == Wo.shape[1] else merged @ Wo.T,
            lambda merged, Wo: torch.einsum("bti,ji->btj", merged, Wo),
            lambda merged, Wo: torch.einsum("btj,ij->bti", merged, Wo),
            lambda merged, Wo: merged.flatten(0, 1).mm(Wo.T),
        ),
        "a W_O that isn't symmetric",
    ),
    Cause(
        "reshaped-wo",
        "W_O was re-cut to other sizes, not transposed, and then transposed or used: a reshape "
        "deals its numbers out again. W_O can be used as it comes.",
        "compare the first row of the matrix you use with the first column of W_O.",
        (
            lambda merged, Wo: functional.linear(merged, Wo.reshape(Wo.shape[1], Wo.shape[0])),
            lambda merged, Wo: mixed(merged, Wo.T.reshape(Wo.shape)),
            lambda merged, Wo: mixed(merged, Wo.T.contiguous().view(Wo.shape)),
        ),
        "a W_O that isn't symmetric",
    ),
    Cause(
        "wrong-side",
        "The matrix stands on the wrong side. Rows of merged are tokens, so each row is multiplied "
        "by W_O from its right.",
        "write down the two shapes side by side, in your order. Which sizes meet in the middle?",
        (
            lambda merged, Wo: Wo @ merged,
            lambda merged, Wo: Wo @ merged.mT,
            lambda merged, Wo: Wo.T @ merged,
            lambda merged, Wo: (Wo @ merged.mT).mT,
            lambda merged, Wo: torch.matmul(Wo, merged),
            lambda merged, Wo: merged.mT @ Wo,
        ),
        "sizes that all differ",
    ),
    Cause(
        "not-projected",
        "This is the joined heads as they came. Without W_O their width is H*Dh, not D, and no "
        "head's features reach another's.",
        "does Wo occur in the line that returns?",
        (
            lambda merged, Wo: merged,
            lambda merged, Wo: merged[..., : Wo.shape[1]],
            lambda merged, Wo: functional.pad(merged, (0, Wo.shape[1] - merged.shape[-1])),
        ),
        "any W_O but the identity",
    ),
    Cause(
        "elementwise",
        "Numbers were multiplied place by place. A product of matrices multiplies rows by columns "
        "and adds up, so that every feature can reach every output.",
        "which features of merged does out[0, 0, 0] depend on in your function?",
        (
            lambda merged, Wo: merged * Wo,
            lambda merged, Wo: merged * Wo.sum(0),
            lambda merged, Wo: merged * Wo.mean(0),
            lambda merged, Wo: merged * Wo.diagonal(),
            lambda merged, Wo: merged[..., None] * Wo,
            lambda merged, Wo: (merged[..., None] * Wo).sum(-1),
            lambda merged, Wo: torch.einsum("bti,ij->bti", merged, Wo),
            lambda merged, Wo: torch.einsum("bti,ij->btij", merged, Wo),
            lambda merged, Wo: torch.einsum("bti,ii->bti", merged, Wo),
        ),
        "a W_O with more than its diagonal",
    ),
    Cause(
        "sums-apart",
        "Features and rows were added up apart from each other: their letters differ in the "
        "einsum, or one of the two was summed before. The sum runs over one index that both share.",
        "which letter stands in both operands of your einsum, and not in the result?",
        (
            _columns_only,
            lambda merged, Wo: merged.sum(-1, keepdim=True) * Wo.sum(0),
            lambda merged, Wo: merged.mean(-1, keepdim=True) * Wo.sum(0),
            lambda merged, Wo: merged.sum(-1, keepdim=True) * Wo.mean(0),
        ),
        "features that differ",
    ),
    Cause(
        "applied-twice",
        "W_O was applied twice, or together with its transpose. Once is enough.",
        "how often does Wo occur in your function?",
        (
            lambda merged, Wo: mixed(mixed(merged, Wo), Wo.T),
            lambda merged, Wo: (
                mixed(mixed(merged, Wo), Wo) if Wo.shape[0] == Wo.shape[1] else Wo @ Wo
            ),
            lambda merged, Wo: merged @ ((Wo + Wo.T) / 2),
        ),
        "a W_O that isn't a projection",
    ),
    Cause(
        "rows-left-out",
        "Some rows of W_O, and the features that belong to them, were left out. All heads' "
        "features go through it.",
        "how many rows of W_O does your product use, and how many has it?",
        (
            *(
                lambda merged, Wo, n=n: mixed(merged[..., :n], Wo[:n])
                for n in (1, 2, 3, 4, 6, 8, 9, 10, 11)
            ),
            lambda merged, Wo: mixed(merged[..., :-1], Wo[:-1]),
            lambda merged, Wo: mixed(merged[..., 1:], Wo[1:]),
            lambda merged, Wo: mixed(merged[..., : Wo.shape[1]], Wo[: Wo.shape[1]]),
            lambda merged, Wo: mixed(merged[..., 4:], Wo[4:]),
            lambda merged, Wo: mixed(merged[..., 8:], Wo[8:]),
        ),
        "features that aren't zero",
    ),
    Cause(
        "rows-reordered",
        "Features met other rows of W_O than their own: feature i goes with row i.",
        "which row of W_O does feature 0 meet in your function?",
        (
            lambda merged, Wo: mixed(merged, Wo.flip(0)),
            lambda merged, Wo: mixed(merged, Wo.flip(1)),
            lambda merged, Wo: mixed(merged, Wo.roll(1, 0)),
            lambda merged, Wo: mixed(merged, Wo.roll(-1, 0)),
            lambda merged, Wo: mixed(merged, Wo.roll(4, 0)),
        ),
        "a W_O whose rows differ",
    ),
    Cause(
        "returns-wo",
        "This is W_O, or something made of it alone. merged takes no part in it.",
        "where does merged occur in your function?",
        (
            lambda merged, Wo: Wo,
            lambda merged, Wo: Wo.T,
            lambda merged, Wo: Wo.expand(merged.shape[0], *Wo.shape),
        ),
        "any input",
    ),
)
