"""Heads on a sentence and yours beside the target in JupyterLab, by mouse and by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import keep
from tests.browser.explorers import focused, says
from tests.browser.test_explore_lab import IMPORTS, menu
from tests.browser.test_lesson import WRONG, cell, output, run, until

pytestmark = [pytest.mark.slow, pytest.mark.browser]

SENTENCE = "explore.sentence()"
CHECK = "check.split_heads(split_heads)"


@pytest.fixture
def ready(page: Page) -> Page:
    """Lesson 02 after its imports."""
    prompt = cell(page, IMPORTS).locator(".jp-InputPrompt")
    until(prompt, r"\[\d+\]", lambda: run(page, IMPORTS))
    return page


def widget(page: Page, start: str) -> Locator:
    found = output(page, start).locator(".explorer")
    expect(found).to_be_visible(timeout=60_000)
    return found


@pytest.fixture
def heads(ready: Page) -> Locator:
    run(ready, IMPORTS, f"{IMPORTS}\n{SENTENCE}")
    return widget(ready, SENTENCE)


@pytest.fixture
def both(ready: Page) -> Locator:
    """What the check draws of a wrong split."""
    run(ready, "def split_heads(x, num_heads):", WRONG)
    run(ready, CHECK)
    return widget(ready, CHECK)


def tab_to(page: Page, start: str, words: str) -> None:
    """From the cell's editor to a control, with the Tab key alone."""
    cell(page, start).locator(".cm-content").click()
    page.keyboard.press("Escape")
    for _ in range(40):
        page.keyboard.press("Tab")
        if focused(page) == words:
            return
    raise AssertionError(f"Tab never reached {words!r}")


def test_a_sentence_by_mouse(ready: Page, heads: Locator) -> None:
    assert "W_O mixes to (1.024, 0.377)" in says(heads)
    heads.get_by_label("causal mask").check()
    assert "W_O mixes to (1.108, 0.515)" in says(heads)
    heads.scroll_into_view_if_needed()
    keep(ready, "sentence-lab.png")


def test_a_sentence_by_keyboard_alone(ready: Page, heads: Locator) -> None:
    cells = ready.locator(".jp-Notebook .jp-Cell").count()
    tab_to(ready, SENTENCE, "it")
    for key in ("ArrowLeft", "ArrowLeft", "a", "d", "d"):
        ready.keyboard.press(key)
    assert says(heads).startswith("Query mat, token 5")
    assert focused(ready) == "mat"
    assert ready.locator(".jp-Notebook .jp-Cell").count() == cells


def test_a_sentence_in_the_dark_theme(ready: Page, heads: Locator) -> None:
    menu(ready, "Settings", "Theme", "JupyterLab Dark")
    ready.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    paper = "el => getComputedStyle(el.getRootNode().host).backgroundColor"
    ready.wait_for_timeout(200)
    assert heads.evaluate(paper) == "rgb(28, 28, 28)"
    keep(ready, "sentence-dark.png")
    menu(ready, "Settings", "Theme", "JupyterLab Light")
    ready.wait_for_function("document.body.dataset.jpThemeLight === 'true'")


def test_a_failed_check_by_mouse(both: Locator) -> None:
    assert "row 1, column 0: the target holds t1 f0, yours holds t0 f4. That is wrong." in says(
        both
    )
    both.get_by_role("button", name="Next wrong cell").click()
    assert "row 1, column 1: the target holds t1 f1, yours holds t0 f5" in says(both)


def test_a_failed_check_by_keyboard_alone(ready: Page, both: Locator) -> None:
    tab_to(ready, CHECK, "t0 f4, wrong")
    ready.keyboard.press("ArrowDown")
    assert "row 2, column 0: the target holds t2 f0, yours holds t0 f8" in says(both)
    ready.keyboard.press("+")
    expect(both.get_by_label("zoom")).to_have_value("1")
