"""The bug clinic of lesson 02: faulty and right versions of `split_heads` for find_bug to judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from manyheads.check.clinic import Clinic, Patient

Split = Callable[..., Any]

# cause: its symptom, and the input that would show it
FAULTY = {
    "direct-view": (
        "has the right shape, and head 0 holds features of the first tokens only",
        "an x whose every number is different, with T > 1",
    ),
    "interleaved-features": (
        "has the right shape, and head h holds features h, h+H, h+2H, ...",
        "an x whose features all differ, with H > 1 and Dh > 1",
    ),
    "mixes-samples": (
        "has the right shape, and one sample holds numbers of another",
        "a batch of two different sequences",
    ),
    "tokens-before-heads": (
        "keeps the tokens in front of the heads",
        "sizes T and H that differ, or a look at the values when they don't",
    ),
    "heads-reordered": (
        "gives every head a proper chunk, but another head's",
        "an x whose heads differ, with H > 1",
    ),
    "features-reordered": (
        "turns the features round inside each head",
        "an x whose features differ, with Dh > 1",
    ),
    "tokens-reordered": (
        "turns the tokens round",
        "an x whose tokens differ, with T > 1",
    ),
    "squeezes": (
        "loses an axis when a size is 1",
        "a batch of one sequence, or one token",
    ),
}


@cache
def patients() -> tuple[Patient, ...]:
    """Right splits and wrong ones, in a fixed mixed order."""
    from manyheads.check.split import EXERCISE as SPLIT
    from manyheads.check.split import target
    from manyheads.check.split.refusals import CAUSES

    first = {cause.id: cause.variants[0] for cause in (*SPLIT.causes, *CAUSES)}
    wrong = [
        Patient(_guarded(first[cause]), True, symptom, hint)
        for cause, (symptom, hint) in FAULTY.items()
    ]
    drops = (
        "says nothing when D can't be shared, and loses the features that are left over",
        "a D that H doesn't divide: a right split raises there",
    )
    wrong.append(Patient(first["drops-features"], True, *drops))
    right = [
        Patient(_guarded(target), False, "a right split"),
        Patient(
            _guarded(lambda x, H: target(x, H).mT.contiguous().mT),
            False,
            "a right split whose result isn't contiguous in memory, as a view's would be",
        ),
        Patient(
            _guarded(lambda x, H: target(x, H).clone()),
            False,
            "a right split that returns a copy, which shares no memory with x",
        ),
    ]
    return (wrong[0], right[0], *wrong[1:4], right[1], *wrong[4:], right[2])


def _guarded(split: Split) -> Split:
    """`split`, with an error for a width that the heads can't share."""

    def candidate(x: Tensor, num_heads: int) -> Any:
        if x.dim() != 3 or num_heads < 1 or x.shape[-1] % num_heads:
            shape = tuple(x.shape)
            raise ValueError(f"x {shape} can't be split into {num_heads} heads of one width")
        return split(x, num_heads)

    return candidate


def meet(split: Split) -> Split:
    """A candidate of its own for each call, whose name tells nothing."""

    def candidate(x: Tensor, num_heads: int) -> Any:
        return split(torch.as_tensor(x), num_heads)

    return candidate


CLINIC = Clinic(
    lesson="02_head_split",
    exercise="clinic_view",
    things="splits",
    call="candidate(x, num_heads)",
    patients=patients,
    meet=meet,
)
