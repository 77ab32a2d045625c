"""Heads on a sentence in a page from disk: by mouse, by keyboard, and its numbers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as F
from playwright.sync_api import Browser, Locator, Page, expect

from manyheads import explore
from manyheads.explore.sentence import FIRST, MIXING, SECOND, WORDS
from tests.browser.explorers import TAKES, explorer, focused, opened, says, write_page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

z = torch.tensor([FIRST, SECOND])[:, :, None]  # [H, T, Dh]


def expected(query: int, Wo: list[list[float]], causal: bool = False) -> list[str]:
    """The mix and what the heads put in, by torch, as the page writes them."""
    o = F.scaled_dot_product_attention(z, z, z, is_causal=causal, scale=1.0)  # [H, T, Dh]
    joined = o[:, query, 0]
    mix = joined @ torch.tensor(Wo)
    return [f"{number:.3f}" for number in (*joined.tolist(), *mix.tolist())]


@pytest.fixture(params=["light", "dark"])
def page(browser: Browser, tmp_path, request) -> Iterator[Page]:
    address = write_page(tmp_path, explore.sentence())
    with opened(browser, address, color_scheme=request.param) as page:
        yield page


@pytest.fixture
def heads(page: Page) -> Locator:
    return explorer(page, "2 heads on 10 tokens")


def assert_says(heads: Locator, query: int, Wo: list[list[float]], causal: bool = False) -> None:
    told = says(heads)
    assert f"Query {WORDS[query]}, token {query}:" in told
    assert [number for number in expected(query, Wo, causal) if number not in told] == []


def test_it_opens_on_the_lesson_s_numbers(heads: Locator) -> None:
    assert says(heads) == (
        "Query it, token 7: head A gives most to cat (0.290) and outputs 1.001; head B gives most "
        "to sat (0.143) and outputs 0.077. Joined (1.001, 0.077). W_O mixes to (1.024, 0.377)."
    )


def test_every_token_by_mouse(heads: Locator) -> None:
    for query in range(len(WORDS)):
        heads.get_by_role("radio").nth(query).click()
        assert_says(heads, query, MIXING)


def test_the_mask_hides_later_tokens(heads: Locator) -> None:
    heads.get_by_label("causal mask").check()
    assert_says(heads, 7, MIXING, causal=True)
    assert heads.get_by_text("masked", exact=True).count() == 2 * 2 + 2 * 2  # bars and table


def test_w_o_is_edited_and_reset(heads: Locator) -> None:
    heads.get_by_label("W_O row 1, column 0").fill("-0.5")
    edited = [[1.0, 0.3], [-0.5, 1.0]]
    assert_says(heads, 7, edited)
    heads.get_by_role("button", name="Transpose W_O").click()
    assert_says(heads, 7, [[1.0, -0.5], [0.3, 1.0]])
    heads.get_by_role("button", name="Reset W_O").click()
    assert_says(heads, 7, MIXING)


def test_what_is_no_number_is_refused_and_the_last_one_kept(heads: Locator) -> None:
    entry = heads.get_by_label("W_O row 0, column 1")
    entry.fill("")
    expect(heads.get_by_role("alert")).to_have_text(
        "W_O row 0, column 1 needs a number; 0.3 is kept."
    )
    assert_says(heads, 7, MIXING)
    entry.fill("0.4")
    expect(heads.get_by_role("alert")).to_be_empty()
    assert_says(heads, 7, [[1.0, 0.4], [0.3, 1.0]])


def test_from_the_keyboard_alone(page: Page, heads: Locator) -> None:
    reached = []
    for _ in range(15):
        page.keyboard.press("Tab")
        reached.append(focused(page))
        if reached[-1] == "it":
            break
    assert "causal mask" in reached
    page.keyboard.press("ArrowRight")
    assert_says(heads, 8, MIXING)
    page.keyboard.press("Home")
    assert_says(heads, 0, MIXING)
    page.keyboard.press("ArrowLeft")
    assert_says(heads, 9, MIXING)
    page.keyboard.press("Tab")
    if not focused(page).startswith("W_O row"):
        page.keyboard.press("Tab")  # a box that scrolls is a stop of its own
    assert focused(page).startswith("W_O row 0, column 0")
    page.keyboard.press("ArrowUp")  # a native number field: one step is 0.1
    assert_says(heads, 9, [[1.1, 0.3], [0.3, 1.0]])


def test_playing_walks_along_the_sentence(page: Page, heads: Locator) -> None:
    heads.get_by_role("button", name="First step").click()
    heads.get_by_label("speed").select_option("fast")
    heads.get_by_role("button", name="Play").click()
    expect(heads.get_by_role("radio", name="sat")).to_be_checked(timeout=6000)
    heads.get_by_role("button", name="Pause").click()
    assert_says(heads, 2, MIXING)


def test_the_table_holds_the_same_numbers(heads: Locator) -> None:
    heads.get_by_text("The same as a table").click()
    table = heads.get_by_role("table", name="What it, token 7, gives to each token")
    rows = [row.split("\t") for row in table.inner_text().splitlines()[1:]]
    P = (z[:, 7] * z[:, :, 0]).softmax(-1)  # [H, T]
    shown = [[cells[2], cells[4]] for cells in rows if cells[0][0].isdigit()]
    assert shown == [[f"{a:.3f}", f"{b:.3f}"] for a, b in P.T.tolist()]


def test_an_answer_takes_less_than_50_ms(heads: Locator) -> None:
    entry = heads.get_by_label("W_O row 0, column 0")
    times = entry.evaluate(TAKES, [str(n / 10) for n in range(30)])
    assert max(times) < 50, times
