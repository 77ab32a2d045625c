"""Mistakes in what rope is given and in what is done with its result."""
# ruff: noqa: ARG005  (variants have the signature of the exercise, whatever they use of it)

from __future__ import annotations

import torch
from torch import Tensor

from manyheads.check.exercise import Cause, Variant
from manyheads.check.rotate.ropes import Rope
from manyheads.check.rotate.wrong_ropes import Triple, mixed, only, swapped, textbook, with_rope

ALL = slice(None)
HEADS = ((ALL, slice(0, 1)), (ALL, slice(1, None)), (ALL, slice(-1, None)), (ALL, slice(0, -1)))
SAMPLES = ((slice(0, 1),), (slice(-1, None),))
TOKENS = ((ALL, ALL, slice(0, 1)), (ALL, ALL, slice(1, None)), (ALL, ALL, slice(-1, None)))


def _joined(dim: int) -> Variant:
    """Rope on q and k joined along one axis, then cut again."""

    def variant(q: Tensor, k: Tensor, v: Tensor, rope: Rope) -> Triple:
        both = rope(torch.cat((q, k), dim))
        first, second = torch.split(both, [q.shape[dim], k.shape[dim]], dim)
        return first, second, v

    return variant


def _halved(q: Tensor, k: Tensor, v: Tensor, rope: Rope) -> Triple:
    first, second = torch.chunk(rope(torch.cat((q, k), 1)), 2, 1)
    return first, second, v


def _half_of_the_features(rope: Rope) -> Rope:
    def turn(x: Tensor) -> Tensor:
        half = x.shape[-1] // 2
        return torch.cat((rope(x[..., :half]), x[..., half:]), -1)

    return turn


def _needs_equal_heads(q: Tensor, k: Tensor, v: Tensor, rope: Rope) -> Triple:
    if q.shape != k.shape:
        raise ValueError
    both: Triple = with_rope(lambda given: given)(q, k, v, rope)
    return both


def _on_sum(q: Tensor, k: Tensor, v: Tensor, rope: Rope) -> Triple:
    both = rope(q + k)
    return both, both, v


