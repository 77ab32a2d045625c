"""What lies in `submitted/`: found, whatever it is, or an error that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyheads.course import Course
from manyheads.errors import MissingSubmissionError
from manyheads.grade.submissions import find_submissions, passed_over
from tests.grade.mini import LESSON, make_course, student

OTHER = "03_other"


def found(course: Course) -> list[tuple[str, str]]:
    return [(one.student, one.lesson) for one in find_submissions(course, [LESSON, OTHER])]


def test_submissions_are_found_by_student_and_lesson(tmp_path: Path) -> None:
    course = make_course(tmp_path, {"s02": student(), "s01": student()})
    (course.submitted / "s01" / OTHER).mkdir()
    (course.submitted / "notes.txt").write_text("no student", encoding="utf-8")
    (course.submitted / ".cache" / LESSON).mkdir(parents=True)
    assert found(course) == [("s01", LESSON), ("s01", OTHER), ("s02", LESSON)]


@pytest.mark.parametrize("name", ["s [1]", "s*", "o'brien", "-s", "=1+1", "a b", "李", "s,1"])
def test_students_of_any_name_are_found(tmp_path: Path, name: str) -> None:
    assert found(make_course(tmp_path, {name: student()})) == [(name, LESSON)]


def test_what_is_no_folder_is_not_passed_over(tmp_path: Path) -> None:
    course = make_course(tmp_path, {"s01": student()})
    for name in ("s02", "s03", "s04"):
        (course.submitted / name).mkdir()
    (course.submitted / "s02" / LESSON).write_text("a file", encoding="utf-8")
    (course.submitted / "s03" / LESSON).symlink_to("nowhere")
    (course.submitted / "s04" / f"{LESSON}.ipynb").write_text("{}", encoding="utf-8")
    assert [name for name, _ in found(course)] == ["s01", "s02", "s03", "s04"]


@pytest.mark.parametrize("lessons", [[LESSON], [OTHER], []])
def test_nothing_to_grade_is_an_error_with_the_remedy(tmp_path: Path, lessons: list[str]) -> None:
    course = Course(tmp_path)
    (course.submitted / "s01").mkdir(parents=True)
    with pytest.raises(MissingSubmissionError, match=r"nothing to grade .*nbgrader collect"):
        find_submissions(course, lessons)


MISPLACED = {
    "another name": "s02/homework.ipynb",
    "the lesson's name with a number": "s02/02_mini (1).ipynb",
    "a folder of another name": "s02/02 mini/02_mini.ipynb",
    "a folder too many": "s02/s01/02_mini/02_mini.ipynb",
    "lesson before student": "02_mini/s02/02_mini.ipynb",
    "no folder at all": "s02.ipynb",
    "the whole class": "class.zip",
}


@pytest.mark.parametrize("place", MISPLACED.values(), ids=MISPLACED)
def test_what_lies_elsewhere_is_told(tmp_path: Path, place: str) -> None:
    course = make_course(tmp_path, {"s01": student()})
    path = course.submitted / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}", encoding="utf-8")
    told = passed_over(course)
    assert repr("/".join(place.split("/")[:2])) in told
    assert "STUDENT/LESSON" in told


def test_what_lies_where_it_belongs_is_not_told(tmp_path: Path) -> None:
    course = make_course(tmp_path, {"s01": student(), "s02": student()})
    (course.submitted / "s01" / "notes.txt").write_text("mine", encoding="utf-8")
    (course.submitted / "s02" / f"{LESSON}.ipynb").write_text("{}", encoding="utf-8")
    (course.submitted / ".cache").mkdir()
    (course.submitted / ".cache" / "a.ipynb").write_text("{}", encoding="utf-8")
    assert passed_over(course) == ""


def test_of_many_only_some_are_told(tmp_path: Path) -> None:
    course = make_course(tmp_path, {"s01": student()})
    for number in range(30):
        (course.submitted / f"s{number}.ipynb").write_text("{}", encoding="utf-8")
    assert "and 20 more" in passed_over(course)
