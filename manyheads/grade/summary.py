"""What is to be told of a graded class beside the table: line by line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from manyheads.grade.report import ClassReport

NOT_ATTEMPTED = "not-attempted"
MOST_ALIKE = 5  # failures with the very same cause that get a line each
MOST_CAUSES = 10  # misconceptions to list; grading a large class finds dozens


def summary(report: ClassReport) -> Iterator[str]:
    """Each submission that is flagged or failed, what the class misunderstood, where files are."""
    yield from _work(report)
    for (student, lesson), flags in sorted(report.flags.items()):
        yield f"flagged: {student}, {lesson}: {'; '.join(flags)}"
    yield from _failures(report)
    yield from _causes(report)
    yield from (f"note: {note}" for note in report.notes)
    if report.unsandboxed:
        yield (
            f"WARNING: {_counted(len(report.unsandboxed), 'submission')} graded without a sandbox. "
            "Whoever wrote one could read and change what this account can, grades included; the "
            "column `sandboxed` of the table of grades says which. See `manyheads doctor`."
        )


def _work(report: ClassReport) -> Iterator[str]:
    """How much there was to do."""
    failed = sum(one.ungraded for one in report.failures)
    graded = report.submissions - report.kept - report.rejudged - failed
    parts = [f"{_counted(graded, 'submission')} graded"]
    if report.kept:
        parts.append(f"{report.kept} unchanged since they were graded")
    if failed:
        parts.append(f"{failed} not graded")
    yield ", ".join(parts) + "."
    if report.rejudged:
        tests = "; ".join(f"{name}: {', '.join(ids)}" for name, ids in report.corrected.items())
        yield (
            f"Corrected tests ({tests}): {_counted(report.rejudged, 'submission')} judged again in "
            "their exercises only; all other scores stay."
        )


def _failures(report: ClassReport) -> Iterator[str]:
    """What failed; what failed in the same way for many, in one line."""
    alike: dict[str, list[str]] = {}
    for failure in report.failures:
        alike.setdefault(failure.cause, []).append(f"{failure.student}, {failure.lesson}")
    for cause, who in alike.items():
        if len(who) <= MOST_ALIKE:
            yield from (f"failed: {one}: {cause}" for one in who)
        else:
            yield f"failed: {'; '.join(who[:MOST_ALIKE])} and {len(who) - MOST_ALIKE} more: {cause}"


def _causes(report: ClassReport) -> Iterator[str]:
    found = Counter({key: n for key, n in report.causes.items() if key[2] != NOT_ATTEMPTED})
    for (lesson, exercise, cause), count in found.most_common(MOST_CAUSES):
        yield f"misunderstood: {lesson}, {exercise}: {cause} ({_counted(count, 'student')})"


def _counted(number: int, what: str) -> str:
    """A number and its noun.

    >>> _counted(1, "student"), _counted(2, "student")
    ('1 student', '2 students')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
