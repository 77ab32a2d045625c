"""Explorers in JupyterLab, with a mouse and with the keyboard alone, saved and exported."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.explorers import explorer, focused, opened, says
from tests.browser.test_lesson import cell, output, run, until

pytestmark = [pytest.mark.slow, pytest.mark.browser]

IMPORTS = "from manyheads import check, explore, show"
TRACER = "explore.shape_tracer(B=2, T=5, D=12, H=3)"
VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def tracer(page: Page) -> Locator:
    """Lesson 02's shape tracer, alive."""
    for text in (IMPORTS, TRACER):
        prompt = cell(page, text).locator(".jp-InputPrompt")
        until(prompt, r"\[\d+\]", partial(run, page, text))
    return shown(page)


def shown(page: Page) -> Locator:
    found = output(page, TRACER).locator(".explorer")
    expect(found).to_be_visible(timeout=60_000)
    return found


def menu(page: Page, *names: str) -> None:
    """Click through JupyterLab's menus; an item's name ends before its shortcut."""
    page.get_by_role("menuitem", name=names[0], exact=True).click()
    for name in names[1:]:
        page.locator(".lm-Menu-item", has=page.get_by_text(name, exact=True)).last.click()


def saved(course: Path) -> list[set[str]]:
    """The forms in which lesson 02's file holds each explorer."""
    path = course / "work/02_head_split/02_head_split.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [one.get("data", {}) for cell in cells for one in cell.get("outputs", [])]
    return [set(data) for data in outputs if "data-manyheads" in "".join(data.get("text/html", ""))]


def test_by_mouse(tracer: Locator) -> None:
    for _ in range(3):
        tracer.get_by_role("button", name="Next step").click()
    assert "q[1, 3, 1, 2] is now q[1, 1, 3, 2]" in says(tracer)
    tracer.get_by_label("in the split").check()
    assert "Head 2 holds numbers of tokens 3, 4 and of no other" in says(tracer)


def test_by_keyboard_alone_the_notebook_s_own_keys_rest(page: Page, tracer: Locator) -> None:
    cells = page.locator(".jp-Notebook .jp-Cell").count()
    cell(page, TRACER).locator(".cm-content").click()
    page.keyboard.press("Escape")
    for _ in range(40):
        page.keyboard.press("Tab")
        if "B samples" in focused(page):
            break
    assert focused(page) == "B samples"
    for _ in range(2):
        page.keyboard.press("Tab")
    for key in ("ArrowLeft", "ArrowLeft", "a", "b", "d", "d", "x"):
        page.keyboard.press(key)
    expect(tracer.get_by_role("alert")).to_contain_text("10 % 3 = 1")
    assert focused(page) == "D width"
    assert page.locator(".jp-Notebook .jp-Cell").count() == cells


def test_the_dark_theme_is_followed(page: Page, tracer: Locator) -> None:
    menu(page, "Settings", "Theme", "JupyterLab Dark")
    paper = "el => getComputedStyle(el.getRootNode().host).backgroundColor"
    page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    page.wait_for_timeout(200)
    assert tracer.evaluate(paper) == "rgb(28, 28, 28)"
    menu(page, "Settings", "Theme", "JupyterLab Light")
    page.wait_for_function("document.body.dataset.jpThemeLight === 'true'")


def test_a_saved_notebook_keeps_a_page_that_lives_without_its_kernel(
    page: Page, tracer: Locator, course: Path
) -> None:
    menu(page, "File", "Save Notebook")
    page.wait_for_timeout(1500)
    assert saved(course) == [{"text/html", "text/plain"}]
    menu(page, "Kernel", "Shut Down Kernel")
    page.wait_for_timeout(1000)
    page.reload()
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60_000)
    reopened = shown(page)
    reopened.get_by_role("button", name="Next step").click()
    assert says(reopened).startswith("Project: q, k, v [2, 5, 12]")


@pytest.mark.parametrize("sanitized", [True, False])
def test_export_as_html_lives_on_its_own(
    page: Page, tracer: Locator, browser: Browser, tmp_path: Path, sanitized: bool
) -> None:
    path = tmp_path / "lesson.html"
    with page.expect_download(timeout=60_000) as download:
        menu(page, "File", "Save and Export Notebook As", "HTML")
        page.get_by_label("Sanitize HTML output").set_checked(sanitized)
        page.locator(".jp-Dialog .jp-mod-accept").click()
    download.value.save_as(path)
    with opened(browser, path.as_uri()) as alone:
        exported = explorer(alone, "Shape tracer")
        exported.get_by_role("button", name="Last step").click()
        assert says(exported).startswith("Residual: residual [2, 5, 12]")


def test_the_head_map_by_mouse_and_by_keyboard(page: Page, tracer: Locator) -> None:
    run(page, TRACER, "explore.head_map(H=6, Hkv=3)")
    heads = output(page, "explore.head_map(H=6, Hkv=3)").locator(".explorer")
    expect(heads).to_have_attribute("aria-label", "Who reads whom", timeout=60_000)
    heads.locator(".half").first.locator(".query", has_text="q3").click()
    assert "Query head 3 reads K/V head 1 (3 // 2 = 1)" in says(heads)
    page.keyboard.press("Escape")
    for _ in range(40):
        page.keyboard.press("Tab")
        if "H query heads" in focused(page):
            break
    assert focused(page) == "H query heads"
    page.keyboard.press("ArrowLeft")
    expect(heads.get_by_role("alert")).to_contain_text("5 % 3 = 2")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    expect(heads.get_by_role("alert")).to_be_empty()
    assert says(heads).startswith("MQA, n_rep = 5 // 1 = 5")
