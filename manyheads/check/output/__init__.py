"""The exercise `output_projection`: its inputs, its target, and what is said of a wrong result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from manyheads.check.errors_alike import same_error
from manyheads.check.exercise import Case, Cause, Exercise, Trial
from manyheads.check.numbers import (
    drawn,
    first_difference,
    matches,
    shape_report,
    spread,
    what_is_right,
)
from manyheads.check.output.causes import CAUSES
from manyheads.check.output.shown import matrix_used, recognise_number
from manyheads.check.output.target import mixed
from manyheads.check.words import numbered, shape

AXES = ("B", "T", "D")


def _case(B: int, T: int, width: int, D: int, strided: bool = False) -> Case:
    def make() -> dict[str, Tensor]:
        given = {"merged": drawn((B, T, width), 51), "Wo": drawn((width, D), 52)}
        return {name: spread(z) for name, z in given.items()} if strided else given

    aside = " (not contiguous in memory)" if strided else ""
    return Case(f"merged {[B, T, width]}, Wo {[width, D]}{aside}", make, fragile=strided)


CASES = (
    _case(2, 7, 12, 10),
    _case(3, 4, 6, 6),
    _case(1, 5, 12, 10),
    _case(2, 1, 8, 10),
    _case(2, 5, 1, 3),
    _case(2, 5, 12, 1),
    _case(2, 7, 12, 10, strided=True),
)


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """A headline, the first wrong coordinate as a sentence, and what is right."""
    got, want = trial.got.array, trial.want.array
    if got is None or want is None:
        return f"returned {trial.got.kind}", (f"Called with {trial.case.says}.",)
    if got.shape != want.shape:
        return shape_report(trial.case.says, AXES, got, want)
    headline = f"the shape is right, {shape(want.shape)}; the values are not"
    first = f"Called with {trial.case.says}. {first_difference(got, want)}"
    read = _rows_used(trial) if trial.case is CASES[0] else ""
    return headline, (first, what_is_right(got, want), read)


def _rows_used(trial: Trial) -> str:
    """Which rows of W_O the result was made with, where it is a mix of the features at all."""
    used = matrix_used(trial)
    if used is None:
        return "It is no product of the features with any matrix: look for a step that isn't one."
    right = np.isclose(used, trial.case.make()["Wo"], 1e-3, 1e-3).all(axis=1)
    if not right.any():
        return "It is a product of the features with a matrix, but no row of that matrix is W_O's."
    rows = numbered("row", [int(i) for i in np.flatnonzero(right)])
    return f"Features met the right rows of W_O in {rows} only."


def _recognise(trials: Sequence[Trial]) -> Cause | None:
    return same_error(EXERCISE, trials)


EXERCISE = Exercise(
    lesson="05_concat_and_wo",
    name="output_projection",
    arguments=2,
    returns="one tensor [B, T, D]",
    cases=CASES,
    target=mixed,
    causes=CAUSES,
    report=report,
    probe="let merged hold a single 1 and zeros else: which row of W_O should come out, and where?",
    passed="Compared: shape and values on 7 inputs (D other than H*Dh, and equal to it; B=1, T=1, "
    "H*Dh=1, D=1; not contiguous); both inputs left as they were; called twice.",
    matches=matches,
    recognise=_recognise,
    recognise_late=recognise_number,
)
