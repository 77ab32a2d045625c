"""Tables and lines that the commands print."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from manyheads.student.doctor import Finding
    from manyheads.student.run_checks import CheckReport
    from manyheads.student.status import LessonStatus

MARKS = {True: "passed", False: "failed", None: "open"}


def check_lines(report: CheckReport) -> Iterator[str]:
    """The outcomes of a run, each marked passed, failed or open (not answered, not run)."""
    for outcome in report.outcomes:
        first, *rest = outcome.text.splitlines() or [outcome.name]
        yield f"{MARKS[outcome.passed]:7} {first}"
        yield from (f"        {line}" for line in rest)
    yield from report.remarks
    yield report.summary


def status_table(statuses: list[LessonStatus]) -> Table:
    """One row a lesson: questions answered, checks passed when it last ran, when it was sent in."""
    table = Table("Lesson", "Answered", "Passed at the last run", "Submitted (UTC)", "Note")
    for status in statuses:
        table.add_row(
            status.lesson,
            f"{status.answered} of {status.questions}",
            f"{status.passed} of {status.judged}" if status.judged else "not run yet",
            status.submitted or "no",
            "notebook can't be read" if status.problem else "",
        )
    return table


def doctor_table(findings: list[Finding]) -> Table:
    """One row a finding: what it is, what was found, who needs it, what to do."""
    table = Table("What", "Needed for", "State", "Found", "What to do")
    for found in findings:
        state = "ok" if found.ok else "MISSING"
        table.add_row(
            found.what, found.needed_for, state, found.found, "" if found.ok else found.remedy
        )
    return table


@contextmanager
def progress_bar(screen: Console) -> Iterator[Callable[[int, int, str], None]]:
    """A bar with the time left, on a terminal only; yields what moves it: (done, total, label)."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("grading", total=None)
        yield lambda done, total, label: bar.update(
            task, completed=done, total=total, description=label
        )
