"""The bank of known answers, which lies beside the package, in the course's `tests/bank`."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Protocol

from manyheads.course import Course
from manyheads.errors import BankError

FOLDER = "tests/bank"


class Entry(Protocol):
    """One answer to one exercise, as `tests/bank` describes it.

    A wrong one names the `cause` that its check must tell, or None and the `reason`.
    """

    @property
    def id(self) -> str:
        """The entry's name, unique among the wrong or the right ones of its exercise."""

    @property
    def exercise(self) -> str:
        """The exercise's `grade_id`."""

    @property
    def right(self) -> bool:
        """Whether the answer is a right one."""

    @property
    def code(self) -> str:
        """What a learner would have written into the exercise's cell."""

    @property
    def title(self) -> str:
        """What is wrong with it, or how it is made, in a few words; may be empty."""

    @property
    def cause(self) -> str | None:
        """The id of the misconception that a wrong one must be told."""

    @property
    def reason(self) -> str:
        """Why a wrong one is told another cause than one would expect, or none."""


def load_bank(course: Course) -> list[Entry]:
    """All entries of the course's bank, read by its own loader, in the order of its files.

    Raises BankError when there is no bank, or when the loader can't read it.
    """
    loader = course.root / FOLDER / "__init__.py"
    if not loader.is_file():
        raise BankError(f"{course.root} has no bank of known answers: {FOLDER} is missing.")
    return _read(loader)


def _read(loader: Path) -> list[Entry]:
    try:
        return list(runpy.run_path(str(loader))["load"]())
    except Exception as error:
        kind = type(error).__name__
        raise BankError(
            f"{loader.parent} can't be read ({kind}: {error}). Correct the file that it names."
        ) from error
