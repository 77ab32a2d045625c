"""What has been answered since the kernel started, and the foot of each result."""

from __future__ import annotations

from manyheads.check.questions import Lesson, load
from manyheads.check.result import Progress
from manyheads.errors import ManyheadsError

_answered: dict[str, set[str]] = {}


def record(lesson: str, question: str, passed: bool) -> None:
    """Remember whether the latest answer to a question counts as answered."""
    known = _answered.setdefault(lesson, set())
    if passed:
        known.add(question)
    else:
        known.discard(question)


def progress_of(lesson: Lesson) -> Progress:
    """The progress in one lesson."""
    done = _answered.get(lesson.id, set())
    by_hand = tuple(name for name, q in lesson.questions.items() if q.kind == "text")
    counted = [name for name in lesson.questions if name not in by_hand]
    return Progress(
        lesson.id,
        tuple(name for name in counted if name in done),
        tuple(name for name in counted if name not in done),
        by_hand,
    )


def footer(lesson: str) -> str:
    """The progress in one line; nothing for a lesson whose questions can't be read."""
    try:
        return progress_of(load(lesson)).footer
    except ManyheadsError:
        return ""


def forget() -> None:
    """Begin a new session."""
    _answered.clear()
