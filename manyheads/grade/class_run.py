"""What has to be graded is handed out, what comes back is entered, and the report is told."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from manyheads.errors import GradebookError, GradingError
from manyheads.grade.grades import write_csv
from manyheads.grade.pool import worker
from manyheads.grade.pool.crew import Crew
from manyheads.grade.pool.job import Job, Result
from manyheads.grade.report import ClassReport, Failure, Progress
from manyheads.grade.submissions import Submission

if TYPE_CHECKING:
    from manyheads.grade.book.book import Book
    from manyheads.grade.book.record import Fingerprint, Record

DIED = (
    "the process that graded it ended or hung, twice. Look in the submission for what takes all "
    "of the machine's memory, and in the lesson's tests for what never ends; then grade again, or "
    "grade this one by hand"
)


class ClassRun:
    """Hands out what has to be graded, enters what comes back, and tells the report."""

    def __init__(
        self,
        book: Book,
        crew: Crew,
        report: ClassReport,
        log: logging.Logger,
        *,
        again: bool,
        isolated: bool,
    ) -> None:
        self._book, self._crew, self._report, self._log = book, crew, report, log
        self._again, self._isolated = again, isolated
        self._under_way: dict[tuple[str, str], tuple[Job, Fingerprint, Record | None]] = {}
        self.done = 0

    def grade(self, submissions: Sequence[Submission], progress: Progress) -> None:
        """Grade what has to be graded."""
        total = len(submissions)

        def jobs() -> Iterator[Job]:
            for submission in submissions:
                job = self._job(submission)
                if job is None:
                    self.done += 1
                    progress(self.done, total, f"{submission.student} {submission.lesson}")
                else:
                    yield job

        for result in self._crew.run(worker.grade, jobs(), _died):
            self._take(result)
            self.done += 1
            progress(self.done, total, f"{result.student} {result.lesson}")

    def _job(self, submission: Submission) -> Job | None:
        """What has to be done for a submission; None if it is graded and nothing has changed."""
        key = submission.student, submission.lesson
        now = self._book.fingerprint(submission)
        before = None if self._again else self._book.record(submission)
        outdated = before and before.outdated(now, sandboxed=self._isolated)
        if before is not None and outdated is not None and not outdated:
            self._report.kept += 1
            self._note(key, before)
            return None
        only = frozenset(outdated) if outdated else None
        job = Job(
            submission.lesson,
            submission.student,
            submission.folder,
            self._book.graded(submission),
            only,
        )
        self._under_way[key] = (job, now, before if only else None)
        return job

    def _take(self, result: Result) -> None:
        """Enter a result in the gradebook; what can't be entered is a failure of its own."""
        key = result.student, result.lesson
        job, fingerprint, before = self._under_way.pop(key)
        self._report.notes += [note for note in result.notes if note not in self._report.notes]
        record = _record(result, fingerprint, before)
        failure = result.failure or self._entered(job, result, record)
        if failure:
            self._report.failures.append(Failure(*key, failure, ungraded=True))
            self._log.error("%s %s: %s", *key, failure)
            return
        self._note(key, record)
        if job.only:
            self._report.rejudged += 1
            self._report.corrected[job.lesson] = sorted(
                {*self._report.corrected.get(job.lesson, ()), *map(_test, job.only)}
            )
        self._log.info("graded %s %s %s", *key, "; ".join(record.flags))

    def _entered(self, job: Job, result: Result, record: Record) -> str:
        """Enter a result in the gradebook; returns why that can't be done, of this result alone."""
        try:
            self._book.enter(job, result, record)
        except GradebookError:
            raise
        except GradingError as error:
            return str(error)
        return ""

    def _note(self, key: tuple[str, str], record: Record) -> None:
        """Tell the report what is known of a graded submission."""
        if record.flags:
            self._report.flags[key] = list(record.flags)
        if not record.sandboxed:
            self._report.unsandboxed.append(key)
        for exercise, cause in record.cause_ids.items():
            self._report.causes[key[1], exercise.rpartition("/")[2], cause] += 1

    def tabulate(self, lessons: Sequence[str], submissions: Sequence[Submission]) -> None:
        """Write the table of grades of all submissions that are graded."""
        report = self._report
        report.failures.sort(key=lambda failure: (failure.student, failure.lesson))
        failed = report.ungraded
        students = {
            lesson: [
                one.student
                for one in submissions
                if one.lesson == lesson and (one.student, lesson) not in failed
            ]
            for lesson in lessons
        }
        grades = (one for lesson in lessons for one in self._book.grades(lesson, students[lesson]))
        write_csv(report.csv, report.counted(grades))


def _died(job: Job) -> Result:
    return Result(job.lesson, job.student, failure=DIED)


def _test(key: str) -> str:
    """A test's grade_id from its "notebook/grade_id"."""
    return key.partition("/")[2]


def _record(result: Result, fingerprint: Fingerprint, before: Record | None) -> Record:
    """What to remember of a result; of a notebook that was not looked at again, what was known."""
    from manyheads.grade.book.record import Record

    causes = {
        f"{name}/{exercise}": words
        for name, one in result.notebooks.items()
        if one is not None
        for exercise, words in one.causes.items()
    }
    ids = {
        f"{name}/{exercise}": cause
        for name, one in result.notebooks.items()
        if one is not None
        for exercise, cause in one.cause_ids.items()
    }
    flags = list(result.flags)
    if before is not None:
        kept = [name for name in before.causes if name.partition("/")[0] not in result.notebooks]
        causes |= {name: before.causes[name] for name in kept}
        ids |= {name: before.cause_ids[name] for name in kept if name in before.cause_ids}
        flags += [flag for flag in before.flags if flag not in flags]
    sandboxed = result.sandboxed and (before is None or before.sandboxed)
    return Record(fingerprint, sandboxed, flags, causes, ids, result.seconds)
