"""Writes the sample class as a course folder of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat

from manyheads.course import MARKER, Course, notebook_path
from manyheads.errors import ManyheadsError
from tests.classroom import lessons, read, students, submission

REPOSITORY = Path(__file__).parents[2]
MADE_BY_US = ".sample-class"
TIMESTAMP = "2026-01-31 18:00:00.000000 UTC"


def make(root: Path, repository: Path = REPOSITORY) -> list[Path]:
    """Write a course with the sample class at `root`; returns the submitted notebooks.

    Configuration, source and release are copies of the repository's. What an earlier call wrote
    is replaced; grades, feedback and other students stay. Raises ManyheadsError when something
    else is in the way.
    """
    root.mkdir(parents=True, exist_ok=True)
    _clear(root)
    course, original = Course(root), Course(repository)
    shutil.copy(original.root / MARKER, root)
    shutil.copytree(original.source, course.source)
    shutil.copytree(original.release, course.release)
    return [path for lesson in lessons() for path in _submit_all(course, lesson)]


def _clear(root: Path) -> None:
    """Remove what an earlier call wrote; refuse to touch a folder of another kind."""
    marker = root / MADE_BY_US
    if not marker.is_file():
        in_the_way = sorted(path.name for path in root.iterdir())
        if in_the_way:
            raise ManyheadsError(
                f"{root} is no sample class: it holds {', '.join(in_the_way[:3])}. "
                "Name an empty folder or a new one."
            )
        marker.write_text("This folder is written by `python -m tests.classroom`.\n", "utf-8")
    course = Course(root)
    for lesson in lessons():
        for student in students(lesson):
            shutil.rmtree(course.submitted / student.name / lesson, ignore_errors=True)
    for folder in (course.source, course.release):
        shutil.rmtree(folder, ignore_errors=True)


def _submit_all(course: Course, lesson: str) -> list[Path]:
    source = read(notebook_path(course.source, lesson))
    release = read(notebook_path(course.release, lesson))
    paths = []
    for student in students(lesson):
        path = notebook_path(course.submitted / student.name, lesson)
        path.parent.mkdir(parents=True)
        text = nbformat.writes(submission(student, source, release)) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")
        (path.parent / "timestamp.txt").write_text(TIMESTAMP, encoding="utf-8")
        paths.append(path)
    return paths
