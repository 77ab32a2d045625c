"""What can still be said for certain of a wrong split that no cause has produced."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manyheads.check.coded import owners
from manyheads.check.engine import Array, rounded
from manyheads.check.exercise import Cause, Trial
from manyheads.check.split.values import NEVER_FILLED

NOT_NUMBERS = Cause(
    "not-numbers",
    "nan is what is left of 0/0, inf - inf, or memory that was never written. Splitting computes "
    "nothing that could give it.",
    "which line of yours computes with the numbers of x?",
)
CHANGES_VALUES = Cause(
    "changes-values",
    "Your result holds numbers that x doesn't. Splitting moves numbers and computes none.",
    "which line of yours computes with the numbers of x?",
)
WRONG_COUNT = Cause(
    "wrong-number-of-heads",
    "Samples and tokens are where they belong, but axis 1 doesn't count num_heads heads.",
    "which expression of yours decides the size of axis 1?",
)
WRONG_PLACE = (
    Cause(
        "wrong-samples",
        "Tokens and features are where they belong; the samples of the batch are not.",
        "which sample do you find in out[0]?",
    ),
    Cause(
        "wrong-tokens",
        "Samples and features are where they belong; the tokens are not. Splitting moves no token.",
        "which tokens do you find in out[0, 0], from top to bottom?",
    ),
    Cause(
        "wrong-features",
        "Every row holds its own token, but not the features of its head: head h owns the h-th "
        "chunk of Dh features, in the order of x.",
        "which features do you find in out[0, 0, 0], from left to right?",
    ),
)


def recognise_late(trials: Sequence[Trial]) -> Cause | None:
    """The cause that can be read off the first wrong result itself."""
    trial = next(trial for trial in trials if not trial.right)
    got, want = trial.got.array, trial.want.array
    if got is None or want is None or not got.size:
        return None
    if np.isnan(got).any():
        return NOT_NUMBERS
    if not got.any():
        return NEVER_FILLED
    x = trial.case.make()["x"].double().numpy()
    return _by_place(rounded(x, trial.got.typename), got, want)


def _by_place(x: Array, got: Array, want: Array) -> Cause | None:
    theirs, ours = owners(x, got), owners(x, want)
    if (theirs < 0).any():
        return CHANGES_VALUES
    if got.shape == want.shape:
        wrong = (theirs != ours).reshape(-1, 3).any(axis=0)
        return WRONG_PLACE[int(np.flatnonzero(wrong)[0])] if wrong.sum() == 1 else None
    if got.ndim == 4 and got.shape[::2] == want.shape[::2] and got.shape[1] != want.shape[1]:
        return WRONG_COUNT
    return None
