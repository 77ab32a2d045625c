"""Sentences about input that has to be refused: what came instead of the error."""

from __future__ import annotations

from manyheads.check.engine import Outcome
from manyheads.check.exercise import Case, Cause, Finding
from manyheads.check.kinds import KINDS
from manyheads.check.raised import own_lines
from manyheads.check.words import shape

RAISE = "ValueError, AssertionError or RuntimeError"
REPORTS = ("none", "text", "exception", "number", "stub", "booleans", "other")


def accepted_by(case: Case, got: Outcome, why: str, meant: Cause | None, probe: str) -> Finding:
    """The finding on a call that had to raise and did not, or raised another kind of error.

    why: what is impossible about the case, without a full stop
    meant: the cause that would have given this very result, where one is known
    """
    start = f"Called with {case.says}: {why}"
    if got.error is not None:
        return _other_error(start, got)
    cause, says, probe = _meaning(got, meant, probe)
    what = f"a tensor {shape(got.shape)}" if got.shape is not None else _kind(got)
    headline = "right for valid input; what can't be shared evenly is not refused"
    return Finding(cause, headline, (f"{start}. It returned {what}.", says), probe)


def _meaning(got: Outcome, meant: Cause | None, probe: str) -> tuple[str, str, str]:
    if meant:
        return meant.id, meant.says, meant.probe
    if got.kind in REPORTS:
        says = (
            "Returning (or printing) a complaint lets the caller go on with it; the mistake then "
            f"shows far away. This exercise asks for an error that is raised: {RAISE}."
        )
        probe = "what will the next line of the caller do with it?"
        return "reports-instead-of-raising", says, probe
    says = f"The sizes don't go together, so nothing sensible can come back. Raise {RAISE}."
    return "accepts-indivisible", says, probe


def _other_error(start: str, got: Outcome) -> Finding:
    probe = "which built-in error is meant for a wrong value?"
    headline = f"right for valid input; bad input stops with {got.typename}"
    if isinstance(got.error, NotImplementedError):
        cause = "not-written-yet"
        says = (
            "NotImplementedError means that something isn't written yet, not that a value is bad."
        )
    else:
        cause = "other-error"
        says = f"It was refused, but with {got.typename}. This exercise asks for {RAISE}."
    return Finding(cause, headline, (f"{start}.", says), probe, own_lines(got.error))


def _kind(got: Outcome) -> str:
    return KINDS[got.kind][1] if got.kind in KINDS else got.kind
