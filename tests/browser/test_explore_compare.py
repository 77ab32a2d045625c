"""Yours beside the target in a page from disk: one cursor, the wrong cells, the zoom."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page, expect

from manyheads import explore, show
from tests.browser.explorers import explorer, focused, opened, says, write_page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

x = show.coordinates(2, 5, 12)
RIGHT = x.view(2, 5, 3, 4).transpose(1, 2)
NAME = "Yours beside the target"

# How long an arrow key takes, from the press to the layout after it.
KEYS = """(cell, keys) => {
  const root = cell.getRootNode();
  return keys.map((key) => {
    const start = performance.now();
    root.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    root.host.getBoundingClientRect();
    return performance.now() - start;
  });
}"""


@pytest.fixture(params=["light", "dark"])
def page(browser: Browser, tmp_path, request) -> Iterator[Page]:
    address = write_page(tmp_path, explore.compare(x.view(2, 3, 5, 4), RIGHT))
    with opened(browser, address, color_scheme=request.param) as page:
        yield page


@pytest.fixture
def both(page: Page) -> Locator:
    return explorer(page, NAME)


def test_it_opens_on_the_first_wrong_cell(both: Locator) -> None:
    assert says(both) == (
        "[0, 0], row 1, column 0: the target holds 100, yours holds 4. That is wrong."
    )
    expect(both.locator("td.wrong")).to_have_count(16)


def test_a_click_moves_the_cursor_of_both_sides(both: Locator) -> None:
    both.get_by_role("gridcell", name="302", exact=True).click()
    assert "row 3, column 2: the target holds 302, yours holds 102" in says(both)
    expect(both.locator("td.here")).to_have_count(2)


def test_next_and_previous_go_through_the_wrong_cells_of_all_parts(both: Locator) -> None:
    for _ in range(16):
        both.get_by_role("button", name="Next wrong cell").click()
    assert says(both).startswith("[0, 1], row 0, column 0: the target holds 4, yours holds 108")
    both.get_by_role("button", name="Previous wrong cell").click()
    assert says(both).startswith("[0, 0], row 4, column 3")


def test_the_zoom_draws_what_is_around_the_cursor(both: Locator) -> None:
    both.get_by_label("zoom").select_option("closest")
    grid = both.get_by_role("grid", name="yours: [0, 0]")
    expect(grid.get_by_role("gridcell")).to_have_count(9)
    both.get_by_label("part").select_option("[1, 2] (16 wrong)")
    assert says(both).startswith("[1, 2], row 0, column 0: the target holds 1008, yours holds 1304")
    both.get_by_role("button", name="First wrong cell").click()
    assert says(both).startswith("[0, 0], row 1, column 0")


def test_from_the_keyboard_alone(page: Page, both: Locator) -> None:
    reached = []
    while not reached or "100" not in reached[-1]:
        page.keyboard.press("Tab")
        reached.append(focused(page))
    assert reached[:5] == [
        "part",
        "zoom",
        "First wrong cell",
        "Previous wrong cell",
        "Next wrong cell",
    ]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert "row 2, column 1: the target holds 201, yours holds 9" in says(both)
    assert focused(page) == "201"
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert focused(page) == "201"
    expect(both.get_by_role("grid").last.get_by_role("gridcell")).to_have_count(20)
    page.keyboard.press("+")
    expect(both.get_by_role("grid").last.get_by_role("gridcell")).to_have_count(9)
    page.keyboard.press("Tab")
    assert focused(page) == "9, wrong"


def test_the_table_lists_the_wrong_cells(both: Locator) -> None:
    both.get_by_text("The same as a table").click()
    table = both.get_by_role("table", name="Wrong cells of [0, 0]")
    assert table.inner_text().splitlines()[2].split("\t") == ["row 1, column 0", "100", "4"]


def test_an_answer_takes_less_than_50_ms_at_the_largest_size(browser: Browser, tmp_path) -> None:
    target = torch.randn(12, 32, 32)
    address = write_page(tmp_path, explore.compare(target + 1, target))
    with opened(browser, address) as page:
        both = explorer(page, NAME)
        both.get_by_label("zoom").select_option("all")
        cell = both.get_by_role("grid").last.locator("td.here")
        cell.focus()
        times = cell.evaluate(KEYS, ["ArrowDown", "ArrowRight"] * 20)
    assert max(times) < 50, times
