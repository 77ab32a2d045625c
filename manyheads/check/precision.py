"""Results that are right but for the digits that a narrower type of number has cut off."""

from __future__ import annotations

from manyheads.check.engine import NARROW
from manyheads.check.exercise import Cause, Finding, Trial

LOWER_PRECISION = Cause(
    "lower-precision",
    "A narrower type keeps fewer digits of every number, and no later step can bring them back.",
    "which line of yours names a type of number? The inputs already have one.",
)


def narrowed(trial: Trial) -> Finding | None:
    """The finding about a result with fewer digits than its inputs, which are float32."""
    for outcome in (trial.got, *trial.got.parts):
        if outcome.typename in NARROW:
            cause, kind = LOWER_PRECISION, outcome.typename.removeprefix("torch.")
            lines = (f"The inputs are float32; with {trial.case.says} yours is {kind}.", cause.says)
            return Finding(cause.id, f"right but for its digits: {kind}", lines, cause.probe)
    return None
