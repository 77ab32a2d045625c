"""Put one test before the judge, in the place where it may meet the student's functions.

A hidden test's inputs are arguments of calls, so a student's function could keep them for a later
cell's output. Calls happen in an exam, a copy of the student's process that is thrown away; a test
that only reads plain values needs none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from manyheads.grade.judge import Judge, Judged
from manyheads.grade.plan import LessonPlan, PlannedTest
from manyheads.grade.run.process import Clock, Process
from manyheads.grade.sandbox import ExamImpossible, StudentEnded
from manyheads.grade.wire import NotJudgeable, Peer, WireError

ENDED = "ProcessEnded"
NOBODY = ("", False)
NO_FORK = "Unable to handle autograd's threading in combination with fork"


class Room(Protocol):
    """Where a test meets the student's functions: an exam, or a second process."""

    peer: Peer

    def run_cell(self, source: str, *, draw: bool, seconds: float) -> Any:
        """Run a cell there."""

    def ended(self, error: BaseException) -> StudentEnded:
        """What has happened to it, after an error of the wire."""

    def close(self) -> None:
        """End it."""


def failure(name: str, words: str) -> Judged:
    """A test that failed for a reason of its surroundings.

    >>> failure("ProcessEnded", "the process exited").outputs[0]["traceback"]
    ['ProcessEnded: the process exited']
    """
    told = {"output_type": "error", "ename": name, "evalue": words}
    return Judged([{**told, "traceback": [f"{name}: {words}"]}], name, words)


class Exams:
    """The exams of one submission: one after the other, each for the tests of one answer.

    `note` takes what the instructor has to know. `judge` raises TimeUp when the submission's time
    is used up.
    """

    def __init__(
        self, plan: LessonPlan, process: Process, clock: Clock, note: Callable[[str], None]
    ) -> None:
        self._plan, self._process, self._clock, self._note = plan, process, clock, note
        self._judge = Judge(plan)
        self._copy: Process | None = None
        self._room: Room | None = None
        self._whose = NOBODY
        self._over = ""

    def close(self) -> None:
        """End everything but the student's process itself."""
        self.leave()
        if self._copy is not None:
            self._copy.close()

    def leave(self) -> None:
        """End the exam, if there is one; the next test begins another."""
        if self._room is not None and not self._in_copy:
            self._room.close()
        if self._copy is not None and self._over:
            self._copy.close()
        self._room, self._whose, self._over = None, NOBODY, ""

    @property
    def _in_copy(self) -> bool:
        return self._copy is not None and self._copy.is_running(self._room)

    def judge(self, test: PlannedTest) -> Judged:
        """Run one test; never raises for what the student's process does."""
        for name in test.needs:
            if not self._judge.has_run(name) and not test.with_student:
                self.judge(self._plan.tests[name])
        whose = (test.answer, bool(test.with_student))
        if whose != self._whose:
            self.leave()
            self._whose = whose
        if self._over:
            return failure(ENDED, self._over)
        try:
            if test.with_student:
                return self._with_student(test)
            return self._on_values(test) or self._in_exam(test)
        except StudentEnded as end:
            return self._ended(end.reason)

    def _on_values(self, test: PlannedTest) -> Judged | None:
        """Run a test that needs plain values alone; None if it needs more."""
        judged = None
        for _ in ("first", "second"):
            peer, seconds = self._process.student().peer, self._clock.seconds()
            try:
                with peer.until(time.monotonic() + seconds):
                    if False in peer.plain(test.names).values():
                        return None
                    judged = self._judge.run(test, _values(peer), seconds + 1)
            except WireError as error:
                judged = failure(ENDED, f"the notebook's process gave no values ({error})")
            if peer.ended is None and judged.broken is None:
                return judged
            self._process.close()  # it ended by itself; a fresh one may live longer
        return judged

    def _in_exam(self, test: PlannedTest) -> Judged:
        judged = self._call(test)
        if NO_FORK in judged.words:
            self.leave()
            self._whose, self._room = (test.answer, False), self._second()
            judged = self._call(test)
        return judged

    def _call(self, test: PlannedTest) -> Judged:
        """Run a test in the exam; what broke there counts, whatever the test made of it."""
        room, seconds = self._enter(), self._clock.seconds()
        peer = room.peer
        refused = len(peer.refused)
        with peer.until(time.monotonic() + seconds):
            peer.random_shared(test.seeds)
            judged = self._judge.run(test, peer.value, seconds + 1)
        if peer.ended is not None:
            return self._ended(room.ended(peer.ended).reason)
        if judged.broken is not None:
            return self._ended(judged.words)
        if judged.passed and peer.refused[refused:]:
            return failure(NotJudgeable.__name__, peer.refused[refused])
        return judged

    def _ended(self, reason: str) -> Judged:
        """The exam is over, for this test and all others of its answer."""
        whose, self._over = self._whose, reason
        self.leave()
        self._whose, self._over = whose, reason
        self._note(f"{whose[0]}: {reason}, so its tests earn nothing")
        return failure(ENDED, reason)

    def _enter(self) -> Room:
        if self._room is None:
            try:
                self._room = self._process.exam()
            except ExamImpossible as error:
                self._note(f"tests ran in a second process: {error}")
                self._room = self._second()
        return self._room

    def _second(self) -> Room:
        """A second process that has run the same cells; all that it puts out is thrown away."""
        if self._copy is None:
            self._copy = self._process.copy()
        self._copy.catch_up(self._process)
        return self._copy.student()

    def _with_student(self, test: PlannedTest) -> Judged:
        """Run an opted-out test as a cell of the student's own; its verdict can be forged."""
        self._note(
            f"{test.name} ran in the student's process: it {test.with_student}; "
            "its verdict can be forged"
        )
        room = self._enter()
        for name in test.needs:
            room.run_cell(self._plan.tests[name].source, draw=False, seconds=self._clock.seconds())
        result = room.run_cell(test.source, draw=True, seconds=self._clock.seconds())
        errors = [one for one in result.outputs if one["output_type"] == "error"]
        if result.failed and not errors:
            return failure(ENDED, "the cell failed without an error")
        error = errors[0] if errors else {"ename": "", "evalue": ""}
        return Judged(result.outputs, error["ename"], error["evalue"])


def _values(peer: Peer) -> Callable[[str], Any]:
    """Reads plain values alone, so that the student's own process sees no call of a test."""

    def value(name: str) -> Any:
        if peer.plain((name,))[name] is False:
            raise NotJudgeable(f"the test reads {name} in a way that its text doesn't show")
        return peer.value(name)

    return value
