"""JupyterLab as `manyheads lab` starts it, in a real Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
COURSE_FILES = ["nbgrader_config.py", "release", "source"]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of its own, so that nobody's work is touched."""
    root = tmp_path_factory.mktemp("browser") / "course"
    root.mkdir()
    for name in COURSE_FILES:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
    # Cells off the screen stay in the page, so that a test can find them without scrolling.
    settings = root / ".jupyter/lab/user-settings/@jupyterlab/notebook-extension"
    settings.mkdir(parents=True)
    tracker = settings / "tracker.jupyterlab-settings"
    tracker.write_text(json.dumps({"windowingMode": "none"}), encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def lab_url(course: Path) -> Iterator[str]:
    """The address that `manyheads lab` prints, with its token."""
    command = [str(Path(sys.executable).parent / "manyheads"), "lab", "02", "--no-browser"]
    log = course.parent / "lab.log"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=course, stdout=out, stderr=subprocess.STDOUT)
    try:
        yield _printed_url(log, server)
    finally:
        server.terminate()
        server.wait(timeout=30)


def _printed_url(log: Path, server: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and server.poll() is None:
        found = re.search(r"http://(?:localhost|127\.0\.0\.1):\S+token=\w+", log.read_text())
        if found:
            return found.group()
        time.sleep(0.2)
    raise RuntimeError(f"manyheads lab printed no address:\n{log.read_text()}")


@pytest.fixture
def page(browser: Browser, lab_url: str) -> Iterator[Page]:
    """JupyterLab, open on lesson 02, with the kernel idle."""
    page = browser.new_page(viewport={"width": 1180, "height": 860})
    # A machine with much to do lists its kernels too late; JupyterLab then asks for one.
    asked = page.locator("dialog", has_text="Select Kernel")
    page.add_locator_handler(asked, lambda: page.get_by_role("button", name="Select").click())
    # A kernel of the test before may be ending yet; JupyterLab says so, and waits for a click.
    ending = page.locator("dialog", has_text="Kernel Terminating")
    page.add_locator_handler(ending, lambda: ending.get_by_role("button", name="Ok").click())
    page.goto(lab_url)
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60_000)
    page.wait_for_selector("[data-status='idle']", timeout=60_000)
    yield page
    page.close()


def keep(shown: Page | Locator, name: str) -> None:
    """Renew one of the README's pictures: MANYHEADS_PICTURES=docs/images pytest tests/browser."""
    if folder := os.environ.get("MANYHEADS_PICTURES"):
        shown.screenshot(path=Path(folder) / name)
