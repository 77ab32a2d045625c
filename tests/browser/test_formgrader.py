"""An instructor grades in formgrader: the button gives what `manyheads grade` gives, safely."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode
from playwright.sync_api import Browser, Locator, Page, expect

from manyheads.course import Course
from manyheads.grade import grade_class
from tests.browser.conftest import keep
from tests.grade.mini import LESSON, make_course, student, text
from tests.grade.test_nbgrader_commands import nbgrader
from tests.grade.test_server import TOKEN, running

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ACTS = "<img src=x onerror='window.acted=1'><script>window.acted=1</script>"
SHOWS = f'display({{"text/html": "{ACTS}<b>seen</b>", "text/plain": "x"}}, raw=True)'
WRONG = "def split_heads(x, num_heads):\n    return x"
CONTINUES = "[x](javascript:window.acted=1)"


def hostile() -> NotebookNode:
    """A wrong answer, and HTML that acts wherever a student can write."""
    notebook = student(split_heads=f"{SHOWS}\n{WRONG}", explain_1=f"My words. {ACTS}")
    notebook.cells += [text(f"{CONTINUES} {ACTS}")]
    return notebook


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class of two, of which nothing is graded yet."""
    root = tmp_path_factory.mktemp("formgrader") / "course"
    course = make_course(root, {"s01": hostile(), "s02": student()})
    nbgrader(course, "generate_assignment", LESSON)
    return course


@pytest.fixture(scope="module")
def by_command(course: Course) -> dict[str, float]:
    """What `manyheads grade` gives each student, in a copy of the course."""
    copy = Course(course.root.parent / "copy")
    copy.root.mkdir()
    for name in ("source", "release", "submitted"):
        shutil.copytree(course.root / name, copy.root / name)
    shutil.copy(course.root / "nbgrader_config.py", copy.root)
    report = grade_class(copy, [LESSON], lambda *_: None)
    points: dict[str, float] = {}
    with report.csv.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            points[row["student"]] = points.get(row["student"], 0) + float(row["points"])
    return points


@pytest.fixture(scope="module")
def url(course: Course) -> Iterator[str]:
    with running(course) as server:
        yield server.url


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """The list of submissions, as the instructor opens it."""
    page = browser.new_page(viewport={"width": 1180, "height": 900})
    page.goto(f"{url}lab?token={TOKEN}", wait_until="commit")  # signs in
    page.goto(f"{url}formgrader/manage_submissions/{LESSON}")
    yield page
    page.close()


def row(page: Page, name: str) -> Locator:
    return page.locator("tr", has=page.locator("td.student-id", has_text=name))


def autograde(page: Page, name: str) -> None:
    row(page, name).locator(".autograde a").click()
    expect(page.locator(".modal-title")).to_have_text("Success", timeout=120_000)
    page.locator(".modal button", has_text="OK").last.click()


def test_the_button_gives_the_points_of_the_command(
    page: Page, by_command: dict[str, float]
) -> None:
    for name, points in by_command.items():
        autograde(page, name)
        expect(row(page, name).locator(".score")).to_have_text(f"{points:g} / 17")
    assert by_command == {"s01": 7, "s02": 13}
    keep(page, "formgrader.png")


def test_a_submission_that_acts_does_nothing_in_formgraders_page(page: Page, url: str) -> None:
    autograde(page, "s01")
    page.goto(f"{url}formgrader/gradebook/{LESSON}/{LESSON}")
    page.locator("tr", has_text="s01").locator("td a").first.click()
    page.wait_for_selector("#notebook-container .cell")
    expect(page.locator("#notebook-container").first).to_contain_text("My words.")
    expect(page.locator("#notebook-container").first).to_contain_text("seen")
    expect(page.locator("#notebook-container").first).to_contain_text(CONTINUES)
    page.wait_for_timeout(1000)
    assert page.evaluate("window.acted") is None
    assert page.locator("#notebook-container :is(script, [onerror])").count() == 0
    keep(page, "submission.png")


def test_a_feedback_page_does_nothing_and_says_what_was_found(
    browser: Browser, course: Course
) -> None:
    nbgrader(course, "autograde", LESSON)
    nbgrader(course, "generate_feedback", LESSON)
    page = browser.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto((course.feedback / "s01" / LESSON / f"{LESSON}.html").as_uri())
    expect(page.locator("body")).to_contain_text("the tests of split_heads failed")
    assert page.evaluate("window.acted") is None
    assert messages == []
    assert Path(course.feedback).is_dir()
    page.close()
