"""What holds for each lesson of the sample class once it is graded.

A lesson's test file derives a class from `GradedLesson` and says what each student must lose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.console import Console

from manyheads.grade import ClassReport, class_table
from tests.classroom import students

UNREADABLE = "s25"  # hands in a file that is no notebook


def numbered(**counts: int) -> dict[str, float]:
    """Exercises of one point each: so many recall_N, quiz_N, practice_N."""
    return {f"{name}_{n}": 1 for name, count in counts.items() for n in range(1, count + 1)}


def all_but(points: Mapping[str, float], *earned: str) -> dict[str, float]:
    """The points of all exercises but those that a student earned in full."""
    return {exercise: most for exercise, most in points.items() if exercise not in earned}


class GradedLesson:
    """A lesson's answer files, graded: `loses` says what, by student and exercise.

    `points` are those of the exercises that no person has to grade.
    """

    lesson: ClassVar[str]
    points: ClassVar[Mapping[str, float]]
    loses: ClassVar[Mapping[str, Mapping[str, float]]]

    def test_the_table_of_losses_names_every_student(self) -> None:
        assert [student.name for student in students(self.lesson)] == list(self.loses)

    def test_the_exercises_have_their_points(self, report: ClassReport) -> None:
        found = [grade for grade in report.grades if not grade.manual]
        assert {grade.exercise: grade.max_points for grade in found} == self.points

    def test_mistakes_cost_what_they_must_and_nothing_else(self, report: ClassReport) -> None:
        lost: dict[str, dict[str, float]] = {student: {} for student in self.loses}
        for grade in report.grades:
            if not grade.manual and grade.points != grade.max_points:
                lost[grade.student][grade.exercise] = round(grade.max_points - grade.points, 2)
        assert lost == self.loses

    def test_every_row_ends_in_its_total(self, report: ClassReport) -> None:
        most = sum(self.points.values())
        totals = {name: f"{most - sum(lost.values()):g}" for name, lost in self.loses.items()}
        assert _last_column(report) == totals | {UNREADABLE: "not graded"}

    def test_written_answers_wait_for_a_person(self, report: ClassReport) -> None:
        waiting = [(grade.student, grade.exercise) for grade in report.grades if grade.manual]
        assert waiting == [(student, "explain_1") for student in self.loses]

    def test_everybody_has_a_page_and_an_unreadable_file_stops_nobody(
        self, report: ClassReport
    ) -> None:
        assert [failure.student for failure in report.failures] == [UNREADABLE]
        pages = report.feedback.glob(f"*/{self.lesson}/{self.lesson}.html")
        assert sorted(page.parts[-3] for page in pages) == list(self.loses)

    def test_no_output_had_to_be_left_out_of_a_page(self, report: ClassReport) -> None:
        pages = report.feedback.glob(f"*/{self.lesson}/{self.lesson}.html")
        assert not [page for page in pages if "This output is left out" in page.read_text("utf-8")]


def _last_column(report: ClassReport) -> dict[str, str]:
    """The class table's last column, by student, as it is printed."""
    console = Console(width=120, color_system=None)
    with console.capture() as capture:
        console.print(class_table(report))
    rows = [line.strip("│").split("│") for line in capture.get().splitlines() if line[:1] == "│"]
    return {row[0].strip(): row[-1].strip() for row in rows}
