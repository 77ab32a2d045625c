"""Every rule a lesson's text must keep, and the one report of all that are broken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from manyheads.build.cells import cell_violations, duplicate_violations
from manyheads.build.judgeable import judge_violations
from manyheads.build.pairs import pair_violations
from manyheads.build.regions import region_violations
from manyheads.build.text import LESSON_NAME, Cell, Lesson, Violation, after_save, is_header

# nbgrader writes tests of its own at such a line, after starting a kernel while it builds.
_AUTOTEST = re.compile(r"\s*#.*AUTOTEST")


def violations(lesson: Lesson) -> list[Violation]:
    """Every broken rule of a lesson, in the order of its lines."""
    found = [*_file_violations(lesson), *duplicate_violations(lesson), *pair_violations(lesson)]
    found += judge_violations(lesson)
    for cell in lesson.cells:
        found += [*cell_violations(cell), *region_violations(cell), *_autotests(cell)]
    return sorted(set(found), key=lambda violation: (violation.line, violation.what))


def report(lessons: Iterable[Lesson]) -> str:
    """All broken rules of all lessons, one a line; an empty string when all is well."""
    return "\n".join(broken.at(lesson.path) for lesson in lessons for broken in violations(lesson))


def _file_violations(lesson: Lesson) -> Iterator[Violation]:
    if not LESSON_NAME.fullmatch(lesson.name):
        what = f"{lesson.name!r} is no lesson's name"
        yield Violation(1, what, "call the file NN_name.py: two digits, then lower-case words")
    if not lesson.cells:
        yield Violation(1, "the file holds no cell", "start the first one with # %% [markdown]")
        return
    lines = lesson.text.splitlines()
    first = lesson.cells[0].header
    if not is_header(lines[first - 1]):
        what = "text stands before the first cell"
        yield Violation(first, what, "start the first cell with # %% or # %% [markdown]")
        return
    for number, line in enumerate(lines[:first], start=1):
        if "jupytext_version:" in line:
            what = "the file's header names a jupytext version, which changes with each machine"
            remedy = (
                "write notebook_metadata_filter: -jupytext.text_representation.jupytext_version"
            )
            yield Violation(number, what, f"delete the line, and {remedy} in the header")
            return
    yield from _churn_violations(lesson)


def _churn_violations(lesson: Lesson) -> Iterator[Violation]:
    """The first line that opening and saving the lesson in JupyterLab would change."""
    saved = after_save(lesson)
    if saved == lesson.text:
        return
    ours, theirs = lesson.text.split("\n"), saved.split("\n")
    pairs = enumerate(zip([*ours, ""], [*theirs, ""], strict=False), start=1)
    number = next((n for n, (our, their) in pairs if our != their), len(ours))
    got = theirs[number - 1] if number <= len(theirs) else ""
    what = f"saving the lesson in JupyterLab would change this line to {got!r}"
    yield Violation(number, what, "write it so, or open and save the file in JupyterLab")


def _autotests(cell: Cell) -> Iterator[Violation]:
    for number, line in enumerate(cell.source.split("\n"), start=1):
        if cell.is_code and _AUTOTEST.match(line):
            what = "nbgrader would replace this AUTOTEST line by tests of its own"
            yield Violation(cell.line(number), what, "write the tests out")
