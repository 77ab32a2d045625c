"""Grades by exercise: read from the gradebook, written to `grades.csv` and read back."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from manyheads.grade.exercises import exercise_of

# What makes a spreadsheet run a text as a formula, and the mark that stops it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_INERT = "'"


@dataclass(frozen=True)
class Grade:
    """What one student earned in one exercise; `manual` while a person still has to grade it."""

    student: str
    lesson: str
    exercise: str
    points: float
    max_points: float
    manual: bool = False


def read_grades(
    db_url: str, lesson: str, students: Iterable[str], order: Sequence[str]
) -> list[Grade]:
    """The grades of the named students in a lesson, exercise by exercise in the lesson's order.

    `order` holds the lesson's `grade_id`s from top to bottom; `db_url` is the gradebook's.
    """
    from nbgrader.api import Gradebook

    grades: list[Grade] = []
    with Gradebook(db_url) as gradebook:
        notebook = gradebook.find_notebook(lesson, lesson)
        answers = [cell.name for cell in notebook.solution_cells]
        for student in students:
            record = gradebook.find_submission_notebook(lesson, lesson, student)
            entries = sorted(record.grades, key=lambda entry: _place(entry.name, order))
            grades += _by_exercise(student, lesson, entries, answers)
    return grades


def _place(grade_id: str, order: Sequence[str]) -> int:
    return order.index(grade_id) if grade_id in order else len(order)


def _by_exercise(
    student: str, lesson: str, entries: Iterable[Any], answers: Sequence[str]
) -> list[Grade]:
    grouped: dict[str, list[Any]] = {}
    for entry in entries:
        grouped.setdefault(exercise_of(entry.name, answers), []).append(entry)
    return [
        Grade(
            student,
            lesson,
            exercise,
            points=sum(entry.score for entry in group),
            max_points=sum(entry.max_score for entry in group),
            manual=any(entry.needs_manual_grade for entry in group),
        )
        for exercise, group in grouped.items()
    ]


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
    """Write grades as a table that spreadsheets open, one row a student and exercise."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(field.name for field in fields(Grade))
        for grade in grades:
            rows.writerow(inert(v) if isinstance(v, str) else v for v in astuple(grade))


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
    )
