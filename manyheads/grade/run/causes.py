"""Why an exercise lost points, in words that its student may read."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cached_property
from typing import Any

from manyheads.build.leaks import HiddenText
from manyheads.grade.judge import Judged
from manyheads.grade.judge.deadline import deadline
from manyheads.grade.judge.state import restored
from manyheads.grade.plan import CheckCall, LessonPlan, PlannedTest
from manyheads.grade.reading.json_text import CONFLICT
from manyheads.grade.run.exams import ENDED, Met
from manyheads.grade.run.process import Clock, Process, TimeUp
from manyheads.grade.run.slices import needed
from manyheads.grade.run.standin import stand_in
from manyheads.grade.sandbox import StudentEnded
from manyheads.grade.verdict import is_score
from manyheads.grade.wire import came_over

SECONDS = 5.0  # for one check
ALL_SECONDS = 15.0  # for all checks of a submission, cells that run again included
MOST = 10.0  # seconds of cells; a notebook that takes longer is not run again for its causes
NO_MEMORY = "can't allocate memory"  # torch has no error class of its own for that
MOST_WORDS = 300  # of an error's message
NOT_ATTEMPTED = "not-attempted"
CELL_STOPS = "cell-does-not-run"
STILL_RAISES = "not-written-yet"
PASSED = "right in all that its check compares; a hidden test went further"

_FILE = re.compile(r"\(<ipython-input[^>]*>, (line \d+)\)")

Told = tuple[str, str | None]  # the words, and the id of the cause


class Causes:
    """The causes of one submission.

    `answers` takes the student's solution cells by `grade_id`; `texts` gives the causes by
    exercise, `ids` the misconceptions that were recognised.
    """

    def __init__(self, plan: LessonPlan, process: Process, note: Callable[[str], None]) -> None:
        self._plan, self._process, self._note = plan, process, note
        self._lost: dict[str, tuple[Met, Judged]] = {}
        self._stopped: dict[str, str] = {}
        self.answers: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.ids: dict[str, str] = {}

    def ran(self, name: str, outputs: Sequence[Mapping[str, Any]]) -> None:
        """Remember with what error a solution cell ended, if with any."""
        errors = [one for one in outputs if one["output_type"] == "error"]
        if name in self.answers and errors:
            words = _FILE.sub(r"(\1)", str(errors[-1]["evalue"]))[:MOST_WORDS]
            self._stopped[name] = f"{errors[-1]['ename']}: {words}"

    def heard(self, met: Met, judged: Judged) -> None:
        """Remember the first test of each exercise that lost points."""
        if not full_marks(judged.outputs, met.test.points):
            self._lost.setdefault(met.test.exercise, (met, judged))

    def find(self) -> None:
        """Find the causes of all exercises that lost points."""
        functions: dict[str, CheckCall] = {}
        for exercise, (met, judged) in self._lost.items():
            call = self._plan.checks.get(met.test.answer)
            told = self._plain_cause(met.test, judged)
            if told is None and call is not None:
                known = {**met.odd, **met.values}
                if call.variable in known:
                    told = checked(call, known[call.variable], SECONDS)
                else:
                    functions[exercise] = call
            self._keep(exercise, told)
        if functions and self._process.seconds < MOST:
            self._of_functions(functions)
        for exercise, (_, judged) in self._lost.items():
            if exercise not in self.texts and judged.error == "NotImplementedError":
                words = (
                    "A line that raises NotImplementedError still stands in the answer: remove it."
                )
                self._keep(exercise, (f"{exercise}   not written yet\n  {words}", STILL_RAISES))

    def _plain_cause(self, test: PlannedTest, judged: Judged) -> Told | None:
        """The cause where no check is needed to see it."""
        text = self.answers.get(test.answer)
        if text is not None and text.strip() == self._plan.stubs[test.answer].strip():
            words = "Its cell is as it was handed out."
            return f"{test.exercise}   not attempted\n  {words}", NOT_ATTEMPTED
        if test.answer in self._stopped and judged.error == "NameError":
            marker = CONFLICT.search(text or "")
            words = (
                f"Its cell holds the marks of an unfinished merge ({marker[1]}): keep one version."
                if marker
                else f"Its cell stopped with {self._stopped[test.answer]}"
            )
            return f"{test.exercise}   its cell does not run\n  {words}", CELL_STOPS
        if judged.error == ENDED:
            return f"{test.exercise}   stopped\n  While it was tested, {judged.words}.", None
        if judged.error == "MemoryError" or NO_MEMORY in judged.words:
            words = "While it was tested, it reached the memory limit."
            return f"{test.exercise}   out of memory\n  {words}", None
        return None

    def _of_functions(self, calls: Mapping[str, CheckCall]) -> None:
        """Put functions to their checks in a process that no hidden test has come near.

        A copy that has met one could pass its inputs on by a file, and a check repeats what an
        answer says.
        """
        clock = Clock(time.monotonic() + ALL_SECONDS, SECONDS)
        process = self._process.sibling(clock)
        names = {call.variable for call in calls.values()}
        try:
            for exercise, call in calls.items():
                done = self._lost[exercise][0].done
                process.catch_up(needed(done, names), process.define)
                self._keep(exercise, _told(process, call, clock))
        except TimeUp:
            return
        finally:
            process.end()

    @cached_property
    def _hidden(self) -> HiddenText:
        """What this student may not read, once all answers are known."""
        return self._plan.hidden.allowing(*self.answers.values())

    def _keep(self, exercise: str, told: Told | None) -> None:
        """Keep a cause, unless its words show a hidden line."""
        if told is None:
            return
        text, cause = told
        if self._plan.hidden.found_in(text) and self._hidden.found_in(text):
            self._note(f"{exercise}: the cause was dropped, as it would show a hidden line")
            return
        self.texts[exercise] = text
        if cause:
            self.ids[exercise] = cause


def _told(process: Process, call: CheckCall, clock: Clock) -> Told | None:
    """What a check says of a function, or None where it comes to no end or finds no fault."""
    peer, seconds = process.student().peer, clock.seconds()
    try:
        with peer.until(time.monotonic() + seconds):
            told = checked(call, stand_in(peer, call.variable), seconds)
    except StudentEnded:
        told = None
    except BaseException as error:  # whatever the student's code raises
        if isinstance(error, KeyboardInterrupt) and not came_over(error):
            raise
        told = None
    if peer.ended is not None:
        process.close()
        return None
    peer.take_back()
    return told


def full_marks(outputs: Sequence[Mapping[str, Any]], points: float) -> bool:
    """Whether a test with these outputs earns all its points.

    >>> full_marks([], 3), full_marks([{"output_type": "error"}], 3)
    (True, False)
    """
    results = [o for o in outputs if o["output_type"] == "execute_result"]
    shown = [str(o["data"].get("text/plain", "")) for o in results]
    failed = any(o["output_type"] == "error" for o in outputs)
    return not failed and all(is_score(t, points) and float(t) == points for t in shown)


def checked(call: CheckCall, value: Any, seconds: float) -> Told | None:
    """The answer of a lesson's check in plain text, and its cause; None if it says nothing."""
    from manyheads import check

    if call.function not in check.__all__:
        return None
    arguments = (call.lesson, call.question, value) if call.function == "answer" else (value,)
    silent = io.StringIO()
    with restored(), deadline(seconds), redirect_stdout(silent), redirect_stderr(silent):
        result = getattr(check, call.function)(*arguments)
    if result.passed:
        return f"{result.exercise}   {PASSED}", None
    if result.cause == "check-failed" or result.headline == "can't be checked":
        return None
    return result.answer, result.cause
