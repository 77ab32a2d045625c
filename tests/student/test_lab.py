"""Starting JupyterLab: ports, options, and a real start."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from manyheads.course import Course, notebook_path
from manyheads.errors import PortTakenError
from manyheads.student import lab


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_taken_port_is_refused_with_the_remedy(taken_port: int) -> None:
    remedy = rf"Port {taken_port} is in use .*`manyheads lab --port {taken_port + 1}`"
    with pytest.raises(PortTakenError, match=remedy):
        lab.choose_port(taken_port)


def test_without_a_wish_a_taken_port_is_passed_over(
    taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab, "FIRST_PORT", taken_port)
    assert lab.choose_port(None) > taken_port


def test_no_free_port_at_all_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "is_free", lambda _: False)
    with pytest.raises(PortTakenError, match="8888 to 8987 are all in use"):
        lab.choose_port(None)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, False),
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "w"}, True),
        ({"BROWSER": "x"}, True),
    ],
)
def test_linux_without_a_screen_has_no_browser(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: bool
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert lab.has_browser() is expected


def test_students_page_hides_what_is_not_theirs() -> None:
    config = json.loads((lab.CONFIG / "labconfig" / "page_config.json").read_text(encoding="utf-8"))
    hidden = config["disabledExtensions"]
    assert hidden["@jupyterlab/apputils-extension:announcements"] is True
    assert hidden["@jupyter/nbgrader:formgrader"] is True
    assert "@jupyter/nbgrader:validate-assignment" not in hidden


@pytest.mark.parametrize(("uid", "expected"), [(0, True), (1000, False)])
def test_only_root_is_allowed_as_root(
    student_course: Course, monkeypatch: pytest.MonkeyPatch, uid: int, expected: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid, raising=False)
    command = lab.lab_command(student_course, "02_small", 8888, browser=True)
    assert ("--allow-root" in command) is expected


def started(course: Course, log: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "manyheads.cli", "lab", "--no-browser", *options]
    with log.open("wb") as output:
        return subprocess.Popen(command, cwd=course.root, stdout=output, stderr=output)


def address(log: Path, seconds: float = 60) -> str:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = re.search(r"http://localhost:\S+token=\w+", log.read_text(encoding="utf-8"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_lab_opens_the_lesson_and_a_second_one_points_to_it(
    student_course: Course, tmp_path: Path
) -> None:
    first = started(student_course, tmp_path / "first.log")
    try:
        url = address(tmp_path / "first.log")
        assert "/lab/tree/02_small/02_small.ipynb?token=" in url
        with urlopen(url, timeout=30) as page:  # noqa: S310 - the server just started
            text = page.read().decode("utf-8")
        assert "apputils-extension:announcements" in text
        assert notebook_path(student_course.work, "02_small").is_file()

        second = started(student_course, tmp_path / "second.log")
        assert second.wait(timeout=60) == 0
        said = (tmp_path / "second.log").read_text(encoding="utf-8")
        assert "already runs" in said
        assert address(tmp_path / "second.log").partition("?")[2] == url.partition("?")[2]
    finally:
        first.terminate()
        first.wait(timeout=60)
    assert not (student_course.root / "work" / ".jupyter").exists()
