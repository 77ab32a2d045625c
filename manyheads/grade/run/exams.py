"""Put one test before the judge, in the place where it may meet the student's functions.

A hidden test's inputs are arguments of calls, so a student's function could keep them for a later
cell's output. Calls happen in an exam, a copy of the student's process made where the test stands;
it waits until the notebook has run to its end, so that nothing it learns can reach an output. A
test that only reads plain values needs none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from manyheads.grade.judge import Judge, Judged
from manyheads.grade.plan import LessonPlan, PlannedTest
from manyheads.grade.run.process import Clock, Process
from manyheads.grade.sandbox import ExamImpossible, StudentEnded
from manyheads.grade.wire import NotJudgeable, Peer, WireError

ENDED = "ProcessEnded"
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


@dataclass(eq=False)
class Group:
    """Tests of one answer that stand together: one exam serves them all.

    `room` is where they meet the student's functions, if that was needed, and `copied` whether it
    is a copy for them alone; `place` counts the cells that had run before; `over` says why the exam
    ended.
    """

    answer: str
    with_student: bool
    place: int
    room: Room | None = None
    copied: bool = False
    over: str = ""


class Exams:
    """The exams of one submission, each for the tests of one answer.

    A test is offered where it stands and is heard there if plain values are enough; else it is
    heard when the notebook has run. `note` takes what the instructor has to know. Both raise TimeUp
    when the time is used up.
    """

    def __init__(
        self, plan: LessonPlan, process: Process, clock: Clock, note: Callable[[str], None]
    ) -> None:
        self._plan, self._process, self._clock, self._note = plan, process, clock, note
        self._judge = Judge(plan)
        self._copy: Process | None = None
        self._group: Group | None = None
        self._groups: list[Group] = []

    def close(self) -> None:
        """End everything but the student's process itself."""
        while self._groups:
            self.end(self._groups[-1])
        if self._copy is not None:
            self._copy.close()

    def end(self, group: Group) -> None:
        """End an exam; its tests were all heard."""
        self._groups = [one for one in self._groups if one is not group]
        if group.copied and group.room is not None:
            group.room.close()

    def leave(self) -> None:
        """A cell of the student's follows: the next test needs a new copy."""
        self._group = None

    def offer(self, test: PlannedTest) -> Judged | Group:
        """What came of a test that plain values are enough for, else the exam it waits in."""
        group = self._joined(test)
        if group.over:
            return failure(ENDED, group.over)
        try:
            apart = test.with_student or not all(map(self._judge.has_run, test.needs))
            judged = None if apart else self._on_values(test)
            if judged is None and group.room is None:
                self._enter(group)
        except StudentEnded as end:
            return self._ended(group, end.reason)
        return judged or group

    def hear(self, test: PlannedTest, group: Group) -> Judged:
        """Run a test in its exam; never raises for what the student's process does."""
        for name in test.needs:
            if not self._judge.has_run(name) and not test.with_student:
                self.hear(self._plan.tests[name], group)
        if group.over:
            return failure(ENDED, group.over)
        try:
            return self._with_student(test, group) if test.with_student else self._in(test, group)
        except StudentEnded as end:
            return self._ended(group, end.reason)

    def _joined(self, test: PlannedTest) -> Group:
        """The group of tests that stand together with this one."""
        whose = (test.answer, bool(test.with_student))
        if self._group is None or (self._group.answer, self._group.with_student) != whose:
            self._group = Group(*whose, place=self._process.count)
            self._groups.append(self._group)
        return self._group

    def _on_values(self, test: PlannedTest) -> Judged | None:
        """Run a test that needs plain values alone; None if it needs more."""
        judged = None
        for _ in ("first", "second"):
            peer, seconds = self._process.student().peer, self._clock.seconds(test=True)
            try:
                with peer.until(time.monotonic() + seconds):
                    known = peer.plain(test.names)
                    if False in known.values():
                        return None
                    judged = self._judge.run(test, _values(peer, known), seconds + 1)
            except WireError as error:
                judged = failure(ENDED, f"the notebook's process gave no values ({error})")
            if peer.ended is None and judged.broken is None:
                return judged
            self._process.retire()  # it ended by itself; a fresh one may live longer
        return judged

    def _in(self, test: PlannedTest, group: Group) -> Judged:
        judged = self._call(test, group)
        if NO_FORK in judged.words:
            self.end(group)
            group.room, group.over, group.copied = None, "", False
            judged = self._call(test, group)
        return judged

    def _call(self, test: PlannedTest, group: Group) -> Judged:
        """Run a test in the exam; what broke there counts, whatever the test made of it."""
        room, seconds = self._room(group), self._clock.seconds(test=True)
        peer = room.peer
        refused = len(peer.refused)
        with peer.until(time.monotonic() + seconds):
            peer.random_shared(test.seeds)
            judged = self._judge.run(test, peer.value, seconds + 1)
        if peer.ended is not None:
            return self._ended(group, room.ended(peer.ended).reason)
        if judged.broken is not None:
            return self._ended(group, judged.words)
        if judged.passed and peer.refused[refused:]:
            return failure(NotJudgeable.__name__, peer.refused[refused])
        return judged

    def _ended(self, group: Group, reason: str) -> Judged:
        """The exam is over, for this test and all others of its answer."""
        group.over = reason
        if self._copy is not None and self._copy.is_running(group.room):
            self._copy.close()
        self._note(f"{group.answer}: {reason}, so its tests earn nothing")
        return failure(ENDED, reason)

    def _enter(self, group: Group) -> None:
        """Copy the process for an exam; where that can't be, a second process comes later."""
        try:
            group.room, group.copied = self._process.exam(), True
        except ExamImpossible as error:
            self._note(f"tests ran in a second process: {error}")

    def _room(self, group: Group) -> Room:
        """The exam, or a second process in which the same cells have run, its outputs unseen."""
        if group.room is None:
            if self._copy is None:
                self._copy = self._process.copy()
            self._copy.catch_up(self._process, group.place)
            group.room = self._copy.student()
        return group.room

    def _with_student(self, test: PlannedTest, group: Group) -> Judged:
        """Run an opted-out test as a cell of the student's own; its verdict can be forged."""
        self._note(
            f"{test.name} ran in the student's process: it {test.with_student}; "
            "its verdict can be forged"
        )
        room = self._room(group)
        for name in test.needs:
            room.run_cell(
                self._plan.tests[name].source, draw=False, seconds=self._clock.seconds(test=True)
            )
        result = room.run_cell(test.source, draw=True, seconds=self._clock.seconds(test=True))
        errors = [one for one in result.outputs if one["output_type"] == "error"]
        if result.failed and not errors:
            return failure(ENDED, "the cell failed without an error")
        error = errors[0] if errors else {"ename": "", "evalue": ""}
        return Judged(result.outputs, error["ename"], error["evalue"])


def _values(peer: Peer, known: Mapping[str, bool | None]) -> Callable[[str], Any]:
    """Reads plain values alone, so that the student's own process sees no call of a test."""

    def value(name: str) -> Any:
        if name not in known and peer.plain((name,))[name] is False:
            raise NotJudgeable(f"the test reads {name} in a way that its text doesn't show")
        return peer.value(name)

    return value
