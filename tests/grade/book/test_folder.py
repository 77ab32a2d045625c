"""A folder's digest changes with what lies in it, and with nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from manyheads.grade.book import folder as module
from manyheads.grade.book.folder import folder_digest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work" / "data").mkdir(parents=True)
    (tmp_path / "work" / "02_mini.ipynb").write_text("{}", encoding="utf-8")
    (tmp_path / "work" / "data" / "x.csv").write_text("1,2", encoding="utf-8")
    return tmp_path / "work"


CHANGES: dict[str, Callable[[Path], object]] = {
    "other bytes": lambda at: (at / "02_mini.ipynb").write_text("{ }", encoding="utf-8"),
    "other bytes below": lambda at: (at / "data" / "x.csv").write_text("1,3", encoding="utf-8"),
    "renamed": lambda at: (at / "data" / "x.csv").rename(at / "data" / "y.csv"),
    "moved": lambda at: (at / "data" / "x.csv").rename(at / "x.csv"),
    "one more": lambda at: (at / "empty").touch(),
    "one less": lambda at: (at / "02_mini.ipynb").unlink(),
    "a link": lambda at: (at / "link").symlink_to("/etc/passwd"),
    "a link to a folder": lambda at: (at / "link").symlink_to("/"),
    "a pipe": lambda at: os.mkfifo(at / "pipe"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(folder: Path, change: str) -> None:
    before = folder_digest(folder)
    CHANGES[change](folder)
    assert folder_digest(folder) != before


def test_times_and_rights_do_not_count(folder: Path) -> None:
    before = folder_digest(folder)
    os.utime(folder / "02_mini.ipynb", (1, 1))
    (folder / "02_mini.ipynb").chmod(0o600)
    assert folder_digest(folder) == before


def test_what_is_left_out_does_not_count(folder: Path) -> None:
    before = folder_digest(folder, without=".ipynb")
    (folder / "02_mini.ipynb").write_text("{ }", encoding="utf-8")
    assert folder_digest(folder, without=".ipynb") == before


def test_a_linked_folder_is_not_walked(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    before = folder_digest(tmp_path / "link")
    (folder / "one more").touch()
    assert folder_digest(tmp_path / "link") == before != folder_digest(folder)


@pytest.mark.parametrize("name", ["02_mini.ipynb", "nothing"])
def test_what_is_no_folder_has_a_digest(folder: Path, name: str) -> None:
    assert len(folder_digest(folder / name)) == 32


def test_of_many_large_files_not_all_bytes_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        with (folder / f"{number}.bin").open("wb") as file:
            file.truncate(1000)
    read: list[int] = []
    whole = Path.read_bytes
    monkeypatch.setattr(module, "MOST_HASHED_ALL", 3500)
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(1) or whole(path))
    before = folder_digest(folder)
    assert 3 <= len(read) < 9
    (folder / "8.bin").write_bytes(b"x" * 1001)
    assert folder_digest(folder) != before


def test_of_a_very_large_file_its_size_is_enough(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = folder_digest(folder)
    monkeypatch.setattr(module, "MOST_HASHED", 1)
    large = folder_digest(folder)
    (folder / "02_mini.ipynb").write_text("{  }", encoding="utf-8")
    assert before != large != folder_digest(folder)


def test_a_flood_of_files_ends(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 1)
    before = folder_digest(folder)
    (folder / "data" / "more").touch()
    assert folder_digest(folder) == before
