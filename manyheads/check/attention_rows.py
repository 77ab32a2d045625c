"""What the numbers of an attention's result tell: which rows and heads are right, and what isn't.

Where the result is wider than the merged heads, it is taken back through W_O, so that each head's
context can be looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from manyheads.check.engine import Array, Outcome
from manyheads.check.exercise import Cause, Trial
from manyheads.check.words import numbered, series, shape

RTOL, ATOL = 1e-3, 1e-4  # the hidden tests' own
LOW_PRECISION = Cause(
    "low-precision",
    "Every number is nearly right: something was rounded on the way, as float16 and bfloat16 do.",
    "print the dtype of each of your tensors, from x to the result.",
)


LATE = {
    "outside": Cause(
        "outside-w-o",
        "No mixture of W_O's rows gives your result, so something is done after W_O, or W_O is not "
        "used as merged @ Wo.",
        "what does your function do with the merged rows, step by step, up to the return?",
    ),
    "not-numbers": Cause(
        "not-numbers",
        "Some numbers are nan: a row with every key hidden, 0/0, or inf - inf.",
        "after which line do you find the first nan? Look at row 0 and at the last row.",
    ),
    "scores": Cause(
        "scores-differ",
        "Row 0 sees itself alone, so the values, their heads, the merge and W_O are right. "
        "What differs is in the scores: Q, K, the scale or the mask.",
        "compute q @ k.T by hand for row 1 of head 0, and compare the scores before your softmax.",
    ),
    "mask": Cause(
        "mask-differs",
        "Only the last row is right, and it may see every token, mask or no mask. So the mask "
        "comes into question.",
        "which weights are 0 in row 0, and which should be?",
    ),
    "heads": Cause(
        "some-heads-differ",
        "Some heads are right in every row, so the scale, the mask and W_O are. The others read, "
        "or are merged from, the wrong place.",
        "which columns of the matrices does the first wrong head use?",
    ),
    "places": Cause(
        "merge-differs",
        "Every row of every head is there, at another place: attention is right, the merge isn't.",
        "which head and token stand first in your merged row 1?",
    ),
}


def recognise_late(trials: Sequence[Trial], heads: int) -> Cause | None:
    """The stage that comes into question, where no known mistake gives the result.

    heads: H of the first case that went wrong
    """
    trial = next(trial for trial in trials if not trial.right)
    got, want = trial.got.array, trial.want.array
    if got is None or want is None or got.shape != want.shape:
        return None
    if np.isnan(got).any():
        return LATE["not-numbers"]
    Wo = trial.case.make()["Wo"].double().numpy()
    yours, ours = (contexts(array, Wo, heads) for array in (got, want))
    if ours is None:
        return None
    return LATE.get("outside" if yours is None else _stage(yours, ours))


def near(got: Outcome, want: Outcome, rtol: float = RTOL, atol: float = ATOL) -> bool:
    """Whether two results are tensors of one shape with numbers as close as grading asks for."""
    if got.kind != "tensor" or got.array is None or want.array is None:
        return False
    return got.shape == want.shape and bool(np.allclose(got.array, want.array, rtol, atol))


def nearly(trials: Sequence[Trial]) -> bool:
    """Whether every result is right to one part in twenty, though not to what grading asks for."""
    return all(near(trial.got, trial.want, 0.05, 0.05) for trial in trials)


def report(trial: Trial, heads: int) -> tuple[str, tuple[str, ...]]:
    """A headline, what is right, and the stage that comes into question.

    trial: its case has the arguments x and Wo; heads: H
    """
    got, want = trial.got, trial.want
    if got.array is None or want.array is None:
        return f"returned {got.kind}", (f"Called with {trial.case.says}.",)
    if got.shape != want.shape:
        return _shape_report(trial, got.array, want.array)
    headline = f"the shape is right, {shape(want.array.shape)}; the numbers are not"
    Wo = trial.case.make()["Wo"].double().numpy()
    yours, ours = (contexts(array, Wo, heads) for array in (got.array, want.array))
    if yours is not None and ours is not None:
        return headline, _head_lines(yours, ours)
    tokens = _token_line(_same(got.array, want.array).all(-1))
    if ours is not None and not np.isnan(got.array).any():
        return headline, (tokens, LATE["outside"].says)
    return headline, (tokens, "")


def contexts(result: Array, Wo: Array, heads: int) -> Array | None:
    """Each head's context [B, H, T, Dh] that W_O turned into `result`; None if it can't be told.

    That takes a W_O wider than high, and a result that is a mixture of its rows.

    >>> Wo = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]])
    >>> contexts(np.array([[[1.0, 1.0, 5.0]]]), Wo, 2).tolist()
    [[[[1.0]], [[1.0]]]]
    """
    if Wo.shape[1] <= Wo.shape[0] or not np.isfinite(result).all():
        return None
    merged: Array = result @ np.linalg.pinv(Wo)  # [B, T, H*Dh]
    if not np.allclose(merged @ Wo, result, 1e-3, 1e-3):
        return None
    B, T, width = merged.shape
    by_head = merged.reshape(B, T, heads, width // heads).round(6)
    return by_head.swapaxes(1, 2)


def _same(yours: Array, ours: Array) -> Any:
    return np.isclose(yours, ours, RTOL, 1e-3)


def _head_lines(yours: Array, ours: Array) -> tuple[str, str]:
    right = _same(yours, ours).all(-1)  # [B, H, T]
    whole = [
        numbered(noun, [int(i) for i in np.flatnonzero(right.all(axis=axes))])
        for noun, axes in (("sample", (1, 2)), ("head", (0, 2)), ("row", (0, 1)))
        if right.all(axis=axes).any()
    ]
    told = f" Right throughout: {series(whole)}." if whole else ""
    count = f"{int(right.sum())} of {right.size} rows context[b, h, t] are right."
    stage = LATE.get(_stage(yours, ours))
    first = "Row 0 comes first: there every weight is 1, and only values, merge and W_O take part."
    return f"Taken back through W_O, {count}{told}", stage.says if stage else first


def _stage(yours: Array, ours: Array) -> str:
    """The stage that comes into question, by its name in LATE; empty where none stands out."""
    right = _same(yours, ours).all(-1)  # [B, H, T]
    rows, heads = right.all(axis=(0, 1)), right.all(axis=(0, 2))
    if rows[0] and not rows[1:].all():
        return "scores"
    if rows[-1] and not rows[0]:
        return "mask"
    if heads.any():
        return "heads"
    return "places" if _elsewhere(yours, ours) else ""


def _elsewhere(yours: Array, ours: Array) -> bool:
    """Whether every row of the result is some row of the target."""
    mine, target = yours.reshape(-1, yours.shape[-1]), ours.reshape(-1, ours.shape[-1])
    return bool(_same(mine[:, None], target[None]).all(-1).any(-1).all())


def _token_line(right: Any) -> str:
    rows = [int(t) for t in np.flatnonzero(right.all(axis=0))]
    samples = [int(b) for b in np.flatnonzero(right.all(axis=1))]
    whole = [numbered(noun, n) for noun, n in (("sample", samples), ("token", rows)) if n]
    told = f" Right throughout: {series(whole)}." if whole else ""
    return f"{int(right.sum())} of {right.size} rows out[b, t] are right.{told}"


def _shape_report(trial: Trial, got: Array, want: Array) -> tuple[str, tuple[str, ...]]:
    headline = f"the shape is {shape(got.shape)}; this exercise asks for {shape(want.shape)}"
    first = f"Called with {trial.case.says}, the residual's shape [B, T, D] comes back."
    if got.ndim != want.ndim:
        return headline, (first, f"Yours has {got.ndim} axes, not {want.ndim}.")
    axis = next(i for i in range(want.ndim) if got.shape[i] != want.shape[i])
    name = ("B", "T", "D")[axis]
    return headline, (
        first,
        f"Axis {axis} should be {name} = {want.shape[axis]}; yours has {got.shape[axis]}.",
    )


def drawn(seed: int, *shapes: tuple[int, ...]) -> list[Any]:
    """Tensors float32 of normal numbers, each scaled so that x @ W keeps their size.

    The first is x; a matrix [n, m] is divided by the root of n and multiplied by 1.3, so that
    scores are of order 1 to 3. Always the same for one seed.
    """
    random = np.random.default_rng(seed)
    made = [random.standard_normal(shape) for shape in shapes]
    scaled = [made[0], *(1.3 * array / np.sqrt(array.shape[0]) for array in made[1:])]
    return [torch.from_numpy(array.astype(np.float32)) for array in scaled]
