"""What an exercise is made of: the cases it is tried on, its target, and the causes it knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from manyheads.check.engine import Outcome, same

Variant = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One input: how it is spoken of, and a function that makes fresh arguments by name.

    A mistake may stop with an error on a `fragile` input where its variant doesn't: the same
    code can be written with a view, which needs data in order, or with a copy.
    """

    says: str
    make: Callable[[], dict[str, Any]]
    fragile: bool = False


@dataclass(frozen=True)
class Trial:
    """A case, what the learner's function made of it, and what the exercise asks for."""

    case: Case
    got: Outcome
    want: Outcome
    right: bool


@dataclass(frozen=True)
class Cause:
    """One misconception: what to tell the learner, and what it would have produced.

    `variants` are functions with the exercise's signature, one for each way in which the same
    misconception shows. `exposed_by` names the input that tells it from a right answer.
    """

    id: str
    says: str
    probe: str
    variants: tuple[Variant, ...] = ()
    exposed_by: str = ""


@dataclass(frozen=True)
class Finding:
    """What is told about an answer that isn't right yet."""

    cause: str | None
    headline: str
    lines: tuple[str, ...]
    probe: str
    traceback: str = ""


def _nothing(_: Sequence[Trial]) -> Cause | None:
    return None


def _no_remarks(_: Sequence[Outcome]) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, eq=False)
class Exercise:
    """Everything that a check needs to know of one exercise.

    `cases` are valid inputs, the one shown to the learner first. `refused` are inputs that must
    raise; they are looked at when all `cases` are right. `report` says what is right and what
    isn't of one wrong trial: a headline and lines; `probe` follows where no cause is known.
    `recognise` finds causes that no variant can produce, from all trials, before the variants are
    tried; `recognise_late` does when none fits. `accepted` explains a refused input that didn't
    raise one of the errors asked for, and `remarks` says what could be kinder about those that
    did. `picture` draws a trial; without one its numbers are drawn. `reading` wraps the learner's
    function where its result is no tensor yet, and `strange` then says what came instead.
    """

    lesson: str
    name: str
    arguments: int
    returns: str
    cases: tuple[Case, ...]
    target: Variant
    causes: tuple[Cause, ...]
    report: Callable[[Trial], tuple[str, tuple[str, ...]]]
    probe: str
    passed: str
    matches: Callable[[Outcome, Outcome], bool] = same
    recognise: Callable[[Sequence[Trial]], Cause | None] = _nothing
    recognise_late: Callable[[Sequence[Trial]], Cause | None] = _nothing
    refused: tuple[Case, ...] = ()
    accepted: Callable[[Case, Outcome], Finding] | None = None
    remarks: Callable[[Sequence[Outcome]], tuple[str, ...]] = _no_remarks
    picture: Callable[[Trial], Any] | None = None
    reading: Callable[[Variant], Variant] | None = None
    strange: Callable[[Exercise, Trial], Finding | None] | None = None
