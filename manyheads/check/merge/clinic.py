"""The bug clinic of lesson 05: faulty and right versions of `merge_heads` for find_bug to judge."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from manyheads.check.clinic import Clinic, Patient
from manyheads.check.merge.orders import rejoin
from manyheads.check.merge.values import beside


def _as(read: str, give: str) -> Callable[[Tensor], Tensor]:
    return lambda context: rejoin(context, read, give)


FAULTY = (
    Patient(
        _as("BHTD", "BHTD"),
        True,
        "has the right shape, and its rows take several tokens of one head",
        "a context whose every number is different, with T > 1",
    ),
    Patient(
        _as("BHTD", "BTDH"),
        True,
        "keeps the tokens and interleaves the features of the heads",
        "heads that differ, with H > 1 and Dh > 1",
    ),
    Patient(
        _as("BHTD", "BHDT"),
        True,
        "has the right shape, and swaps tokens with features instead of heads",
        "a context whose every number is different",
    ),
    Patient(
        _as("HBTD", "BTHD"),
        True,
        "has the right shape, and one sample holds numbers of another",
        "a batch of two samples that differ",
    ),
    Patient(
        lambda context: beside(context.flip(1)),
        True,
        "joins the heads from the last to the first",
        "heads that differ",
    ),
    Patient(
        lambda context: beside(context.roll(1, 2)),
        True,
        "moves every token one row down",
        "tokens that differ",
    ),
    Patient(
        lambda context: beside(context[:1].expand_as(context)),
        True,
        "gives every sample the first one's numbers",
        "a batch of two samples that differ",
    ),
    Patient(
        lambda context: beside(context.mean(1, keepdim=True).expand_as(context)),
        True,
        "averages the heads and repeats the average",
        "heads that differ",
    ),
    Patient(
        lambda context: context.sum(1),
        True,
        "returns another width",
        "a look at the shape before the numbers",
    ),
    Patient(
        lambda context: beside(context) + 0.01,
        True,
        "changes every number a little",
        "a comparison of the numbers and not of their order",
    ),
)
RIGHT = (
    Patient(beside, False, "a right merge"),
    Patient(
        lambda context: beside(context).mT.contiguous().mT,
        False,
        "a right merge whose result isn't contiguous in memory",
    ),
    Patient(
        lambda context: beside(context.clone()),
        False,
        "a right merge that works on a copy",
    ),
)


@cache
def patients() -> tuple[Patient, ...]:
    """All of them, in a fixed mixed order."""
    return (FAULTY[0], RIGHT[0], *FAULTY[1:4], RIGHT[1], *FAULTY[4:], RIGHT[2])


def meet(merge: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    """A candidate of its own for each call, whose name tells nothing."""

    def candidate(context: Tensor) -> Tensor:
        return merge(torch.as_tensor(context))

    return candidate


CLINIC = Clinic(
    lesson="05_concat_and_wo",
    exercise="clinic_merge",
    things="merges",
    call="candidate(context)",
    patients=patients,
    meet=meet,
)
