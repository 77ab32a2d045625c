"""The result of grading a class, and the table that shows it."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from manyheads.grade.exercises import family
from manyheads.grade.grades import Grade, read_csv

if TYPE_CHECKING:
    from rich.table import Table

Progress = Callable[[int, int, str], None]
_NOT_GRADED = "not graded"
MOST_ROWS = 60  # students that a terminal's table is still read for


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
class Tally:
    """How a class did in one exercise: submissions, points, how many got all or nothing."""

    graded: int = 0
    points: float = 0.0
    max_points: float = 0.0
    full: int = 0
    nothing: int = 0
    manual: int = 0

    def add(self, grade: Grade) -> None:
        """Count one more student's grade."""
        self.graded += 1
        self.points += grade.points
        self.max_points = max(self.max_points, grade.max_points)
        self.manual += grade.manual
        self.full += not grade.manual and grade.points >= grade.max_points
        self.nothing += not grade.manual and grade.points == 0


@dataclass
class ClassReport:
    """What grading a class gave, and where the files are; the grades themselves lie in `csv`.

    `flags` says, by student and lesson, what was unusual about a submission or had to be put right.
    `tallies` is by lesson and exercise, `causes` counts by lesson, exercise and misconception.
    `kept` counts submissions that were graded before and are unchanged, `rejudged` those of which
    only `corrected` tests, by lesson, were judged again. `notes` are about the machine.
    """

    csv: Path
    feedback: Path
    log: Path
    failures: list[Failure] = field(default_factory=list)
    flags: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    causes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    submissions: int = 0
    kept: int = 0
    rejudged: int = 0
    corrected: dict[str, list[str]] = field(default_factory=dict)
    unsandboxed: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @cached_property
    def grades(self) -> list[Grade]:
        """All grades, read from `csv` when they are first asked for."""
        return read_csv(self.csv)

    def counted(self, grades: Iterable[Grade]) -> Iterator[Grade]:
        """The same grades, each counted in `tallies` as it passes."""
        for grade in grades:
            self.tallies.setdefault((grade.lesson, grade.exercise), Tally()).add(grade)
            yield grade

    @property
    def ungraded(self) -> set[tuple[str, str]]:
        """The submissions that could not be graded, by student and lesson."""
        return {(one.student, one.lesson) for one in self.failures if one.ungraded}

    @property
    def large(self) -> bool:
        """Whether the class is too large for a table with a row for each student."""
        return max((tally.graded for tally in self.tallies.values()), default=0) > MOST_ROWS


def class_table(report: ClassReport) -> Table:
    """Students by exercises, with points; lessons in place of exercises when there are several.

    Numbered exercises share a column. What a person still has to grade is "manual"; what could
    not be graded says so, in its lesson's column or, of a student with nothing else, in a row.
    """
    from rich.table import Table

    lessons = list(dict.fromkeys(grade.lesson for grade in report.grades))
    several = len(lessons) > 1
    cells = _sums(report.grades, several=several)
    failed = report.ungraded
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


def summary_table(report: ClassReport) -> Table:
    """A large class: exercises by what the class did in them."""
    from rich.table import Table

    table = Table("lesson", "exercise")
    for column in ("graded", "mean", "of", "all points", "none", "manual"):
        table.add_column(column, justify="right")
    for (lesson, exercise), tally in report.tallies.items():
        mean = f"{tally.points / tally.graded:.2f}"
        counts = (tally.full, tally.nothing, tally.manual)
        row = (str(tally.graded), mean, f"{tally.max_points:g}", *map(str, counts))
        table.add_row(lesson, exercise, *row)
    return table
