"""Reading and writing notebook files."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyheads.errors import UnreadableNotebookError
from manyheads.student.notebook import parse_notebook, read_notebook, write_atomic

DAMAGED = [
    (b"", "the file is empty"),
    (b" \n", "the file is empty"),
    (b"[]", "it holds a JSON list"),
    (b'{"nbformat": 4}', "it has no list of cells"),
    (b'{"nbformat": 4, "cells": [', "line 1 is not JSON"),
    (b'{"nbformat": 4, "cells": [1]}', "one of its cells is not a notebook cell"),
    (b'{"nbformat": 3, "worksheets": []}', "notebook format 3, expected 4"),
    (b'{\n<<<<<<< HEAD\n"cells": []}', "conflict markers"),
    ('{"cells": ["ä"]}'.encode("utf-16"), "not UTF-8"),
    (b"[" * 100_000, "recursion"),
]


@pytest.mark.parametrize(("data", "cause"), DAMAGED)
def test_unreadable_file_is_named_with_its_cause(tmp_path: Path, data: bytes, cause: str) -> None:
    path = tmp_path / "02_small.ipynb"
    path.write_bytes(data)
    with pytest.raises(UnreadableNotebookError, match=cause) as caught:
        read_notebook(path)
    assert str(path) in str(caught.value)
    assert "`manyheads reset 02_small`" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_byte_order_mark_is_no_obstacle() -> None:
    assert parse_notebook(b'\xef\xbb\xbf{"nbformat": 4, "cells": []}')["cells"] == []


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_atomic(path, "not bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
