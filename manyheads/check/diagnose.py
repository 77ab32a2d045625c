"""Try a learner's function on an exercise's cases and find what is to be told about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch

from manyheads.check import kinds, raised
from manyheads.check.engine import Outcome, call, same
from manyheads.check.exercise import Case, Cause, Exercise, Finding, Trial, Variant
from manyheads.check.known import made_by
from manyheads.check.precision import narrowed
from manyheads.check.words import series

EDITS_INPUT = Cause(
    "edits-input",
    "An operation whose name ends in _ and an assignment to x[...] write into the tensor that the "
    "caller still uses. Whoever called you loses their data.",
    "print the input before and after the call. Which line of yours changed it?",
)
NOT_REPEATABLE = Cause(
    "not-repeatable",
    "The same input gave two different results: something is remembered from call to call, or "
    "drawn at random.",
    "call it twice with the same input and compare. What else does the result depend on?",
)
REMEMBERS = Cause(
    "remembers-results",
    "Other numbers gave the result of an earlier call: it was kept outside of the function and "
    "found again by the sizes.",
    "call it with x and then with -x. Which line of yours looks at the numbers, the second time?",
)
REFUSES_VALID = Cause(
    "refuses-valid-input",
    "Every valid input was refused by a test of your own (`raise` or `assert`).",
    "put the sizes of this input into your condition by hand. Is it the right way round?",
)
IGNORES_INPUT = Cause(
    "ignores-its-input",
    "Different inputs gave the very same result, so it comes from somewhere else: often from a "
    "variable of the notebook with a name like the argument's.",
    "which names in your function's body are neither its arguments nor made inside it?",
)


@dataclass(frozen=True)
class Verdict:
    """What an examination found: nothing (all right), or a finding and the trial it is about."""

    finding: Finding | None
    trial: Trial | None = None
    refusals: tuple[Outcome, ...] = ()


def examine(exercise: Exercise, fn: Any) -> Verdict:
    """Run `fn` on the cases of `exercise` and say what is to be told."""
    if not callable(fn):
        return Verdict(_not_callable(exercise, fn))
    fn = exercise.reading(fn) if exercise.reading else fn
    trials = tuple(attempt(exercise, fn, case) for case in exercise.cases)
    for trial in trials:
        if not trial.right:
            return Verdict(_diagnose(exercise, fn, trials, trial), trial)
    finding = _contract(exercise, fn, trials)
    if finding:
        return Verdict(finding)
    refusals = tuple(call(fn, case.make()) for case in exercise.refused)
    pairs = zip(exercise.refused, refusals, strict=True)
    findings = [_refusal(exercise, case, got) for case, got in pairs]
    return Verdict(next(filter(None, findings), None), None, refusals)


def attempt(exercise: Exercise, fn: Callable[..., Any], case: Case) -> Trial:
    """Run `fn` on fresh arguments of one case, beside the target."""
    got, want = call(fn, case.make()), made_by(exercise.target, case)
    return Trial(case, got, want, exercise.matches(got, want))


def named(exercise: Exercise, trials: Sequence[Trial]) -> Cause | None:
    """The cause that would have produced what the learner's function did, on every case."""
    if all(trial.got.kind == "error" for trial in trials):
        return None  # it tells nothing apart: any broken line does that
    for lenient in (False, True):
        for cause, variant, outcome in _on_first_case(exercise):
            if same(trials[0].got, outcome) and _produces(variant, trials[1:], lenient):
                return cause
    return None


@cache
def _on_first_case(exercise: Exercise) -> list[tuple[Cause, Variant, Outcome]]:
    """What every variant makes of the first case."""
    first = exercise.cases[0]
    return [
        (cause, variant, made_by(variant, first))
        for cause in exercise.causes
        for variant in cause.variants
    ]


def _produces(variant: Variant, trials: Sequence[Trial], lenient: bool) -> bool:
    """Whether `variant` gives the same on all trials; `lenient` forgives errors on fragile ones."""
    return all(
        same(trial.got, made_by(variant, trial.case))
        or (lenient and trial.case.fragile and trial.got.kind == "error")
        for trial in trials
    )


def _diagnose(
    exercise: Exercise, fn: Callable[..., Any], trials: Sequence[Trial], wrong: Trial
) -> Finding:
    edited = next((trial for trial in trials if trial.got.changed), None)
    if edited:
        return _edited(edited)
    strange = exercise.strange or kinds.strange
    certain = strange(exercise, wrong) or raised.certain(exercise, fn, wrong)
    if certain:
        return _elsewhere(exercise, trials, wrong, certain)
    remembered = _remembered(exercise, fn, trials[0]) if trials[0].right else None
    if remembered:
        return remembered
    cause = exercise.recognise(trials) or _always(trials) or named(exercise, trials)
    if cause is None and _constant(trials):
        cause = IGNORES_INPUT
    if cause is None and not same(call(fn, wrong.case.make()), wrong.got):
        cause = NOT_REPEATABLE
    cause = cause or exercise.recognise_late(trials)
    finding = _explained(exercise, wrong, cause)
    return _elsewhere(exercise, trials, wrong, finding)


