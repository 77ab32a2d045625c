"""An eighth of the bank's spellings, graded by nbgrader in the real lessons.

Each student takes one spelling of each exercise: a mistake costs its own exercise's points only.
They keep the first code cell and the cells that nbgrader knows; pictures and checks cost time.
"""

from __future__ import annotations

import shutil
from itertools import zip_longest
from pathlib import Path

import pytest
from nbformat import NotebookNode

from manyheads.course import MARKER, Course, notebook_path
from manyheads.grade import grade_class
from tests.bank import Entry, load
from tests.classroom import fill, grade_id, read, solutions
from tests.grade.mini import REPOSITORY, submit

pytestmark = pytest.mark.slow

LESSONS = sorted(path.stem for path in (REPOSITORY / "notebooks").glob("[0-9][0-9]_*.py"))
EVERY = 8  # a kernel for each student: an eighth stands for all, which `manyheads bank` grades


def bank_of(lesson: str) -> dict[str, list[Entry]]:
    """An eighth of the bank's entries of each exercise of a lesson, wrong and right ones."""
    exercises = solutions(read(notebook_path(Course(REPOSITORY).source, lesson)))
    known = {entry.exercise for entry in load()}
    return {name: load(name)[::EVERY] for name in exercises if name in known}


def students_of(lesson: str) -> dict[str, tuple[Entry, ...]]:
    """Students by name, each with one entry of each exercise as long as there are any."""
    rows = zip_longest(*bank_of(lesson).values())
    return {f"s{n:03}": tuple(filter(None, row)) for n, row in enumerate(rows)}


def what_counts(notebook: NotebookNode) -> NotebookNode:
    """The notebook with its imports, and the cells that nbgrader knows."""
    imports = next(cell for cell in notebook.cells if cell.cell_type == "code")
    notebook.cells = [cell for cell in notebook.cells if cell is imports or grade_id(cell)]
    return notebook


def graded(root: Path, lesson: str) -> dict[tuple[str, str], bool]:
    """Whether each entry, by exercise and id, kept all points of its exercise."""
    original, course = Course(REPOSITORY), Course(root)
    shutil.copy(REPOSITORY / MARKER, root)
    for folder in ("source", "release"):
        shutil.copytree(original.root / folder / lesson, course.root / folder / lesson)
    release = what_counts(read(notebook_path(course.release, lesson)))
    right = solutions(read(notebook_path(course.source, lesson)))
    students = students_of(lesson)
    for name, row in students.items():
        answers = right | {entry.exercise: entry.code for entry in row}
        submit(course, name, fill(release, answers), lesson)
    report = grade_class(course, [lesson], lambda *_: None)
    assert report.failures == []
    kept = {(g.student, g.exercise): g.points == g.max_points for g in report.grades}
    return {
        (entry.exercise, entry.id): kept[name, entry.exercise]
        for name, row in students.items()
        for entry in row
    }


@pytest.mark.timeout(2400)
@pytest.mark.parametrize("lesson", LESSONS)
def test_wrong_spellings_lose_points_and_right_ones_keep_them_all(
    tmp_path: Path, lesson: str
) -> None:
    entries = [entry for row in students_of(lesson).values() for entry in row]
    assert {entry.right for entry in entries} == {True, False}
    expected = {(entry.exercise, entry.id): entry.right for entry in entries}
    assert graded(tmp_path, lesson) == expected
