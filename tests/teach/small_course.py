"""A course with one lesson, one exercise and a bank of the test's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from manyheads.course import MARKER, Course, notebook_path

REPOSITORY = Path(__file__).parents[2]
LESSON = "02_head_split"


def code_cell(text: str, **marks: Any) -> dict[str, Any]:
    metadata = {"nbgrader": marks} if marks else {}
    return {"cell_type": "code", "metadata": metadata, "source": text}


def notebook(*cells: dict[str, Any]) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def write_source(course: Course, lesson: str, *cells: dict[str, Any]) -> None:
    for folder in (course.source, course.release):
        path = notebook_path(folder, lesson)
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook(*cells)), encoding="utf-8")


def course_with_bank(root: Path, **banks: dict[str, list[dict[str, str]]]) -> Course:
    """The real lesson 02, with `banks` by exercise in place of the real ones."""
    course, original = Course(root), Course(REPOSITORY)
    shutil.copy(REPOSITORY / MARKER, root)
    for folder in ("source", "release"):
        shutil.copytree(original.root / folder / LESSON, root / folder / LESSON)
    bank = root / "tests" / "bank"
    bank.mkdir(parents=True)
    shutil.copy(REPOSITORY / "tests" / "bank" / "__init__.py", bank)
    for exercise, entries in banks.items():
        path = bank / f"{exercise}.yaml"
        path.write_text(yaml.safe_dump(entries), encoding="utf-8")
    return course
