"""A submission's folder, read without trusting anything in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from manyheads.errors import MissingNotebookError, UnreadableError
from manyheads.grade.cells import InstructorCell
from manyheads.grade.reading.choose import Candidate, choose
from manyheads.grade.reading.files import collect
from manyheads.grade.reading.folder import MOST_BYTES, Entry, list_folder, read_file
from manyheads.grade.reading.json_text import parse
from manyheads.grade.reading.shape import notebook_of
from manyheads.grade.reading.stamp import read_stamp
from manyheads.grade.reading.text import decode

__all__ = [
    "MissingNotebookError",
    "Reading",
    "UnreadableError",
    "read_bytes",
    "read_submission",
]


@dataclass(frozen=True)
class Reading:
    """What a submission's folder holds.

    `notebook` is nbformat 4.5 with nothing of a student's in it but the cells' texts, pictures
    and grade_ids; `flags` say what was unusual; `files` are the other files by relative path;
    `name` is the file that the notebook was read from; `submitted` is when, in UTC, without a
    timezone, as nbgrader keeps it.
    """

    notebook: dict[str, Any]
    flags: list[str]
    files: dict[str, bytes]
    name: str
    submitted: datetime | None = None


def read_submission(
    folder: Path, lesson: str, cells: Sequence[InstructorCell], siblings: Collection[str] = ()
) -> Reading:
    """Read the notebook of a lesson that lies in a submission's folder, and what lies beside it.

    `cells` are the lesson's own; they tell whether a notebook under another name is this lesson's.
    `siblings` are the names of the other notebooks of an assignment that has several; they are
    left to their own readings. Symbolic links, devices and pipes are never opened.
    Raises UnreadableError, with cause and remedy, and no other exception; where there is nothing
    that could be meant it is a MissingNotebookError.
    """
    listing = list_folder(folder, lesson).without(f"{name}.ipynb" for name in siblings)
    chosen, flags = choose(folder, lesson, listing, cells, _candidate)
    files, left_out = collect(listing, chosen.entry)
    submitted, about_time = read_stamp(listing)
    return Reading(
        notebook=chosen.notebook,
        flags=[*flags, *chosen.flags, *listing.flags, *left_out, *about_time],
        files=files,
        name=chosen.entry.name,
        submitted=submitted,
    )


def _candidate(entry: Entry) -> Candidate:
    """Read one file as a notebook; raises UnreadableError."""
    data = read_file(entry, MOST_BYTES)
    try:
        notebook, flags = read_bytes(data)
    except UnreadableError as error:
        raise UnreadableError(error.cause, error.remedy, error.line, str(entry.path)) from error
    return Candidate(entry, data, notebook, flags)


def read_bytes(data: bytes) -> tuple[dict[str, Any], list[str]]:
    """A notebook file's bytes as nbformat 4.5, and what was unusual about them.

    Raises UnreadableError with the bare cause.

    >>> read_bytes(b"[]")  # doctest: +NORMALIZE_WHITESPACE
    Traceback (most recent call last):
    manyheads.errors.UnreadableError: The submission can't be graded: it holds a JSON list, not a
    notebook. Ask the student to send the notebook again, or correct the file, and grade again.
    """
    text, about_text = decode(data)
    raw, about_json = parse(text)
    notebook, about_cells = notebook_of(raw)
    return notebook, [*about_text, *about_json, *about_cells]
