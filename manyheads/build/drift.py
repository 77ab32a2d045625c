"""Where the built files on disk differ from what the lesson text builds, in readable words."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from manyheads.build.files import found_files, is_built
from manyheads.course import Course

MAX_LINES = 60
REMEDY = (
    "Remedy: run `manyheads build`. To change a lesson, edit its text in notebooks/, "
    "never a built file."
)


def drift_report(course: Course, built: Mapping[Path, bytes]) -> str:
    """How the files on disk differ from the built ones, with the remedy; empty if they don't.

    Diffs read from the file on disk (-) to what the text builds (+), cell by cell, and stop after
    MAX_LINES lines in all.
    """
    lines = [*_differing(course, built), *_strangers(course, built)]
    if not lines:
        return ""
    left = len(lines) - MAX_LINES
    shown = lines[:MAX_LINES] + ([f"... and {left} more lines"] if left > 0 else [])
    return "\n".join([_summary(course, built), *shown, REMEDY])


def _summary(course: Course, built: Mapping[Path, bytes]) -> str:
    wrong = [path for path, content in built.items() if _on_disk(path) != content]
    extra = [path for path in found_files(course) if path not in built]
    names = ", ".join(_name(course, path) for path in sorted([*wrong, *extra]))
    return f"Not what notebooks/ builds: {names}"


def _name(course: Course, path: Path) -> str:
    return path.relative_to(course.root).as_posix()


def _on_disk(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _differing(course: Course, built: Mapping[Path, bytes]) -> Iterator[str]:
    for path, content in sorted(built.items()):
        there, name = _on_disk(path), _name(course, path)
        if there is None:
            yield f"{name}: missing"
        elif there != content:
            yield from notebook_diff(name, there, content)


def _strangers(course: Course, built: Mapping[Path, bytes]) -> Iterator[str]:
    for path in found_files(course):
        if path in built:
            continue
        if is_built(path):
            yield f"{_name(course, path)}: its lesson is gone from notebooks/; a build removes it"
        else:
            yield f"{_name(course, path)}: no build made this file; move it out of the folder"


def notebook_diff(name: str, there: bytes, built: bytes) -> Iterator[str]:
    """How a notebook's bytes on disk differ from the built ones, by cell where both can be read."""
    try:
        old, new = _parts(there), _parts(built)
    except (ValueError, KeyError, TypeError, AttributeError):
        old, new = {}, {}
    if list(old.items()) == list(new.items()):
        yield f"{name}: the same cells, other bytes"
        yield from _diff(_text(there), _text(built))
        return
    for part in dict.fromkeys([*new, *old]):
        if old.get(part) == new.get(part):
            continue
        yield f"{name}, {part}:" + (" not built" if part not in new else "")
        yield from _diff(old.get(part, ""), new.get(part, ""))
    if list(old) != list(new) and set(old) == set(new):
        yield f"{name}: the same cells in another order"


def _parts(content: bytes) -> dict[str, str]:
    """A notebook's metadata and cells as text, by name."""
    notebook = json.loads(content.decode("utf-8"))
    cells = notebook.pop("cells")
    return {"the notebook's metadata": _json(notebook), **{_called(c): _shown(c) for c in cells}}


def _called(cell: Any) -> str:
    return f"cell {cell.get('id', 'without an id')}"


def _shown(cell: Any) -> str:
    rest = {key: value for key, value in cell.items() if key != "source"}
    return "".join(cell["source"]) + "\n" + _json(rest)


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="backslashreplace")


def _diff(old: str, new: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), "on disk", "built", "", "", 1, ""
    )
    yield from (
        f"  {line!r}"[:120] if not line.isprintable() else f"  {line}"[:120] for line in lines
    )
