"""Which kind of cell an author wrote, and the rules on its header, its id and its points."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from manyheads.build.text import JUPYTEXT_ONLY, Cell, Lesson, Violation, is_header

SCHEMA_VERSION = 3
FLAGS = ("grade", "locked", "solution", "task")
# An author's cell kinds: cell type, then grade, locked, solution, task.
KINDS = {
    ("code", False, False, True, False): "exercise",
    ("code", True, True, False, False): "test",
    ("code", False, True, False, False): "given",
    ("markdown", False, True, False, False): "given",
    ("markdown", False, True, False, True): "task",
}
KNOWN_METADATA = ("jupyter", "nbgrader", "slideshow", "tags")
NBGRADER_KEYS = {*FLAGS, "grade_id", "points", "schema_version"}
GRADE_ID = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,63}")
NUMBERED = re.compile(r"(predict|quiz|practice|recall)_[1-9][0-9]*")
RESERVED = re.compile(r"(predict|quiz|practice|recall|explain)(_|$)")
CLINIC = re.compile(r"clinic_[a-zA-Z0-9_]+")
TASK_ID = re.compile(r"explain_[1-9][0-9]*")


def kind_of(cell: Cell) -> str:
    """The cell's kind, one of KINDS; plain without nbgrader metadata, unknown if no kind fits."""
    if cell.nbgrader is None:
        return "plain"
    flags = (bool(cell.flags.get(flag, False)) for flag in FLAGS)
    return KINDS.get((cell.node.cell_type, *flags), "unknown")


def cell_violations(cell: Cell) -> Iterator[Violation]:
    """What is wrong with one cell's header, kind, id, points and tags."""
    for key in sorted(set(cell.node.metadata) - {*KNOWN_METADATA, *JUPYTEXT_ONLY}):
        yield Violation(cell.header, *_unknown_key(key, cell.node.metadata[key]))
    yield from _swallowed_headers(cell)
    if cell.nbgrader is None:
        return
    malformed = list(_malformed(cell))
    yield from malformed
    if not malformed:
        yield from _kind_violations(cell)
        yield from _id_violations(cell)
        yield from _points_violations(cell)


def _unknown_key(key: str, value: Any) -> tuple[str, str]:
    if key == "incorrectly_encoded_metadata":
        return f"the cell's header is not valid: {value}", "write each value as JSON, key=value"
    known = ", ".join(KNOWN_METADATA)
    return f"the cell's header holds {key!r}, which lessons don't use", f"use only {known}"


def _swallowed_headers(cell: Cell) -> Iterator[Violation]:
    if not cell.is_code:
        return
    for number, line in enumerate(cell.source.split("\n"), start=1):
        if is_header(line):
            what = "this line looks like a cell's header but lies inside a string"
            yield Violation(
                cell.line(number), what, "close the string above it, or indent the line"
            )


def _malformed(cell: Cell) -> Iterator[Violation]:
    """Metadata that nbgrader would refuse or misread."""
    if not isinstance(cell.nbgrader, dict):
        yield Violation(
            cell.header, "nbgrader metadata is not a JSON object", "write nbgrader={...}"
        )
        return
    version = cell.flags.get("schema_version", "missing")
    if version != SCHEMA_VERSION or isinstance(version, bool):
        what = f"nbgrader's schema_version is {version}, expected {SCHEMA_VERSION}"
        yield Violation(cell.header, what, f'write "schema_version": {SCHEMA_VERSION}')
    for key in sorted(set(cell.flags) - NBGRADER_KEYS):
        yield Violation(cell.header, f"nbgrader metadata has no key {key!r}", "remove it")
    for flag in FLAGS:
        if not isinstance(cell.flags.get(flag), bool):
            what = f'"{flag}" is {cell.flags.get(flag, "missing")!r}, expected true or false'
            yield Violation(cell.header, what, f'write "{flag}": true or "{flag}": false')


def _kind_violations(cell: Cell) -> Iterator[Violation]:
    if cell.flags["grade"] and not cell.flags["solution"] and not cell.flags["locked"]:
        what = f"the test cell {cell.grade_id} is not locked, so students could edit it"
        yield Violation(cell.header, what, 'set "locked": true')
    elif kind_of(cell) == "unknown":
        on = " + ".join(flag for flag in FLAGS if cell.flags[flag]) or "no flag set"
        yield Violation(
            cell.header,
            f"a {cell.node.cell_type} cell with {on} is no kind of cell that lessons use",
            "make it an exercise (solution), a test (grade and locked), given (locked), "
            "or a free-text task (markdown, task and locked)",
        )
    tags = cell.node.metadata.get("tags", [])
    if kind_of(cell) == "test" and "raises-exception" not in tags:
        what = f"the test cell {cell.grade_id} would stop Run All in an unfinished notebook"
        yield Violation(cell.header, what, 'add tags=["raises-exception"]')
    if "skip-execution" in tags:
        what = f"the tag skip-execution keeps the cell {cell.grade_id} from running when graded"
        yield Violation(cell.header, what, "remove the tag")


def _id_violations(cell: Cell) -> Iterator[Violation]:
    name, kind = cell.flags.get("grade_id"), kind_of(cell)
    if not isinstance(name, str) or not GRADE_ID.fullmatch(name):
        what = f"grade_id is {name!r}" if name is not None else "grade_id is missing"
        remedy = "use a letter, then at most 63 letters, digits and underscores"
        yield Violation(cell.header, what, remedy)
        return
    if kind == "test" and not name.startswith("test_"):
        what = f"the test cell's grade_id is {name!r}"
        yield Violation(cell.header, what, "call it test_, its exercise's id, and what it tests")
    if kind != "test" and name.startswith("test_"):
        what = f"the {kind} cell's grade_id {name!r} is a test's"
        yield Violation(cell.header, what, "keep test_ for graded test cells")
    if kind == "task" and not TASK_ID.fullmatch(name):
        yield Violation(cell.header, f"the task cell's grade_id is {name!r}", "call it explain_1")
    if kind == "exercise" and RESERVED.match(name) and not NUMBERED.fullmatch(name):
        what = f"the exercise's grade_id is {name!r}"
        remedy = "call it predict_1, quiz_1, practice_1 or recall_1, or after its function"
        yield Violation(cell.header, what, remedy)


def _points_violations(cell: Cell) -> Iterator[Violation]:
    counted = bool(cell.flags["grade"] or cell.flags["task"])
    points = cell.flags.get("points")
    if not counted:
        if "points" in cell.flags:
            what = f"the cell {cell.grade_id} has points but is neither a test nor a task"
            yield Violation(cell.header, what, 'remove "points"')
    elif points is None:
        what = f"the points of {cell.grade_id} are missing"
        yield Violation(cell.header, what, 'add "points": 1')
    elif isinstance(points, bool) or not isinstance(points, int | float) or not 0 < points < 1e6:
        what = f"the points of {cell.grade_id} are {points!r}, expected a number above 0"
        yield Violation(cell.header, what, 'write "points": 1')


def duplicate_violations(lesson: Lesson) -> Iterator[Violation]:
    """Every grade_id that stands in more than one cell."""
    holders: dict[str, list[Cell]] = defaultdict(list)
    for cell in lesson.cells:
        if cell.grade_id:
            holders[cell.grade_id].append(cell)
    for name, cells in holders.items():
        for cell in cells[1:]:
            what = f"grade_id {name!r} is already used in line {cells[0].header}"
            yield Violation(cell.header, what, "give each cell an id of its own")
