"""The bug clinic of lesson 06: faulty and right versions of `repeat_kv` for find_bug to judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from manyheads.check.clinic import Clinic, Patient
from manyheads.check.repeat.ways import along, by_index, folded, recipe, right, samples, tile

FAULTY = (
    Patient(
        tile, True, "has the right shape and tiles the K/V heads", "three K/V heads that differ"
    ),
    Patient(
        by_index(lambda h, Hkv, _: h // Hkv % Hkv),
        True,
        "has the right shape and divides h by Hkv",
        "an n_rep other than Hkv",
    ),
    Patient(
        recipe,
        True,
        "has the right shape and repeats tokens instead of heads",
        "an x whose tokens differ, with T > 1",
    ),
    Patient(
        samples,
        True,
        "has the right shape and lets one sample read another",
        "a batch of two samples that differ",
    ),
    Patient(
        lambda x, n_rep: right(x, n_rep)[:1].expand(x.shape[0], -1, -1, -1),
        True,
        "has the right shape and gives every sample the first one's numbers",
        "a batch of two samples that differ",
    ),
    Patient(
        by_index(lambda h, Hkv, n_rep: Hkv - 1 - h // n_rep),
        True,
        "repeats side by side, with the K/V heads in reverse",
        "K/V heads that differ",
    ),
    Patient(
        by_index(lambda h, *_: h * 0),
        True,
        "copies one K/V head for all query heads",
        "K/V heads that differ, with Hkv > 1",
    ),
    Patient(
        lambda x, n_rep: torch.cat([x, torch.zeros_like(x)] * n_rep, 1)[:, : x.shape[1] * n_rep],
        True,
        "leaves some heads full of zeros",
        "a comparison of every head",
    ),
    Patient(
        folded(along(3)),
        True,
        "has the right shape and repeats features",
        "an x whose features differ",
    ),
    Patient(
        lambda x, n_rep: right(x, n_rep) + 0.01,
        True,
        "changes every number a little",
        "a comparison of the numbers and not of their order",
    ),
    Patient(along(2), True, "returns another shape", "a look at the shape before the numbers"),
)
RIGHT = (
    Patient(right, False, "right repeats"),
    Patient(
        lambda x, n_rep: right(x, n_rep).mT.contiguous().mT,
        False,
        "right repeats whose result isn't contiguous in memory",
    ),
    Patient(
        lambda x, n_rep: x if n_rep == 1 else along(1)(x, n_rep),
        False,
        "right repeats that hand x itself back when n_rep = 1",
    ),
)


@cache
def patients() -> tuple[Patient, ...]:
    """All of them, in a fixed mixed order."""
    return (FAULTY[0], RIGHT[0], *FAULTY[1:4], RIGHT[1], *FAULTY[4:], RIGHT[2])


def meet(repeat: Callable[[Tensor, int], Tensor]) -> Callable[..., Any]:
    """A candidate of its own for each call, whose name tells nothing."""

    def candidate(x: Tensor, n_rep: int) -> Tensor:
        return repeat(torch.as_tensor(x), n_rep)

    return candidate


CLINIC = Clinic(
    lesson="06_gqa_merge",
    exercise="clinic_repeat",
    things="repeats",
    call="candidate(x, n_rep)",
    patients=patients,
    meet=meet,
)
