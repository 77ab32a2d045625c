"""The files a student handed in beside the notebook: data and modules that cells may open."""

from __future__ import annotations

from manyheads.errors import UnreadableError
from manyheads.grade.reading.folder import Entry, Listing, read_file, shown

MOST_FILES = 200
MOST_BYTES_EACH = 16 * 2**20
MOST_BYTES_ALL = 64 * 2**20
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
_OURS = ("timestamp.txt", "feedback_info.json", "user_info.json")  # the exchange's own


def collect(listing: Listing, notebook: Entry | None) -> tuple[dict[str, bytes], list[str]]:
    """The other files' bytes by path from the folder, and words on what was left out.

    Notebooks are not among them, nor what the exchange writes; archives are not unpacked.
    """
    files: dict[str, bytes] = {}
    flags: list[str] = []
    total = 0
    for entry in listing.files:
        if entry == notebook or not _belongs(entry):
            continue
        why = _unwanted(entry, len(files), total)
        try:
            data = b"" if why else read_file(entry, MOST_BYTES_EACH)
        except UnreadableError as error:
            why = error.cause
        if why:
            flags.append(f"{shown(entry.name)} was left out: {why}")
            continue
        if entry.name.lower().endswith(_ARCHIVES):
            flags.append(f"{shown(entry.name)} is an archive: not unpacked")
        files[entry.name] = data
        total += len(data)
    return files, flags


def _belongs(entry: Entry) -> bool:
    return not entry.name.lower().endswith(".ipynb") and entry.name not in _OURS


def _unwanted(entry: Entry, count: int, total: int) -> str | None:
    """Why a file is not collected, if so."""
    if not _encodable(entry.name):
        return "its name is not UTF-8"
    if entry.size > MOST_BYTES_EACH:
        return f"it has {entry.size / 1e6:.0f} MB, the most is {MOST_BYTES_EACH / 1e6:.0f} MB"
    if count >= MOST_FILES:
        return f"the most is {MOST_FILES} files"
    if total + entry.size > MOST_BYTES_ALL:
        return f"all files together have more than {MOST_BYTES_ALL / 1e6:.0f} MB"
    return None


def _encodable(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
