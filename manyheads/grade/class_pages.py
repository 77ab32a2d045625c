"""Feedback pages for a whole class, written by the workers after all grades are entered."""

from __future__ import annotations

from collections.abc import Sequence

from manyheads.course import Course
from manyheads.errors import GradingStoppedError
from manyheads.grade.pool import worker
from manyheads.grade.pool.crew import Crew
from manyheads.grade.pool.job import PageJob, PageResult
from manyheads.grade.report import ClassReport, Failure, Progress
from manyheads.grade.submissions import Submission


def write_pages(
    course: Course,
    crew: Crew,
    report: ClassReport,
    submissions: Sequence[Submission],
    progress: Progress,
) -> None:
    """Write the feedback of all submissions that are graded; a page that can't be is a failure."""
    failed = report.ungraded
    jobs = [
        PageJob(course, one.lesson, one.student)
        for one in submissions
        if (one.student, one.lesson) not in failed
    ]
    done = 0
    try:
        for result in crew.run(worker.write_page, iter(jobs), _no_page):
            if result.failure:
                report.failures.append(Failure(result.student, result.lesson, result.failure))
            done += 1
            progress(done, len(jobs), f"feedback {result.student} {result.lesson}")
    except KeyboardInterrupt:
        raise GradingStoppedError(
            f"Stopped. All grades are entered; {done} of {len(jobs)} feedback pages are written."
        ) from None
    report.failures.sort(key=lambda failure: (failure.student, failure.lesson))


def _no_page(job: PageJob) -> PageResult:
    return PageResult(job.lesson, job.student, "the process that wrote the feedback ended, twice")
