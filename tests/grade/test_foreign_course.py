"""A course that knows nothing of this package is graded as stock nbgrader grades it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from manyheads.course import Course
from manyheads.errors import GradingError
from manyheads.grade import ClassReport, grade_class
from tests.classroom import read
from tests.grade.book.rows import Rows, rows
from tests.grade.book.stock import autograde, generate_assignment
from tests.grade.foreign import ASSIGNMENT, answered, make_foreign_course
from tests.grade.mini import save

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def quiet(*_: object) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class Graded:
    course: Course
    report: ClassReport
    stock: Rows


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The course, graded by stock nbgrader and by us."""
    root = tmp_path_factory.mktemp("foreign")
    theirs, ours = (make_foreign_course(root / name) for name in ("theirs", "ours"))
    generate_assignment(theirs, ASSIGNMENT)
    autograde(theirs, ASSIGNMENT)
    report = grade_class(ours, ours.lessons(), quiet)
    return Graded(ours, report, rows(theirs.gradebook))


def test_its_assignments_are_found_in_source(graded: Graded) -> None:
    assert graded.course.lessons() == [ASSIGNMENT]


def test_nothing_failed(graded: Graded) -> None:
    assert graded.report.failures == []


def test_the_gradebook_is_stock_nbgraders(graded: Graded) -> None:
    ours = rows(graded.course.gradebook)
    assert ours["grade"] == graded.stock["grade"]
    assert ours == graded.stock


def test_exercises_are_named_by_notebook(graded: Graded) -> None:
    points = {(one.student, one.exercise): (one.points, one.manual) for one in graded.report.grades}
    assert points["s01", "p1/correct_squares"] == (2, False)
    assert points["s02", "p1/partial_center"] == (2, False)
    assert points["s01", "p2/why"] == (0, True)
    assert points["s03", "p2/why"] == (0, False)  # no response: nothing to grade
    assert points["s04", "p2/correct_rank"] == (0, False)


def test_a_notebook_that_was_not_handed_in_is_flagged(graded: Graded) -> None:
    flags = graded.report.flags["s04", ASSIGNMENT]
    assert any(flag.startswith("p2: was not handed in and earns nothing") for flag in flags)


def test_a_cell_that_needs_the_students_process_is_flagged(graded: Graded) -> None:
    flags = graded.report.flags["s01", ASSIGNMENT]
    assert any("deletes_a_name" in flag and flag.startswith("p1: ") for flag in flags)


def test_each_notebook_has_its_graded_file_and_page(graded: Graded) -> None:
    for student in ("s01", "s02", "s03"):
        folder = graded.course.autograded / student / ASSIGNMENT
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["data.csv", "p1.ipynb", "p2.ipynb", "timestamp.txt"]
        pages = (graded.course.feedback / student / ASSIGNMENT).glob("*.html")
        assert sorted(path.name for path in pages) == ["p1.html", "p2.html"]


def test_a_correction_in_one_notebook_leaves_the_other_alone(
    graded: Graded, tmp_path: Path
) -> None:
    shutil.copytree(graded.course.root, tmp_path / "copy")
    course = Course(tmp_path / "copy")
    before = (course.autograded / "s01" / ASSIGNMENT / "p1.ipynb").stat().st_mtime_ns
    path = course.source / ASSIGNMENT / "p2.ipynb"
    source = read(path)
    source.cells[-1].source = "assert rank == 3"
    save(source, path)
    report = grade_class(course, [ASSIGNMENT], quiet, feedback=False)
    assert report.corrected == {ASSIGNMENT: ["correct_rank"]}
    points = {(one.student, one.exercise): one.points for one in report.grades}
    assert points["s01", "p2/correct_rank"] == 0
    assert points["s02", "p2/correct_rank"] == 1
    assert points["s01", "p1/correct_squares"] == 2
    assert (course.autograded / "s01" / ASSIGNMENT / "p1.ipynb").stat().st_mtime_ns == before
    assert {*report.flags["s04", ASSIGNMENT]} == {*graded.report.flags["s04", ASSIGNMENT]}


def test_a_notebook_handed_in_later_is_graded(graded: Graded, tmp_path: Path) -> None:
    shutil.copytree(graded.course.root, tmp_path / "copy")
    course = Course(tmp_path / "copy")
    save(answered("p2"), course.submitted / "s04" / ASSIGNMENT / "p2.ipynb")
    report = grade_class(course, [ASSIGNMENT], quiet, feedback=False)
    assert report.kept == 3
    points = {(one.student, one.exercise): one.points for one in report.grades}
    assert points["s04", "p2/correct_rank"] == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("c.CourseDirectory.submitted_directory = 'in'", r"sets .*submitted_directory to 'in'"),
        ("c.CourseDirectory.directory_structure = '{student_id}'", "directory_structure"),
        ("1 / 0", r"can't be read: ZeroDivisionError"),
    ],
)
def test_a_configuration_we_cannot_follow_is_named(tmp_path: Path, line: str, words: str) -> None:
    course = make_foreign_course(tmp_path)
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(GradingError, match=words):
        grade_class(course, [ASSIGNMENT], quiet)
    assert not course.gradebook.exists()


def test_another_database_is_used_where_the_configuration_names_it(tmp_path: Path) -> None:
    course = make_foreign_course(tmp_path / "course")
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write(f"c.CourseDirectory.db_url = 'sqlite:///{tmp_path}/department.db'\n")
    report = grade_class(course, [ASSIGNMENT], quiet, feedback=False)
    assert report.failures == []
    assert len(rows(tmp_path / "department.db")["submitted_assignment"]) == 4
    assert not course.gradebook.exists()


def test_its_own_command_exports_the_grades(graded: Graded) -> None:
    export = [Path(sys.executable).with_name("nbgrader"), "export", "--to", "exported.csv"]
    subprocess.run(export, cwd=graded.course.root, check=True, capture_output=True, timeout=120)
    table = (graded.course.root / "exported.csv").read_text(encoding="utf-8")
    assert len(table.splitlines()) == 1 + 4
