"""Grades by exercise: written to `grades.csv` and read back."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

# What makes a spreadsheet run a text as a formula, and the mark that stops it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_INERT = "'"


@dataclass(frozen=True)
class Grade:
    """What one student earned in one exercise.

    `manual` while a person still has to grade it; `sandboxed` is False where the student's code ran
    unconfined, so that the points can't be trusted.
    """

    student: str
    lesson: str
    exercise: str
    points: float
    max_points: float
    manual: bool = False
    sandboxed: bool = True


def inert(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> inert("=1+1"), inert("s01")
    ("'=1+1", 's01')
    """
    return _INERT + text if text.startswith(_FORMULA) else text


def original(text: str) -> str:
    """The text that `inert` was given.

    >>> original(inert("=1+1")), original(inert("'s01"))
    ('=1+1', "'s01")
    """
    return text.removeprefix(_INERT)


def write_csv(path: Path, grades: Iterable[Grade]) -> None:
    """Write grades as a table that spreadsheets open, one row a student and exercise.

    An earlier table stays as it is until the new one is complete.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(field.name for field in fields(Grade))
        for grade in grades:
            rows.writerow(inert(v) if isinstance(v, str) else v for v in _row(grade))
    temporary.replace(path)


def _row(grade: Grade) -> Iterator[Any]:
    return (getattr(grade, field.name) for field in fields(Grade))  # astuple copies, slowly


def read_csv(path: Path) -> list[Grade]:
    """Read the grades that `write_csv` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return [_grade(row) for row in csv.DictReader(file)]


def _grade(row: dict[str, str]) -> Grade:
    return Grade(
        student=original(row["student"]),
        lesson=original(row["lesson"]),
        exercise=original(row["exercise"]),
        points=float(row["points"]),
        max_points=float(row["max_points"]),
        manual=row["manual"] == "True",
        sandboxed=row.get("sandboxed", "True") == "True",
    )
