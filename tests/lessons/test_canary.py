"""The canary: every lesson, from its text to its grades."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import nbformat
import pytest

from manyheads.build import build_course, check_drift
from manyheads.build.leaks import HiddenText
from manyheads.course import Course, notebook_path
from manyheads.grade import ClassReport, grade_class
from tests.lessons.conftest import ROOT, read

pytestmark = pytest.mark.slow


def copy_of_the_course(root: Path, *folders: str) -> Course:
    shutil.copy(ROOT / "nbgrader_config.py", root)
    for folder in folders:
        shutil.copytree(ROOT / folder, root / folder)
    return Course(root)


@cache
def graded(lesson: str) -> tuple[Course, ClassReport]:
    """s01 hands in the source with its answers, s02 the release as it came."""
    course = copy_of_the_course(Path(mkdtemp(prefix="canary-")), "source", "release")
    for student, folder in (("s01", "source"), ("s02", "release")):
        path = notebook_path(course.submitted / student, lesson)
        path.parent.mkdir(parents=True)
        nbformat.write(read(folder, lesson), path)
    return course, grade_class(course, [lesson], lambda *_: None)


def points(report: ClassReport, student: str) -> dict[str, tuple[float, float]]:
    return {g.exercise: (g.points, g.max_points) for g in report.grades if g.student == student}


def test_nothing_fails_in_grading(lesson):
    _, report = graded(lesson)
    assert report.failures == []


def test_the_source_earns_every_automatic_point(lesson):
    earned = points(graded(lesson)[1], "s01")
    automatic = {name: pair for name, pair in earned.items() if not name.startswith("explain_")}
    assert automatic
    assert {name: pair for name, pair in automatic.items() if pair[0] != pair[1]} == {}


def test_the_untouched_release_earns_nothing(lesson):
    earned = points(graded(lesson)[1], "s02")
    assert {name: pair for name, pair in earned.items() if pair[0]} == {}


def test_the_release_shows_nothing_hidden(source, release):
    assert HiddenText.of(source).found_in_notebook(release) == []


@pytest.mark.parametrize("student", ["s01", "s02"])
def test_feedback_shows_nothing_hidden(lesson, student, source):
    course, _ = graded(lesson)
    page = course.feedback / student / lesson / f"{lesson}.html"
    hidden = HiddenText.of(source)
    if student == "s01":  # their own answers happen to be ours
        answers = [c.source for c in source.cells if c.metadata.get("nbgrader", {}).get("solution")]
        hidden = hidden.allowing(*answers)
    assert hidden.found_in_page(page.read_text(encoding="utf-8")) == []


def test_two_rebuilds_give_the_committed_bytes(tmp_path):
    course = copy_of_the_course(tmp_path, "notebooks")
    build_course(course)
    first = {path: path.read_bytes() for path in tmp_path.glob("*/*/*.ipynb")}
    assert build_course(course) == []
    shutil.rmtree(course.source)
    shutil.rmtree(course.release)
    build_course(course)
    for path, content in first.items():
        assert path.read_bytes() == content
        assert (ROOT / path.relative_to(tmp_path)).read_bytes() == content


def test_the_committed_notebooks_do_not_drift():
    check_drift(Course(ROOT))
