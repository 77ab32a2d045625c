"""Where one test meets the student's functions, and when.

A hidden test's inputs are arguments of calls, so a student's function could keep them, or pass
them on by a file, for a later cell's output. So tests call functions when all cells have run and
all that is shown has been put out. Where a later cell changes what a test needs, a copy of the
process waits from the test's place on. A test that only reads plain values gets them as they are
at its place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from manyheads.grade.judge import Judge, Judged
from manyheads.grade.plan import LessonPlan, PlannedTest
from manyheads.grade.run.process import Clock, Process
from manyheads.grade.run.standin import kind_alone
from manyheads.grade.sandbox import Exam, ExamImpossible, Student, StudentEnded
from manyheads.grade.wire import NotJudgeable, Peer, WireError, came_over

ENDED = "ProcessEnded"
NO_FORK = "Unable to handle autograd's threading in combination with fork"


def failure(name: str, words: str) -> Judged:
    """A test that failed for a reason of its surroundings.

    >>> failure("ProcessEnded", "the process exited").outputs[0]["traceback"]
    ['ProcessEnded: the process exited']
    """
    told = {"output_type": "error", "ename": name, "evalue": words}
    return Judged([{**told, "traceback": [f"{name}: {words}"]}], name, words)


@dataclass
class Sitting:
    """The tests of one answer that stand together, and where they will be heard.

    `done` are the cells that had run at their place. `late` tells that the process itself will do,
    `exam` is a copy of it; without both, a second process takes its place. `over` is why it ended
    before its time. `functions` are the student's that its tests have met.
    """

    answer: str
    done: tuple[str, ...]
    late: bool = False
    exam: Exam | None = None
    over: str = ""
    functions: dict[tuple[Peer, str], Any] = field(default_factory=dict)

    def value(self, peer: Peer, name: str) -> Any:
        """The student's value of a name: data as it is now, a function as it was met first."""
        known = self.functions.get((peer, name))
        value = peer.value(name) if known is None else known
        if callable(value):
            self.functions[peer, name] = value
        return value


@dataclass
class Met:
    """A test whose place has been reached: with the values that it reads, or its sitting.

    `missing` says why there is neither. `odd` is what stands for an answer to a question that is
    no plain value.
    """

    test: PlannedTest
    done: tuple[str, ...]
    values: dict[str, Any] = field(default_factory=dict)
    odd: dict[str, Any] = field(default_factory=dict)
    sitting: Sitting | None = None
    missing: str = ""


