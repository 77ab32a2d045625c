"""Recognise a mistake by the words of the error it stops with, beside what it returns elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from manyheads.check.engine import Outcome, same
from manyheads.check.exercise import Cause, Exercise, Trial, Variant
from manyheads.check.known import made_by


def same_error(exercise: Exercise, trials: Sequence[Trial]) -> Cause | None:
    """The cause whose variant stops where the learner's function does, with its very words.

    Only torch's RuntimeErrors count: they name the sizes that clashed, so the same sentences are
    no accident. Where the function returns something, the variant has to return the same. None
    when no trial, or another kind of error, stopped.
    """
    stopped = [trial for trial in trials if trial.got.kind == "error"]
    if not stopped or any(trial.got.typename != "RuntimeError" for trial in stopped):
        return None
    for cause in exercise.causes:
        if any(_alike(variant, stopped, trials) for variant in cause.variants):
            return cause
    return None


def _alike(variant: Variant, stopped: Sequence[Trial], trials: Sequence[Trial]) -> bool:
    """Whether the variant says the same on the first case that stopped, then on all of them."""
    first = made_by(variant, stopped[0].case)
    if first.typename != "RuntimeError" or _told(first) != _told(stopped[0].got):
        return False
    outcomes = [(trial.got, made_by(variant, trial.case)) for trial in trials]
    return all(same(got, ours) and _told(got) == _told(ours) for got, ours in outcomes)


def _told(outcome: Outcome) -> str | None:
    """What a RuntimeError says; None for anything else."""
    return str(outcome.error) if outcome.typename == "RuntimeError" else None
