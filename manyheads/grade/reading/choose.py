"""Which of a folder's files is the submitted notebook: never a guess between two."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from manyheads.errors import MissingNotebookError, UnreadableError
from manyheads.grade.cells import InstructorCell
from manyheads.grade.reading.folder import Entry, Listing, shown
from manyheads.grade.reading.recognise import share_recognised

_NOTEBOOK = re.compile(
    r"\.ipynb(?:\.(?:txt|json|ipynb|download|part|bak))*$|\.(?:json|txt)$", re.IGNORECASE
)
_ARCHIVE = (".zip", ".tar", ".gz", ".tgz", ".7z", ".rar")
ENOUGH = 0.5  # of the lesson's cells, to know a notebook under another name by its content


@dataclass(frozen=True)
class Candidate:
    """A file that could be read as a notebook."""

    entry: Entry
    data: bytes
    notebook: dict[str, Any]
    flags: list[str]


Read = Callable[[Entry], Candidate]


def choose(
    folder: Path, lesson: str, listing: Listing, cells: Sequence[InstructorCell], read: Read
) -> tuple[Candidate, list[str]]:
    """The notebook that counts, and words on the others.

    The exact name wins. Else a single file whose name holds the lesson's counts, then a single
    notebook whose content is the lesson's; of several none does, unless they are the same.
    Raises UnreadableError; MissingNotebookError where none may be meant.
    """
    exact = listing.find(f"{lesson}.ipynb")
    notebooks = [entry for entry in listing.files if _is_notebook(entry)]
    if exact is not None:
        return read(exact), _extras(notebooks, exact)
    for found in _groups(listing, lesson):
        candidates = [one for one in map(_Attempt(read, cells, lesson), found) if one.belongs]
        if candidates:
            chosen = _only(folder, lesson, candidates)
            words = f"{shown(chosen.entry.name)} was taken for {lesson}.ipynb"
            return chosen, [words, *_extras(notebooks, chosen.entry)]
    raise _none(folder, lesson, listing)


def _groups(listing: Listing, lesson: str) -> list[list[Entry]]:
    """Where to look, in order: named like the lesson, here and in subfolders; any notebook."""
    named = [entry for entry in listing.files if named_like(entry.parts[-1], lesson)]
    here = [entry for entry in named if len(entry.parts) == 1]
    below = [entry for entry in named if len(entry.parts) > 1]
    exactly = [entry for entry in below if entry.parts[-1] == f"{lesson}.ipynb"]
    return [here, exactly, below, [entry for entry in listing.files if _is_notebook(entry)]]


class _Attempt:
    """Reads a file and says whether it is this lesson's notebook."""

    def __init__(self, read: Read, cells: Sequence[InstructorCell], lesson: str) -> None:
        self._read, self._cells, self._lesson = read, cells, lesson

    def __call__(self, entry: Entry) -> _Tried:
        try:
            candidate = self._read(entry)
        except UnreadableError as error:
            meant = _is_notebook(entry) and named_like(entry.parts[-1], self._lesson)
            return _Tried(entry, None, error, meant)
        return _Tried(entry, candidate, None, self._belongs(candidate))

    def _belongs(self, candidate: Candidate) -> bool:
        """Whether it is this lesson's by content, or by name with a content that is no other's."""
        if share_recognised(candidate.notebook["cells"], self._cells) >= ENOUGH:
            return True
        said = candidate.notebook["metadata"].get("manyheads", {}).get("lesson", self._lesson)
        return named_like(candidate.entry.parts[-1], self._lesson) and said == self._lesson


@dataclass(frozen=True)
class _Tried:
    entry: Entry
    candidate: Candidate | None
    error: UnreadableError | None
    belongs: bool


def _only(folder: Path, lesson: str, tried: list[_Tried]) -> Candidate:
    """The one candidate there is, or one of several that are the same to the byte."""
    read = [one.candidate for one in tried if one.candidate is not None]
    if len(tried) == 1 and tried[0].error is not None:
        raise tried[0].error
    if len(read) < len(tried) or len({one.data for one in read}) > 1:
        names = ", ".join(shown(one.entry.name) for one in tried)
        raise UnreadableError(
            f"it holds {len(tried)} notebooks that may be the one to grade: {names}",
            f"Ask the student which one counts, rename it to {lesson}.ipynb, and grade again.",
            None,
            str(folder),
        )
    return read[0]


def _extras(notebooks: Sequence[Entry], chosen: Entry) -> list[str]:
    names = [shown(entry.name) for entry in notebooks if entry != chosen]
    return [f"other notebooks lie there, not graded: {', '.join(names[:10])}"] if names else []


def _none(folder: Path, lesson: str, listing: Listing) -> MissingNotebookError:
    others = [shown(entry.name) for entry in (*listing.files, *listing.others)]
    odd = [entry for entry in listing.others if named_like(entry.parts[-1], lesson)]
    if odd:
        cause = f"{shown(odd[0].name)} is {odd[0].other}, which is not opened"
    elif others:
        cause = f"it holds no notebook of this lesson, only {', '.join(others[:10])}"
    else:
        cause = "it holds no notebook"
    packed = any(name.lower().endswith(_ARCHIVE) for name in others)
    unpack = "Unpack the archive yourself if you trust it. " if packed else ""
    remedy = f"{unpack}Put the student's notebook there as {lesson}.ipynb and grade again."
    return MissingNotebookError(cause, remedy, None, str(folder))


def _is_notebook(entry: Entry) -> bool:
    return bool(re.search(r"\.ipynb(\.\w+)?$", entry.name, re.IGNORECASE))


def named_like(name: str, lesson: str) -> bool:
    """Whether a file's name holds the lesson's, as browsers, systems and people rename files.

    >>> [named_like(f"{name}.ipynb", "02_mini") for name in ("02_mini (1)", "02_minimal")]
    [True, False]
    """
    if not _NOTEBOOK.search(name):
        return False
    return f"_{_plain(lesson)}_" in f"_{_plain(_NOTEBOOK.sub('', name))}_"


def _plain(name: str) -> str:
    """A name's letters and digits, everything between them one underscore."""
    folded = unicodedata.normalize("NFKC", unquote(name)).casefold()
    return re.sub(r"[\W_]+", "_", folded).strip("_")
