"""A student's process with what it has run so far; replaced by a fresh one when it ends."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from manyheads.grade.sandbox import CellResult, Exam, Limits, Sandbox, Student, StudentEnded


class TimeUp(Exception):  # noqa: N818 - not a fault, an end
    """The time of a whole submission is used up."""


@dataclass
class Clock:
    """The time one submission may take, as a whole and for one cell.

    A third of the whole is kept for the tests, so that cells without end leave time to hear them.
    """

    until: float
    cell_seconds: float
    kept: float = 0.0

    @classmethod
    def start(cls, limits: Limits) -> Clock:
        """A clock that begins to run now, for the cells."""
        kept = limits.submission_seconds / 3
        until = time.monotonic() + limits.submission_seconds - kept
        return cls(until, limits.cell_seconds, kept)

    def seconds(self, test: bool = False) -> float:
        """How long the next cell or test may run; raises TimeUp when nothing is left."""
        left = self.until + (self.kept if test else 0) - time.monotonic()
        if left <= 0:
            raise TimeUp
        return min(left, self.cell_seconds)


class Process:
    """The process in which a student's cells run, one after the other.

    After it ended, the next use starts a fresh one in which all cells that came to an end are run
    again, their outputs thrown away.
    """

    def __init__(
        self, sandbox: Sandbox, files: Mapping[str, bytes], clock: Clock, test: bool = False
    ) -> None:
        self._sandbox, self._files, self._clock, self._test = sandbox, files, clock, test
        self._student: Student | None = None
        self._retired: list[Student] = []
        self._done: list[str] = []
        self._caught_up = 0
        self.seconds = 0.0

    def run(self, source: str, draw: bool) -> CellResult:
        """Run a cell; raises StudentEnded if it ended the process, and TimeUp."""
        student, seconds = self.student(), self._clock.seconds(self._test)
        started = time.monotonic()
        try:
            result = student.run_cell(source, draw=draw, seconds=seconds)
        except StudentEnded:
            self.retire()
            raise
        finally:
            self.seconds += time.monotonic() - started
        self._done.append(source)
        return result

    def student(self) -> Student:
        """The living process; raises TimeUp where none can be brought so far in time."""
        while self._student is None:
            self._student = self._sandbox.start(self._files)
            with suppress(StudentEnded):
                self._rerun()
        return self._student

    def is_running(self, student: object) -> bool:
        """Whether this is the living process."""
        return student is not None and student is self._student

    def exam(self) -> Exam:
        """A copy of the process; raises StudentEnded, ExamImpossible and TimeUp."""
        try:
            return self.student().exam()
        except StudentEnded:
            self.retire()  # it ended between two cells, by a thread of its own
            return self.student().exam()

    def copy(self) -> Process:
        """A process of its own that can run the same cells, for what must not be seen by this."""
        return Process(self._sandbox, self._files, self._clock, test=True)

    def catch_up(self, other: Process, count: int) -> None:
        """Run what is missing of the first `count` cells that `other` has run; raises TimeUp."""
        for source in other._done[self._caught_up : count]:
            self._caught_up += 1
            with suppress(StudentEnded):
                self.run(source, draw=False)

    @property
    def count(self) -> int:
        """How many cells have come to an end in it."""
        return len(self._done)

    def retire(self) -> None:
        """Go on with a fresh process from here; exams that were copied from this one live on."""
        if self._student is not None:
            self._retired.append(self._student)
            self._student = None

    def close(self) -> None:
        """End the process, if there is one, and those before it."""
        self.retire()
        while self._retired:
            self._retired.pop().close()

    def _rerun(self) -> None:
        """Bring a fresh process to where the last one was; raises StudentEnded."""
        for number, source in enumerate(self._done):
            try:
                self.student().run_cell(source, draw=False, seconds=self._clock.seconds(self._test))
            except StudentEnded:
                self._done[number] = ""  # it did not end the process before; it does now
                self.retire()
                raise