CAUSES = (
    Cause(
        "token-major",
        "rope received its tensors with heads and tokens exchanged, so it took the head's number "
        "for the token's position.",
        "which axis of the tensor that you hand to rope has length T?",
        (
            *mixed(lambda rope: swapped(rope, 1, 2)),
            lambda q, k, v, rope: (rope(q.transpose(1, 2)), rope(k.transpose(1, 2)), v),
            lambda q, k, v, rope: tuple(
                x.transpose(1, 2) for x in (rope(q.transpose(1, 2)), rope(k.transpose(1, 2)), v)
            ),
        ),
    ),
    Cause(
        "feature-major",
        "rope received its tensors with tokens and features exchanged, so it took a feature's "
        "number for the token's position.",
        "what are the last two axes of the tensor that you hand to rope?",
        (
            *mixed(lambda rope: swapped(rope, 2, 3)),
            lambda q, k, v, rope: (rope(q.mT), rope(k.mT), v),
            *mixed(lambda rope: swapped(rope, 0, 2)),
        ),
    ),
    Cause(
        "heads-joined",
        "The heads were joined before rope, so it saw one wide head. Every head is rotated for "
        "itself, with the same Dh features.",
        "how many features has the tensor that you hand to rope? A head has Dh.",
        (
            *mixed(
                lambda rope: (
                    lambda x: (
                        rope(x.transpose(1, 2).flatten(2))
                        .unflatten(-1, (x.shape[1], x.shape[3]))
                        .transpose(1, 2)
                    )
                )
            ),
            *mixed(lambda rope: lambda x: rope(x.flatten(1, 2)).reshape(x.shape)),
            *mixed(lambda rope: lambda x: rope(x.flatten(2)).reshape(x.shape)),
            *mixed(
                lambda rope: lambda x: rope(x.reshape(x.shape[0], x.shape[2], -1)).reshape(x.shape)
            ),
            with_rope(lambda rope: lambda x: rope(x.transpose(1, 2).flatten(2))),
        ),
    ),
    Cause(
        "axes-joined",
        "Two axes were flattened into one and not taken apart again.",
        "print the shape of each of your three results beside that of q, k and v.",
        (
            with_rope(lambda rope: lambda x: rope(x.flatten(0, 1))),
            lambda q, k, v, rope: (
                rope(q.flatten(0, 1)),
                rope(k.flatten(0, 1)),
                v.flatten(0, 1),
            ),
            with_rope(lambda rope: lambda x: rope(x.flatten(0, 1).flatten(0, 1)).reshape(x.shape)),
            with_rope(lambda rope: lambda x: rope(x.flatten(0, 1)[None])),
            with_rope(lambda rope: lambda x: rope(x).flatten(1, 2)),
            with_rope(lambda rope: lambda x: rope(x).flatten(2, 3)),
            with_rope(lambda rope: lambda x: rope(x).transpose(1, 2).flatten(2)),
        ),
    ),
    Cause(
        "token-by-token",
        "rope received one token at a time, so each of them was the first one, at position 0. A "
        "token's position is its place along the token axis of what rope is given.",
        "how many tokens has the tensor that you hand to rope?",
        mixed(lambda rope: lambda x: torch.cat([rope(t) for t in x.split(1, 2)], 2)),
    ),
    Cause(
        "positions-backwards",
        "The tokens were turned round before rope, so the last token was told position 0.",
        "which token does rope see first?",
        mixed(lambda rope: lambda x: rope(x.flip(2)).flip(2)),
    ),
    Cause(
        "cut-in-halves",
        "q and k were joined along the heads and cut in two equal halves. k may have fewer heads "
        "than q.",
        "how many heads has each of your first two results, and how many have q and k?",
        (_halved,),
    ),
    Cause(
        "positions-run-on",
        "q and k were joined along the tokens, so the first token of k was told the position after "
        "the last one of q. Both count from the same start.",
        "which position does rope give to token 0 of k?",
        (_joined(2), _joined(-2)),
    ),
    Cause(
        "features-run-on",
        "q and k were joined along the features, so rope took them for one head that is twice as "
        "wide.",
        "how many features has the tensor that you hand to rope? A head has Dh.",
        (_joined(3),),
    ),
    Cause(
        "needs-equal-heads",
        "It works only where k has as many heads as q. k and v may have fewer: they share a head "
        "among several query heads.",
        "which line of yours needs q and k to have the same shape?",
        (_needs_equal_heads, _joined(0)),
    ),
    Cause(
        "rotates-a-part",
        "Some heads, tokens or sequences went through rope and the others didn't.",
        "for which heads, tokens and samples is your first result equal to q?",
        tuple(
            variant
            for where in (*HEADS, *SAMPLES, *TOKENS)
            for variant in mixed(lambda rope, where=where: only(rope, where))
        )
        + mixed(_half_of_the_features),
    ),
    Cause(
        "loses-a-part",
        "Heads, tokens or sequences are missing from the result.",
        "print the shape of each of your results beside that of q, k and v.",
        tuple(
            variant
            for where in (
                (0,),
                (slice(0, 1),),
                *HEADS,
                (ALL, 0),
                *TOKENS,
                (ALL, ALL, slice(0, -1)),
            )
            for variant in (
                *mixed(lambda rope, where=where: lambda x: rope(x)[where]),
                lambda q, k, v, rope, where=where: (rope(q)[where], rope(k)[where], v[where]),
            )
        ),
    ),
    Cause(
        "own-rotation",
        "This is the usual rotation, but not what the rope you were given does. Your function is "
        "given the rotation, so that it works with any.",
        "what would your function return if rope were `lambda x: x + 1`?",
        (
            *mixed(lambda _: textbook(halves=False)),
            *mixed(lambda _: textbook(halves=True)),
        ),
    ),
    Cause(
        "scales-q-or-k",
        "q or k was scaled on the way. The root of Dh belongs to the scores, later.",
        "divide your first result by rope(q), and your second by rope(k).",
        tuple(
            variant
            for factor in (
                lambda x: x.shape[-1] ** -0.5,
                lambda x: x.shape[-1] ** 0.5,
                lambda x: x.shape[-1] ** -0.25,
                lambda x: 2.0,
                lambda x: -1.0,
            )
            for side in (
                lambda rope, factor=factor: lambda x: rope(x) * factor(x),
                lambda rope, factor=factor: lambda x: rope(x * factor(x)),
            )
            for variant in mixed(side)
        ),
    ),
    Cause(
        "normalises",
        "q and k were brought to one length. Some models do that before they rotate; this exercise "
        "doesn't.",
        "compare the length of q[0, 0, 1] with that of your first result there.",
        tuple(
            variant
            for side in (
                lambda rope: lambda x: rope(torch.nn.functional.normalize(x, dim=-1)),
                lambda rope: lambda x: torch.nn.functional.normalize(rope(x), dim=-1),
            )
            for variant in mixed(side)
        ),
    ),
    Cause(
        "adds-the-rotation",
        "The rotated tensor was added to the one that came in, or taken from it. It takes its "
        "place.",
        "subtract rope(q) from your first result. What is left?",
        tuple(
            variant
            for side in (
                lambda rope: lambda x: x + rope(x),
                lambda rope: lambda x: (x + rope(x)) / 2,
                lambda rope: lambda x: rope(x) - x,
                lambda rope: lambda x: x * rope(x),
            )
            for variant in mixed(side)
        ),
    ),
    Cause(
        "mixes-q-and-k",
        "q and k were added, and one result stands for both. They are two tensors with their own "
        "work.",
        "what does rope receive in your function: one of the two, or something made of both?",
        (_on_sum, lambda q, k, v, rope: (rope(q + k), rope(q - k), v)),
    ),
)
