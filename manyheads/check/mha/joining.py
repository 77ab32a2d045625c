"""Mistakes after attention: in the merge, in W_O, and beyond it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from manyheads.check.exercise import Cause
from manyheads.check.merge.orders import rejoin
from manyheads.check.merge.values import beside
from manyheads.check.mha.steps import Steps


def _joined(read: str, give: str) -> Callable[[Tensor], Tensor]:
    return lambda context: rejoin(context, read, give)


def _per_head(context: Tensor, how: str) -> Tensor:
    """One head's width, made of all heads."""
    return context.mean(1) if how == "mean" else context.sum(1)


def _rows(pick: slice) -> Callable[..., Tensor]:
    return lambda merged, Wo, _: merged[..., pick] @ Wo[pick]


MERGE = (
    Cause(
        "merged-without-transpose",
        "The heads were joined by a reshape with heads still before tokens. The shape fits, and "
        "each row takes several tokens of one head. Bring tokens before heads first.",
        "which tokens do you find in row 0 of your merged tensor? There should be one.",
        (Steps(merge=_joined("BHTD", "BHTD")),),
        "T > 1 and H > 1",
    ),
    Cause(
        "merged-interleaved",
        "The heads' features were interleaved when they were joined: feature 0 of every head, then "
        "feature 1. Head h's Dh features stay together, and meet W_O's rows h*Dh to (h+1)*Dh - 1.",
        "in which order do the axes stand one line before your reshape?",
        (Steps(merge=_joined("BHTD", "BTDH")),),
        "H > 1 and Dh > 1",
    ),
    Cause(
        "merged-with-wrong-swap",
        "Other axes changed places before the heads were joined than heads and tokens.",
        "in which order do the axes stand one line before your reshape? [B, T, H, Dh] is right.",
        tuple(Steps(merge=_joined("BHTD", give)) for give in ("BHDT", "BDTH", "BDHT")),
        "sizes that all differ",
    ),
    Cause(
        "merge-mixes-samples",
        "Numbers of different samples met in the merge: the batch didn't stay the first axis, or "
        "the context was read as [H, B, T, Dh].",
        "change sample 1 of x. Does out[0] change?",
        (
            *(Steps(merge=_joined("HBTD", give)) for give in ("BTHD", "BHTD")),
            *(Steps(merge=_joined("BHTD", give)) for give in ("TBHD", "HBTD", "THBD", "HTBD")),
        ),
        "two different samples",
    ),
    Cause(
        "merged-heads-reordered",
        "The heads stand in another order after the merge, so they meet each other's rows of W_O.",
        "which head do the first Dh numbers of a merged row come from?",
        (
            Steps(merge=lambda context: beside(context.flip(1))),
            Steps(merge=lambda context: beside(context.roll(1, 1))),
            Steps(merge=lambda context: beside(context.roll(-1, 1))),
        ),
        "heads that differ",
    ),
    Cause(
        "heads-averaged",
        "The heads were averaged or added, not joined, or all of them met the same rows of W_O. "
        "They go side by side, and each head's own rows of W_O do the adding.",
        "how wide is your tensor just before W_O? It should be H*Dh.",
        (
            *(
                Steps(merge=lambda c, how=how: _per_head(c, how).repeat(1, 1, c.shape[1]))
                for how in ("mean", "sum")
            ),
            *(
                Steps(
                    merge=lambda c, how=how: _per_head(c, how),
                    out=lambda merged, Wo, _: merged @ Wo[: merged.shape[-1]],
                )
                for how in ("mean", "sum")
            ),
            Steps(merge=lambda c: _per_head(c, "mean")),
            Steps(out=lambda merged, Wo, _: merged @ Wo / 3),
        ),
        "H > 1",
    ),
    Cause(
        "one-head-returned",
        "Only some of the heads reached W_O. All H of them are joined.",
        "how wide is your tensor just before W_O? It should be H*Dh.",
        (
            *(
                Steps(
                    merge=lambda c, h=h: c[:, h],
                    out=lambda merged, Wo, _: merged @ Wo[: merged.shape[-1]],
                )
                for h in (0, -1)
            ),
            Steps(merge=lambda c: beside(c[:, -1:].expand_as(c))),
            Steps(merge=lambda c: functional.pad(c[:, 0], (0, c.shape[3] * (c.shape[1] - 1)))),
            Steps(merge=lambda c: beside(torch.cat((c[:, :-1], 0 * c[:, -1:]), 1))),
            Steps(merge=lambda c: beside(torch.cat((0 * c[:, :-1], c[:, -1:]), 1))),
        ),
        "H > 1",
    ),
    Cause(
        "heads-joined-as-tokens",
        "The heads were put one below the other, as more tokens or more samples. They go side by "
        "side, as features.",
        "what is the shape of your tensor just before W_O? It should be [B, T, H*Dh].",
        (
            Steps(merge=lambda c: c.flatten(1, 2)),
            Steps(merge=lambda c: c.flatten(0, 1)),
            Steps(merge=lambda c: c),
            Steps(merge=lambda c: c.transpose(1, 2)),
        ),
        "H > 1",
    ),
)
OUTPUT = (
    Cause(
        "no-wo",
        "W_O was left out, so the joined heads came back as they are: width H*Dh, and no head's "
        "features reach another's.",
        "does Wo occur in the line that returns?",
        (
            Steps(out=lambda merged, _Wo, _x: merged),
            Steps(out=lambda merged, Wo, _: merged[..., : Wo.shape[1]]),
            Steps(
                out=lambda merged, Wo, _: functional.pad(
                    merged, (0, Wo.shape[1] - merged.shape[-1])
                )
            ),
        ),
        "any W_O but the identity",
    ),
    Cause(
        "transposed-wo",
        "You multiplied by W_O transposed. Here W_O is [in, out] = [H*Dh, D] and used as "
        "merged @ Wo; F.linear transposes what it is given.",
        "which size of Wo meets the last size of your merged heads?",
        (
            Steps(out=lambda merged, Wo, _: merged @ Wo.T),
            Steps(out=lambda merged, Wo, _: merged @ Wo.T.reshape(Wo.shape)),
            Steps(out=lambda merged, Wo, _: merged @ Wo.reshape(Wo.shape[1], Wo.shape[0]).T),
        ),
        "a W_O that isn't symmetric",
    ),
    Cause(
        "adds-residual",
        "x was added to the result. The residual belongs to the block around attention, not to "
        "attention.",
        "what does your function return when W_O is all zeros?",
        (
            Steps(out=lambda merged, Wo, x: x + merged @ Wo),
            Steps(out=lambda merged, Wo, x: merged @ Wo - x),
            Steps(out=lambda merged, Wo, _: merged @ Wo + merged),
            Steps(out=lambda merged, Wo, x: functional.layer_norm(x + merged @ Wo, [x.shape[-1]])),
        ),
        "x that isn't zero",
    ),
    Cause(
        "adds-bias",
        "The same vector was added to every token: a bias. This attention has none.",
        "what does your function return for x = zeros?",
        (
            Steps(out=lambda merged, Wo, _: merged @ Wo + Wo.mean(0)),
            Steps(out=lambda merged, Wo, _: merged @ Wo + Wo[0]),
            Steps(out=lambda merged, Wo, _: merged @ Wo + 1),
        ),
        "x = zeros",
    ),
    Cause(
        "bends-output",
        "An activation or a normalisation was applied to the output, or to the heads before W_O. "
        "What leaves attention is a plain product.",
        "what stands around the product with Wo in your function?",
        tuple(
            Steps(
                out=lambda merged, Wo, _, bend=bend, before=before: (
                    bend(merged) @ Wo if before else bend(merged @ Wo)
                )
            )
            for bend in (
                torch.relu,
                functional.gelu,
                torch.tanh,
                lambda z: z.softmax(-1),
                lambda z: functional.layer_norm(z, [z.shape[-1]]),
                lambda z: functional.normalize(z, dim=-1),
            )
            for before in (False, True)
        ),
        "negative numbers",
    ),
    Cause(
        "wo-rows-misused",
        "Not all rows of W_O were used, or in another order: every head brings Dh features, and "
        "each meets a row of its own.",
        "how many rows of W_O does your product use, and how many has it?",
        (
            *(Steps(out=_rows(slice(0, n))) for n in (1, 5, 10, -1)),
            *(Steps(out=_rows(slice(n, None))) for n in (1, 5, 10)),
            Steps(out=lambda merged, Wo, _: merged @ Wo.flip(0)),
        ),
        "H > 1",
    ),
    Cause(
        "output-axes",
        "The numbers are right, but the axes of the result stand in another order than [B, T, D].",
        "name the axes of your result from left to right.",
        tuple(
            Steps(out=lambda merged, Wo, _, turn=turn: turn(merged @ Wo))
            for turn in (
                lambda z: z.mT,
                lambda z: z.transpose(0, 1),
                lambda z: z.flatten(0, 1),
                lambda z: z[:, -1],
                lambda z: z[:, -1:],
                lambda z: z[0],
                lambda z: z[:1],
                lambda z: z.mean(1),
                lambda z: z.sum(1),
                lambda z: z.unsqueeze(1),
                lambda z: z.flip(1),
            )
        ),
        "sizes that all differ",
    ),
    Cause(
        "never-filled",
        "The result was made, and its numbers were never put in: it is zero everywhere.",
        "does your loop assign into, or add to, the tensor that is returned?",
        (Steps(out=lambda merged, Wo, _: 0 * (merged @ Wo)),),
        "any x",
    ),
    Cause(
        "returns-x",
        "This is x as it came, or x times a matrix: no token looked at another.",
        "change token 0 of x. Which rows of out change?",
        (
            Steps(out=lambda _merged, _Wo, x: x),
            Steps(out=lambda _merged, Wo, x: x[..., : Wo.shape[0]] @ Wo),
        ),
        "T > 1",
    ),
)
CAUSES = (*MERGE, *OUTPUT)
