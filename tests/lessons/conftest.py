"""The course's own lessons, as their text says them and as they run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.py"))


@cache
def read(folder: str, lesson: str) -> nbformat.NotebookNode:
    return nbformat.read(ROOT / folder / lesson / f"{lesson}.ipynb", as_version=4)


@pytest.fixture(params=LESSONS)
def lesson(request) -> str:
    return request.param


@pytest.fixture
def source(lesson) -> nbformat.NotebookNode:
    return read("source", lesson)


@pytest.fixture
def release(lesson) -> nbformat.NotebookNode:
    return read("release", lesson)
