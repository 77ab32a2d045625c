"""A student's process with what it has run so far; replaced by a fresh one when it ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from manyheads.grade.inside.words import in_words
from manyheads.grade.sandbox import CellResult, Exam, Limits, Sandbox, Student, StudentEnded

SHOWN = 3  # times the cap of a submission's outputs: JSON takes more bytes, and errors come on top


class TimeUp(Exception):  # noqa: N818 - not a fault, an end
    """The time of a whole submission is used up."""


@dataclass
class Clock:
    """The time one submission may take, as a whole and for one cell; some is kept for its tests."""

    until: float
    cell_seconds: float
    kept: float = 0.0

    @classmethod
    def start(cls, limits: Limits) -> Clock:
        """A clock that begins to run now."""
        kept = min(limits.cell_seconds, limits.submission_seconds / 4)
        return cls(time.monotonic() + limits.submission_seconds, limits.cell_seconds, kept)

    def only_tests(self) -> None:
        """All cells have run: what was kept for tests can be used by whatever they need."""
        self.kept = 0.0

    def seconds(self, test: bool = False) -> float:
        """How long the next cell or test may run; raises TimeUp when nothing is left."""
        left = self.until - (0.0 if test else self.kept) - time.monotonic()
        if left <= 0:
            raise TimeUp
        return min(left, self.cell_seconds)


class Process:
    """The process in which a student's cells run, one after the other.

    After it ended, the next use starts a fresh one in which all cells that came to an end are run
    again, their outputs thrown away. Exams of one that ended go on.
    """

    def __init__(self, sandbox: Sandbox, files: Mapping[str, bytes], clock: Clock) -> None:
        self._sandbox, self._files, self._clock = sandbox, files, clock
        self._student: Student | None = None
        self._ended: list[Student] = []
        self._has_exams = False
        self._done: list[str] = []
        self._caught_up: tuple[str, ...] = ()
        self._shown = 0  # bytes that the cells put out
        self.seconds = 0.0

    @property
    def done(self) -> tuple[str, ...]:
        """The cells that came to an end so far."""
        return tuple(self._done)

    def run(self, source: str, draw: bool) -> CellResult:
        """Run a cell; raises StudentEnded if it ended the process, and TimeUp."""
        student, seconds = self.student(), self._clock.seconds()
        started = time.monotonic()
        try:
            result = student.run_cell(source, draw=draw, seconds=seconds)
        except StudentEnded:
            self.close()
            raise
        finally:
            self.seconds += time.monotonic() - started
        self._done.append(source)
        return self._capped(result)

    def _capped(self, result: CellResult) -> CellResult:
        """The result, without what is more than a submission may put out.

        A student's process keeps to its caps by itself, as long as its code leaves them alone.
        """
        limits = self._sandbox.limits
        self._shown += result.size
        if result.size and self._shown > SHOWN * limits.outputs_bytes:
            text = (
                f"... output cut here: more than {in_words(limits.outputs_bytes)} in one notebook\n"
            )
            told = {"output_type": "stream", "name": "stdout", "text": text}
            result = replace(result, outputs=[told], size=len(text))
        return result

    def define(self, source: str) -> None:
        """Run a cell for what it defines alone; raises StudentEnded and TimeUp."""
        try:
            self.student().define(source, self._clock.seconds())
        except StudentEnded:
            self.close()
            raise
        self._done.append(source)

    def student(self) -> Student:
        """The living process; raises TimeUp where none can be brought so far in time."""
        while self._student is None:
            self._student, self._has_exams = self._sandbox.start(self._files), False
            for source in self.done:
                try:
                    self._student.run_cell(source, draw=False, seconds=self._clock.seconds())
                except StudentEnded:
                    self._done.remove(source)  # it did not end the process before; it does now
                    self.close()
                    break
        return self._student

    def exam(self) -> Exam:
        """A copy of the process; raises StudentEnded, ExamImpossible and TimeUp."""
        try:
            exam = self.student().exam()
        except StudentEnded:
            self.close()  # it ended between two cells, by a thread of its own
            exam = self.student().exam()
        self._has_exams = True
        return exam

    def sibling(self, clock: Clock | None = None) -> Process:
        """A process apart, of the same submission, that has run nothing yet."""
        return Process(self._sandbox, self._files, clock or self._clock)

    def catch_up(self, sources: Sequence[str], run: Callable[[str], object] | None = None) -> None:
        """Run those of the cells that were not among the last call's; raises TimeUp.

        By `run`, if that is given: else as they ran at first, undrawn.
        """
        run = run or partial(self.run, draw=False)
        news = list(sources)
        for source in self._caught_up:
            if source in news:
                news.remove(source)
        self._caught_up = tuple(sources)
        for source in news:
            with suppress(StudentEnded):
                run(source)

    def close(self) -> None:
        """Have done with the process; the next use starts another."""
        if self._student is not None:
            if self._has_exams:
                self._ended.append(self._student)
            else:
                self._student.close()
            self._student = None

    def end(self) -> None:
        """End all processes, and their exams."""
        self.close()
        while self._ended:
            self._ended.pop().close()
