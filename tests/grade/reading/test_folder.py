"""Nothing in a submission's folder is followed, waited for or unpacked; other files are bytes."""

from __future__ import annotations

import os
import pickle
import socket
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from manyheads.grade.reading import UnreadableError, files, read_submission
from manyheads.grade.reading import folder as folder_module
from tests.grade.mini import LESSON
from tests.grade.reading.handed_in import NAME, TEXTS, as_bytes, folder, right, texts
from tests.grade.test_sanitize import CELLS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")

GOOD = as_bytes(right())
SECRET = b"root:x:0:0:a secret of another file"


def link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def bound(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's whole path may not be long
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "a link out": (link("/etc/passwd"), "a symbolic link"),
    "a link to another submission": (link(f"../../s02/{LESSON}/{NAME}"), "a symbolic link"),
    "a link beside it": (link("secret.txt"), "a symbolic link"),
    "a dangling link": (link("nowhere"), "a symbolic link"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "a symbolic link"),
    "a link to a folder": (link("/etc"), "a symbolic link"),
    "a link to a device": (link("/dev/zero"), "a symbolic link"),
    "a pipe": (os.mkfifo, "a pipe"),
    "a socket": (bound, "a socket"),
}


def submission(root: Path) -> Path:
    made = folder(root, **{"secret.txt": SECRET})
    other = root / "submitted" / "s02" / LESSON / NAME
    other.parent.mkdir(parents=True)
    other.write_bytes(GOOD)
    return made


@pytest.mark.parametrize("kind", ODD)
def test_a_notebook_that_is_no_regular_file_is_refused_unopened(tmp_path: Path, kind: str) -> None:
    make, words = ODD[kind]
    made = submission(tmp_path)
    make(made / NAME)
    with pytest.raises(UnreadableError, match=rf"{NAME} is {words}, which is not opened"):
        read_submission(made, LESSON, CELLS)


@pytest.mark.parametrize("kind", ODD)
def test_another_file_that_is_no_regular_one_is_flagged_unopened(tmp_path: Path, kind: str) -> None:
    make, words = ODD[kind]
    made = folder(tmp_path, **{NAME: GOOD, "secret.txt": SECRET})
    (made / "data").mkdir()
    make(made / "data.csv")
    make(made / "data" / "more.csv")
    reading = read_submission(made, LESSON, CELLS)
    assert texts(reading.notebook) == TEXTS
    assert reading.files == {"secret.txt": SECRET}
    names = ["data/more.csv", "data.csv"]
    assert reading.flags == [f"{name} is {words}: not opened" for name in names]


@pytest.mark.parametrize("level", [0, 1])
def test_a_folder_that_is_a_link_is_not_followed(tmp_path: Path, level: int) -> None:
    made = submission(tmp_path)
    (made / NAME).write_bytes(GOOD)
    link = [tmp_path / "submitted" / "s03" / LESSON, tmp_path / "submitted" / "s03"][level]
    link.parent.mkdir(exist_ok=True)
    link.symlink_to([made, made.parent][level])
    with pytest.raises(UnreadableError, match="is a symbolic link, expected a folder"):
        read_submission(tmp_path / "submitted" / "s03" / LESSON, LESSON, CELLS)


def test_a_folder_named_like_the_notebook_is_not_the_notebook(tmp_path: Path) -> None:
    made = folder(tmp_path, **{f"{NAME}/{NAME}": GOOD})
    with pytest.raises(UnreadableError, match=r"02_mini\.ipynb is a folder, which is not opened"):
        read_submission(made, LESSON, CELLS)


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    made = tmp_path / "s01" / LESSON
    made.parent.mkdir()
    with pytest.raises(UnreadableError, match="there is no such folder"):
        read_submission(made, LESSON, CELLS)
    made.write_bytes(GOOD)
    with pytest.raises(UnreadableError, match="it is a file, expected a folder"):
        read_submission(made, LESSON, CELLS)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_a_file_without_the_right_to_read_it_is_refused(tmp_path: Path) -> None:
    made = folder(tmp_path, **{NAME: GOOD})
    (made / NAME).chmod(0)
    with pytest.raises(UnreadableError, match=r"can't be read \(Permission denied\)"):
        read_submission(made, LESSON, CELLS)


