"""The exercise `repeat_kv`: its inputs, its target, and what is said of a wrong result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from manyheads.check.coded import coded, owners, shifted
from manyheads.check.engine import Array, Outcome, rounded
from manyheads.check.exercise import Case, Exercise, Trial
from manyheads.check.repeat.causes import CAUSES, recognise
from manyheads.check.repeat.late import recognise_late, whole_heads
from manyheads.check.words import numbered, series, shape

ORDER = "[B, H, T, Dh]"


def target(x: Tensor, n_rep: int) -> Tensor:
    """[B, Hkv, T, Dh] -> [B, Hkv * n_rep, T, Dh]: head h is looked up at h // n_rep.

    >>> target(torch.arange(3.0).view(1, 3, 1, 1), 2).flatten().tolist()
    [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    """
    heads = np.arange(x.shape[1] * n_rep) // n_rep
    return x.index_select(1, torch.from_numpy(heads))


def _case(
    sizes: tuple[int, int, int, int], n_rep: int, make: Any = coded, spread: bool = False
) -> Case:
    """sizes: B, Hkv, T, Dh; the number at [b, g, t, d] is 1000b + 100t + 10g + d."""
    B, Hkv, T, Dh = sizes

    def arguments() -> dict[str, Any]:
        token_major = make((B, T, Hkv * Dh), Hkv).view(B, T, Hkv, Dh)
        x = token_major.transpose(1, 2)
        return {"x": x if spread else x.contiguous(), "n_rep": n_rep}

    aside = " (x not contiguous in memory)" if spread else ""
    return Case(f"x {list(sizes)}, n_rep={n_rep}{aside}", arguments, fragile=spread)


CASES = (
    _case((2, 3, 5, 4), 2),
    _case((3, 2, 7, 6), 4, shifted),
    _case((2, 4, 3, 5), 3, shifted),
    _case((2, 2, 5, 3), 2),
    _case((2, 3, 5, 4), 1),
    _case((2, 1, 5, 4), 3),
    _case((1, 3, 5, 4), 2),
    _case((2, 3, 1, 4), 2),
    _case((2, 3, 5, 1), 2),
    _case((2, 1, 5, 4), 1),
    _case((2, 3, 5, 4), 2, spread=True),
)


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """A headline, which heads are copies of which, and what is right."""
    got, want = trial.got, trial.want
    if got.array is None or want.array is None:
        return f"returned {got.kind}", (f"Called with {trial.case.says}.",)
    if got.shape != want.shape:
        return _shape_report(trial, got.array, want.array)
    headline = f"the shape is right, {shape(want.array.shape)}; the owners are not"
    x = trial.case.make()["x"].double().numpy()
    theirs, ours = (owners(x, rows, got.typename) for rows in (got.array, _as(want, got)))
    wrong = (theirs != ours).any(axis=(-1, -2))  # [B, H, T]
    copies = whole_heads(theirs, ours)
    if copies:
        told = f"Your heads are copies of K/V heads {', '.join(map(str, copies))}."
        right = [h for h in range(len(copies)) if not wrong[:, h].any()]
        return headline, (told, _right_heads(right, len(copies)))
    b, h, t = (int(i) for i in np.argwhere(wrong)[0])
    first = (
        f"out[{b}, {h}, {t}] should hold token {t} of K/V head {int(ours[b, h, t, 0, 1])}. "
        f"Yours holds {_held(theirs[b, h, t], b)}."
    )
    return headline, (first, f"{int((~wrong).sum())} of {wrong.size} rows out[b, h, t] are right.")


def _as(want: Outcome, got: Outcome) -> Array:
    return rounded(want.array, got.typename) if want.array is not None else np.zeros(0)


def _right_heads(right: Sequence[int], total: int) -> str:
    if not right:
        return "None of them is the one that its query head reads."
    return f"{len(right)} of {total} are right: {numbered('head', right)}."


def _held(places: Any, home: int) -> str:
    """Where the numbers of one row came from; places [Dh, 4] are b, g, t, d."""
    if (places < 0).any():
        return "numbers that occur nowhere in x"
    samples, heads, tokens, _ = (sorted({int(i) for i in column}) for column in places.T)
    of = "" if samples == [home] else f" of {numbered('sample', samples)}"
    return f"{numbered('token', tokens)} of {numbered('K/V head', heads)}{of}"


def _shape_report(trial: Trial, got: Array, want: Array) -> tuple[str, tuple[str, ...]]:
    headline = f"the shape is {shape(got.shape)}; this exercise asks for {shape(want.shape)}"
    called = f"Called with {trial.case.says}"
    if got.ndim != 4:
        axes = "1 axis" if got.ndim == 1 else f"{got.ndim} axes"
        return headline, (f"{called}, the result has {axes}; {ORDER} has 4.", "")
    off = [i for i in range(4) if got.shape[i] != want.shape[i]]
    names = ("B", "H = Hkv * n_rep", "T", "Dh")
    told = [
        f"axis {i} should be {names[i]} = {want.shape[i]}, yours is {got.shape[i]}" for i in off
    ]
    return headline, (f"{called}: {series(told)}.", "")


def _picture(trial: Trial) -> Any:
    from manyheads.check.repeat.picture import repeat_picture

    return repeat_picture(trial)


EXERCISE = Exercise(
    lesson="06_gqa_merge",
    name="repeat_kv",
    arguments=2,
    returns=f"one tensor {ORDER}",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=report,
    probe="take one wrong number of your result. Which token of which K/V head is it?",
    passed="Compared: shape and the owner of every number, on 11 inputs (n_rep more and less than "
    "Hkv, the same, 1; Hkv=1, B=1, T=1, Dh=1, x not contiguous); x left as it was; called twice.",
    recognise=recognise,
    recognise_late=recognise_late,
    picture=_picture,
)
__all__ = ["CASES", "EXERCISE", "report", "target"]
