"""The bug clinic of the head split: can the learner's `find_bug` tell wrong splits from right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from manyheads.check import session
from manyheads.check.engine import takes
from manyheads.check.result import Result
from manyheads.check.words import series

Split = Callable[..., Any]
EXERCISE = "clinic_view"


@dataclass(frozen=True)
class Patient:
    """A split function handed to `find_bug`: what marks it, and what tells it from the others."""

    split: Split
    faulty: bool
    symptom: str
    hint: str = ""


@dataclass(frozen=True)
class Answers:
    """What `find_bug` said of each patient: True, False, or None for no answer."""

    patients: tuple[Patient, ...]
    said: tuple[bool | None, ...]
    raised: str = ""

    def where(self, faulty: bool, said: bool | None) -> list[Patient]:
        """The patients of one kind that got one answer."""
        pairs = zip(self.patients, self.said, strict=True)
        return [patient for patient, word in pairs if patient.faulty is faulty and word is said]


# cause: its symptom, and the input that would show it
FAULTY = {
    "direct-view": (
        "has the right shape, and head 0 holds features of the first tokens only",
        "an x whose every number is different, with T > 1",
    ),
    "interleaved-features": (
        "has the right shape, and head h holds features h, h+H, h+2H, ...",
        "an x whose features all differ, with H > 1 and Dh > 1",
    ),
    "mixes-samples": (
        "has the right shape, and one sample holds numbers of another",
        "a batch of two different sequences",
    ),
    "tokens-before-heads": (
        "keeps the tokens in front of the heads",
        "sizes T and H that differ, or a look at the values when they don't",
    ),
    "heads-reordered": (
        "gives every head a proper chunk, but another head's",
        "an x whose heads differ, with H > 1",
    ),
    "features-reordered": (
        "turns the features round inside each head",
        "an x whose features differ, with Dh > 1",
    ),
    "tokens-reordered": (
        "turns the tokens round",
        "an x whose tokens differ, with T > 1",
    ),
    "squeezes": (
        "loses an axis when a size is 1",
        "a batch of one sequence, or one token",
    ),
}


@cache
def patients() -> tuple[Patient, ...]:
    """Right splits and wrong ones, in a fixed mixed order."""
    from manyheads.check.split import EXERCISE as SPLIT
    from manyheads.check.split import target
    from manyheads.check.split.refusals import CAUSES

    first = {cause.id: cause.variants[0] for cause in (*SPLIT.causes, *CAUSES)}
    wrong = [
        Patient(_guarded(first[cause]), True, symptom, hint)
        for cause, (symptom, hint) in FAULTY.items()
    ]
    drops = (
        "says nothing when D can't be shared, and loses the features that are left over",
        "a D that H doesn't divide: a right split raises there",
    )
    wrong.append(Patient(first["drops-features"], True, *drops))
    right = [
        Patient(_guarded(target), False, "a right split"),
        Patient(
            _guarded(lambda x, H: target(x, H).mT.contiguous().mT),
            False,
            "a right split whose result isn't contiguous in memory, as a view's would be",
        ),
        Patient(
            _guarded(lambda x, H: target(x, H).clone()),
            False,
            "a right split that returns a copy, which shares no memory with x",
        ),
    ]
    return (wrong[0], right[0], *wrong[1:4], right[1], *wrong[4:], right[2])


def _guarded(split: Split) -> Split:
    """`split`, with an error for a width that the heads can't share."""

    def candidate(x: Tensor, num_heads: int) -> Any:
        if x.dim() != 3 or num_heads < 1 or x.shape[-1] % num_heads:
            shape = tuple(x.shape)
            raise ValueError(f"x {shape} can't be split into {num_heads} heads of one width")
        return split(x, num_heads)

    return candidate


