"""The graded files: `autograded/{student}/{lesson}/`, each written whole or not at all."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from pathlib import Path

from manyheads.errors import GradingError
from manyheads.student.notebook import write_atomic


def write_graded(
    folder: Path, notebooks: Mapping[str, bytes], files: Mapping[str, bytes], kept: set[str]
) -> None:
    """Write a submission's graded notebooks, by name, and its other files, by relative path.

    What an earlier run left is removed, except the notebooks named in `kept`. The notebooks come
    last, so that a folder with one in it is complete. Raises GradingError for a name that the file
    system doesn't take.
    """
    wanted = {**files, **{f"{name}.ipynb": text for name, text in notebooks.items()}}
    for path in _leftovers(folder, {*wanted, *(f"{name}.ipynb" for name in kept)}):
        path.unlink()
    for path in sorted(folder.rglob("*"), reverse=True):  # a folder's content before the folder
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for name, data in wanted.items():
        try:
            write_atomic(folder / name, data)
        except OSError as error:
            if error.errno not in (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ):
                raise
            raise GradingError(
                f"{name[:60]!r} can't be written into {folder}: {error.strerror}. Give the file in "
                "the submission a shorter, plainer name, and grade again."
            ) from error


def _leftovers(folder: Path, wanted: set[str]) -> list[Path]:
    return [
        path
        for path in folder.rglob("*")
        if (path.is_symlink() or not path.is_dir())
        and path.relative_to(folder).as_posix() not in wanted
    ]


def graded_notebooks(folder: Path) -> set[str]:
    """The names of the notebooks in a graded submission's folder."""
    return {path.stem for path in folder.glob("*.ipynb")}
