"""The built files of a course: what they must hold, which are stale, and writing them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from manyheads.build.leaks import HiddenText
from manyheads.build.release import generate, release_digest
from manyheads.build.rules import report
from manyheads.build.text import Lesson, notebook_bytes, read_lesson, to_notebook
from manyheads.course import Course, notebook_path
from manyheads.errors import LessonTextError

MODE = 0o644
# Files that editors and systems leave in any folder, and the one file people may keep there.
IGNORED = {".ipynb_checkpoints", ".DS_Store", ".gitkeep"}
KEPT = "README.md"


def built_files(course: Course) -> dict[Path, bytes]:
    """Every file that belongs in `source/` and `release/`, with its bytes; nothing is written.

    Raises LessonTextError with every broken rule of every lesson, or LeakError.
    """
    notebooks = {lesson.name: to_notebook(lesson) for lesson in read_lessons(course)}
    releases = generate(course, {name: notebook_bytes(node) for name, node in notebooks.items()})
    built: dict[Path, bytes] = {}
    for name, source in notebooks.items():
        release = releases[name]
        digest = release_digest(release)
        for notebook in (source, release):
            notebook.metadata["manyheads"]["release"] = digest
        HiddenText.of(source).verify(release, name)
        built[notebook_path(course.source, name)] = notebook_bytes(source)
        built[notebook_path(course.release, name)] = notebook_bytes(release)
    return built


def read_lessons(course: Course) -> list[Lesson]:
    """All lessons of `notebooks/`, in the order of their numbers.

    Raises LessonTextError with every broken rule of every lesson.
    """
    lessons, broken = [], []
    for path in sorted(course.notebooks.glob("*.py")):
        try:
            lessons.append(read_lesson(path, f"notebooks/{path.name}"))
        except LessonTextError as error:
            broken.append(str(error))
    broken += filter(None, [report(lessons)])
    if broken:
        raise LessonTextError("\n".join(broken) + "\nNothing was written.")
    if not lessons:
        raise LessonTextError(
            f"{course.notebooks} holds no lesson. Write one there, notebooks/NN_name.py; "
            "docs/writing-a-lesson.md says how. Nothing was written."
        )
    return lessons


def found_files(course: Course) -> list[Path]:
    """Every file in `source/` and `release/` that ought to be a built one, sorted."""
    return sorted(
        path
        for folder in (course.source, course.release)
        for path in folder.rglob("*")
        if path.is_file()
        and IGNORED.isdisjoint(path.relative_to(folder).parts)
        and path.relative_to(folder) != Path(KEPT)
    )


def stale_files(course: Course, built: Mapping[Path, bytes]) -> list[Path]:
    """Built notebooks of lessons that are no longer written; a file from elsewhere is never one."""
    return [path for path in found_files(course) if path not in built and is_built(path)]


def is_built(path: Path) -> bool:
    """Whether a file is a notebook that a build made, by its metadata."""
    try:
        metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]["manyheads"]
        return bool(metadata["lesson"] == path.stem)
    except (ValueError, KeyError, TypeError):
        return False


def write_all(built: Mapping[Path, bytes], stale: list[Path]) -> list[Path]:
    """Put every built file in place and remove the stale ones; returns those that changed.

    All new files are written beside their places first and then moved there one after the other, so
    a full disk or a missing right leaves the folders as they were.
    """
    changed = [p for p, content in built.items() if not p.is_file() or p.read_bytes() != content]
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}.new") for path in changed}
    try:
        for path, draft in drafts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(built[path])
            draft.chmod(MODE)
        for path, draft in drafts.items():
            draft.replace(path)
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    for path in stale:
        path.unlink()
        with contextlib.suppress(OSError):  # the folder holds something else: it stays
            path.parent.rmdir()
    return sorted([*changed, *stale])
