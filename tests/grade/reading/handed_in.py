"""A submission's folder with whatever is put into it, and the notebook that should come out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from manyheads.grade.reading import Reading, read_submission
from tests.grade.mini import LESSON, student
from tests.grade.test_sanitize import CELLS

NAME = f"{LESSON}.ipynb"


def right() -> dict[str, Any]:
    """A right student's notebook as plain JSON."""
    made: dict[str, Any] = json.loads(json.dumps(student()))
    return made


def as_bytes(notebook: Any) -> bytes:
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode()


def changed(change: Callable[[dict[str, Any]], None]) -> bytes:
    """A right student's notebook after a change."""
    notebook = right()
    change(notebook)
    return as_bytes(notebook)


def folder(root: Path, **files: bytes) -> Path:
    """The folder of student s01, with files in it by name."""
    made = root / "submitted" / "s01" / LESSON
    made.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return made


def read(root: Path, data: bytes) -> Reading:
    return read_submission(folder(root, **{NAME: data}), LESSON, CELLS)


def texts(notebook: dict[str, Any]) -> list[str]:
    return ["".join(cell["source"]) for cell in notebook["cells"]]


TEXTS = texts(right())
