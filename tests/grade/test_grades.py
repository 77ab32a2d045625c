"""`grades.csv` comes back as it was written, and a spreadsheet runs nothing in it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from manyheads.grade.grades import Grade, inert, original, read_csv, write_csv

STUDENTS = [
    "s01",
    "=1+1",
    "+1",
    "-1",
    "@sum",
    "'s",
    "''=1",
    "a,b",
    'a "b"',
    "a\nb",
    "\tx",
    "李",
    "",
]


@pytest.mark.parametrize("student", STUDENTS)
def test_grades_come_back_as_they_were_written(tmp_path: Path, student: str) -> None:
    grades = [
        Grade(student, "02_head_split", "split_heads", 4.5, 6),
        Grade(student, "02_head_split", "explain_1", 0, 4, manual=True),
        Grade(student, "02_head_split", "quiz_1", 1, 1, sandboxed=False),
    ]
    write_csv(tmp_path / "grades.csv", grades)
    assert read_csv(tmp_path / "grades.csv") == grades


@pytest.mark.parametrize("student", STUDENTS)
def test_no_field_starts_a_formula(tmp_path: Path, student: str) -> None:
    write_csv(tmp_path / "grades.csv", [Grade(student, "=x", "@y", 0, 1)])
    with (tmp_path / "grades.csv").open(encoding="utf-8", newline="") as file:
        fields = [field for row in csv.reader(file) for field in row]
    assert not any(field.startswith(("=", "+", "-", "@", "\t", "\r")) for field in fields)


@pytest.mark.parametrize("text", STUDENTS)
def test_an_inert_text_gives_its_original_back(text: str) -> None:
    assert original(inert(text)) == text


def test_the_first_row_names_the_columns(tmp_path: Path) -> None:
    write_csv(tmp_path / "grades.csv", [])
    text = (tmp_path / "grades.csv").read_text(encoding="utf-8")
    assert text == "student,lesson,exercise,points,max_points,manual,sandboxed\n"
