"""What can still be said for certain of wrong repeats that no cause has produced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manyheads.check.coded import owners
from manyheads.check.engine import rounded
from manyheads.check.exercise import Cause, Trial

OTHER_HEADS = Cause(
    "other-order",
    "Every head is a copy of some K/V head, but not of the one that its query head reads.",
    "write down, for h = 0, 1, 2, ..., which K/V head you find in out[0, h].",
)
CHANGES_VALUES = Cause(
    "changes-values",
    "Your result holds numbers that x doesn't. Repeating moves numbers and computes none.",
    "which line of yours computes with the numbers of x?",
)
NOT_NUMBERS = Cause(
    "not-numbers",
    "nan is what is left of 0/0, inf - inf, or memory that was never written. Repeating computes "
    "nothing that could give it.",
    "which line of yours makes room for the result, and which one fills it?",
)
WRONG_PLACE = (
    Cause(
        "wrong-samples",
        "Heads, tokens and features are where they belong; the samples of the batch are not.",
        "which sample do you find in out[0]?",
    ),
    OTHER_HEADS,
    Cause(
        "wrong-tokens",
        "Every head reads its own K/V head, but the tokens in it have changed places.",
        "which tokens do you find in out[0, 0], from top to bottom?",
    ),
    Cause(
        "wrong-features",
        "Every row is its own token of its own K/V head, with the features in another order.",
        "which features do you find in out[0, 0, 0], from left to right?",
    ),
)


def whole_heads(theirs: Any, ours: Any) -> tuple[int, ...]:
    """The K/V head that each head is a copy of, token by token; empty if one isn't such a copy."""
    g = theirs[..., 1]  # [B, H, T, Dh]
    one = (g == g[:1, :, :1, :1]).all()
    in_place = (theirs[..., [0, 2, 3]] == ours[..., [0, 2, 3]]).all()
    if not one or not in_place or (theirs < 0).any():
        return ()
    return tuple(int(head) for head in g[0, :, 0, 0])


def recognise_late(trials: Sequence[Trial]) -> Cause | None:
    """The cause that can be read off the first wrong result itself."""
    trial = next(trial for trial in trials if not trial.right)
    got, want = trial.got.array, trial.want.array
    if got is None or want is None or got.shape != want.shape or not got.size:
        return None
    if np.isnan(got).any():
        return NOT_NUMBERS
    x = rounded(trial.case.make()["x"].double().numpy(), trial.got.typename)
    theirs, ours = owners(x, got), owners(x, want)
    if (theirs < 0).any():
        return CHANGES_VALUES
    wrong = (theirs != ours).reshape(-1, 4).any(axis=0)
    return WRONG_PLACE[int(np.flatnonzero(wrong)[0])] if wrong.sum() == 1 else None
