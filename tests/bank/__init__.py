"""The bank: right and wrong spellings of each exercise, with the cause that a wrong one is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """One spelling. `reason` says why a wrong one is told another cause than one would expect.

    `title` may be empty where the id says it all.
    """

    id: str
    exercise: str
    right: bool
    code: str
    title: str = ""
    cause: str | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        """The name that the code defines: a clinic's is always `find_bug`."""
        return "find_bug" if self.exercise.startswith("clinic_") else self.exercise

    def function(self) -> Callable[..., Any]:
        """Run the code in a module of its own and take the exercise's function from it."""
        space: dict[str, Any] = {"__name__": "answer"}
        exec(compile(self.code, f"<{self.id}>", "exec"), space)  # noqa: S102  (our own spellings)
        return space[self.name]


def load(exercise: str | None = None) -> list[Entry]:
    """All entries, or those of one exercise, in the order of the files."""
    names = [exercise] if exercise else sorted(path.stem for path in FOLDER.glob("*.yaml"))
    return [entry for name in names for entry in _entries(name)]


def _entries(exercise: str) -> list[Entry]:
    data = yaml.safe_load((FOLDER / f"{exercise}.yaml").read_text(encoding="utf-8"))
    return [
        Entry(exercise=exercise, right=kind == "right", **fields)
        for kind in ("wrong", "right")
        for fields in data[kind]
    ]
