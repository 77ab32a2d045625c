"""Recognise a misconception by what it makes of a single view: x, the three matrices, and which.

A slot cause holds for any set of wrong views: all three transposed, or K alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from torch import Tensor

from manyheads.check.engine import Outcome, call
from manyheads.check.exercise import Case, Cause, Trial, Variant
from manyheads.check.views import near, three

Matrices = tuple[Tensor, ...]
View = Callable[[Tensor, Matrices, int], Any]
Setting = Callable[[Mapping[str, Any]], tuple[Tensor, Matrices]]


@dataclass(frozen=True)
class Slot:
    """A cause, and the ways in which it can make one of the three views."""

    cause: Cause
    views: tuple[View, ...]


def by_slots(
    slots: Sequence[Slot], trials: Sequence[Trial], setting: Setting, wrong: Sequence[int]
) -> Cause | None:
    """The cause that makes every wrong view; failing that, the one of the first wrong view."""
    readable = [trial for trial in trials if three(trial)]
    if not readable:
        return None
    stopped = [t for t in trials if t.got.kind == "error" and not t.case.fragile]
    partly = None
    for slot in slots:
        views = [_pick(slot, readable, setting, wrong[0])]
        for i in wrong[1:] if views[0] else ():
            views.append(_pick(slot, readable, setting, i))
        found = [(i, view) for i, view in zip(wrong, views, strict=False) if view is not None]
        if not found or not all(_stops(found, setting, trial) for trial in stopped):
            continue
        if len(found) == len(wrong):
            return slot.cause
        partly = partly or slot.cause
    return partly


def by_wholes(causes: Sequence[Cause], trials: Sequence[Trial]) -> Cause | None:
    """The cause one of whose variants does on every trial what the learner's function did."""
    if all(trial.got.kind == "error" for trial in trials):
        return None
    for cause in causes:
        if any(_does(variant, trials) for variant in cause.variants):
            return cause
    return None


@cache
def _whole(variant: Variant, case: Case) -> Outcome:
    """What a variant makes of a case; it never changes, so it is computed once."""
    return call(variant, case.make())


@cache
def _given(setting: Setting, case: Case) -> tuple[Tensor, Matrices]:
    return setting(case.make())


@cache
def _made(view: View, setting: Setting, case: Case, i: int) -> Outcome:
    """What a view makes in place i of a case; computed once, like the variants."""
    x, matrices = _given(setting, case)
    return call(lambda: view(x, matrices, i), {})


def _does(variant: Variant, trials: Sequence[Trial]) -> bool:
    return all(
        alike(trial.got, _whole(variant, trial.case))
        or (trial.case.fragile and trial.got.kind == "error")
        for trial in trials
    )


def alike(got: Outcome, made: Outcome) -> bool:
    """Compare what is in the containers, not the containers; any two errors are alike."""
    if "error" in (got.kind, made.kind):
        return got.kind == made.kind
    if got.array is not None or made.array is not None:
        return near(got, made)
    pairs = zip(got.parts, made.parts, strict=False)
    return len(got.parts) == len(made.parts) and all(near(*pair) for pair in pairs)


def _pick(slot: Slot, readable: Sequence[Trial], setting: Setting, i: int) -> View | None:
    """The view that makes what stands in place i on every trial that gave three tensors."""
    for view in slot.views:
        if all(near(t.got.parts[i], _made(view, setting, t.case, i)) for t in readable):
            return view
    return None


def _stops(found: Sequence[tuple[int, View]], setting: Setting, trial: Trial) -> bool:
    """Whether one of the views stops with an error too where the learner's function did."""
    return any(_made(view, setting, trial.case, i).kind == "error" for i, view in found)
