"""A student works lesson 02 in JupyterLab."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import keep

pytestmark = [pytest.mark.slow, pytest.mark.browser]

WRONG = """def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("D must be divisible by num_heads")
    return x.view(B, num_heads, T, D // num_heads)"""
RIGHT = WRONG.replace(
    "x.view(B, num_heads, T, D // num_heads)",
    "x.unflatten(2, (num_heads, -1)).transpose(1, 2)",
)


def cell(page: Page, start: str) -> Locator:
    """The code cell whose text has the line `start`."""
    return page.locator(".jp-CodeCell", has=page.locator(".cm-line", has_text=start)).first


def run(page: Page, start: str, text: str | None = None) -> None:
    """Run a cell, after replacing its text if there is a new one."""
    editor = cell(page, start).locator(".cm-content")
    editor.click()
    if text is not None:
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(text)
    page.keyboard.press("Shift+Enter")


def run_all(page: Page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def until(prompt: Locator, shows: str, ask: Callable[[], None]) -> None:
    """Ask until the prompt shows it: JupyterLab drops what is run before its kernel is connected.

    shows: a regular expression
    """
    for _ in range(5):
        ask()
        try:
            expect(prompt).to_have_text(re.compile(shows), timeout=20_000)
            return
        except AssertionError:
            continue


@pytest.fixture
def finished(page: Page) -> Page:
    """The lesson after Run All, when its last cell has answered."""
    first = page.locator(".jp-CodeCell .jp-InputPrompt").first
    until(first, r"\[(\d+|\*)\]", lambda: run_all(page))
    last = cell(page, 'check.progress("02_head_split")').locator(".jp-OutputArea-output")
    expect(last.first).to_contain_text("questions answered", timeout=90_000)
    return page


def output(page: Page, start: str) -> Locator:
    return cell(page, start).locator(".jp-OutputArea")


def test_nothing_stands_between_the_student_and_the_lesson(page: Page) -> None:
    expect(page.get_by_role("heading", name="Heads split features")).to_be_visible()
    page.wait_for_timeout(3000)  # pop-ups come late
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    expect(page.locator(".Toastify__toast")).to_have_count(0)


def test_the_notebook_is_the_student_s_copy_in_work(page: Page, course: Path) -> None:
    expect(page.locator(".jp-NotebookPanel")).to_have_count(1)
    assert (course / "work/02_head_split/02_head_split.ipynb").is_file()


def test_run_all_reaches_the_end_of_the_untouched_lesson(finished: Page) -> None:
    expect(output(finished, 'check.progress("02_head_split")')).to_contain_text("0 of ")


def test_the_picture_of_the_split_has_alt_text(finished: Page) -> None:
    picture = output(finished, "show.head_split(T=3, D=8, H=2)").locator("img")
    expect(picture).to_be_visible()
    assert "3 tokens by 8 features" in (picture.get_attribute("alt") or "")


def test_a_wrong_split_shows_its_diagnosis_and_the_right_one_passes(finished: Page) -> None:
    run(finished, "def split_heads(x, num_heads):", WRONG)
    run(finished, "check.split_heads(split_heads)")
    answer = output(finished, "check.split_heads(split_heads)")
    expect(answer).to_contain_text("the shape is right, (2, 3, 5, 4); the owners are not")
    expect(answer).to_contain_text("A view never moves data")
    expect(answer.locator(".explorer")).to_be_visible()
    finished.mouse.move(0, 0)
    keep(answer, "diagnosis.png")

    run(finished, "def split_heads(x, num_heads):", RIGHT)
    run(finished, "check.split_heads(split_heads)")
    expect(answer).to_contain_text("passed")
    expect(answer).to_contain_text("Hidden tests")


def test_validate_answers(page: Page) -> None:
    page.get_by_role("button", name="Validate").first.click()
    dialog = page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("split_heads has not returned a tensor yet", timeout=90_000)
