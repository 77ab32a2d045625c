"""The kill table in words: for a terminal, and as the document `docs/assessment.md`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from manyheads.course import Course
from manyheads.errors import DriftError
from manyheads.student.notebook import write_atomic
from manyheads.teach.kill_table import NAMED, Judged, KillTable, Row

if TYPE_CHECKING:
    from rich.table import Table

DOCUMENT = "docs/assessment.md"
SHOWN = 20  # lines of a difference
HEADINGS = (
    "Exercise",
    "Wrong: caught / tried",
    "Wrong: named",
    "Wrong: most points",
    "Shape alone",
    "Right: full marks / tried",
    "Right: passed",
)
ABOUT = """\
# How good are the tests and the checks?

`manyheads bank` writes this page; don't edit it. `manyheads bank --check` says whether it is still
true, and so does a test.

## What is measured, and how

The folder `tests/bank` holds answers to every exercise that asks for a function: wrong ones, each
with the cause that its check must tell, and right ones in many spellings. Every answer goes before
two judges.

- **Grading.** The graded cells of the lesson's source notebook, hidden regions in, run against the
  answer, each cell in a fresh namespace. A wrong answer is *caught* when it loses at least one
  point; one that earns full marks is a *survivor*. A right answer must keep every point. An answer
  that doesn't end within {limit:g} seconds earns nothing.
- **Naming.** The exercise's check runs on the answer. A wrong one is *named* when the check says no
  and tells the cause that the bank demands, and no other. A right one must be passed.

The *shape alone* is measured too: the lesson's own answer, with zeros in place of its numbers. A
bug clinic's answers are bug finders, and have no shape. Points are those of the exercise's graded
cells.

## The floors

| Floor | Wanted | Found |
|---|---|---|
"""


def terminal_table(table: KillTable) -> Table:
    """The kill table for a terminal, with a row of totals."""
    from rich.table import Table

    shown = Table(HEADINGS[0])
    for heading in HEADINGS[1:]:
        shown.add_column(heading, justify="right")
    for row in table.rows:
        shown.add_row(*_cells(row))
    shown.add_section()
    shown.add_row(*_totals(table))
    return shown


def document(table: KillTable) -> str:
    """The text of `docs/assessment.md`; the same for the same table."""
    from manyheads.teach.kill_table import LIMIT

    lines = [ABOUT.format(limit=LIMIT).rstrip("\n"), *_floors(table), "", "## The kill table", ""]
    lines += [_line(HEADINGS), _line(["---", *["---:"] * (len(HEADINGS) - 1)])]
    lines += [_line(_cells(row)) for row in table.rows]
    lines += [_line([f"**{cell}**" if cell else "" for cell in _totals(table)])]
    if table.unknown:
        lines += ["", f"Not measured, because the bank holds no answers: {_names(table.unknown)}."]
    for heading, kind, told in _LISTS:
        lines += ["", f"## {heading}", "", *(list(_listed(table, kind, told)) or ["None."])]
    return "\n".join(lines) + "\n"


def write_document(course: Course, table: KillTable) -> Path:
    """Write `docs/assessment.md` into the course; returns its path."""
    path = course.root / DOCUMENT
    write_atomic(path, document(table).encode("utf-8"))
    return path


def check_document(course: Course, table: KillTable) -> None:
    """Compare `docs/assessment.md` with what the table gives; writes nothing.

    Raises DriftError with the first differing lines and the remedy.
    """
    path = course.root / DOCUMENT
    there = path.read_text(encoding="utf-8") if path.is_file() else ""
    old, new = there.splitlines(), document(table).splitlines()
    found = list(difflib.unified_diff(old, new, "on disk", "measured", n=0, lineterm=""))
    if found or not there:
        shown = "\n".join(f"  {line}" for line in found[:SHOWN])
        raise DriftError(
            f"{DOCUMENT} is not what the bank gives:\n{shown}\nRemedy: run `manyheads bank`."
        )


def _cells(row: Row) -> list[str]:
    wrong, right = len(row.wrong), len(row.right)
    return [
        row.exercise,
        f"{wrong - len(row.survivors)} / {wrong}",
        f"{wrong - len(row.unnamed)}",
        f"{row.highest:g} of {row.most:g}",
        "" if row.shape_only is None else f"{row.shape_only:g} of {row.most:g}",
        f"{right - len(row.robbed)} / {right}",
        f"{right - len(row.accused)}",
    ]


def _totals(table: KillTable) -> list[str]:
    wrong, right = table.count("wrong"), table.count("right")
    return [
        "all",
        f"{wrong - table.count('survivors')} / {wrong}",
        f"{wrong - table.count('unnamed')}",
        "",
        "",
        f"{right - table.count('robbed')} / {right}",
        f"{right - table.count('accused')}",
    ]


def _floors(table: KillTable) -> Iterator[str]:
    wrong, unnamed = table.count("wrong"), table.count("unnamed")
    named = f"{wrong - unnamed} of {wrong}"
    shares = [row.shape_only / row.most for row in table.rows if row.shape_only is not None]
    yield _line(["wrong answers with full marks", "0", str(table.count("survivors"))])
    yield _line(["right answers that lose a point", "0", str(table.count("robbed"))])
    yield _line(["right answers not passed by their check", "0", str(table.count("accused"))])
    yield _line(["wrong answers named by their own cause", f"at least {NAMED:.0%}", named])
    most = f"at most {max(shares, default=0):.0%}"
    yield _line(["share of an exercise's points for the shape alone", "at most 20%", most])


def _survived(one: Judged) -> str:
    return f"{one.earned:g} of {one.most:g} points"


def _lost(one: Judged) -> str:
    return one.lost or _survived(one)


def _misnamed(one: Judged) -> str:
    if one.lost:
        return one.lost
    said = {True: "passed", False: f"told `{one.told}`" if one.told else "told no cause"}
    wanted = f", the bank demands `{one.entry.cause}`" if one.entry.cause else ""
    return said.get(one.passed or False, "the check came to no end") + wanted


_LISTS: tuple[tuple[str, str, Callable[[Judged], str]], ...] = (
    ("Survivors: wrong answers with full marks", "survivors", _survived),
    ("Right answers that lose points", "robbed", _lost),
    ("Right answers that their check does not pass", "accused", _misnamed),
    ("Wrong answers that are not told their own cause", "unnamed", _misnamed),
)


def _listed(table: KillTable, kind: str, told: Callable[[Judged], str]) -> Iterator[str]:
    for row in table.rows:
        for one in getattr(row, kind):
            entry = one.entry
            title = f", {entry.title}" if entry.title else ""
            reason = entry.reason or "the bank gives no reason"
            yield f"- `{row.exercise}`, {entry.id}{title}: {told(one)}. Reason: {reason}."


def _line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _names(exercises: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in exercises)
