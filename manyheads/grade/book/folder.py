"""A digest of what lies in a folder, to know again whether anything there has changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from stat import S_ISREG

MOST_HASHED = 32 * 2**20  # bytes of one file; of a larger one, size and time stand for its content
MOST_HASHED_ALL = 128 * 2**20  # bytes of all files; of what comes then, the same
MOST_FILES = 5000  # more are never read as a submission


def folder_digest(folder: Path, without: str = "") -> str:
    """A digest of a folder's files, their names and bytes; no link is followed, no device opened.

    Files whose name ends in `without`, if that is given, don't count. What is no folder has a
    digest as well.
    """
    total = hashlib.sha256()
    if folder.is_symlink() or not folder.is_dir():
        total.update(_content(folder, MOST_HASHED)[0])
        return total.hexdigest()[:32]
    left = MOST_HASHED_ALL
    for path in islice(_files(folder), MOST_FILES):
        if not without or not path.name.endswith(without):
            total.update(os.fsencode(path.relative_to(folder)) + b"\0")
            content, size = _content(path, min(left, MOST_HASHED))
            total.update(content)
            left -= size
    return total.hexdigest()[:32]


def _files(folder: Path) -> Iterator[Path]:
    """Everything below a folder that is not a folder itself, always in the same order."""
    for above, folders, names in os.walk(folder):
        folders.sort()
        links = [name for name in folders if Path(above, name).is_symlink()]
        yield from (Path(above, name) for name in sorted([*names, *links]))


def _content(path: Path, most: int) -> tuple[bytes, int]:
    """What stands for a file's content, a digest of fixed length; how many bytes were read."""
    size = 0
    try:
        state = path.lstat()
        if not S_ISREG(state.st_mode):
            seen = f"{state.st_mode} {path.readlink() if path.is_symlink() else ''}".encode()
        elif state.st_size > most:
            seen = f"{state.st_size} {state.st_mtime_ns}".encode()
        else:
            seen = path.read_bytes()
            size = len(seen)
    except OSError as error:
        seen = f"error {error.errno}".encode()
    return hashlib.sha256(seen).digest(), size