def clinic_result(find_bug: Any, lesson: str) -> Result:
    """Ask `find_bug` about every patient and say how it did."""
    if not callable(find_bug) or not takes(find_bug, 1):
        lines = (
            "find_bug is a function of one argument, the candidate. It calls candidate(x, "
            "num_heads) on inputs of its own choice and returns True for a faulty one, False for "
            "a right one.",
        )
        return _result(lesson, False, "not yet: this is no function of one candidate", lines)
    return _judged(lesson, _ask(find_bug))


def _judged(lesson: str, answers: Answers) -> Result:
    wrong, missed, accused = (
        answers.where(True, True),
        [*answers.where(True, False), *answers.where(True, None)],
        answers.where(False, True),
    )
    total = len(wrong) + len(missed)
    silent = answers.where(True, None) + answers.where(False, None)
    headline = f"{len(wrong)} of {total} faulty splits caught"
    headline += f", {len(accused)} right {'one' if len(accused) == 1 else 'ones'} accused"
    passed = not missed and not accused and not silent
    lines, probe, cause = _told(answers, missed, accused, silent)
    return _result(lesson, passed, headline, lines, probe, cause)


def _ask(find_bug: Callable[..., Any]) -> Answers:
    said, raised = [], ""
    for patient in patients():
        try:
            said.append(_verdict(find_bug(_fresh(patient.split))))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # exit() in find_bug must not end the notebook
            from manyheads.check.raised import own_lines

            said.append(None)
            raised = raised or own_lines(error)
    return Answers(patients(), tuple(said), raised)


def _fresh(split: Split) -> Split:
    """A candidate of its own for each call, whose name tells nothing."""

    def candidate(x: Tensor, num_heads: int) -> Any:
        return split(torch.as_tensor(x), num_heads)

    return candidate


def _verdict(word: Any) -> bool | None:
    """True or False, also as a NumPy or torch value; None for anything else."""
    if type(word) is bool:
        return word
    if issubclass(type(word), torch.Tensor) and word.numel() == 1:
        word = word.item()
    return bool(word) if type(word).__name__ in ("bool", "bool_", "int") else None


def _told(
    answers: Answers, missed: list[Patient], accused: list[Patient], silent: list[Patient]
) -> tuple[tuple[str, ...], str, str | None]:
    lines: list[str] = []
    probe, cause = "", None
    if silent and answers.raised:
        lines.append(
            "On some candidates find_bug itself stopped with an error, which counts as no answer. "
            "A candidate may raise on valid input (that is a fault) or refuse a width that can't "
            "be shared (that is right): catch it and decide."
        )
        lines.append(f"The first one: {answers.raised.splitlines()[-1]}")
        probe, cause = "which line of yours calls candidate outside a try?", "no-answer"
    elif silent:
        lines.append(
            "find_bug gave neither True nor False for some candidates. Is the stub still in place?"
        )
        probe, cause = "does every way through find_bug end in a return?", "no-answer"
    if missed and not silent:
        patient = missed[0]
        lines.append(f"One that it missed {patient.symptom}.")
        probe, cause = f"what would your assertion say for {patient.hint}?", "misses-a-bug"
    if accused:
        lines.append(f"It accuses {_accused(answers, accused)}.")
        lines.append("In grading, one right split accused costs all points of the clinic.")
        probe = "compare the values and the shape that a right split gives, and nothing else."
        cause = "accuses-a-right-one"
    if not lines:
        lines.append(
            "It catches every one of these and accuses no right split, whatever its memory."
        )
        lines.append("Hidden candidates, right and wrong, are tried at grading.")
    return tuple(lines), probe, cause


def _accused(answers: Answers, accused: list[Patient]) -> str:
    if len(accused) == sum(not patient.faulty for patient in answers.patients):
        return "every right split"
    return series([patient.symptom for patient in accused])


def _result(
    lesson: str,
    passed: bool,
    headline: str,
    lines: tuple[str, ...],
    probe: str = "",
    cause: str | None = None,
) -> Result:
    session.record(lesson, EXERCISE, passed)
    words = f"passed: {headline}" if passed else headline
    foot = session.footer(lesson)
    return Result(lesson, EXERCISE, passed, words, lines, probe, cause, footer=foot)