def test_other_files_come_with_their_paths_and_bytes(tmp_path: Path) -> None:
    others = {
        "a.csv": b"1,2\n",
        "data/deep/b.bin": b"\0\xff",
        "my helper.py": b"x = 1",
        "ü.txt": b"",
    }
    ignored = {".hidden": b"x", ".ipynb_checkpoints/a.py": b"x", "__pycache__/a.pyc": b"x"}
    stamp = {"timestamp.txt": b"2026-01-31 18:00:00 UTC", "extra.ipynb": b"x"}
    made = folder(tmp_path, **{NAME: GOOD}, **others, **ignored, **stamp)
    reading = read_submission(made, LESSON, CELLS)
    assert reading.files == others
    assert reading.flags == ["other notebooks lie there, not graded: extra.ipynb"]


def test_an_archive_is_listed_not_unpacked(tmp_path: Path) -> None:
    made = folder(tmp_path, **{NAME: GOOD, "all.zip": b"PK\x03\x04../../x"})
    assert read_submission(made, LESSON, CELLS).flags == ["all.zip is an archive: not unpacked"]


@pytest.mark.parametrize(
    ("limit", "most", "flag"),
    [
        ("MOST_BYTES_EACH", 3, "b.txt was left out: it has 0 MB, the most is 0 MB"),
        ("MOST_FILES", 1, "b.txt was left out: the most is 1 files"),
        ("MOST_BYTES_ALL", 5, "b.txt was left out: all files together have more than 0 MB"),
    ],
)
def test_other_files_have_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, flag: str
) -> None:
    monkeypatch.setattr(files, limit, most)
    made = folder(tmp_path, **{NAME: GOOD, "a.txt": b"123", "b.txt": b"1234"})
    reading = read_submission(made, LESSON, CELLS)
    assert (reading.files, reading.flags) == ({"a.txt": b"123"}, [flag])


def test_a_folder_with_too_many_files_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "MOST_ENTRIES", 5)
    made = folder(tmp_path, **{NAME: GOOD}, **{f"x{n}": b"" for n in range(9)})
    reading = read_submission(made, LESSON, CELLS)
    assert "the folder holds more than 5 files: not all read" in reading.flags


def test_a_name_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    made = folder(tmp_path, **{NAME: GOOD})
    try:
        Path(os.fsdecode(os.fsencode(made) + b"/\xff.txt")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes text names only")
    reading = read_submission(made, LESSON, CELLS)
    assert reading.files == {}
    assert reading.flags == [r"'\udcff.txt' was left out: its name is not UTF-8"]


@pytest.mark.parametrize(
    ("text", "time", "flag"),
    [
        ("2026-01-31 18:00:00.000000 UTC", datetime(2026, 1, 31, 18), None),
        ("2026-01-31 18:00:00 Europe/Berlin", datetime(2026, 1, 31, 17), None),
        ("2026-01-31T18:00:00+02:00", datetime(2026, 1, 31, 16), None),
        ("\ufeff2026-01-31 18:00\r\n", datetime(2026, 1, 31, 18), None),
        ("", None, "timestamp.txt is empty: not used"),
        ("yesterday, I think", None, "which is no date and time: not used"),
        ("2026-99-99", None, "which is no date and time"),
        ("9" * 400, None, "which is no date and time"),
        ("0000-00-00 00:00 UTC", None, "which is no date and time"),
        ("9999-12-31 23:59:59 UTC", None, "which lies in the future: not used"),
        ("9999-12-31 23:59:59 Pacific/Niue", None, "not used"),
        ("\0\x1b[2J 1", None, "which is no date and time"),
        ("x" * 2000, None, "timestamp.txt was not read: it has 0 MB"),
    ],
)
def test_the_time_of_submission_is_read_or_flagged(
    tmp_path: Path, text: str, time: datetime | None, flag: str | None
) -> None:
    made = folder(tmp_path, **{NAME: GOOD, "timestamp.txt": text.encode()})
    reading = read_submission(made, LESSON, CELLS)
    assert reading.submitted == time
    assert [flag is not None and flag in one for one in reading.flags] == [True] * (
        flag is not None
    )


def test_the_error_keeps_its_parts_between_processes() -> None:
    error = UnreadableError("it is empty", "Send it again.", 3, "a.ipynb")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (again.cause, again.remedy, again.line, again.place) == error.args
    assert str(again) == "a.ipynb can't be graded: line 3: it is empty. Send it again."
