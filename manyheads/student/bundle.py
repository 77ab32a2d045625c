"""The students' bundle: everything a student may have, in one zip file, and nothing else."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from manyheads.course import Course, notebook_path
from manyheads.errors import LeakError
from manyheads.student.copies import released_lessons
from manyheads.student.notebook import parse_notebook, read_notebook, source, write_atomic

TOP = "manyheads-students"
FOLDERS = ("release", "manyheads", "tools")
FILES = (
    "LICENSE",
    "Makefile",
    "environment.yml",
    "nbgrader_config.py",
    "pyproject.toml",
    "requirements.lock",
)
README = Path("docs", "for-students.md")
GLOSSARY = "docs/glossary.md"  # lessons link to the copy that `work/` gets
# The earliest time a zip file can hold: the same files give the same bytes on any day.
EPOCH = (1980, 1, 1, 0, 0, 0)


def write_bundle(course: Course, path: Path) -> list[str]:
    """Write the zip file to `path`, the same bytes for the same course; returns the names in it.

    Raises LeakError, naming file and line, when a file holds what students may not see; nothing is
    written then. Raises NotReleasedError when no lesson is released.
    """
    contents = bundle_contents(course)
    refuse_leaks(course, contents)
    write_atomic(path, zipped(contents))
    return list(contents)


def bundle_contents(course: Course) -> dict[str, bytes]:
    """What goes into the bundle: names below the top folder and bytes, sorted by name."""
    released_lessons(course)
    paths = {
        path.relative_to(course.root).as_posix(): path
        for folder in FOLDERS
        for path in _files(course.root / folder)
    }
    paths |= {name: course.root / name for name in FILES}
    paths["README.md"] = course.root / README
    if (course.root / GLOSSARY).is_file():
        paths[GLOSSARY] = course.root / GLOSSARY
    return {name: paths[name].read_bytes() for name in sorted(paths)}


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        if path.is_file() and not any(
            part == "__pycache__" or part.startswith(".") for part in inside
        ):
            yield path


def refuse_leaks(course: Course, contents: dict[str, bytes]) -> None:
    """Raise LeakError when a text among `contents` holds a hidden line of one of the lessons.

    The error names files and lines, and does not repeat what is hidden.
    """
    from manyheads.build.leaks import HiddenText

    sources = [notebook_path(course.source, lesson) for lesson in released_lessons(course)]
    hidden = [HiddenText.of(read_notebook(path)) for path in sources]
    leaks = [
        f"{name}, {_place(text, line)}"
        for name, text in _texts(contents)
        for lesson in hidden
        for line in lesson.found_in(_words(name, text))
    ]
    if leaks:
        raise LeakError(
            "The bundle would show students lines that a lesson hides; nothing was written. "
            "Take them out, or show them in the lesson:\n  " + "\n  ".join(leaks)
        )


def _texts(contents: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    for name, data in contents.items():
        try:
            yield name, data.decode("utf-8")
        except UnicodeDecodeError:
            continue  # a picture, say


def _words(name: str, text: str) -> str:
    """What a file says: a notebook's cells as a reader sees them, any other text as it is."""
    if not name.endswith(".ipynb"):
        return text
    return "\n".join(source(cell) for cell in parse_notebook(text.encode())["cells"])


def _place(text: str, line: str) -> str:
    """The first line of a text that shows `line`, whether written plainly or inside JSON."""
    from manyheads.build.leaks import even

    forms = (line, json.dumps(line, ensure_ascii=False)[1:-1])
    for number, row in enumerate(text.splitlines(), start=1):
        if any(form in even(row) for form in forms):
            return f"line {number}"
    return "over several lines"


def zipped(contents: dict[str, bytes]) -> bytes:
    """The zip file's bytes, everything below one top folder.

    >>> zipped({"a.txt": b"a"}) == zipped({"a.txt": b"a"})
    True
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(f"{TOP}/{name}", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whatever this machine is
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
