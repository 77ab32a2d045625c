"""The exercise `rotate_qk`: its inputs, its target, and what is said of a wrong result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from manyheads.check import kinds
from manyheads.check.engine import Outcome, same
from manyheads.check.exercise import Case, Exercise, Trial
from manyheads.check.rotate.atoms import UNKNOWN, bits_equal, contents
from manyheads.check.rotate.causes import CAUSES
from manyheads.check.rotate.results import recognise, recognise_late
from manyheads.check.rotate.ropes import Rope, bend, guarded, stretch, turn
from manyheads.check.words import series, shape

NAMES = ("q'", "k'", "v")


def target(q: Tensor, k: Tensor, v: Tensor, rope: Rope) -> tuple[Tensor, ...]:
    """Q and k [B, heads, T, Dh] through `rope`, v as it came.

    >>> target(torch.zeros(2), torch.zeros(2), torch.zeros(2), lambda x: x + 1)[1].tolist()
    [1.0, 1.0]
    """
    turned = [rope(heads) for heads in (q, k)]
    return (*turned, v)


def numbers(sizes: tuple[int, ...], seed: int) -> Tensor:
    """Numbers of both signs, each different, always the same for one seed; float32."""
    drawn = np.random.default_rng(seed).standard_normal(sizes)
    return torch.from_numpy(drawn.astype(np.float32))


def values(sizes: tuple[int, ...], seed: int) -> Tensor:
    """The same, with a -0.0 in front: adding 0.0 to it changes its sign bit."""
    drawn = numbers(sizes, seed)
    drawn.view(-1)[0] = -0.0
    return drawn


def _case(
    sizes: tuple[int, int, int, int, int], rope: Rope, spread: bool = False, fragile: bool = False
) -> Case:
    B, H, Hkv, T, Dh = sizes
    q_shape, k_shape = (B, H, T, Dh), (B, Hkv, T, Dh)

    def make() -> dict[str, Any]:
        given = (numbers(q_shape, 1), numbers(k_shape, 2), values(k_shape, 3))
        q, k, v = (x.mT.contiguous().mT if spread else x for x in given)
        return {"q": q, "k": k, "v": v, "rope": guarded(rope)}

    aside = " (not contiguous in memory)" if spread else ""
    return Case(f"q {list(q_shape)}, k and v {list(k_shape)}{aside}", make, fragile)


CASES = (
    _case((2, 6, 3, 5, 4), turn),
    _case((3, 4, 4, 7, 8), stretch),
    _case((2, 6, 3, 5, 4), bend),
    _case((1, 3, 1, 5, 4), stretch),
    _case((2, 6, 3, 1, 4), stretch),
    _case((2, 1, 1, 5, 4), turn),
    _case((2, 4, 2, 6, 8), turn, spread=True, fragile=True),
)


def matches(got: Outcome, want: Outcome) -> bool:
    """Three tensors in a tuple or a list; the first two by value, v bit for bit."""
    if got.kind not in ("tuple", "list") or len(got.parts) != 3:
        return False
    near = all(same(*pair) for pair in zip(got.parts[:2], want.parts[:2], strict=True))
    return near and bits_equal(got.parts[2], want.parts[2])


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """A headline, the first wrong result as a sentence, and what is right."""
    got, called = trial.got, f"Called with {trial.case.says}"
    if got.array is not None:
        headline = "returned one tensor; this exercise asks for three, q', k' and v"
        return headline, (f"{called}, it returned one tensor {shape(got.array.shape)}.", "")
    if len(got.parts) != 3:
        headline = f"returned {len(got.parts)} values; this exercise asks for q', k' and v"
        return headline, (f"{called}, it returned {kinds.contents(got)}.", "")
    wrong = [i for i in range(3) if not _right(i, trial)]
    right = [NAMES[i] for i in range(3) if i not in wrong]
    verb = "is" if len(right) == 1 else "are"
    good = f"{series(right)} {verb} right; " if right else ""
    bad = series([NAMES[i] for i in wrong])
    headline = f"{good}{bad} {'is' if len(wrong) == 1 else 'are'} not"
    holds = contents(got, tuple(trial.case.make().values()))
    told = [f"{NAMES[i]} holds {_held(i, holds[i], trial)}" for i in wrong]
    first = f"{called}: {series(told)}."
    return headline, (first, _where(wrong[0], trial))


def _right(i: int, trial: Trial) -> bool:
    compare: Callable[[Outcome, Outcome], bool] = bits_equal if i == 2 else same
    return compare(trial.got.parts[i], trial.want.parts[i])


def _held(i: int, name: str, trial: Trial) -> str:
    got, want = trial.got.parts[i], trial.want.parts[i]
    if i == 2 and name == "v":
        if got.typename != want.typename:
            return f"v's numbers as {got.typename}, not {want.typename}"
        return "v's numbers, but not its very bits"
    if name == UNKNOWN and got.shape != want.shape and got.shape is not None:
        return f"something of shape {shape(got.shape)}"
    return {"zeros": "zeros"}.get(name, name)


def _where(i: int, trial: Trial) -> str:
    """The first wrong coordinate, and which heads and tokens of a result are right."""
    got, want = trial.got.parts[i], trial.want.parts[i]
    if got.array is None or want.array is None or got.shape != want.shape:
        asked = shape(want.shape or ())
        return f"{NAMES[i]} should be one tensor of shape {asked}."
    off = ~np.isclose(got.array, want.array, 1e-5, 1e-5, equal_nan=True)
    if not off.any():
        off = np.signbit(got.array) != np.signbit(want.array)
    if not off.any():
        return "The numbers are close; bit for bit they are not the same."
    place = [int(n) for n in np.argwhere(off)[0]]
    at = tuple(place)
    rows = ~off.any(axis=-1)
    return (
        f"First difference: {NAMES[i]}{place} should be {want.array[at]:.4g}; yours is "
        f"{got.array[at]:.4g}. {int(rows.sum())} of {rows.size} rows {NAMES[i]}[b, h, t] are right."
    )


def _picture(trial: Trial) -> Any:
    from manyheads.check.pictures import rotate_picture

    return rotate_picture(trial)


EXERCISE = Exercise(
    lesson="02_head_split",
    name="rotate_qk",
    arguments=4,
    returns="three tensors, q', k' and v",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=report,
    probe="compare each of your three results with q, k and v, one by one: which are equal?",
    passed="Compared: q' and k' by value, v bit for bit, with three different functions for rope, "
    "on 7 inputs (fewer heads in k and v, as many, one; B=1, T=1, not contiguous); inputs left "
    "as they were; called twice.",
    matches=matches,
    recognise=recognise,
    recognise_late=recognise_late,
    picture=_picture,
)
