"""The class's table: students by exercises, readable at 100 columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from manyheads.grade import ClassReport, Failure, class_table
from manyheads.grade.exercises import exercise_of, family
from manyheads.grade.grades import Grade

LESSON = "02_head_split"
EXERCISES = {"split_heads": 6, "rotate_qk": 4, "clinic_view": 3, "recall_1": 1, "recall_2": 1}
EXERCISES |= {f"quiz_{n}": 1 for n in range(1, 5)} | {f"practice_{n}": 1 for n in range(1, 6)}


def report(*grades: Grade, failures: tuple[Failure, ...] = ()) -> ClassReport:
    here = Path("course")
    return ClassReport(
        here / "grades.csv", here / "feedback", here / "log", list(grades), list(failures)
    )


def row(student: str, share: float = 1, lesson: str = LESSON) -> list[Grade]:
    earned = [Grade(student, lesson, name, most * share, most) for name, most in EXERCISES.items()]
    return [*earned, Grade(student, lesson, "explain_1", 0, 4, manual=True)]


def shown(result: ClassReport) -> list[str]:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(class_table(result))
    return capture.get().splitlines()


def fields(result: ClassReport, student: str) -> list[str]:
    line = next(line for line in shown(result) if f" {student} " in line)
    return [field.strip() for field in line.strip("│ ").split("│")]


def test_a_row_holds_each_exercise_and_the_total() -> None:
    points = ["6", "4", "3", "2", "4", "5", "manual"]
    assert fields(report(*row("s01")), "s01") == ["s01", *points, "24"]


def test_headings_hold_the_points_there_are() -> None:
    lines = "".join(shown(report(*row("s01", 0.5)))[:5])
    for heading in ("split_heads", "rotate_qk", "clinic_view", "recall", "quiz", "practice"):
        assert heading in lines
    for points in ("/6", "/3", "/2", "/5", "/28"):
        assert points in lines


def test_it_fits_a_hundred_columns_without_cutting() -> None:
    text = "\n".join(shown(report(*row("s01"))))
    assert max(map(len, text.splitlines())) <= 100
    assert "…" not in text


def test_a_text_is_manual_until_it_is_graded() -> None:
    graded = Grade("s02", LESSON, "explain_1", 3, 4)
    result = report(*row("s01"), *row("s02")[:-1], graded)
    assert fields(result, "s01")[-2] == "manual"
    assert fields(result, "s02")[-2:] == ["3", "27"]


def test_several_lessons_share_the_table_one_column_each() -> None:
    other = Grade("s01", "03_rope", "rope_tables", 2, 4)
    result = report(*row("s01"), other, *row("s02"))
    assert fields(result, "s01") == ["s01", "24 + manual", "2", "26"]
    assert fields(result, "s02") == ["s02", "24 + manual", "", "24"]


def test_a_student_who_could_not_be_graded_has_a_row_that_says_so() -> None:
    failure = Failure("s09", LESSON, "the file is empty", ungraded=True)
    assert fields(report(*row("s01"), failures=(failure,)), "s09")[-1] == "not graded"


def test_nothing_graded_gives_an_empty_table() -> None:
    assert class_table(report()).row_count == 0


def test_a_failure_reads_as_one_line() -> None:
    assert str(Failure("s09", LESSON, "empty.")) == "s09, 02_head_split: empty."


@pytest.mark.parametrize(
    ("graded", "exercise"),
    [
        ("test_split_heads", "split_heads"),
        ("test_split_heads_values", "split_heads"),
        ("test_split_values", "split"),
        ("test_splitting", "splitting"),
        ("test_quiz_1", "quiz_1"),
        ("test_quiz_10", "quiz_10"),
        ("explain_1", "explain_1"),
    ],
)
def test_a_test_belongs_to_the_longest_exercise_it_names(graded: str, exercise: str) -> None:
    assert exercise_of(graded, ["split", "split_heads", "quiz_1", "quiz_10"]) == exercise


@pytest.mark.parametrize(("exercise", "name"), [("quiz_12", "quiz"), ("rotate_qk", "rotate_qk")])
def test_numbered_exercises_are_one_family(exercise: str, name: str) -> None:
    assert family(exercise) == name