def _explained(exercise: Exercise, wrong: Trial, cause: Cause | None) -> Finding:
    if wrong.got.kind == "error":
        finding = raised.likely(exercise, wrong)
        if cause is None:
            return finding
        lines = (finding.lines[0], cause.says)
        return replace(finding, cause=cause.id, lines=lines, probe=cause.probe)
    headline, told = exercise.report(wrong)
    if cause is None:
        return Finding(None, headline, told, exercise.probe)
    return Finding(cause.id, headline, (told[0], cause.says), cause.probe)


def _elsewhere(
    exercise: Exercise, trials: Sequence[Trial], wrong: Trial, finding: Finding
) -> Finding:
    """Say so when the first case is right and a later one isn't."""
    if wrong is trials[0]:
        return finding
    first = f"{exercise.name} is right for {trials[0].case.says}, but not for {wrong.case.says}."
    return replace(finding, lines=(first, *finding.lines))


def _always(trials: Sequence[Trial]) -> Cause | None:
    """The cause of a function that refuses every valid input on purpose."""
    deliberate = all(isinstance(trial.got.error, ValueError | AssertionError) for trial in trials)
    return REFUSES_VALID if deliberate else None


def _constant(trials: Sequence[Trial]) -> bool:
    """Whether all cases gave one and the same tensor although their inputs differ."""
    arrays = [trial.got for trial in trials]
    return arrays[0].array is not None and all(same(got, arrays[0]) for got in arrays)


def _contract(
    exercise: Exercise, fn: Callable[..., Any], trials: Sequence[Trial]
) -> Finding | None:
    """What is to be said of a function whose results are right but which does more than that."""
    edited = next((trial for trial in trials if trial.got.changed), None)
    if edited:
        return _edited(edited)
    if not same(call(fn, trials[0].case.make()), trials[0].got):
        cause = NOT_REPEATABLE
        lines = (f"Called twice with {trials[0].case.says}.", cause.says)
        return Finding(cause.id, "right at first, different when called again", lines, cause.probe)
    return _remembered(exercise, fn, trials[0]) or narrowed(trials[0])


def _remembered(exercise: Exercise, fn: Callable[..., Any], first: Trial) -> Finding | None:
    """What is to be said of a function that gives other numbers of the same sizes an old result."""
    other = _other_numbers(first.case)
    if same(made_by(exercise.target, other), first.want):
        return None
    if not same(call(fn, other.make()), first.got):
        return None
    lines = (f"Called again with {other.says}.", REMEMBERS.says)
    headline = "right at first, the same result for other numbers"
    return Finding(REMEMBERS.id, headline, lines, REMEMBERS.probe)


@cache
def _other_numbers(case: Case) -> Case:
    """The case with the numbers of its first argument negated, if that is a tensor."""

    def make() -> dict[str, Any]:
        arguments = case.make()
        name, value = next(iter(arguments.items()))
        return {**arguments, name: -value} if isinstance(value, torch.Tensor) else arguments

    return Case(f"{case.says}, the numbers of the first argument negated", make)


def _refusal(exercise: Exercise, case: Case, got: Outcome) -> Finding | None:
    refuses = isinstance(got.error, ValueError | AssertionError | RuntimeError)
    if exercise.accepted is None:
        return None
    if refuses and not isinstance(got.error, NotImplementedError):
        return None
    return exercise.accepted(case, got)


def _edited(trial: Trial) -> Finding:
    names = series(trial.got.changed)
    lines = (f"After the call with {trial.case.says}, {names} had changed.", EDITS_INPUT.says)
    return Finding(EDITS_INPUT.id, f"the input was changed ({names})", lines, EDITS_INPUT.probe)


def _not_callable(exercise: Exercise, value: object) -> Finding:
    name = exercise.name
    lines = [f"check.{name}({name}) takes the function itself, without brackets behind it."]
    if value is ... or value is None:
        lines.insert(0, f"There is nothing in {name} yet.")
        headline = "not written yet"
    else:
        headline = f"this is a {type(value).__name__}, not a function"
    lines.append("The check calls it, on inputs of its own.")
    probe = f"what does type({name}) print?"
    return Finding("not-a-function", headline, tuple(lines), probe)
