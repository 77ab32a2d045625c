"""The marked regions that students don't see: solutions, hidden tests, mark schemes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from manyheads.build.text import Cell, Violation

KINDS = ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME")
MARKERS = {f"### {edge} {kind}": (edge, kind) for edge in ("BEGIN", "END") for kind in KINDS}
PLACES = {
    "SOLUTION": ("solution", "a solution cell"),
    "HIDDEN TESTS": ("grade", "a graded test cell"),
    "MARK SCHEME": ("task", "a task cell"),
}
STUB = "..."
Opened = tuple[int, str] | None  # the open region's first line and kind
# What nbgrader looks for anywhere in a line, and what a hurried author writes in its place.
_SHOUTED = re.compile(r"(BEGIN|END)[\s_-]*(SOLUTION|HIDDEN|MARK)")
_OPENING = re.compile(
    r"[\W_]*(begin|end)[\s_-]*(solutions?|hidden([\s_-]*tests?)?|mark(ing)?[\s_-]*schemes?)\b",
    re.IGNORECASE,
)
_SPELLED = re.compile(r"\s*#+\s*((?:begin|end)\b[\w\s]{3,24})\s*", re.IGNORECASE)


@dataclass
class Regions:
    """A cell's text taken apart: hidden line numbers by kind, visible ones, and what is broken."""

    hidden: dict[int, str] = field(default_factory=dict)
    visible: list[int] = field(default_factory=list)
    broken: list[tuple[int, str, str]] = field(default_factory=list)


def looks_like_marker(line: str) -> bool:
    """Whether a line is a marker, or so like one that it may be meant as one.

    >>> [looks_like_marker(line) for line in ("### BEGIN HIDDEN TEST", "# end soltuion")]
    [True, True]
    >>> looks_like_marker("# In the end, solutions differ.")
    False
    """
    if _SHOUTED.search(line) or _OPENING.match(line):
        return True
    spelled = _SPELLED.fullmatch(line)
    if spelled is None:
        return False
    words = " ".join(spelled[1].upper().split())
    return bool(get_close_matches(words, [marker[4:] for marker in MARKERS], cutoff=0.8))


def take_apart(source: str) -> Regions:
    """A cell's regions, line by line, numbered from 1."""
    found = Regions()
    opened: Opened = None
    for number, line in enumerate(source.split("\n"), start=1):
        edge, kind = MARKERS.get(line.strip(), ("", ""))
        if edge:
            found.broken += _misuse(number, edge, kind, opened)
            opened = (number, kind) if edge == "BEGIN" else None
        elif looks_like_marker(line):
            found.broken.append((number, *_unknown(line)))
        elif opened:
            found.hidden[number] = opened[1]
        else:
            found.visible.append(number)
    if opened:
        found.broken.append((opened[0], *_unclosed(opened[1])))
    return found


def _misuse(number: int, edge: str, kind: str, opened: Opened) -> list[tuple[int, str, str]]:
    """What is wrong with a marker where it stands, if anything."""
    if edge == "BEGIN" and opened:
        return [(number, *_nested(kind, opened))]
    if edge == "END" and (opened is None or opened[1] != kind):
        return [(number, *_misplaced_end(kind, opened))]
    return []


def _unknown(line: str) -> tuple[str, str]:
    what = f"{line.strip()!r} looks like a region marker and is none, so its text might be released"
    return what, f"write one of {', '.join(MARKERS)} alone on its line, or use other words"


def _nested(kind: str, opened: tuple[int, str]) -> tuple[str, str]:
    what = f"### BEGIN {kind} stands inside the {opened[1]} region opened {_above(opened)}"
    return what, f"close that region first with ### END {opened[1]}"


def _misplaced_end(kind: str, opened: Opened) -> tuple[str, str]:
    if opened is None:
        return f"### END {kind} has no ### BEGIN {kind} before it", "add it, or delete this line"
    what = f"### END {kind} closes a {opened[1]} region opened {_above(opened)}"
    return what, f"write ### END {opened[1]}"


def _unclosed(kind: str) -> tuple[str, str]:
    return f"### BEGIN {kind} is never closed in its cell", f"add ### END {kind} below it"


def _above(opened: tuple[int, str]) -> str:
    return f"in line {opened[0]} of its cell"


def released(source: str) -> str:
    r"""A cell's text as students get it: each solution a stub, other regions gone.

    >>> released("def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION")
    'def f(x):\n    ...'
    """
    hidden = take_apart(source).hidden
    kept = []
    for number, line in enumerate(source.split("\n"), start=1):
        edge, kind = MARKERS.get(line.strip(), ("", ""))
        if (edge, kind) == ("BEGIN", "SOLUTION"):
            kept.append(line[: len(line) - len(line.lstrip())] + STUB)
        elif not edge and number not in hidden:
            kept.append(line)
    return "\n".join(kept)


def has_region(source: str, kind: str) -> bool:
    """Whether a cell's text has a region of this kind."""
    return any(line.strip() == f"### BEGIN {kind}" for line in source.split("\n"))


def released_cell(cell: Cell) -> str:
    """A cell's text as students get it; a solution cell without regions is a stub as a whole."""
    if cell.flags.get("solution") and not has_region(cell.source, "SOLUTION"):
        return STUB
    return released(cell.source)


def region_violations(cell: Cell) -> Iterator[Violation]:
    """Markers of the cell that are unknown, unmatched, nested, or not allowed in such a cell."""
    for number, what, remedy in take_apart(cell.source).broken:
        yield Violation(cell.line(number), what, remedy)
    for number, line in enumerate(cell.source.split("\n"), start=1):
        edge, kind = MARKERS.get(line.strip(), ("", ""))
        if edge == "BEGIN" and not cell.flags.get(PLACES[kind][0]):
            flag, place = PLACES[kind]
            yield Violation(
                cell.line(number),
                f"a {kind} region stands in a cell that is not {place}",
                f'set "{flag}": true in the cell\'s header, or move the region',
            )
