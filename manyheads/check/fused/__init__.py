"""The exercise `split_fused_qkv`: its inputs, its target, and what is said of a wrong result."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from manyheads.check import views
from manyheads.check.engine import Array
from manyheads.check.exercise import Case, Exercise, Trial
from manyheads.check.fused import layouts, widths
from manyheads.check.fused.refusals import accepted, remarks
from manyheads.check.project import SLOTS, numbers, recogniser, signs
from manyheads.check.project import target as project
from manyheads.check.project.slots import Matrices
from manyheads.check.views import LEAST, NAMES, matches, near, three
from manyheads.check.words import numbered

WHOLES = (*layouts.CAUSES, *widths.CAUSES)
THREE_MATRICES = {"transposed", "wrong-matrix", "unprojected", "chained", "adds-x", "elementwise"}
VIEWS = tuple(slot for slot in SLOTS if slot.cause.id not in THREE_MATRICES)  # here there is one
CAUSES = tuple(
    {
        cause.id: cause for cause in (*signs.OTHERS, *(slot.cause for slot in VIEWS), *WHOLES)
    }.values()
)


def blocks(Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Matrices:
    """The columns of Wqkv that belong to Q, to K and to V.

    >>> [block.shape[1] for block in blocks(numbers((5, 12), 1), 4, 1, 2)]
    [8, 2, 2]
    """
    ends = list(accumulate([H * Dh, Hkv * Dh, Hkv * Dh]))
    return tuple(Wqkv[:, start:end] for start, end in zip([0, *ends], ends, strict=False))


def target(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> tuple[Tensor, ...]:
    """Each block's projection, entry by entry.

    >>> [view.shape[-1] for view in target(numbers((1, 1, 5), 1), numbers((5, 12), 2), 4, 1, 2)]
    [8, 2, 2]
    """
    return project(x, *blocks(Wqkv, H, Hkv, Dh))


def _case(
    sizes: tuple[int, int, int],
    heads: tuple[int, int, int],
    seed: int = 1,
    part: int = 1,
    fragile: bool = False,
    width: int | None = None,
) -> Case:
    H, Hkv, Dh = heads
    columns = (H + 2 * Hkv) * Dh if width is None else width

    def make() -> dict[str, Any]:
        x = numbers(sizes, sizes[0] + sizes[1], part)
        return {
            "x": x.mT.contiguous().mT if fragile else x,
            "Wqkv": numbers((sizes[2], columns), 10 * seed, part),
            "n_heads": H,
            "n_kv_heads": Hkv,
            "head_dim": Dh,
        }

    aside = " (x not contiguous in memory)" if fragile else ""
    says = f"x {list(sizes)}, Wqkv [{sizes[2]}, {columns}], H={H}, Hkv={Hkv}, Dh={Dh}{aside}"
    return Case(says, make, fragile)


FIRST, AGAIN = _case((2, 5, 12), (4, 1, 2)), _case((2, 5, 12), (4, 1, 2), seed=2)
CASES = (
    FIRST,
    _case((3, 7, 10), (6, 3, 4), part=7),
    _case((1, 5, 12), (4, 2, 3)),
    _case((2, 1, 12), (5, 1, 2)),
    _case((2, 5, 8), (3, 3, 2)),
    _case((2, 5, 12), (1, 1, 4)),
    AGAIN,
    _case((2, 6, 8), (4, 2, 2), fragile=True),
)
REFUSED = tuple(_case((2, 5, 12), (4, 1, 2), width=width) for width in (24, 13, 11, 6))


def columns(array: Array, product: Array) -> NDArray[np.int64]:
    """For each feature of `array` [B, T, n] the column of `product` that it equals, else -1.

    >>> y = np.arange(12.0).reshape(1, 2, 6)
    >>> columns(y[..., 4:1:-1], y).tolist()
    [4, 3, 2]
    """
    equal = np.isclose(array[..., :, None], product[..., None, :], LEAST, LEAST)
    found: NDArray[np.bool_] = np.all(equal, axis=(0, 1))  # [n, columns]
    return np.where(np.any(found, axis=1), np.argmax(found, axis=1), -1)


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """As for any three views; where columns are recognised, the sentence speaks of them."""
    headline, lines = views.report(trial)
    if not three(trial) or any(p.array is None or p.array.ndim != 3 for p in trial.got.parts):
        return headline, lines
    x, Wqkv, *_ = trial.case.make().values()
    product = project(x, Wqkv)[0].numpy()
    told = []
    for name, got, want in zip(NAMES, trial.got.parts, trial.want.parts, strict=True):
        if got.array is None or want.array is None or near(got, want):
            continue
        if got.array.shape[:2] != product.shape[:2]:
            return headline, lines
        mine, yours = columns(got.array, product), columns(want.array, product)
        if (mine < 0).any() or not mine.size:
            return headline, lines
        told.append(f"{name} should hold {_spoken(yours)}, yours holds {_spoken(mine)}")
    return headline, (f"Called with {trial.case.says}. Of x @ Wqkv, {'; '.join(told)}.", *lines[1:])


def _spoken(found: NDArray[np.int64]) -> str:
    return numbered("column", [int(c) for c in found])


def _setting(args: Mapping[str, Any]) -> tuple[Tensor, Matrices]:
    x, *rest = args.values()
    return x, blocks(*rest)


def _picture(trial: Trial) -> Any:
    from manyheads.check.fused.picture import columns_picture

    return columns_picture(trial)


EXERCISE = Exercise(
    lesson="01_qkv_projections",
    name="split_fused_qkv",
    arguments=5,
    returns="three tensors, q, k and v",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=report,
    probe="give x one feature, 1, and Wqkv the row 0, 1, 2, ...: each result then names its "
    "columns. Which ones do you see in k?",
    passed="Compared: shape and value of q, k and v on 8 inputs (K and V narrower than Q, as wide, "
    "H*Dh other than D, fractions, B=1, T=1, H=1, x not contiguous); inputs left as they were; "
    "called twice; widths that don't add up refused.",
    matches=matches,
    recognise=recogniser(_setting, WHOLES, VIEWS, AGAIN),
    refused=REFUSED,
    accepted=accepted,
    remarks=remarks,
    picture=_picture,
)
