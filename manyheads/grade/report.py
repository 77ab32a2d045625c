"""The result of grading a class, and the table that shows it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from manyheads.grade.exercises import family
from manyheads.grade.grades import Grade

if TYPE_CHECKING:
    from rich.table import Table

_NOT_GRADED = "not graded"


@dataclass(frozen=True)
class Failure:
    """Why a submission was not graded (`ungraded`) or got no feedback page, and what to do."""

    student: str
    lesson: str
    cause: str
    ungraded: bool = False

    def __str__(self) -> str:
        """The failure in one line."""
        return f"{self.student}, {self.lesson}: {self.cause}"


@dataclass
class ClassReport:
    """What grading a class gave: grades by exercise, failures, and where the files are.

    `flags` says, by student and lesson, what had to be put right in a submission before it ran.
    """

    csv: Path
    feedback: Path
    log: Path
    grades: list[Grade] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    flags: dict[tuple[str, str], list[str]] = field(default_factory=dict)


def class_table(report: ClassReport) -> Table:
    """Students by exercises, with points; lessons in place of exercises when there are several.

    Numbered exercises share a column. What a person still has to grade is "manual"; what could
    not be graded says so, in its lesson's column or, of a student with nothing else, in a row.
    """
    from rich.table import Table

    lessons = list(dict.fromkeys(grade.lesson for grade in report.grades))
    several = len(lessons) > 1
    cells = _sums(report.grades, several=several)
    failed = {(one.student, one.lesson) for one in report.failures if one.ungraded}
    columns = list(dict.fromkeys(column for _, column in cells))
    table = Table(title=None if several or not lessons else lessons[0])
    table.add_column("student", no_wrap=True)
    for column in (*columns, "total"):
        table.add_column(_heading(column, cells), justify="right")
    for student in sorted({student for student, _ in cells}):
        row = [cells.get((student, column)) for column in columns]
        missing = [_NOT_GRADED if (student, column) in failed else "" for column in columns]
        total = sum(grade.points for grade in row if grade)
        table.add_row(student, *map(_shown, row, missing), f"{total:g}")
    for student in sorted({student for student, _ in failed} - {student for student, _ in cells}):
        table.add_row(student, *("-" for _ in columns), _NOT_GRADED)
    return table


def _sums(grades: Iterable[Grade], *, several: bool) -> dict[tuple[str, str], Grade]:
    """Points by student and column; a sum is manual while any of its parts is."""
    sums: dict[tuple[str, str], Grade] = {}
    for grade in grades:
        column = grade.lesson if several else family(grade.exercise)
        so_far = sums.get((grade.student, column))
        sums[grade.student, column] = Grade(
            grade.student,
            grade.lesson,
            column,
            points=grade.points + (so_far.points if so_far else 0),
            max_points=grade.max_points + (so_far.max_points if so_far else 0),
            manual=grade.manual or (so_far is not None and so_far.manual),
        )
    return sums


def _heading(column: str, cells: dict[tuple[str, str], Grade]) -> str:
    """A column's name, a long one on several lines, and below it the points there are."""
    parts = textwrap.wrap(column.replace("_", "_ "), width=8, break_long_words=False)
    folded = "\n".join(parts).replace("_ ", "_")
    most: dict[str, float] = {}
    for (_, name), grade in cells.items():
        most[name] = max(most.get(name, 0), grade.max_points)
    return f"{folded}\n/{most.get(column, sum(most.values())):g}"


def _shown(grade: Grade | None, missing: str) -> str:
    if grade is None:
        return missing
    if grade.manual:
        return f"{grade.points:g} + manual" if grade.points else "manual"
    return f"{grade.points:g}"
