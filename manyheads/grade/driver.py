"""A class from `submitted/` to the gradebook: workers grade, this process alone writes."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from manyheads.course import Course
from manyheads.errors import GradingError, GradingStoppedError, SandboxError
from manyheads.grade.class_pages import write_pages
from manyheads.grade.class_run import ClassRun
from manyheads.grade.garbage import seldom_collected
from manyheads.grade.lock import only_grader
from manyheads.grade.pool.cpus import usable_cpus
from manyheads.grade.pool.crew import Crew
from manyheads.grade.pool.job import WorkerSettings
from manyheads.grade.quick_imports import quick_imports
from manyheads.grade.report import ClassReport, Progress
from manyheads.grade.settings import Settings, read_settings
from manyheads.grade.submissions import Submission, find_submissions, passed_over

LOG_NAME = ".nbgrader.log"


@dataclass(frozen=True)
class Options:
    """How to grade a class.

    With `workers` processes (None: as many as there are CPUs to use); everything `again`, or only
    what is new or changed; in a sandbox unless `isolated` is False; with `feedback` pages or not.
    """

    workers: int | None = None
    again: bool = False
    isolated: bool = True
    feedback: bool = True


def grade(
    course: Course, lessons: Sequence[str], progress: Progress, options: Options
) -> ClassReport:
    """Grade a class; see `manyheads.grade.grade_class`."""
    submissions = find_submissions(course, lessons)
    handed_in = {one.lesson for one in submissions}
    sources = {name: source_notebooks(course, name) for name in lessons if name in handed_in}
    settings = read_settings(course)
    report = ClassReport(course.root / "grades.csv", course.feedback, course.root / LOG_NAME)
    report.submissions = len(submissions)
    report.notes += filter(None, [passed_over(course)])
    progress(0, len(submissions), "loading")
    with (
        only_grader(course.root),
        _log_file(report.log) as log,
        Crew(_for_workers(settings, sources, options), _workers(options, submissions)) as crew,
    ):
        if options.isolated:
            _require_sandbox()
        with quick_imports():  # nbgrader takes a second, in which the workers start
            from manyheads.grade.book.book import Book
        with seldom_collected(), Book(course, settings, log) as book:
            for lesson, paths in sources.items():
                book.register(lesson, paths)
            run = ClassRun(book, crew, report, log, again=options.again, isolated=options.isolated)
            try:
                run.grade(submissions, progress)
            except KeyboardInterrupt:
                raise _stopped(run.done, len(submissions)) from None
            run.tabulate(list(sources), submissions)
        if options.feedback:
            write_pages(course, crew, report, submissions, progress)
    return report


def source_notebooks(course: Course, lesson: str) -> list[Path]:
    """The instructor's notebooks of a lesson; raises GradingError when there is none."""
    found = sorted((course.source / lesson).glob("*.ipynb"))
    if not found:
        raise GradingError(
            f"Lesson {lesson} can't be graded: {course.source / lesson} holds no notebook. Run "
            "`manyheads build` first."
        )
    return found


def _require_sandbox() -> None:
    from manyheads.grade.sandbox import missing

    words = missing()
    if words is not None:
        raise SandboxError(
            f"{words} Or grade with --no-sandbox: students' code then has all rights that you "
            "have, and every result is marked."
        )


def _workers(options: Options, submissions: Sequence[Submission]) -> int:
    return max(1, min(options.workers or len(usable_cpus()), len(submissions)))


def _for_workers(
    settings: Settings, sources: dict[str, list[Path]], options: Options
) -> WorkerSettings:
    return WorkerSettings(
        sources, settings.cell_seconds, settings.submission_seconds, options.isolated
    )


def _stopped(done: int, total: int) -> GradingStoppedError:
    return GradingStoppedError(
        f"Stopped. {done} of {total} submissions are graded, and that is kept; the same command "
        "goes on from there."
    )


@contextmanager
def _log_file(path: Path) -> Iterator[logging.Logger]:
    """A logger of this run's own, which writes to a file and nowhere else."""
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger = logging.Logger("nbgrader", level=logging.INFO)  # a private one, not shared
    logger.addHandler(handler)
    try:
        yield logger
    finally:
        handler.close()
