"""The exercise `project_qkv`: its inputs, its target, and what is said of a wrong result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from manyheads.check.exercise import Case, Cause, Exercise, Trial
from manyheads.check.project import axes, orders, products, signs, values
from manyheads.check.project.slots import Matrices, Slot, by_slots, by_wholes
from manyheads.check.views import by_kind, by_sizes, matches, report, wrong_views

SLOTS = (*products.SLOTS, *values.SLOTS, *axes.SLOTS)
CAUSES = (*orders.CAUSES, *(slot.cause for slot in SLOTS), *signs.OTHERS)


def numbers(sizes: tuple[int, ...], seed: int, part: int = 1) -> Tensor:
    """Whole numbers from -4 to 4, divided by `part`, always the same for one seed; float32."""
    drawn = np.random.default_rng(seed).integers(-4, 5, sizes) / part
    return torch.from_numpy(drawn.astype(np.float32))


def target(x: Tensor, *matrices: Tensor) -> tuple[Tensor, ...]:
    """Entry (b, t, e) of a view is the sum over d of x[b, t, d] * W[d, e].

    >>> target(torch.ones(1, 1, 2), torch.tensor([[1.0, 2.0], [0.0, 1.0]]))[0].tolist()
    [[[1.0, 3.0]]]
    """
    sums = (np.einsum("btd,de->bte", x.double().numpy(), W.double().numpy()) for W in matrices)
    return tuple(torch.from_numpy(product) for product in sums)


def _case(
    sizes: tuple[int, int, int],
    widths: tuple[int, int, int],
    seed: int = 1,
    part: int = 1,
    fragile: bool = False,
) -> Case:
    def make() -> dict[str, Any]:
        W = {
            name: numbers((sizes[2], width), 10 * seed + n, part)
            for n, (name, width) in enumerate(zip(("Wq", "Wk", "Wv"), widths, strict=True))
        }
        x = numbers(sizes, sizes[0] + sizes[1], part)
        return {"x": x.mT.contiguous().mT if fragile else x, **W}

    rows = ", ".join(f"[{sizes[2]}, {width}]" for width in widths)
    aside = " (x not contiguous in memory)" if fragile else ""
    return Case(f"x {list(sizes)} and matrices {rows}{aside}", make, fragile)


FIRST, AGAIN = _case((2, 5, 12), (12, 12, 12)), _case((2, 5, 12), (12, 12, 12), seed=2)
CASES = (
    FIRST,
    _case((3, 7, 10), (24, 12, 8), part=7),
    _case((1, 5, 12), (8, 4, 6)),
    _case((2, 1, 12), (12, 12, 12)),
    _case((2, 5, 12), (8, 2, 2)),
    AGAIN,
    _case((2, 6, 8), (8, 4, 4), fragile=True),
)


def recogniser(
    setting: Callable[[Mapping[str, Any]], tuple[Tensor, Matrices]],
    wholes: Sequence[Cause],
    slots: Sequence[Slot],
    again: Case,
) -> Callable[[Sequence[Trial]], Cause | None]:
    """Build an exercise's `recognise`: by kind, by the whole result, by view, by what differs.

    `again` is the case whose x is that of the first case, with other matrices.
    """

    def recognise(trials: Sequence[Trial]) -> Cause | None:
        wrong = wrong_views(trials)
        found = by_wholes(wholes, trials) or by_kind(trials) or by_sizes(trials)
        if found or not wrong:
            return found
        second = next(trial for trial in trials if trial.case is again)
        return (
            by_slots(slots, trials, setting, wrong)
            or signs.by_signs(trials, wrong)
            or (signs.IGNORES if signs.ignores_matrices(trials[0], second, wrong) else None)
        )

    return recognise


def _setting(args: Mapping[str, Any]) -> tuple[Tensor, Matrices]:
    x, *matrices = args.values()
    return x, tuple(matrices)


def _picture(trial: Trial) -> Any:
    from manyheads.check.project.picture import views_picture

    return views_picture(trial)


EXERCISE = Exercise(
    lesson="01_qkv_projections",
    name="project_qkv",
    arguments=4,
    returns="three tensors, q, k and v",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=report,
    probe="take the first wrong number. Which features of x and which column of W should make it?",
    passed="Compared: shape and value of q, k and v on 7 inputs (square matrices, three different "
    "widths, fractions, B=1, T=1, x not contiguous); inputs left as they were; called twice.",
    matches=matches,
    recognise=recogniser(_setting, orders.CAUSES, SLOTS, AGAIN),
    picture=_picture,
)
