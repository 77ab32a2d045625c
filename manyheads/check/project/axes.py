"""Mistakes about axes: tokens or samples mixed, axes turned, merged, lost or cut too early."""

from __future__ import annotations

from itertools import permutations

from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.project.slots import Slot, View
from manyheads.check.project.values import Step, after, before


def _mean(axis: int) -> Step:
    return lambda z: z.mean(axis, keepdim=True).expand_as(z)


def _row(axis: int, place: int) -> Step:
    return lambda z: z.narrow(axis, place % z.shape[axis], 1).expand_as(z)


def _attends(scale: float) -> Step:
    return lambda z: (z @ z.mT / z.shape[-1] ** scale).softmax(-1) @ z


def _moves(axis: int) -> tuple[View, ...]:
    """Everything that takes numbers along one axis from one place to another."""
    steps: tuple[Step, ...] = (
        lambda z: z.cumsum(axis),
        lambda z: z.flip(axis),
        lambda z: z.roll(1, axis),
        lambda z: z.roll(-1, axis),
        lambda z: (z + z.roll(1, axis)) / 2,
        lambda z: z - z.mean(axis, keepdim=True),
        lambda z: z.sort(axis).values,
        _mean(axis),
        _row(axis, 0),
        _row(axis, -1),
    )
    return tuple(place(step) for step in steps for place in (before, after))


def _reread(z: Tensor) -> Tensor:
    return z.reshape(z.shape[1], z.shape[0], -1).transpose(0, 1)


SLOTS = (
    Slot(
        Cause(
            "mixes-tokens",
            "Numbers of other tokens entered a token's row. A projection works on each token by "
            "itself; tokens meet later, in attention.",
            "change token 3 of x alone. Which rows of your result change?",
            exposed_by="T > 1 with tokens that differ",
        ),
        (*_moves(1), before(_attends(0.5)), before(_attends(0))),
    ),
    Slot(
        Cause(
            "mixes-samples",
            "Numbers of one sample reached another. Samples of a batch never meet.",
            "change sample 0 of x alone. Which samples of your result change?",
            exposed_by="B > 1 with samples that differ",
        ),
        (*_moves(0), before(_reread), after(_reread)),
    ),
    Slot(
        Cause(
            "axes-swapped",
            "The numbers are right and two axes have changed places. The result is [B, T, width], "
            "a row a token. (Keys are turned for the scores, later.)",
            "name the three axes of your result from left to right.",
            exposed_by="sizes that all differ",
        ),
        (
            *(after(lambda z, o=o: z.permute(o)) for o in permutations(range(3)) if o != (0, 1, 2)),  # type: ignore[misc]
            lambda x, W, i: W[i] @ x.mT,
        ),
    ),
    Slot(
        Cause(
            "reread",
            "The shape is right, but the numbers were dealt out in another order: a reshape stands "
            "where a transpose should. A reshape never moves data.",
            "which axis order did the tensor have just before the reshape?",
            exposed_by="T > 1 and a width > 1",
        ),
        (
            after(lambda z: z.mT.reshape(z.shape)),
            before(lambda z: z.mT.reshape(z.shape)),
            after(lambda z: z.transpose(0, 1).reshape(z.shape)),
            before(lambda z: z.transpose(0, 1).reshape(z.shape)),
        ),
    ),
    Slot(
        Cause(
            "size-1-axis",
            "An axis of size 1 was dropped or added. B and T stay even when they are 1.",
            "call it with one sample, or one token, and count the axes.",
            exposed_by="B = 1 or T = 1",
        ),
        (
            after(lambda z: z.squeeze()),
            *(after(lambda z, n=n: z.squeeze(n)) for n in (0, 1)),  # type: ignore[misc]
            *(after(lambda z, n=n: z.unsqueeze(n)) for n in range(4)),  # type: ignore[misc]
        ),
    ),
    Slot(
        Cause(
            "merged-axes",
            "Two axes were flattened into one and not taken apart again.",
            "which sizes were multiplied to give an axis of your result?",
            exposed_by="B > 1 and T > 1",
        ),
        (
            after(lambda z: z.flatten(0, 1)),
            after(lambda z: z.flatten(1)),
            after(lambda z: z.flatten()),
        ),
    ),
    Slot(
        Cause(
            "part-of-it",
            "Only a part came back: one sample, one token, or a summary of all. Every token of "
            "every sample has its own query, key and value.",
            "what are B and T in the shape of your result?",
            exposed_by="B > 1 and T > 1",
        ),
        tuple(
            after(step)
            for step in (
                lambda z: z[0],
                lambda z: z[-1],
                lambda z: z[:1],
                lambda z: z[:, 0],
                lambda z: z[:, -1],
                lambda z: z[:, :1],
                lambda z: z[:, -1:],
                lambda z: z.mean(1),
                lambda z: z.mean(1, keepdim=True),
                lambda z: z.sum(1),
                lambda z: z.mean(0),
                lambda z: z.mean(-1),
                lambda z: z.sum(-1),
            )
        ),
    ),
)
