"""nbgrader as it comes: its own preprocessors, its own configuration, nothing of ours."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.parts.usage import Usage, run
from tests.grade.stock import CONFIG


def stock_course(original: Path, folder: Path, lessons: Sequence[str]) -> Path:
    """A copy of a course, its submissions included, that nbgrader grades in its own way."""
    for part in ("source", "submitted"):
        shutil.copytree(original / part, folder / part)
    (folder / "nbgrader_config.py").write_text(CONFIG.format(root=str(folder)), "utf-8")
    for lesson in lessons:
        run(nbgrader("generate_assignment", lesson), folder)
    return folder


def autograde(folder: Path, lessons: Sequence[str]) -> Usage:
    """Grade all submissions with `nbgrader autograde`, lesson by lesson."""
    parts = [run(nbgrader("autograde", lesson), folder) for lesson in lessons]
    return Usage(sum(part.wall for part in parts), sum(part.processor for part in parts))


def nbgrader(*arguments: str) -> list[str]:
    """The command line of nbgrader in this environment."""
    return [sys.executable, "-m", "nbgrader", *arguments]
