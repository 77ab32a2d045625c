"""What lies in a submission's folder: listed without following or opening anything."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from manyheads.errors import UnreadableError

MOST_BYTES = 32 * 2**20  # of a notebook; one with every figure of a lesson has about 3 MB
MOST_ENTRIES = 2_000
DEEPEST = 8
IGNORED = {"__pycache__", "__MACOSX", "node_modules"}
_KINDS = [
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
]
AGAIN = "Ask the student to send the notebook again, or correct the file, and grade again."
# Never through a link, never waiting for a pipe's other end.
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_OPEN |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Entry:
    """One thing in a folder: where, its path from the folder, what it is if no regular file."""

    path: Path
    name: str
    size: int = 0
    other: str | None = None

    @property
    def parts(self) -> list[str]:
        """The folders and the name that lead to it."""
        return self.name.split("/")


@dataclass
class Listing:
    """All regular files of a folder, and what else is there, each in the order of their names."""

    files: list[Entry] = field(default_factory=list)
    others: list[Entry] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    def without(self, names: Iterable[str]) -> Listing:
        """The same listing but for the files with these paths."""
        gone = set(names)
        return replace(self, files=[entry for entry in self.files if entry.name not in gone])

    def find(self, name: str) -> Entry | None:
        """The regular file with this path from the folder, or None."""
        return next((entry for entry in self.files if entry.name == name), None)


def list_folder(folder: Path, lesson: str) -> Listing:
    """List a submission's folder, without hidden files and caches.

    Raises UnreadableError for what is no folder, or can't be listed.
    """
    for path in (folder.parent, folder):
        other = kind(path)
        if other != "a folder":
            raise _no_folder(path, other, lesson)
    listing = Listing()
    try:
        for entry in _walk(folder, "", 1):
            (listing.others if entry.other else listing.files).append(entry)
            if len(listing.files) + len(listing.others) >= MOST_ENTRIES:
                listing.flags.append(
                    f"the folder holds more than {MOST_ENTRIES} files: not all read"
                )
                break
    except OSError as error:
        remedy = "Give yourself the right to read it, and grade again."
        raise UnreadableError(
            f"it can't be listed ({error.strerror})", remedy, None, str(folder)
        ) from error
    for entry in listing.others:
        listing.flags.append(f"{shown(entry.name)} is {entry.other}: not opened")
    return listing


def _no_folder(path: Path, other: str | None, lesson: str) -> UnreadableError:
    cause = f"it is {other}, expected a folder" if other else "there is no such folder"
    remedy = f"Put the student's notebook into such a folder, as {lesson}.ipynb, and grade again."
    return UnreadableError(cause, remedy, None, str(path))


def kind(path: Path) -> str | None:
    """What a path is in words, links not followed; None if nothing is there."""
    try:
        mode = path.lstat().st_mode
    except (OSError, ValueError):
        return None
    return _in_words(mode) or "a file"


def _in_words(mode: int) -> str | None:
    """What is no regular file, in words; None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    return next((words for is_one, words in _KINDS if is_one(mode)), "a device")


def _walk(folder: Path, above: str, depth: int) -> Iterator[Entry]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda one: one.name)
    for one in entries:
        if one.name.startswith(".") or one.name in IGNORED:
            continue
        known = one.stat(follow_symlinks=False)
        here = Entry(Path(one.path), above + one.name, known.st_size, _in_words(known.st_mode))
        if stat.S_ISDIR(known.st_mode):
            if one.name.lower().endswith(".ipynb") or depth > DEEPEST:
                yield here
            else:
                yield from _walk(here.path, f"{here.name}/", depth + 1)
        else:
            yield here


def read_file(entry: Entry, most: int) -> bytes:
    """A regular file's bytes, `most` at the most.

    Raises UnreadableError when it is larger, no regular file (any more), or can't be read.
    """
    try:
        descriptor = os.open(entry.path, _OPEN)
        with os.fdopen(descriptor, "rb") as file:
            known = os.fstat(descriptor)
            if not stat.S_ISREG(known.st_mode):
                raise UnreadableError(
                    f"it is {_in_words(known.st_mode)}", AGAIN, None, str(entry.path)
                )
            data = file.read(most + 1) if known.st_size <= most else b""
    except OSError as error:
        remedy = "Give yourself the right to read it, and grade again."
        raise UnreadableError(
            f"it can't be read ({error.strerror})", remedy, None, str(entry.path)
        ) from error
    if known.st_size > most or len(data) > most:
        raise _too_large(entry, known.st_size, most)
    return data


def _too_large(entry: Entry, size: int, most: int) -> UnreadableError:
    return UnreadableError(
        f"it has {size / 1e6:.0f} MB, the most that is read is {most / 1e6:.0f} MB",
        "Open it in JupyterLab, clear all outputs, save it, and grade again.",
        None,
        str(entry.path),
    )


def shown(name: str) -> str:
    r"""A file's name as a report can print it: whole if it is short, no control characters.

    >>> shown("a.txt"), shown("a\nb")
    ('a.txt', "'a\\nb'")
    """
    short = name if len(name) <= 120 else f"{name[:100]}...{name[-16:]}"
    return short if short.isprintable() else ascii(short)
