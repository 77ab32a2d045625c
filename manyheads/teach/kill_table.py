"""The kill table: for every exercise, what became of the wrong and the right answers known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from manyheads import check
from manyheads.build.cells import CLINIC
from manyheads.course import Course
from manyheads.errors import BankError
from manyheads.teach.bank import Entry, load_bank
from manyheads.teach.exams import Exam, exams, source_notebooks
from manyheads.teach.solutions import shape_only_code
from manyheads.teach.workers import Lost, run_all

LIMIT = 30.0  # seconds for one answer, which usually takes a tenth of one
NAMED = 0.95
SHAPE_ONLY = 0.2


@dataclass(frozen=True)
class Judged:
    """One entry of the bank and what became of it; the exercise has `most` points."""

    entry: Entry
    most: float
    earned: float
    passed: bool | None
    told: str | None
    lost: str = ""

    @property
    def full(self) -> bool:
        """Whether it earned full marks."""
        return self.earned >= self.most

    @property
    def named(self) -> bool:
        """Whether its check said no and told the entry's own cause."""
        return self.passed is False and self.told is not None and self.told == self.entry.cause


@dataclass(frozen=True)
class Row:
    """One exercise. `shape_only` is what an answer of the right shape, all zeros, earns."""

    lesson: str
    exercise: str
    most: float
    answers: tuple[Judged, ...]
    shape_only: float | None = None

    @property
    def wrong(self) -> list[Judged]:
        """The wrong answers."""
        return [one for one in self.answers if not one.entry.right]

    @property
    def right(self) -> list[Judged]:
        """The right answers."""
        return [one for one in self.answers if one.entry.right]

    @property
    def survivors(self) -> list[Judged]:
        """Wrong answers that earned full marks."""
        return [one for one in self.wrong if one.full]

    @property
    def unnamed(self) -> list[Judged]:
        """Wrong answers that were not told their own cause."""
        return [one for one in self.wrong if not one.named]

    @property
    def robbed(self) -> list[Judged]:
        """Right answers that lost a point."""
        return [one for one in self.right if not one.full]

    @property
    def accused(self) -> list[Judged]:
        """Right answers that their check did not pass."""
        return [one for one in self.right if one.passed is not True]

    @property
    def highest(self) -> float:
        """The most points that a wrong answer earned."""
        return max((one.earned for one in self.wrong), default=0.0)


@dataclass(frozen=True)
class KillTable:
    """The rows, and the exercises of the lessons of which the bank holds no answer."""

    rows: tuple[Row, ...]
    unknown: tuple[str, ...] = ()

    def count(self, kind: str) -> int:
        """How many answers of a kind, such as "wrong" or "survivors", there are in all rows."""
        return sum(len(getattr(row, kind)) for row in self.rows)

    def missed(self) -> list[str]:
        """The floors that are missed, in words; empty if none is."""
        return [*self._missed_answers(), *self._missed_exercises()]

    def _missed_answers(self) -> Iterator[str]:
        wrong, named = self.count("wrong"), self.count("wrong") - self.count("unnamed")
        if self.count("survivors"):
            yield f"{self.count('survivors')} of {wrong} wrong answers earn full marks, floor 0"
        if self.count("robbed"):
            yield f"{self.count('robbed')} right answers lose points, floor 0"
        if self.count("accused"):
            yield f"{self.count('accused')} right answers are not passed by their check, floor 0"
        if named < NAMED * wrong:
            yield f"{named} of {wrong} wrong answers are told their own cause, floor {NAMED:.0%}"

    def _missed_exercises(self) -> Iterator[str]:
        for exercise in self.unknown:
            if not CLINIC.fullmatch(exercise):  # its candidates are a bank of their own
                yield f"the bank holds no answers to {exercise}"
        for row in self.rows:
            if row.shape_only is not None and row.shape_only > SHAPE_ONLY * row.most:
                points = f"{row.shape_only:g} of {row.most:g} points"
                yield f"the right shape alone earns {points} of {row.exercise}, floor a fifth"


Progress = Callable[[int, int, str], None]
Run = Callable[..., list[Any]]


def kill_table(course: Course, progress: Progress, run: Run = run_all) -> KillTable:
    """Put every answer of the course's bank to the tests and the checks, on all cores.

    `progress` is called with how many are done, of how many, and a label. Raises BankError when
    the bank can't be read or holds an exercise that no lesson asks for or no check knows.
    """
    from manyheads.teach.judge import Attempt, Verdict, judge

    known, entries = exams(course), load_bank(course)
    _refuse_strangers(known, entries)
    kept = [exam for exam in known.values() if any(e.exercise == exam.exercise for e in entries)]
    hollow = _shape_only(course, kept)
    attempts = [Attempt(known[entry.exercise], entry.code) for entry in entries]
    attempts += [Attempt(known[exercise], code) for exercise, code in hollow.items()]
    finished = partial(_tell, progress, len(attempts))
    found = run(judge, attempts, LIMIT, finished)
    verdicts = [Verdict(0.0, lost=one.why) if isinstance(one, Lost) else one for one in found]
    judged = [
        Judged(entry, known[entry.exercise].points, got.earned, got.passed, got.cause, got.lost)
        for entry, got in zip(entries, verdicts[: len(entries)], strict=True)
    ]
    shapes = {name: got.earned for name, got in zip(hollow, verdicts[len(entries) :], strict=True)}
    rows = tuple(_row(exam, judged, shapes.get(exam.exercise)) for exam in kept)
    return KillTable(rows, tuple(name for name in known if known[name] not in kept))


def _tell(progress: Progress, total: int, done: int) -> None:
    progress(done, total, "answers")


def _refuse_strangers(known: dict[str, Exam], entries: Sequence[Entry]) -> None:
    for exercise in dict.fromkeys(entry.exercise for entry in entries):
        if exercise not in known:
            raise BankError(
                f"The bank holds answers to {exercise}, which no lesson in source/ asks for. "
                "Run `manyheads build`, or correct the name."
            )
        if not hasattr(check, exercise):
            raise BankError(f"The bank holds answers to {exercise}, which has no check yet.")


def _shape_only(course: Course, kept: Sequence[Exam]) -> dict[str, str]:
    """Code of an answer that has only the shape right; a bug clinic's answers have no shape."""
    notebooks = source_notebooks(course)
    return {
        exam.exercise: shape_only_code(notebooks[exam.lesson], exam.exercise)
        for exam in kept
        if exam.answer == exam.exercise
    }


def _row(exam: Exam, judged: Sequence[Judged], shape_only: float | None) -> Row:
    own = tuple(one for one in judged if one.entry.exercise == exam.exercise)
    return Row(exam.lesson, exam.exercise, exam.points, own, shape_only)
