"""All misconceptions about multi-head attention, in the order in which they are tried.

PAIRS are two frequent mistakes of different steps, made together.
"""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import combinations

from manyheads.check.exercise import Cause
from manyheads.check.mha import joining, masking, mixing, projecting, scoring, sizes, splitting
from manyheads.check.mha.steps import RIGHT, Steps

CAUSES = (
    *splitting.CAUSES,
    *scoring.CAUSES,
    *masking.CAUSES,
    *mixing.CAUSES,
    *joining.CAUSES,
    *projecting.CAUSES,
    *sizes.CAUSES,
)
FREQUENT = (
    "projections-swapped",
    "split-by-view",
    "split-interleaved",
    "no-scale",
    "divides-by-dh",
    "scale-by-model-width",
    "no-mask",
    "mask-not-minus-infinity",
    "masked-after-softmax",
    "softmax-over-queries",
    "merged-without-transpose",
    "merged-interleaved",
    "merged-heads-reordered",
    "transposed-wo",
    "no-wo",
    "adds-residual",
)


def _pair(one: Cause, other: Cause) -> Cause | None:
    """Both mistakes together, in their first spelling; None if they need the same step."""
    first, second = one.variants[0], other.variants[0]
    if not isinstance(first, Steps) or not isinstance(second, Steps):
        return None
    changed = [_changes(steps) for steps in (first, second)]
    if set(changed[0]) & set(changed[1]):
        return None
    both = replace(first, **{name: getattr(second, name) for name in changed[1]})
    says = f"Two things at once. {one.says} And: {other.says}"
    return Cause(f"{one.id}+{other.id}", says, one.probe, (both,))


def _changes(steps: Steps) -> list[str]:
    """Names of the steps that differ from the right ones."""
    names = (field.name for field in fields(steps))
    return [name for name in names if getattr(steps, name) is not getattr(RIGHT, name)]


BY_ID = {cause.id: cause for cause in CAUSES}
PAIRS = tuple(
    pair
    for one, other in combinations(FREQUENT, 2)
    if (pair := _pair(BY_ID[one], BY_ID[other])) is not None
)
