"""Lessons with explorers run headless: as words when graded, as pages when exported."""

from __future__ import annotations

import re

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from manyheads.course import Course, notebook_path
from tests.lessons.conftest import ROOT

pytestmark = pytest.mark.slow

COURSE = Course(ROOT)
EXPLORER = re.compile(r"^explore\.\w+\(", re.MULTILINE)


def explored(lesson: str) -> tuple[nbformat.NotebookNode, list[dict]]:
    """The release after Run All, and what its explorers' cells show."""
    notebook = nbformat.read(notebook_path(COURSE.release, lesson), as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    code = (c for c in notebook.cells if c.cell_type == "code" and EXPLORER.search(c.source))
    return notebook, [output.data for cell in code for output in cell.outputs]


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_a_grading_run_gets_words_alone(lesson, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    _, shown = explored(lesson)
    assert shown
    assert all(set(data) == {"text/plain"} for data in shown)


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_an_exported_lesson_holds_its_explorers_and_stays_small(lesson):
    notebook, shown = explored(lesson)
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert all(set(data) == {"text/html", "text/plain"} for data in shown)
    assert page.count("<div data-manyheads=") >= len(shown) > 0
    assert len(page.encode()) < 3_000_000
