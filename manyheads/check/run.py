"""The public checks, one step further in: examine, record, show, and never raise."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from manyheads.check import session
from manyheads.check.answers import answer_result
from manyheads.check.display import show, show_picture
from manyheads.check.prepare import prepare
from manyheads.check.questions import load
from manyheads.check.result import Progress, Result
from manyheads.errors import ManyheadsError

if TYPE_CHECKING:
    from manyheads.check.exercise import Trial

Shown = TypeVar("Shown", bound=Progress | Result)
GRADING = "Hidden tests, on other inputs, run at grading."
LESSON = "02_head_split"


def check_function(module: str, fn: Any) -> Result:
    """Check `fn` against the exercise that `manyheads.check.<module>` defines."""
    return _never_raising(partial(_function, module, fn), module)


def check_bug_finder(module: str, find_bug: Any) -> Result:
    """Check a bug finder on the patients of the clinic that `manyheads.check.<module>` defines."""
    return _never_raising(partial(_bug_finder, module, find_bug), "find_bug")


def check_answer(lesson: str, question: str, value: Any) -> Result:
    """Check one answer."""
    return _never_raising(partial(_answer, lesson, question, value), str(question))


def check_progress(lesson: str) -> Progress | Result:
    """Show a lesson's progress."""
    return _never_raising(partial(_progress, lesson), str(lesson))


def function_result(module: str, fn: Any) -> tuple[Result, Callable[[], Any] | None]:
    """The result of one function's check, recorded, and a way to draw it where there is one."""
    from manyheads.check.diagnose import examine
    from manyheads.check.threads import one_thread

    exercise = import_module(f"manyheads.check.{module}").EXERCISE
    with one_thread():
        verdict = examine(exercise, fn)
    lesson, name = exercise.lesson, exercise.name
    session.record(lesson, name, verdict.finding is None)
    foot = session.footer(lesson)
    if verdict.finding is None:
        lines = (exercise.passed, *exercise.remarks(verdict.refusals), GRADING)
        return Result(lesson, name, True, "passed", lines, footer=foot), None
    result = Result(lesson, name, False, **vars(verdict.finding), footer=foot)
    if verdict.trial is None:
        return result, None
    return result, partial(exercise.picture or _numbers, verdict.trial)


def _numbers(trial: Trial) -> Any:
    """The picture of an exercise that has none of its own."""
    from manyheads.check.pictures import numbers_picture

    return numbers_picture(trial)


def _function(module: str, fn: Any) -> Result:
    result, draw = function_result(module, fn)
    show(result)
    if draw:
        with suppress(Exception):  # the picture is an extra: all has been said in words
            show_picture(draw)
    return result


def _bug_finder(module: str, find_bug: Any) -> Result:
    from manyheads.check.clinic import clinic_result

    result = clinic_result(import_module(f"manyheads.check.{module}").CLINIC, find_bug)
    show(result)
    return result


def _answer(lesson: str, question: str, value: Any) -> Result:
    result = answer_result(lesson, question, value)
    show(result)
    prepare(lesson)
    return result


def _progress(lesson: str) -> Progress | Result:
    shown: Progress | Result
    try:
        shown = session.progress_of(load(lesson))
    except ManyheadsError as error:
        shown = Result(
            str(lesson), "progress", None, "can't be shown", (str(error),), verdict="can't be shown"
        )
    show(shown)
    return shown


def _never_raising(check: Callable[[], Shown], name: str) -> Shown | Result:
    """Run a check; a fault of the check itself becomes a result, so that the notebook goes on."""
    try:
        return check()
    except Exception as error:
        from manyheads.check.raised import last_line

        lines = (
            "This is a fault of the check, not of your answer. Please report it, with your code.",
            last_line(error),
        )
        headline = "the check could not be finished"
        result = Result(LESSON, name, None, headline, lines, cause="check-failed", verdict=headline)
        show(result)
        return result
