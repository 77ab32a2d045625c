"""Where a student stands: what is answered, what passed, what was sent in, what is next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from manyheads.course import Course, notebook_path
from manyheads.errors import UnreadableNotebookError
from manyheads.student.answers import answered, questions
from manyheads.student.copies import release_path, released_lessons
from manyheads.student.notebook import read_notebook
from manyheads.student.outcomes import outcomes


@dataclass(frozen=True)
class LessonStatus:
    """Counts for one lesson; `judged` are the checks and tests with a verdict in the last run."""

    lesson: str
    questions: int
    answered: int = 0
    passed: int = 0
    judged: int = 0
    submitted: str = ""
    problem: str = ""

    @property
    def finished(self) -> bool:
        """Whether every question is answered and nothing failed when the notebook last ran."""
        return not self.problem and self.answered == self.questions and self.passed == self.judged

    @property
    def next_step(self) -> str:
        """What the student should do about this lesson, as a short phrase."""
        if self.problem:
            return f"repair the notebook of {self.lesson}: {self.problem}"
        if self.answered < self.questions:
            left = self.questions - self.answered
            todo = f"{left} of {self.questions} questions to answer"
            return f"{self.lesson}, {todo} (`manyheads lab {self.lesson}`)"
        if self.passed < self.judged:
            failed = f"{self.judged - self.passed} of {self.judged} checks did not pass"
            return f"{self.lesson}, {failed} (`manyheads check {self.lesson}`)"
        if not self.submitted:
            return (
                f"{self.lesson} is answered; send it in (`manyheads submit {self.lesson} --as ID`)"
            )
        return f"{self.lesson} is done"


def course_status(course: Course) -> list[LessonStatus]:
    """The status of every released lesson, in order.

    Raises NotReleasedError when no lesson is released.
    """
    return [lesson_status(course, lesson) for lesson in released_lessons(course)]


def lesson_status(course: Course, lesson: str) -> LessonStatus:
    """The status of one released lesson; a notebook that can't be read is told in `problem`."""
    release = read_notebook(release_path(course, lesson))
    asked, sent, copy = (
        len(questions(release)),
        _sent(course, lesson),
        notebook_path(course.work, lesson),
    )
    if not copy.is_file():
        return LessonStatus(lesson, asked, submitted=sent)
    try:
        work = read_notebook(copy)
    except UnreadableNotebookError as error:
        return LessonStatus(lesson, asked, submitted=sent, problem=str(error))
    verdicts = [found.passed for found in outcomes(work) if found.passed is not None]
    done = len(answered(work, release))
    return LessonStatus(lesson, asked, done, sum(verdicts), len(verdicts), sent)


def next_lesson(statuses: list[LessonStatus]) -> LessonStatus:
    """The first lesson with something left to do, else the first one."""
    unfinished = (status for status in statuses if not status.finished)
    unsent = (status for status in statuses if not status.submitted)
    return next(unfinished, None) or next(unsent, None) or statuses[0]


def _sent(course: Course, lesson: str) -> str:
    """When the lesson was last sent in, by any id used on this machine; empty if never."""
    stamps = course.submitted.glob(f"[!.]*/{lesson}/timestamp.txt")
    return max(map(_stamp, stamps), default="")


def _stamp(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").strip().partition(".")[0]
