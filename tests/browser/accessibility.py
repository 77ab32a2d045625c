"""What axe-core finds wrong with a page; it comes from an installed package, not from a server."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RUN = "() => axe.run(document, { preload: false }).then((found) => found.violations)"


def violations(page: Page) -> list[str]:
    """One line for each element that breaks a rule."""
    page.evaluate(AXE)
    found = page.evaluate(RUN)
    return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]
