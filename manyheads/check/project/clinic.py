"""The bug clinic of the projections: can `find_bug` tell faulty versions from right ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from manyheads.check.clinic import Clinic, Patient

Views = Callable[..., Any]


def _each(view: Callable[[Tensor, Tensor], Tensor]) -> Views:
    return lambda x, Wq, Wk, Wv: tuple(view(x, W) for W in (Wq, Wk, Wv))


def _product(x: Tensor, W: Tensor) -> Tensor:
    return torch.einsum("btd,de->bte", x, W)


def _turned(x: Tensor, W: Tensor) -> Tensor:
    return torch.einsum("btd,ed->bte", x, W)


FAULTY = (
    Patient(
        _each(_turned),
        True,
        "multiplies by every matrix transposed",
        "square matrices that are not symmetric, with the values compared",
    ),
    Patient(
        lambda x, Wq, Wk, Wv: (_product(x, Wq), _turned(x, Wk), _product(x, Wv)),
        True,
        "transposes Wk alone",
        "a Wk that is square and not symmetric, with k looked at as well",
    ),
    Patient(
        lambda x, Wq, Wk, Wv: _each(_product)(x, Wq, Wv, Wk),
        True,
        "returns q, v, k",
        "three different matrices, with all three results compared",
    ),
    Patient(
        lambda x, Wq, Wk, _: _each(_product)(x, Wq, Wk, Wk),
        True,
        "makes v with Wk",
        "a Wv that differs from Wk, with v looked at as well",
    ),
    Patient(
        _each(lambda x, W: _product(x.roll(1, 1), W)),
        True,
        "gives each token the row of the token before it",
        "an x whose tokens differ, with T > 1",
    ),
    Patient(
        _each(lambda x, W: _product(x[:1].expand_as(x), W)),
        True,
        "gives every sample the rows of sample 0",
        "an x whose samples differ, with B > 1",
    ),
    Patient(
        _each(lambda x, W: _product(x, W).clamp(min=0)),
        True,
        "turns negative numbers into zeros",
        "numbers of both signs",
    ),
    Patient(
        _each(lambda x, W: _product(x, W) + 1),
        True,
        "adds 1 to every number",
        "a comparison of values, with an expectation of your own",
    ),
)
RIGHT = (
    Patient(_each(_product), False, "a right version"),
    Patient(
        _each(lambda x, W: (W.mT @ x.mT).mT), False, "a right version, not contiguous in memory"
    ),
    Patient(
        lambda x, Wq, Wk, Wv: [_product(x, W).clone() for W in (Wq, Wk, Wv)],
        False,
        "a right version that returns a list",
    ),
)


def patients() -> tuple[Patient, ...]:
    """All of them, in a fixed mixed order."""
    return (FAULTY[0], RIGHT[0], *FAULTY[1:4], RIGHT[1], *FAULTY[4:], RIGHT[2])


def meet(views: Views) -> Views:
    """A candidate of its own for each call, whose name tells nothing."""

    def candidate(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor) -> Any:
        return views(x, Wq, Wk, Wv)

    return candidate


CLINIC = Clinic(
    lesson="01_qkv_projections",
    exercise="clinic_transpose",
    things="versions",
    call="candidate(x, Wq, Wk, Wv)",
    patients=patients,
    meet=meet,
)
