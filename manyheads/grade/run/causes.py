"""Why an exercise lost points, in words that its student may read."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from manyheads.grade.judge import Judged
from manyheads.grade.judge.deadline import deadline
from manyheads.grade.judge.state import restored
from manyheads.grade.plan import CheckCall, LessonPlan, PlannedTest
from manyheads.grade.run.exams import ENDED
from manyheads.grade.run.process import Clock, Process, TimeUp
from manyheads.grade.run.standin import stand_in
from manyheads.grade.sandbox import ExamImpossible, StudentEnded
from manyheads.grade.verdict import is_score

SECONDS = 5.0  # for one check
NOT_ATTEMPTED = "not-attempted"
STILL_RAISES = "not-written-yet"


class Causes:
    """The causes of one submission, found as its tests are heard.

    `answers` holds the student's solution cells by `grade_id`, `texts` the causes by exercise,
    `ids` the misconceptions that were recognised.
    """

    def __init__(
        self, plan: LessonPlan, process: Process, clock: Clock, note: Callable[[str], None]
    ) -> None:
        self._plan, self._process, self._clock, self._note = plan, process, clock, note
        self.answers: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.ids: dict[str, str] = {}

    def heard(self, test: PlannedTest, judged: Judged) -> None:
        """Find the cause if the test lost points and none is known yet for its exercise."""
        if test.exercise in self.texts or full_marks(judged.outputs, test.points):
            return
        text, cause = self._cause(test, judged)
        hidden = self._plan.hidden.allowing(*self.answers.values())
        if text and hidden.found_in(text):
            self._note(f"{test.exercise}: the cause was dropped, as it would show a hidden line")
        elif text:
            self.texts[test.exercise] = text
            self.ids |= {test.exercise: cause} if cause else {}

    def _cause(self, test: PlannedTest, judged: Judged) -> tuple[str, str | None]:
        """The words and the id of what is wrong; no words where nothing is known."""
        name = test.exercise
        if self._untouched(test.answer):
            words = f"{name}   not attempted\n  Its cell is as it was handed out."
            return words, NOT_ATTEMPTED
        if judged.error == ENDED:
            return f"{name}   stopped\n  While it was tested, {judged.words}.", None
        call = self._plan.checks.get(test.answer)
        told = self._told(call) if call else None
        if told:
            return told
        if judged.error == "NotImplementedError":
            words = "A line that raises NotImplementedError still stands in the answer: remove it."
            return f"{name}   not written yet\n  {words}", STILL_RAISES
        return "", None

    def _untouched(self, answer: str) -> bool:
        text = self.answers.get(answer)
        return text is not None and text.strip() == self._plan.stubs[answer].strip()

    def _told(self, call: CheckCall) -> tuple[str, str | None] | None:
        """What the lesson's check says, in an exam of its own that has seen no hidden test."""
        try:
            with self._process.exam() as exam:
                seconds = min(self._clock.seconds(test=True), SECONDS)
                with exam.peer.until(time.monotonic() + seconds):
                    return _checked(call, stand_in(exam.peer, call.variable), seconds)
        except (StudentEnded, ExamImpossible, TimeUp):
            return None
        except BaseException as error:  # a check that comes to no end is no fault of the grading
            if isinstance(error, KeyboardInterrupt) and not hasattr(error, "remote"):
                raise
            return None


def full_marks(outputs: Sequence[Mapping[str, Any]], points: float) -> bool:
    """Whether a test with these outputs earns all its points.

    >>> full_marks([], 3), full_marks([{"output_type": "error"}], 3)
    (True, False)
    """
    results = [o for o in outputs if o["output_type"] == "execute_result"]
    shown = [str(o["data"].get("text/plain", "")) for o in results]
    failed = any(o["output_type"] == "error" for o in outputs)
    return not failed and all(is_score(t, points) and float(t) == points for t in shown)


def _checked(call: CheckCall, value: Any, seconds: float) -> tuple[str, str | None] | None:
    """The answer of a check in plain text, and the id of the cause; None if it finds no fault."""
    from manyheads import check

    if call.function not in check.__all__:
        return None
    arguments = (call.lesson, call.question, value) if call.function == "answer" else (value,)
    silent = io.StringIO()
    with restored(), deadline(seconds), redirect_stdout(silent), redirect_stderr(silent):
        result = getattr(check, call.function)(*arguments)
    if result.passed:
        headline = "right in all that its check compares; a hidden test went further"
        return f"{result.exercise}   {headline}", None
    return None if result.cause == "check-failed" else (result.answer, result.cause)
