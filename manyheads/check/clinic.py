"""Bug clinics: the learner's `find_bug` has to tell faulty versions from right ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from manyheads.check import session
from manyheads.check.engine import takes
from manyheads.check.result import Result
from manyheads.check.words import series


@dataclass(frozen=True)
class Patient:
    """A version handed to `find_bug`: what marks it, and what tells it from the others."""

    version: Callable[..., Any]
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


@dataclass(frozen=True)
class Clinic:
    """A clinic's exercise: its id, how a candidate is called, and who is examined.

    `things` are the patients in the plural, "repeats"; `call` is how a candidate is called,
    "candidate(x, n_rep)"; `meet` wraps a patient's function so that its name tells nothing.
    """

    lesson: str
    exercise: str
    things: str
    call: str
    patients: Callable[[], tuple[Patient, ...]]
    meet: Callable[[Callable[..., Any]], Callable[..., Any]]


def clinic_result(clinic: Clinic, find_bug: Any) -> Result:
    """Ask `find_bug` about every patient of the clinic and say how it did."""
    if not callable(find_bug) or not takes(find_bug, 1):
        lines = (
            f"find_bug is a function of one argument, the candidate. It calls {clinic.call} on "
            "inputs of its own choice and returns True for a faulty one, False for a right one.",
        )
        headline = "not yet: this is no function of one candidate"
        return _result(clinic, False, headline, lines, cause="not-a-function")
    return _judged(clinic, _ask(clinic, find_bug))


def _ask(clinic: Clinic, find_bug: Callable[..., Any]) -> Answers:
    from manyheads.check.raised import own_lines

    said: list[bool | None] = []
    raised = ""
    patients = clinic.patients()
    for patient in patients:
        try:
            said.append(_verdict(find_bug(clinic.meet(patient.version))))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # exit() in find_bug must not end the notebook
            said.append(None)
            raised = raised or own_lines(error)
    return Answers(patients, tuple(said), raised)


def _verdict(word: Any) -> bool | None:
    """True or False, also as a NumPy or torch value; None for anything else."""
    if hasattr(word, "item") and getattr(word, "size", None) is not None:
        try:
            word = word.item()
        except (RuntimeError, ValueError):  # more than one value is no verdict
            return None
    return bool(word) if type(word) in (bool, int) else None


def _judged(clinic: Clinic, answers: Answers) -> Result:
    caught = answers.where(True, True)
    missed = [*answers.where(True, False), *answers.where(True, None)]
    accused = answers.where(False, True)
    silent = [*answers.where(True, None), *answers.where(False, None)]
    headline = f"{len(caught)} of {len(caught) + len(missed)} faulty {clinic.things} caught"
    headline += f", {len(accused)} right {'one' if len(accused) == 1 else 'ones'} accused"
    if not missed and not accused and not silent:
        praise = (
            f"It catches every one of these and accuses none of the right {clinic.things}, "
            "whatever their memory.",
            "Hidden candidates, right and wrong, are tried at grading.",
        )
        return _result(clinic, True, f"passed: {headline}", praise)
    lines, probe, cause = _told(clinic, answers, missed, accused, silent)
    return _result(clinic, False, headline, lines, probe, cause)


def _told(
    clinic: Clinic,
    answers: Answers,
    missed: Sequence[Patient],
    accused: Sequence[Patient],
    silent: Sequence[Patient],
) -> tuple[tuple[str, ...], str, str]:
    if silent:
        return _silent(answers)
    lines: list[str] = []
    probe, cause = "", ""
    if missed:
        lines.append(f"One that it missed {missed[0].symptom}.")
        probe = f"what would your comparison say for {missed[0].hint}?"
        cause = "misses-a-bug"
    if accused:
        lines.append(f"It accuses {_names(clinic, answers, accused)}.")
        lines.append("In grading, one right version accused costs all points of the clinic.")
        probe = f"compare values and shape with what right {clinic.things} give, and nothing else."
        cause = "accuses-a-right-one"
    return tuple(lines), probe, cause


def _names(clinic: Clinic, answers: Answers, accused: Sequence[Patient]) -> str:
    if len(accused) == sum(not patient.faulty for patient in answers.patients):
        return f"every one of the right {clinic.things}"
    return series([patient.symptom for patient in accused])


def _silent(answers: Answers) -> tuple[tuple[str, ...], str, str]:
    if not answers.raised:
        line = "find_bug gave neither True nor False for some candidates."
        return (line,), "does every way through find_bug end in a return?", "no-answer"
    lines = (
        "On some candidates find_bug itself stopped with an error, which counts as no answer. A "
        "candidate may raise on valid input, and that is a fault: catch it and decide.",
        f"The first one: {answers.raised.splitlines()[-1]}",
    )
    return lines, "which line of yours calls candidate outside a try?", "no-answer"


def _result(
    clinic: Clinic,
    passed: bool,
    headline: str,
    lines: tuple[str, ...],
    probe: str = "",
    cause: str | None = None,
) -> Result:
    session.record(clinic.lesson, clinic.exercise, passed)
    foot = session.footer(clinic.lesson)
    return Result(
        clinic.lesson, clinic.exercise, passed, headline, lines, probe, cause, footer=foot
    )
