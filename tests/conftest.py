"""A small course as students have it, for the tests of commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from manyheads.course import Course, notebook_path

LESSON = "02_small"
NotebookEdit = Callable[..., None]

SHOW = """\
from IPython.display import display
def show(exercise, passed, text):
    data = {"exercise": exercise, "passed": passed, "text": text}
    display({"text/plain": text, "application/vnd.manyheads.check+json": data}, raw=True)"""


def _marks(grade_id: str, **flags: Any) -> dict[str, Any]:
    plain = {"grade": False, "locked": True, "solution": False, "task": False, "schema_version": 3}
    return {"nbgrader": plain | flags | {"grade_id": grade_id}}


def _cell(
    kind: str, name: str, text: str, metadata: dict[str, Any] | None = None
) -> dict[str, Any]:
    cell = {"cell_type": kind, "id": name, "metadata": metadata or {}, "source": text}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def _solution(name: str, text: str) -> dict[str, Any]:
    return _cell("code", name, text, _marks(name, locked=False, solution=True))


def _test(name: str, text: str) -> dict[str, Any]:
    return _cell("code", name, text, _marks(name, grade=True, points=1))


def released_notebook(release: str) -> dict[str, Any]:
    """A lesson with a prediction, a function with a visible and a hidden test, and a free text."""
    cells = [
        _cell("markdown", "small-001", "# A small lesson"),
        _cell("code", "small-002", SHOW),
        _solution("predict_1", "predict_1 = (\n    ...\n)"),
        _cell("code", "small-003", "show('predict_1', None, 'predict_1   noted')"),
        _solution("double", "def double(x):\n    ..."),
        _cell(
            "code",
            "small-004",
            "answer = double(2)\n"
            "show('double', None if answer is None else answer == 4, 'double   double(2) is 4')",
        ),
        _test("test_double", "assert double(2) == 4, 'twice two is four'"),
        _test("test_double_more", "# more tests run at grading"),
        _cell("markdown", "explain_1", "Why?", _marks("explain_1", task=True, points=4)),
        _cell("markdown", "small-005", "*Write your answer here.*"),
    ]
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "manyheads": {"lesson": LESSON, "release": release},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write_release(course: Course, release: str) -> Path:
    """Release the small lesson under a digest."""
    path = notebook_path(course.release, LESSON)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(released_notebook(release)), encoding="utf-8")
    return path


@pytest.fixture
def student_course(tmp_path: Path) -> Course:
    """A course folder with one released lesson and nothing else, its name with a space."""
    root = tmp_path / "my course"
    root.mkdir()
    (root / "nbgrader_config.py").write_text("c = get_config()\n", encoding="utf-8")
    course = Course(root)
    write_release(course, "aaaaaaaaaaaa")
    return course


@pytest.fixture
def new_release(student_course: Course) -> Callable[[str], Path]:
    """Call it with a digest to release the lesson anew."""
    return lambda release: write_release(student_course, release)


@pytest.fixture
def answer(student_course: Course) -> NotebookEdit:
    """Call it with `grade_id=text` (or a cell's id) to write answers into the student's copy."""
    from manyheads.student.copies import lay_copies

    def write(**texts: str) -> None:
        lay_copies(student_course)
        path = notebook_path(student_course.work, LESSON)
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            cell["source"] = texts.get(cell["id"].replace("-", "_"), cell["source"])
        path.write_text(json.dumps(notebook), encoding="utf-8")

    return write
