"""Exercises that return q, k and v: compare the three by value and say which of them are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyheads.check import kinds
from manyheads.check.engine import Array, Outcome
from manyheads.check.exercise import Cause, Trial
from manyheads.check.words import numbered, series, shape

NAMES = ("q", "k", "v")
LEAST = 1e-4  # the tolerance, relative and absolute; the inputs make exact numbers

ONE_TENSOR = Cause(
    "one-tensor",
    "One tensor came back: the three were joined, or only one was made. K and V may be narrower "
    "than Q, so the three stay apart.",
    "how many names does the caller have on the left of its = sign?",
)
NESTED = Cause(
    "nested-results",
    "There is a tuple or a list inside the tuple. The three stand side by side.",
    "count the brackets of your return line.",
)
OTHER_COUNT = Cause(
    "number-of-results",
    "Exactly three come back: q, k and v, in this order.",
    "what does len(...) of your result print?",
)
NOT_TENSORS = Cause(
    "members-not-tensors",
    "Something among the three is not a tensor of floating-point numbers. The next step of "
    "attention computes with all of them.",
    "print the type of each of your three results, and the dtype of those that are tensors.",
)
FIXED_SIZES = Cause(
    "fixed-sizes",
    "It works for some sizes only: a number that belongs to one example stands in the code, or a "
    "step that needs all widths to be equal.",
    "which numbers in your code are sizes? Can each be read from an argument?",
)
REFUSES = Cause(
    "refuses-valid-input",
    "Valid input was refused by a test of your own (`raise` or `assert`).",
    "put the sizes of this input into your condition by hand. Does the text ask for that?",
)


def near(mine: Outcome, yours: Outcome) -> bool:
    """Whether two outcomes are tensors of one shape with the same numbers."""
    if mine.array is None or yours.array is None or mine.kind != yours.kind:
        return False
    return close(mine.array, yours.array)


def close(mine: Array, yours: Array) -> bool:
    """Whether two arrays have one shape and the same numbers."""
    if mine.shape != yours.shape:
        return False
    if mine.size and not abs(mine.flat[-1] - yours.flat[-1]) <= LEAST * (1 + abs(yours.flat[-1])):
        return False  # most pairs differ at once, and a hundred of them are compared in a check
    return bool(np.allclose(mine, yours, LEAST, LEAST))


def matches(got: Outcome, want: Outcome) -> bool:
    """Three tensors in a tuple or a list, each with the shape and the numbers asked for."""
    if got.kind not in ("tuple", "list") or len(got.parts) != 3:
        return False
    return all(near(*pair) for pair in zip(got.parts, want.parts, strict=True))


def three(trial: Trial) -> bool:
    """Whether a trial gave three tensors, whatever their numbers."""
    return len(trial.got.parts) == 3 and all(part.array is not None for part in trial.got.parts)


def wrong_views(trials: Sequence[Trial]) -> tuple[int, ...]:
    """Which of q, k and v (as 0, 1, 2) are wrong on at least one trial."""
    readable = [trial for trial in trials if three(trial)]
    return tuple(
        i for i in range(3) if any(not near(t.got.parts[i], t.want.parts[i]) for t in readable)
    )


def by_kind(trials: Sequence[Trial]) -> Cause | None:
    """The causes that show in the kind of result rather than in its numbers."""
    wrong = next(trial for trial in trials if not trial.right)
    got = wrong.got
    if got.array is not None:
        return ONE_TENSOR
    if got.kind not in ("tuple", "list"):
        return None
    if any(part.kind in ("tuple", "list") for part in got.parts):
        return NESTED
    if len(got.parts) != 3:
        return OTHER_COUNT
    return None if all(part.kind == "tensor" for part in got.parts) else NOT_TENSORS


def by_sizes(trials: Sequence[Trial]) -> Cause | None:
    """Right for the first sizes; for others it stops, or gives the first example's shapes."""
    if not trials[0].right:
        return None
    stopped = [trial for trial in trials if trial.got.kind == "error" and not trial.case.fragile]
    if stopped and not wrong_views(trials):
        errors = [trial.got.error for trial in stopped]
        deliberate = all(isinstance(error, ValueError | AssertionError) for error in errors)
        return REFUSES if deliberate else FIXED_SIZES
    off = [trial for trial in trials if three(trial) and not trial.right]
    return FIXED_SIZES if off and all(_sized_as(trials[0], trial) for trial in off) else None


def _sized_as(first: Trial, trial: Trial) -> bool:
    """Whether a view has the first example's shape where another one is asked for."""
    views = zip(first.want.parts, trial.got.parts, trial.want.parts, strict=True)
    return any(
        got.shape != want.shape
        and got.shape is not None
        and got.shape[-1:] == (old.shape or ())[-1:]
        and (got.shape == old.shape or got.shape[-1:] != (want.shape or ())[-1:])
        for old, got, want in views
    )


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """A headline, the first wrong number as a sentence, and what is right."""
    got, called = trial.got, f"Called with {trial.case.says}"
    if got.array is not None:
        told = f"{called}, it returned one tensor {shape(got.array.shape)}."
        return "returned one tensor; this exercise asks for three, q, k and v", (told, "")
    if not three(trial):
        headline = f"returned {kinds.contents(got)}; this exercise asks for q, k and v"
        return headline, (f"{called}, it returned {kinds.contents(got)}.", "")
    pairs = list(zip(NAMES, got.parts, trial.want.parts, strict=True))
    wrong = [(name, mine, yours) for name, mine, yours in pairs if not near(mine, yours)]
    right = [name for name, mine, yours in pairs if near(mine, yours)]
    headline = f"{_are([name for name, *_ in wrong])} not right"
    if right:
        headline = f"{_are(right)} right; {_are([name for name, *_ in wrong])} not"
    return headline, (f"{called}: {_first(*wrong[0])}", _what_is_right(*wrong[0]))


def _are(names: list[str]) -> str:
    return f"{series(names)} {'is' if len(names) == 1 else 'are'}"


def _first(name: str, got: Outcome, want: Outcome) -> str:
    mine, yours = _arrays(got, want)
    if mine.shape != yours.shape:
        return f"{name} should have shape {shape(yours.shape)}; yours has {shape(mine.shape)}."
    if got.kind != want.kind:
        return f"{name} is a tensor of type {got.typename}; the inputs are torch.float32."
    place = tuple(int(n) for n in np.argwhere(_off(mine, yours))[0])
    return f"{name}{list(place)} should be {yours[place]:.4g}; yours is {mine[place]:.4g}."


def _what_is_right(name: str, got: Outcome, want: Outcome) -> str:
    """Which samples, tokens and features of the first wrong result are right."""
    mine, yours = _arrays(got, want)
    if mine.shape != yours.shape:
        return ""
    off = _off(mine, yours)
    total = off.size
    if off.all():
        return f"None of its {total} numbers is right yet."
    parts = [
        numbered(noun, [int(i) for i in np.flatnonzero(~off.any(axis=others))])
        for noun, others in (("sample", (1, 2)), ("token", (0, 2)), ("feature", (0, 1)))
        if not off.any(axis=others).all()
    ]
    whole = f" Right throughout: {series(parts)}." if parts else ""
    return f"{int((~off).sum())} of the {total} numbers of {name} are right.{whole}"


def _arrays(got: Outcome, want: Outcome) -> tuple[Array, Array]:
    empty: Any = np.zeros(0)
    return (
        empty if got.array is None else got.array,
        empty if want.array is None else want.array,
    )


def _off(mine: Array, yours: Array) -> NDArray[np.bool_]:
    return ~np.isclose(mine, yours, LEAST, LEAST)
