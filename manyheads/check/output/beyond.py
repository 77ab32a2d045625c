"""Mistakes that do more than multiply: add, mix tokens, bend, normalise."""

from __future__ import annotations

import torch
from torch.nn import functional

from manyheads.check.exercise import Cause
from manyheads.check.output.target import mixed

CAUSES = (
    Cause(
        "adds-residual",
        "The joined heads were added to the result. The residual is x, and it is added outside of "
        "attention.",
        "what does your function return when W_O is all zeros?",
        (
            lambda merged, Wo: merged + mixed(merged, Wo),
            lambda merged, Wo: (
                merged + mixed(merged, Wo) if merged.shape[-1] == Wo.shape[1] else mixed(merged, Wo)
            ),
        ),
        "merged that isn't zero",
    ),
    Cause(
        "adds-bias",
        "The same vector was added to every token: a bias. This projection has none.",
        "what does your function return for merged = zeros?",
        (
            lambda merged, Wo: mixed(merged, Wo) + Wo.mean(0),
            lambda merged, Wo: mixed(merged, Wo) + Wo[0],
            lambda merged, Wo: mixed(merged, Wo) + Wo[-1],
            lambda merged, Wo: mixed(merged, Wo) + Wo.sum(0),
            lambda merged, Wo: mixed(merged, Wo) + 1,
        ),
        "merged = zeros",
    ),
    Cause(
        "mixes-tokens",
        "Tokens were added up or averaged. W_O works on each token's features alone; every row of "
        "merged gives one row of the result.",
        "change token 3 of merged. Which rows of your result change?",
        (
            lambda merged, Wo: mixed(merged, Wo).sum(1),
            lambda merged, Wo: mixed(merged, Wo).mean(1),
            lambda merged, Wo: mixed(merged, Wo).mean(1, keepdim=True),
            lambda merged, Wo: mixed(merged, Wo).cumsum(1),
            lambda merged, Wo: (
                mixed(merged, Wo).mean(1, keepdim=True).expand(-1, merged.shape[1], -1)
            ),
            lambda merged, Wo: torch.einsum("bti,ij->bj", merged, Wo),
            lambda merged, Wo: mixed(merged, Wo).mean(0),
            lambda merged, Wo: mixed(merged, Wo).sum(0),
            lambda merged, Wo: mixed(merged.flip(1), Wo),
            lambda merged, Wo: mixed(merged.mT.reshape(merged.shape), Wo),
        ),
        "tokens that differ, T > 1",
    ),
    Cause(
        "nonlinear",
        "Something that isn't linear was applied. The output projection is a plain product; "
        "activations belong to the feed-forward layer.",
        "what stands around the product in your return line?",
        tuple(
            lambda merged, Wo, bend=bend, before=before: (
                mixed(bend(merged), Wo) if before else bend(mixed(merged, Wo))
            )
            for bend in (
                torch.relu,
                torch.tanh,
                torch.sigmoid,
                functional.gelu,
                functional.silu,
                torch.abs,
                torch.round,
            )
            for before in (False, True)
        ),
        "negative numbers",
    ),
    Cause(
        "normalises",
        "A softmax or a normalisation was applied. The weights were normalised before they met the "
        "values, and W_O is used as it is.",
        "what stands around the product in your return line?",
        (
            lambda merged, Wo: mixed(merged, Wo).softmax(-1),
            lambda merged, Wo: mixed(merged, Wo.softmax(0)),
            lambda merged, Wo: mixed(merged, Wo.softmax(-1)),
            lambda merged, Wo: mixed(merged.softmax(-1), Wo),
            lambda merged, Wo: functional.layer_norm(mixed(merged, Wo), [Wo.shape[1]]),
            lambda merged, Wo: mixed(functional.layer_norm(merged, [merged.shape[-1]]), Wo),
            lambda merged, Wo: functional.normalize(mixed(merged, Wo), dim=-1),
            lambda merged, Wo: mixed(merged, functional.normalize(Wo, dim=0)),
            lambda merged, Wo: mixed(merged, functional.normalize(Wo, dim=1)),
        ),
        "numbers that aren't normalised yet",
    ),
)
