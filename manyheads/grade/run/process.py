"""A student's process with what it has run so far; replaced by a fresh one when it ends."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from manyheads.grade.sandbox import CellResult, Exam, Limits, Sandbox, Student, StudentEnded


class TimeUp(Exception):  # noqa: N818 - not a fault, an end
    """The time of a whole submission is used up."""


@dataclass
class Clock:
    """The time one submission may take, as a whole and for one cell."""

    until: float
    cell_seconds: float

    @classmethod
    def start(cls, limits: Limits) -> Clock:
        """A clock that begins to run now."""
        return cls(time.monotonic() + limits.submission_seconds, limits.cell_seconds)

    def seconds(self) -> float:
        """How long the next cell may run; raises TimeUp when nothing is left."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeUp
        return min(left, self.cell_seconds)


class Process:
    """The process in which a student's cells run, one after the other.

    After it ended, the next use starts a fresh one in which all cells that came to an end are run
    again, their outputs thrown away.
    """

    def __init__(self, sandbox: Sandbox, files: Mapping[str, bytes], clock: Clock) -> None:
        self._sandbox, self._files, self._clock = sandbox, files, clock
        self._student: Student | None = None
        self._done: list[str] = []
        self.seconds = 0.0

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
        return result

    def student(self) -> Student:
        """The living process; raises TimeUp where none can be brought so far in time."""
        while self._student is None:
            self._student = self._sandbox.start(self._files)
            with suppress(StudentEnded):
                self._rerun(list(self._done))
        return self._student

    def is_running(self, student: object) -> bool:
        """Whether this is the living process."""
        return student is not None and student is self._student

    def exam(self) -> Exam:
        """A copy of the process; raises StudentEnded, ExamImpossible and TimeUp."""
        try:
            return self.student().exam()
        except StudentEnded:
            self.close()  # it ended between two cells, by a thread of its own
            return self.student().exam()

    def copy(self) -> Process:
        """A process of its own that has run the same cells, for what must not be seen by this."""
        other = Process(self._sandbox, self._files, self._clock)
        other._done = list(self._done)
        return other

    def catch_up(self, other: Process) -> None:
        """Run what `other` has run since this copy of it was made; raises TimeUp."""
        for source in other._done[len(self._done) :]:
            with suppress(StudentEnded):
                self.run(source, draw=False)

    def close(self) -> None:
        """End the process, if there is one."""
        if self._student is not None:
            self._student.close()
            self._student = None

    def _rerun(self, sources: Iterable[str]) -> None:
        """Bring a fresh process to where the last one was; raises StudentEnded."""
        for source in sources:
            try:
                self.student().run_cell(source, draw=False, seconds=self._clock.seconds())
            except StudentEnded:
                self._done.remove(source)  # it did not end the process before; it does now
                self.close()
                raise
