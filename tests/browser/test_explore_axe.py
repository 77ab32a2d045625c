"""Explorers for everybody: axe-core, 200 % zoom, reduced motion, and every page of the site."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from manyheads import explore, show
from manyheads.course import Course
from manyheads.site import write_site
from tests.browser.accessibility import violations
from tests.browser.conftest import keep
from tests.browser.explorers import explorer, opened, write_page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

COURSE = Course(Path(__file__).parents[2])
x = show.coordinates(2, 5, 12)
WRONG, RIGHT = x.view(2, 3, 5, 4), x.view(2, 5, 3, 4).transpose(1, 2)
EVERY = {
    "shape_tracer": lambda: explore.shape_tracer(),
    "sentence": lambda: explore.sentence(),
    "head_map": lambda: explore.head_map(),
    "compare": lambda: explore.compare(WRONG, RIGHT),
    "compare, nothing yet": lambda: explore.compare(..., RIGHT),
}


def test_every_explorer_is_looked_at():
    assert {name for name in explore.__all__ if name != "Explorer"} <= set(EVERY)


@pytest.fixture(params=EVERY)
def address(request, tmp_path) -> str:
    return write_page(tmp_path, EVERY[request.param]())


def test_axe_says_no_to_a_bad_page(browser: Browser, tmp_path) -> None:
    path = tmp_path / "bad.html"
    path.write_text('<!doctype html><main><img src="data:,"><button></button></main>')
    with opened(browser, path.as_uri()) as page:
        found = "\n".join(violations(page))
    assert "image-alt" in found
    assert "button-name" in found


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation(browser: Browser, address: str, theme: str) -> None:
    with opened(browser, address, color_scheme=theme) as page:
        page.get_by_text("The same as a table").click()
        assert violations(page) == []


def test_axe_finds_no_violation_in_a_broken_rule(browser: Browser, tmp_path) -> None:
    with opened(browser, write_page(tmp_path, explore.sentence())) as page:
        page.get_by_label("W_O row 0, column 1").fill("")
        expect(page.get_by_role("alert")).to_contain_text("needs a number")
        assert violations(page) == []


def test_two_of_a_kind_can_stand_on_one_page(browser: Browser, tmp_path) -> None:
    address = write_page(tmp_path, *(explore.compare(WRONG, RIGHT) for _ in range(2)))
    with opened(browser, address) as page:
        assert violations(page) == []


def test_at_200_percent_nothing_runs_out_of_the_page(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.set_viewport_size({"width": 590, "height": 430})  # half of 1180 by 860
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) <= 0
        assert violations(page) == []


def test_nothing_moves_for_who_asked_for_less_motion(browser: Browser, address: str) -> None:
    moving = """() => [...document.querySelector("[data-manyheads]").shadowRoot
      .querySelectorAll("*")].map((el) => parseFloat(getComputedStyle(el).transitionDuration))
      .filter((seconds) => seconds > 0).length"""
    with opened(browser, address, reduced_motion="reduce") as page:
        assert page.evaluate(moving) == 0


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_site(COURSE, folder)
    return folder


@pytest.fixture(params=["index", *COURSE.lessons()])
def page(browser: Browser, site: Path, request) -> Iterator[Page]:
    with opened(browser, (site / f"{request.param}.html").as_uri()) as page:
        yield page


def test_a_page_of_the_site_opens_from_disk_with_its_explorers_alive(page: Page) -> None:
    assert page.locator(".explorer").count() == page.locator("[data-manyheads]").count() > 0
    assert violations(page) == []


def test_the_readme_s_picture_comes_from_the_site(browser: Browser, site: Path) -> None:
    with opened(browser, (site / "05_concat_and_wo.html").as_uri()) as page:
        shown = explorer(page, "2 heads on 10 tokens")
        shown.get_by_role("radio", name="cat").click()
        keep(shown, "sentence.png")
        expect(shown).to_be_visible()
    assert "docs/images/sentence.png" in (COURSE.root / "README.md").read_text(encoding="utf-8")


def test_the_site_is_walked_by_its_links(browser: Browser, site: Path) -> None:
    with opened(browser, (site / "index.html").as_uri()) as page:
        page.get_by_role("link", name="05 · Join the heads").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Join the heads")
        page.get_by_role("radio", name="cat").click()
        expect(page.get_by_role("status").filter(has_text="Query cat")).to_be_visible()
        page.get_by_role("link", name="All lessons").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Many Heads")
