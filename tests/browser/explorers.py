"""Explorers in a browser: in a page from disk, and in JupyterLab's cells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page

from manyheads.explore import Explorer

SHELL = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Explorers</title>'
    "<main><h1>Explorers</h1>{}</main>"
)

# How long a control's event takes: all that the explorer does for it, and the layout after it.
TAKES = """(input, values) => values.map((value) => {
  input.value = value;
  const start = performance.now();
  input.dispatchEvent(new Event("input", { bubbles: true }));
  input.getRootNode().host.getBoundingClientRect();
  return performance.now() - start;
})"""


def write_page(folder: Path, *explorers: Explorer) -> str:
    """A file with explorers and nothing else; returns its address."""
    path = folder / "explorers.html"
    body = "\n".join(explorer.page() for explorer in explorers)
    path.write_text(SHELL.format(body), encoding="utf-8")
    return path.as_uri()


@contextmanager
def opened(browser: Browser, address: str, **options: object) -> Iterator[Page]:
    """The page at an address, in a browser that reaches no network; its errors fail the test."""
    context = browser.new_context(viewport={"width": 1000, "height": 900}, **options)
    page = context.new_page()
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    yield page
    context.close()
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def explorer(page: Page, name: str) -> Locator:
    """The explorer with that title."""
    return page.locator(".explorer").and_(page.get_by_label(name, exact=True)).first


def says(shown: Locator) -> str:
    """The sentence that is read aloud."""
    return shown.get_by_role("status").inner_text()


def focused(page: Page) -> str:
    """The words of what has the keyboard's focus; it says so when the focus can't be seen."""
    return str(
        page.evaluate("""() => {
      let el = document.activeElement;
      while (el.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
      const words = el.labels?.[0]?.textContent ?? el.getAttribute("aria-label") ?? el.textContent;
      const outline = parseFloat(getComputedStyle(el).outlineWidth);
      return el.getRootNode() !== document && outline < 2 ? `no outline: ${words}` : words;
    }""")
    )
