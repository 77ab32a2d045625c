"""The static site: every lesson's page is alive, links stay inside, and no answer is in it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import nbformat
import pytest

from manyheads.build.leaks import HiddenText
from manyheads.course import Course, notebook_path
from manyheads.errors import LeakError, NotReleasedError, SiteError
from manyheads.site import lesson as one
from manyheads.site import write_site
from manyheads.site.lesson import read_lesson, refuse_leaks, render
from tests.conftest import LESSON

ROOT = Path(__file__).parents[2]
COURSE = Course(ROOT)
MOST = 3_000_000  # bytes of a lesson's page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_site(COURSE, folder)
    return folder


@pytest.mark.slow
def test_there_is_an_index_and_a_page_for_every_lesson(site):
    names = {"index.html", "site.css", *(f"{lesson}.html" for lesson in COURSE.lessons())}
    assert {path.name for path in site.iterdir()} == names


@pytest.mark.slow
def test_every_link_leads_to_a_page_of_the_site(site):
    for page in site.glob("*.html"):
        links = re.findall(r'(?:href|src)="([^"#]+)"', page.read_text(encoding="utf-8"))
        inside = [link for link in links if not link.startswith("data:")]
        assert [link for link in inside if not (site / link).is_file()] == [], page.name


@pytest.mark.slow
@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_a_page_shows_nothing_that_is_hidden(site, lesson):
    source = nbformat.read(notebook_path(COURSE.source, lesson), as_version=4)
    assert HiddenText.of(source).found_in_file(site / f"{lesson}.html") == []


@pytest.mark.slow
@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_a_page_holds_the_lesson_s_figures_and_explorers(site, lesson):
    page = (site / f"{lesson}.html").read_text(encoding="utf-8")
    release = nbformat.read(notebook_path(COURSE.release, lesson), as_version=4)
    code = "\n".join(cell.source for cell in release.cells if cell.cell_type == "code")
    assert page.count("data-manyheads=") == 2 * len(re.findall(r"\bexplore\.\w+\(", code))
    figures = r"^show\.(?:head_\w+|kv_bytes|three_views|fused_columns)\("
    drawn = re.findall(r'<img[^>]+src="data:image/png', page)
    assert len(drawn) == len(re.findall(figures, code, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_a_page_stays_small(site, lesson):
    assert (site / f"{lesson}.html").stat().st_size < MOST


@pytest.mark.slow
def test_no_page_shows_an_error(site):
    assert not any("Traceback" in page.read_text("utf-8") for page in site.glob("*.html"))


def test_a_page_with_a_hidden_line_is_refused_without_its_words():
    cell = {"id": "f", "metadata": {"nbgrader": {"solution": True}}, "cell_type": "code"}
    lines = ["def f(x):", "### BEGIN SOLUTION", "    return x.flip(0)", "### END SOLUTION"]
    hidden = HiddenText.of({"cells": [{**cell, "source": "\n".join(lines)}]})
    with pytest.raises(LeakError, match="would show 1 hidden lines") as refused:
        refuse_leaks(hidden, "02", "<pre>return <b>x</b>.flip(0)</pre>")
    assert "flip" not in str(refused.value)
    refuse_leaks(hidden, "02", "<pre>def f(x):</pre>")


def test_a_lesson_without_a_release_is_refused(student_course):
    shutil.rmtree(student_course.release / LESSON)
    with pytest.raises(NotReleasedError, match="manyheads build"):
        read_lesson(student_course, LESSON)


def test_a_run_that_ends_early_is_refused(monkeypatch):
    monkeypatch.setattr(one, "execute", lambda notebook, *_: (notebook, ["Cell 3 did not finish."]))
    with pytest.raises(SiteError, match="02_head_split can't be shown on the site"):
        read_lesson(COURSE, "02_head_split")


def test_nothing_is_written_when_a_lesson_is_refused(tmp_path, monkeypatch):
    def refuse(*_):
        raise LeakError("no")

    monkeypatch.setattr("manyheads.site.write.read_lesson", refuse)
    with pytest.raises(LeakError):
        write_site(COURSE, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_links_between_lessons_become_links_between_pages():
    text = "[two](../02_b/02_b.ipynb), [names](../glossary.md)"
    body = render(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)]))
    assert '<a href="02_b.html">two</a>, names' in body
