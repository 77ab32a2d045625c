"""Formgrader and the Validate button, as JupyterLab's server answers them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from manyheads.course import Course, notebook_path
from tests.grade.mini import LESSON, make_course, save, student
from tests.grade.test_nbgrader_commands import BIN, outside

pytestmark = pytest.mark.slow

WRONG = student(split_heads="def split_heads(x, num_heads):\n    return x")
TOKEN = "for-tests-only"  # noqa: S105  (of a server that listens on this machine alone)


@dataclass(frozen=True)
class Server:
    """A running JupyterLab server of a course."""

    url: str
    course: Course

    def ask(self, path: str, data: dict[str, Any] | None = None) -> str:
        request = urllib.request.Request(  # noqa: S310  (its own address)
            self.url + path,
            data=None if data is None else json.dumps(data).encode(),
            headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310
            return str(answer.read().decode())


@contextmanager
def running(course: Course) -> Iterator[Server]:
    """JupyterLab started in a course's folder, on a free port."""
    home = course.root.parent / "home"
    home.mkdir(exist_ok=True)
    log = course.root.parent / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [BIN / "jupyter-lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"],
            cwd=course.root,
            env={**outside(home), "JUPYTER_TOKEN": TOKEN},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Server(_address(process, log), course)
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab in a course with a right and a wrong student."""
    root = tmp_path_factory.mktemp("server") / "course"
    course = make_course(root, {"s01": student(), "s02": WRONG})
    save(WRONG, notebook_path(course.work, LESSON))
    save(student(), course.work / "right" / "right.ipynb")
    with running(course) as server:
        yield server


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+/", log.read_text(encoding="utf-8"))
        if found:
            return found[0]
        time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")


def test_formgrader_opens_on_the_course(server: Server) -> None:
    page = server.ask("formgrader")
    assert "<title>nbgrader formgrade</title>" in page
    assert "not a subdirectory" not in page  # what it says when the course is out of its reach


def test_formgrader_lists_the_lesson_and_its_submissions(server: Server) -> None:
    [lesson] = json.loads(server.ask("formgrader/api/assignments"))
    assert (lesson["name"], lesson["num_submissions"]) == (LESSON, 2)
    assert lesson["source_path"] == os.path.join("source", LESSON)  # noqa: PTH118  (as nbgrader says)


def test_its_buttons_generate_autograde_and_write_feedback(server: Server) -> None:
    for button in (
        f"assignment/{LESSON}/assign",
        f"submission/{LESSON}/s01/autograde",
        f"submission/{LESSON}/s02/autograde",
        f"assignment/{LESSON}/generate_feedback",
    ):
        answer = json.loads(server.ask(f"formgrader/api/{button}", data={}))
        assert answer["success"], answer
    found = json.loads(server.ask(f"formgrader/api/submissions/{LESSON}"))
    assert {one["student"]: one["score"] for one in found} == {"s01": 13, "s02": 7}
    for name in ("s01", "s02"):
        page = (server.course.feedback / name / LESSON / f"{LESSON}.html").read_text("utf-8")
        assert "CANARY" not in page


def test_validate_names_the_visible_test_that_fails(server: Server) -> None:
    path = f"work/{LESSON}/{LESSON}.ipynb"
    answer = json.loads(server.ask("assignments/validate", data={"path": path}))
    assert answer["success"], answer
    [cell] = [cell for cell in answer["value"]["failed"] if "np.zeros" in cell["source"]]
    assert cell["raw_error"].endswith(": wrong shape")


def test_validate_finds_nothing_wrong_with_right_work(server: Server) -> None:
    answer = json.loads(server.ask("assignments/validate", data={"path": "work/right/right.ipynb"}))
    assert answer == {"success": True, "value": {}}


def test_the_server_ran_without_this_environments_programs_on_its_path() -> None:
    assert str(Path(sys.executable).parent) not in outside(Path())["PATH"].split(os.pathsep)
