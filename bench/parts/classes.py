"""The classes that are measured: honest, varied submissions to every lesson."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from manyheads.course import Course
from tests.classroom.generate import generate, hand_in

SEED = 20261130


def make_class(course: Course, folder: Path, submissions: int) -> Course:
    """A copy of the course with so many generated submissions, spread over its lessons."""
    copy = Course(folder)
    shutil.copy(course.root / "nbgrader_config.py", folder)
    for part in ("source", "release"):
        shutil.copytree(course.root / part, folder / part)
    for made in generate(submissions, seed=SEED):
        hand_in(copy, made)
    return copy


def repeat(course: Course, folder: Path, submissions: int) -> Course:
    """A class of so many submissions, made by handing in the same ones again and again."""
    copy = Course(folder)
    for part in ("source", "release"):
        shutil.copytree(course.root / part, folder / part)
    shutil.copy(course.root / "nbgrader_config.py", folder)
    handed_in = sorted(course.submitted.glob("*/*"))
    for number in range(submissions):
        original = handed_in[number % len(handed_in)]
        place = copy.submitted / f"r{number:05}" / original.name
        shutil.copytree(original, place, copy_function=_linked)
    return copy


def _linked(source: str, target: str) -> None:
    """Hard links: ten thousand copies of a notebook would fill a small disk."""
    Path(target).hardlink_to(source)


def notebooks(course: Course) -> list[Path]:
    """The graded notebooks of a class."""
    return sorted(course.autograded.glob("*/*/*.ipynb"))


def code_cells(path: Path) -> int:
    """How many code cells a notebook has."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return sum(cell["cell_type"] == "code" for cell in cells)
