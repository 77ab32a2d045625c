"""All misconceptions about repeating K/V heads, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Sequence

from manyheads.check.engine import Outcome
from manyheads.check.exercise import Cause, Trial
from manyheads.check.repeat import counts, orders

CAUSES = (*orders.ORDERS, *orders.AXES, *counts.COUNTS, *counts.NUMBERS)

EXPANDS_LONG_AXIS = Cause(
    "expands-a-long-axis",
    "expand stretches an axis of length 1 and no other. Heads are already several, so the copies "
    "need an axis of their own first.",
    "which axis of x has length 1? None. How do you get one behind the head axis?",
)
VIEWS_COPIES = Cause(
    "views-expanded-copies",
    "expand makes no copies in memory: all of them are the same numbers, read again. Such an axis "
    "can't be joined to another by a view.",
    "what does .stride() print before that line, and what would reshape do instead?",
)


def recognise(trials: Sequence[Trial]) -> Cause | None:
    """The causes that show in torch's own words: several mistakes stop on the same inputs."""
    first = next(trial.got for trial in trials if not trial.right)
    if trials[-1].case.fragile and all(trial.right for trial in trials[:-1]):
        return None  # only the memory of x stands in the way, not the expanded axis
    return EXPANDS_LONG_AXIS if _says(first, "expanded size") else _viewed(first)


def _viewed(got: Outcome) -> Cause | None:
    return VIEWS_COPIES if _says(got, "view size is not compatible") else None


def _says(got: Outcome, words: str) -> bool:
    return isinstance(got.error, RuntimeError) and words in str(got.error)
