"""Answer a quiz, a practice number, a prediction: say whether it is right, and why."""

from __future__ import annotations

import math
from typing import Any

from manyheads.check import session
from manyheads.check.questions import Lesson, Question, load
from manyheads.check.result import Result
from manyheads.check.values import kind_of, normal
from manyheads.check.words import series
from manyheads.errors import LessonTextError, UnknownLessonError

STUBS = ("...", "*write your answer here.*", "write your answer here.", "your answer here", "")


def answer_result(lesson: str, question: str, value: Any) -> Result:
    """The result for one answer; it is recorded in the session."""
    try:
        read = load(lesson)
    except (UnknownLessonError, LessonTextError) as error:
        return _unasked(str(lesson), str(question), str(error))
    asked = read.questions.get(question) if isinstance(question, str) else None
    if asked is None:
        names = ", ".join(read.questions)
        reason = f"{lesson} has no question {question!r}. It has: {names}."
        return _unasked(lesson, str(question), reason)
    return _judged(read, question, asked, value)


def _unasked(lesson: str, question: str, reason: str) -> Result:
    headline = "can't be checked"
    return Result(lesson, question, None, headline, (reason,), verdict=headline)


def _judged(lesson: Lesson, name: str, question: Question, value: Any) -> Result:
    try:
        passed, headline, lines, cause = _answer(name, question, value)
    except Exception as error:  # the value may be any object, with methods that misbehave
        reason = f"{name} holds a value that can't be read ({type(error).__name__})."
        passed, headline, lines, cause = False, "not yet", (reason,), "unreadable"
    answered = passed is True or headline == "noted"
    session.record(lesson.id, name, answered)
    verdict = headline.partition(":")[0]
    return Result(
        lesson.id,
        name,
        passed,
        headline,
        lines,
        cause=cause,
        footer=session.footer(lesson.id),
        verdict=verdict,
    )


Answer = tuple[bool | None, str, tuple[str, ...], str | None]


def _answer(name: str, question: Question, value: Any) -> Answer:
    if _open(value):
        return None, "not answered yet", (_how_to(name, question),), None
    if question.kind == "function":
        lines = (f"This is a function to write. Check it with check.{name}({name}).",)
        return None, "not answered yet", lines, None
    if question.kind == "predict":
        return None, "noted", (question.says,), None
    if question.kind == "text":
        if not isinstance(value, str):
            return None, "not answered yet", (f"{name} takes text in quotes.",), None
        return None, "noted", (question.says or "Your teacher reads and grades this text.",), None
    return _choice(name, question, value) if question.kind == "choice" else _value(question, value)


def _open(value: Any) -> bool:
    if value is None or value is ...:
        return True
    return isinstance(value, str) and normal(value) in STUBS


def _choice(name: str, question: Question, value: Any) -> Answer:
    letter = normal(value).strip("().") if isinstance(value, str) else None
    choice = question.choices.get(letter) if letter is not None else None
    if choice is None:
        came = f"{value!r}" if isinstance(value, str) else kind_of(value)
        lines = (f"{name} holds {came}. {_how_to(name, question)}",)
        return False, "not yet: this is none of the choices", lines, "no-choice"
    headline = "passed" if choice.right else "not yet"
    return choice.right, headline, (choice.says,), None if choice.right else f"choice-{letter}"


def _value(question: Question, value: Any) -> Answer:
    given, right = normal(value), normal(question.right)
    if _equal(given, right):
        return True, "passed", (question.says,), None
    for number, mistake in enumerate(question.mistakes):
        if _equal(given, normal(mistake.value)):
            return False, "not yet", (mistake.says,), f"mistake-{number}"
    if kind_of(question.right) != kind_of(value):
        came = f"You gave {kind_of(value)}; this question asks for {kind_of(question.right)}."
        return False, "not yet", (came, question.otherwise), "wrong-type"
    return False, "not yet", (question.otherwise,), None


def _equal(given: Any, right: Any) -> bool:
    """Equal, and of one type at every level: True is not 1, and numbers are floats already."""
    if type(given) is not type(right):
        return False
    if isinstance(given, list):
        return len(given) == len(right) and all(map(_equal, given, right))
    if isinstance(given, float):
        return math.isclose(given, right, rel_tol=1e-6, abs_tol=1e-9)
    return bool(given == right)


def _how_to(name: str, question: Question) -> str:
    if question.kind == "choice":
        letters = series((f'"{letter}"' for letter in question.choices), "or")
        return f"Put {letters} in the place of the dots, with the quotes."
    if question.kind == "value":
        return f"Put {kind_of(question.right)} in the place of the dots."
    if question.kind == "function":
        return f"Write the function, then check it with check.{name}({name})."
    return "Put your own answer in the place of the dots; it is noted, not graded."
