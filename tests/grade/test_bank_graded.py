"""Every spelling in the bank, graded by nbgrader in the real lesson.

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

LESSON = "02_head_split"
EXERCISES = ("split_heads", "rotate_qk")
HALVES = 2


def classes() -> list[list[tuple[Entry, ...]]]:
    """The bank's entries, one of each exercise a student, dealt out to classes."""
    pairs = [
        tuple(entry for entry in pair if entry is not None)
        for pair in zip_longest(*(load(exercise) for exercise in EXERCISES))
    ]
    return [pairs[half::HALVES] for half in range(HALVES)]


def what_counts(notebook: NotebookNode) -> NotebookNode:
    """The notebook with its imports, and the cells that nbgrader knows."""
    imports = next(cell for cell in notebook.cells if cell.cell_type == "code")
    notebook.cells = [cell for cell in notebook.cells if cell is imports or grade_id(cell)]
    return notebook


def graded(root: Path, entries: list[tuple[Entry, ...]]) -> dict[tuple[str, str], bool]:
    """Whether each entry, by exercise and id, kept all points of its exercise."""
    original, course = Course(REPOSITORY), Course(root)
    shutil.copy(REPOSITORY / MARKER, root)
    for folder in ("source", "release"):
        shutil.copytree(original.root / folder / LESSON, course.root / folder / LESSON)
    release = what_counts(read(notebook_path(course.release, LESSON)))
    right = solutions(read(notebook_path(course.source, LESSON)))
    students = {f"s{number:03}": pair for number, pair in enumerate(entries)}
    for name, pair in students.items():
        answers = right | {entry.exercise: entry.code for entry in pair}
        submit(course, name, fill(release, answers), LESSON)
    report = grade_class(course, [LESSON], lambda *_: None)
    assert report.failures == []
    kept = {(g.student, g.exercise): g.points == g.max_points for g in report.grades}
    return {
        (entry.exercise, entry.id): kept[name, entry.exercise]
        for name, pair in students.items()
        for entry in pair
    }


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "half", [pytest.param(n, marks=pytest.mark.xdist_group(f"bank{n}")) for n in range(HALVES)]
)
def test_wrong_spellings_lose_points_and_right_ones_keep_them_all(
    tmp_path: Path, half: int
) -> None:
    entries = classes()[half]
    expected = {(entry.exercise, entry.id): entry.right for pair in entries for entry in pair}
    assert graded(tmp_path, entries) == expected


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_halves_hold_every_spelling_once(exercise: str) -> None:
    dealt = [entry.id for one in classes() for pair in one for entry in pair]
    mine = [entry.id for entry in load(exercise)]
    assert len(mine) == len(set(mine)) > 20
    assert set(mine) <= set(dealt)
