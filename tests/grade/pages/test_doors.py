"""nbgrader's own commands read submissions and write pages as `manyheads grade` does."""

from __future__ import annotations

import codecs
import json
import shutil
from pathlib import Path

import pytest

from manyheads.course import Course, notebook_path
from manyheads.errors import GradingError
from manyheads.grade.pages import PageWriter
from tests.classroom import edit, find, read
from tests.grade.mini import CANARY, LESSON, make_course, release_notebook, student, text
from tests.grade.test_nbgrader_commands import nbgrader

pytestmark = pytest.mark.slow

SCRIPT = "<script>alert(1)</script>"
SHOWS = f"display({{'text/html': '{SCRIPT}<b>seen</b>', 'text/plain': 'x'}}, raw=True)"
WRONG = student(split_heads="def split_heads(x, num_heads):\n    return x")


def hostile() -> object:
    notebook = edit(student(split_heads=f"{SHOWS}\nsplit_heads = None"), [{"copy": "quiz_1"}])
    notebook.cells.append(text(f"{SCRIPT} my words"))
    return notebook


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Four students through nbgrader's commands: right, wrong, hostile, and oddly encoded."""
    submissions = {"s01": student(), "s02": WRONG, "s03": hostile(), "s04": release_notebook()}
    course = make_course(tmp_path_factory.mktemp("doors") / "course", submissions)
    odd = notebook_path(course.submitted / "s04", LESSON)
    odd.write_bytes(codecs.BOM_UTF16_LE + json.dumps(student()).encode("utf-16-le"))
    nbgrader(course, "generate_assignment", LESSON)
    nbgrader(course, "autograde", LESSON)
    nbgrader(course, "generate_feedback", LESSON)
    return course


def test_nothing_that_a_link_leads_to_is_copied_or_read(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course", {"s01": student(), "s02": student()})
    secret = tmp_path / "secret.txt"
    secret.write_text("CANARY-of-another-file", encoding="utf-8")
    (course.submitted / "s01" / LESSON / "data.txt").symlink_to(secret)
    (course.submitted / "s01" / LESSON / "endless").symlink_to("/dev/zero")
    (course.submitted / "s03" / LESSON).mkdir(parents=True)
    notebook_path(course.submitted / "s03", LESSON).symlink_to(
        notebook_path(course.submitted / "s02", LESSON)
    )
    (course.submitted / "s04").symlink_to(course.submitted / "s02")
    nbgrader(course, "generate_assignment", LESSON)
    said = nbgrader(course, "autograde", LESSON, fails=True)
    copied = [path for path in course.autograded.rglob("*") if path.is_file()]
    assert {path.name for path in copied} == {f"{LESSON}.ipynb", "timestamp.txt"}
    assert {path.parts[-3] for path in copied} == {"s01", "s02"}
    assert "s03" in said
    assert "is a symbolic link, expected a folder" in said


def page(course: Course, name: str) -> Path:
    return course.feedback / name / LESSON / f"{LESSON}.html"


def graded(course: Course, name: str) -> Path:
    return notebook_path(course.autograded / name, LESSON)


@pytest.mark.parametrize("name", ["s01", "s02", "s03", "s04"])
def test_both_ways_write_the_same_bytes(course: Course, name: str) -> None:
    by_nbgrader = page(course, name).read_bytes()
    page(course, name).unlink()
    [written] = PageWriter.of(course).write(LESSON, name)
    assert written == page(course, name)
    assert written.read_bytes() == by_nbgrader


@pytest.mark.parametrize("name", ["s01", "s02", "s03", "s04"])
def test_no_page_shows_anything_hidden_or_active(course: Course, name: str) -> None:
    shown = page(course, name).read_text(encoding="utf-8")
    assert CANARY not in shown
    assert "<script" not in shown


def test_a_graded_notebook_holds_nothing_active(course: Course) -> None:
    notebook = read(graded(course, "s03"))
    assert notebook.cells[-1].source == f"```\n{SCRIPT} my words\n```"
    [shown] = find(notebook, "split_heads").outputs
    assert shown.data == {"text/html": "<b>seen</b>", "text/plain": "x"}


def test_an_odd_encoding_is_read_and_flagged(course: Course) -> None:
    assert read(graded(course, "s04")).metadata.manyheads.flags == [
        "the file was UTF-16: read as such"
    ]
    assert "13 of 17 points" in page(course, "s04").read_text(encoding="utf-8")


def test_what_was_put_right_is_told_on_the_page(course: Course) -> None:
    assert "quiz_1 stood more than once" in page(course, "s03").read_text(encoding="utf-8")


def test_an_earlier_page_does_not_outlive_its_notebook(course: Course) -> None:
    shutil.copytree(course.autograded / "s01", course.autograded / "s09")
    page(course, "s09").parent.mkdir(parents=True)
    page(course, "s09").write_text("old", encoding="utf-8")
    with pytest.raises(GradingError, match="There is no feedback for s09"):
        PageWriter.of(course).write(LESSON, "s09")
    assert not page(course, "s09").exists()


def test_a_folder_without_a_graded_notebook_has_no_page(course: Course) -> None:
    with pytest.raises(GradingError, match="holds no graded notebook"):
        PageWriter.of(course).write(LESSON, "nobody")