class Exams:
    """The exams of one submission. `note` takes what the instructor has to know.

    All methods raise TimeUp when the time is used up.
    """

    def __init__(
        self, plan: LessonPlan, process: Process, clock: Clock, note: Callable[[str], None]
    ) -> None:
        self._plan, self._process, self._clock, self._note = plan, process, clock, note
        self._judge = Judge(plan)
        self._second: Process | None = None
        self._sitting: tuple[tuple[str, bool], Sitting] | None = None
        self._plain: dict[str, bool | None] = {}

    def close(self) -> None:
        """End the second process, if there is one; exams end with the student's process."""
        if self._second is not None:
            self._second.end()

    def leave(self) -> None:
        """Another cell runs: tests that come later see another state of the process."""
        self._sitting = None
        self._plain.clear()

    def meet(self, test: PlannedTest, stays: Callable[[], bool]) -> Met:
        """Take down what the test needs of the process as it is now.

        `stays` tells whether the cells to come leave alone what its names stand for.
        """
        met = Met(test, self._process.done)
        try:
            values = None if test.with_student else self._values(test)
            if values is None:
                met.odd = self._odd_answer(test)
                met.sitting = self._sit(test, stays)
            else:
                met.values = values
        except StudentEnded as end:
            met.missing = end.reason
        return met

    def _values(self, test: PlannedTest) -> dict[str, Any] | None:
        """What a test reads, if that is plain values alone."""
        try:
            return self._fetched(test)
        except WireError:
            self._process.close()  # it ended by itself; a fresh one may live longer
        try:
            return self._fetched(test)
        except WireError as error:
            raise StudentEnded(
                "exit", f"the notebook's process gave no values ({error})"
            ) from error

    def _fetched(self, test: PlannedTest) -> dict[str, Any] | None:
        peer = self._process.student().peer
        with peer.until(time.monotonic() + self._clock.seconds(test=True)):
            unknown = [name for name in test.names if name not in self._plain]
            given = self._given(peer, unknown)
            if any(self._plain[name] is False for name in test.names):
                return None
            known = [name for name in test.names if self._plain[name]]
            return {name: given[name] if name in given else peer.value(name) for name in known}

    def _given(self, peer: Peer, names: Sequence[str]) -> dict[str, Any]:
        """Learn which of the names are plain data; the values that came at once."""
        if not names:
            return {}
        try:
            told = peer.given(names)
        except WireError:
            raise
        except Exception:  # all of them are too much for one message
            self._plain |= peer.plain(names)
            return {}
        self._plain |= {name: flag for name, (flag, _) in told.items()}
        return {name: value for name, (flag, value) in told.items() if flag}

    def _odd_answer(self, test: PlannedTest) -> dict[str, Any]:
        """What a question's check needs to know of an answer that is no plain value: its kind."""
        call = self._plan.checks.get(test.answer)
        if call is None or call.function != "answer" or self._plain.get(call.variable) is not False:
            return {}
        peer, seconds = self._process.student().peer, self._clock.seconds(test=True)
        try:
            with peer.until(time.monotonic() + seconds):
                return {call.variable: kind_alone(peer.value(call.variable))}
        except BaseException as error:  # whatever the student's object does when it is looked at
            if not isinstance(error, Exception) and not came_over(error):
                raise
            return {}

    def _sit(self, test: PlannedTest, stays: Callable[[], bool]) -> Sitting:
        whose = (test.answer, bool(test.with_student))
        known = self._sitting[1] if self._sitting and self._sitting[0] == whose else None
        if known is not None and not known.late:
            return known
        late = not test.with_student and stays()
        if known is None or not late:
            known = Sitting(test.answer, self._process.done, late, None if late else self._copy())
            self._sitting = (whose, known)
        return known

    def _copy(self) -> Exam | None:
        try:
            return self._process.exam()
        except ExamImpossible as error:
            self._note(f"some tests ran in a second process: {error}")
            return None

    def judge(self, met: Met) -> Judged:
        """Run a test; never raises for what the student's process does."""
        sitting = met.sitting
        if met.missing:
            return failure(ENDED, met.missing)
        if sitting is None:
            return self._judge.run(met.test, _reader(met.values), self._clock.seconds(test=True))
        if sitting.over:
            return failure(ENDED, sitting.over)
        try:
            if met.test.with_student:
                return self._with_student(met.test, sitting)
            judged = self._call(met.test, sitting)
            if NO_FORK in judged.words:
                sitting.exam, sitting.late = None, False
                judged = self._call(met.test, sitting)
        except StudentEnded as end:
            judged = self._ended(sitting, end.reason)
        return judged

    def _call(self, test: PlannedTest, sitting: Sitting) -> Judged:
        """Run a test in its exam; what broke there counts, whatever the test made of it."""
        room, seconds = self._room(sitting), self._clock.seconds(test=True)
        peer = room.peer
        refused = len(peer.refused)
        with peer.until(time.monotonic() + seconds):
            peer.random_shared(test.seeds)
            judged = self._judge.run(test, partial(sitting.value, peer), seconds + 1)
        peer.take_back()
        if peer.ended is not None:
            return self._ended(sitting, room.ended(peer.ended).reason)
        if judged.broken is not None:
            return self._ended(sitting, judged.words)
        if judged.passed and peer.refused[refused:]:
            return failure(NotJudgeable.__name__, peer.refused[refused])
        return judged

    def _ended(self, sitting: Sitting, reason: str) -> Judged:
        """It is over, for this test and all that share its sitting; others get another process."""
        if sitting.late:
            self._process.close()
        elif sitting.exam is not None:
            sitting.exam.close()
        elif self._second is not None:
            self._second.close()
        sitting.over = reason
        self._note(f"{sitting.answer}: {reason}, so its tests earn nothing")
        return failure(ENDED, reason)

    def _room(self, sitting: Sitting) -> Student | Exam:
        """The process, its copy, or a second one in which the same cells have run, unseen."""
        if sitting.late:
            return self._process.student()
        if sitting.exam is not None:
            return sitting.exam
        if self._second is None:
            self._second = self._process.sibling()
        self._second.catch_up(sitting.done)
        return self._second.student()

    def _with_student(self, test: PlannedTest, sitting: Sitting) -> Judged:
        """Run an opted-out test as a cell of the student's own; its verdict can be forged."""
        self._note(
            f"{test.name} ran in the student's process: it {test.with_student}; "
            "its verdict can be forged"
        )
        room = self._room(sitting)
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


def _reader(values: Mapping[str, Any]) -> Callable[[str], Any]:
    def value(name: str) -> Any:
        if name not in values:
            raise NameError(f"name {name!r} is not defined")
        return values[name]

    return value
