"""Recognise a mistake by the error it stops with, where it never gets as far as a result."""

from __future__ import annotations

from collections.abc import Sequence

from manyheads.check.engine import Outcome, run
from manyheads.check.exercise import Cause, Exercise, Trial, Variant


def same_error(exercise: Exercise, trials: Sequence[Trial]) -> Cause | None:
    """The cause whose variant stops on every case with the learner's very own words.

    Only torch's RuntimeErrors count: they name the sizes that clashed, so the same sentence on
    every case is no accident. None when any case gave a result or another kind of error.
    """
    if not all(trial.got.typename == "RuntimeError" for trial in trials):
        return None
    for cause in exercise.causes:
        if any(_stops_alike(variant, trials) for variant in cause.variants):
            return cause
    return None


def _stops_alike(variant: Variant, trials: Sequence[Trial]) -> bool:
    return all(_told(run(variant, t.case.make())) == _told(t.got) for t in trials)


def _told(outcome: Outcome) -> str | None:
    """What a RuntimeError says; None for anything else."""
    return str(outcome.error) if outcome.typename == "RuntimeError" else None
