"""The class's table: students by exercises, readable at 100 columns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from manyheads.grade import ClassReport, Failure, class_table
from manyheads.grade.exercises import exercise_of, family
from manyheads.grade.grades import Grade
from manyheads.grade.report import summary_table
from manyheads.grade.summary import summary

LESSON = "02_head_split"
EXERCISES = {"split_heads": 6, "rotate_qk": 4, "clinic_view": 3, "recall_1": 1, "recall_2": 1}
EXERCISES |= {f"quiz_{n}": 1 for n in range(1, 5)} | {f"practice_{n}": 1 for n in range(1, 6)}


def report(*grades: Grade, failures: tuple[Failure, ...] = ()) -> ClassReport:
    here = Path("course")
    made = ClassReport(here / "grades.csv", here / "feedback", here / "log", list(failures))
    made.grades = list(made.counted(grades))
    return made


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


def headings(result: ClassReport) -> list[str]:
    """Each column's name and points, put together from the lines that they are folded into."""
    lines = [line.strip("┃").split("┃") for line in shown(result) if line.startswith("┃")]
    return ["".join(part.strip() for part in column) for column in zip(*lines, strict=True)]


def test_a_row_holds_each_exercise_and_the_total() -> None:
    points = ["6", "4", "3", "2", "4", "5", "manual"]
    assert fields(report(*row("s01")), "s01") == ["s01", *points, "24"]


def test_headings_hold_the_points_there_are() -> None:
    names = ["split_heads/6", "rotate_qk/4", "clinic_view/3", "recall/2", "quiz/4", "practice/5"]
    assert headings(report(*row("s01", 0.5))) == ["student", *names, "explain/4", "total/28"]


LONG = ("kv_head_of", "repeat_kv", "grouped_query_attention", "clinic_repeat")
LONGER = ("merge_heads", "output_projection", "multi_head_attention", "clinic_merge")


@pytest.mark.parametrize("names", [(), LONG, LONGER])
def test_a_lesson_fits_a_hundred_columns_and_each_student_a_line(names: tuple[str, ...]) -> None:
    functions = [Grade("s01", LESSON, name, 1.25, 9) for name in names]
    others = [grade for grade in row("s01", 0.25) if not names or grade.exercise[-1].isdigit()]
    result = report(*others, *functions)
    assert len(headings(result)) == 10 if names else 9
    text = "\n".join(shown(result))
    assert max(map(len, text.splitlines())) <= 100
    assert "…" not in text
    assert len([line for line in shown(result) if line.startswith("│")]) == 1


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


def test_four_lessons_fit_a_hundred_columns() -> None:
    lessons = ("01_qkv_projections", LESSON, "05_concat_and_wo", "06_gqa_merge")
    result = report(*(grade for lesson in lessons for grade in row("s01", 0.75, lesson)))
    assert headings(result) == ["student", *(f"{name}/28" for name in lessons), "total/112"]
    assert fields(result, "s01") == ["s01", *["18 + manual"] * 4, "72"]
    assert max(map(len, shown(result))) <= 100


def test_a_lesson_that_could_not_be_graded_says_so_beside_those_that_could() -> None:
    other = Grade("s02", "03_rope", "rope_tables", 2, 4)
    failure = Failure("s01", "03_rope", "the file is empty", ungraded=True)
    no_page = Failure("s02", LESSON, "no page was written")
    result = report(*row("s01"), other, failures=(failure, no_page))
    assert fields(result, "s01") == ["s01", "24 + manual", "not graded", "24"]
    assert fields(result, "s02") == ["s02", "", "2", "2"]


def test_a_student_who_could_not_be_graded_has_a_row_that_says_so() -> None:
    failure = Failure("s09", LESSON, "the file is empty", ungraded=True)
    assert fields(report(*row("s01"), failures=(failure,)), "s09")[-1] == "not graded"


def large_class() -> ClassReport:
    return report(*(grade for n in range(100) for grade in row(f"s{n:03}", n % 2)))


def test_a_large_class_is_told_by_exercise(tmp_path: Path) -> None:
    assert not report(*row("s01")).large
    assert large_class().large
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(summary_table(large_class()))
    lines = [line.strip("│ ").split("│") for line in capture.get().splitlines() if "│" in line]
    found = {line[1].strip(): [field.strip() for field in line[2:]] for line in lines}
    assert found["split_heads"] == ["100", "3.00", "6", "50", "50", "0"]
    assert found["explain_1"] == ["100", "0.00", "4", "0", "0", "100"]


SUMMARIES = {
    "all new": ({"submissions": 3}, "3 submissions graded."),
    "one": ({"submissions": 1}, "1 submission graded."),
    "some kept": (
        {"submissions": 9, "kept": 4},
        "5 submissions graded, 4 unchanged since they were graded.",
    ),
    "flagged": (
        {"flags": {("s02", LESSON): ["test_quiz_1 was missing: put back"]}},
        f"flagged: s02, {LESSON}: test_quiz_1 was missing: put back",
    ),
    "failed": (
        {
            "submissions": 1,
            "failures": [Failure("s03", LESSON, "it is empty. Ask.", ungraded=True)],
        },
        f"failed: s03, {LESSON}: it is empty. Ask.",
    ),
    "misunderstood": (
        {"causes": Counter({(LESSON, "split_heads", "view"): 12})},
        f"misunderstood: {LESSON}, split_heads: view (12 students)",
    ),
    "corrected": (
        {"submissions": 2, "rejudged": 2, "corrected": {LESSON: ["test_quiz_1"]}},
        f"Corrected tests ({LESSON}: test_quiz_1): 2 submissions judged again in their exercises "
        "only; all other scores stay.",
    ),
    "noted": ({"notes": ["forking was unsafe"]}, "note: forking was unsafe"),
    "unsandboxed": (
        {"unsandboxed": [("s01", LESSON)]},
        "WARNING: 1 submission graded without a sandbox.",
    ),
}


@pytest.mark.parametrize("case", SUMMARIES)
def test_the_summary_tells(case: str) -> None:
    given, line = SUMMARIES[case]
    result = report()
    for name, value in given.items():
        setattr(result, name, value)
    assert any(one.startswith(line) for one in summary(result))


def test_what_nobody_attempted_is_not_misunderstood() -> None:
    result = report()
    result.causes[LESSON, "split_heads", "not-attempted"] = 3
    assert not any("misunderstood" in line for line in summary(result))


def test_the_same_failure_of_many_takes_one_line() -> None:
    result = report(failures=tuple(Failure(f"s{n}", LESSON, "no.", True) for n in range(9)))
    lines = [line for line in summary(result) if line.startswith("failed")]
    assert lines == [f"failed: {'; '.join(f's{n}, {LESSON}' for n in range(5))} and 4 more: no."]


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
