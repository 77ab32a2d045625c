"""The instructor's cells in a notebook whose metadata an editor has taken away.

Colab, VS Code, a cleaning script: the cells are there, only nbgrader's marks are gone. They are
known again by what cannot be mistaken: a locked cell by its text, an answer by the function it
defines or the variable it assigns, what is left by its place between known neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from itertools import groupby
from typing import Any

from manyheads.build.leaks import even
from manyheads.build.regions import released
from manyheads.grade.cells import InstructorCell

Cell = Mapping[str, Any]
_DEFINED = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)", re.MULTILINE)
_ASSIGNED = re.compile(r"^(\w+(?:[ \t]*,[ \t]*\w+)*)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)


def names_bound(source: str) -> set[str]:
    r"""The names that a cell's text defines or assigns at its left margin.

    >>> sorted(names_bound("import x\ndef f(a):\n    b = 1\nc, d = 1, 2"))
    ['c', 'd', 'f']
    """
    assigned = (name.strip() for names in _ASSIGNED.findall(source) for name in names.split(","))
    return {*_DEFINED.findall(source), *assigned}


def share_recognised(cells: Sequence[Cell], known: Sequence[InstructorCell]) -> float:
    """Which share of a lesson's cells a notebook holds, by grade_id, cell id, text or name."""
    if not known:
        return 0.0
    ids = {cell.grade_id for cell in known}
    named = [cell["metadata"].get("nbgrader", {}).get("grade_id", cell["id"]) for cell in cells]
    places = {name: place for place, name in enumerate(named) if name in ids}
    recognise(cells, known, places)
    return len(places) / len(known)


def recognise(
    cells: Sequence[Cell],
    known: Sequence[InstructorCell],
    places: MutableMapping[str, int],
    ordinary: Collection[str] | None = None,
) -> list[str]:
    """Find the instructor's cells that `places` does not hold yet, and enter them there.

    `places` says where each known cell stands, by grade_id; `ordinary` are the texts of the
    lesson's other cells, which are no answers; None if they aren't known, and then no answer is
    known by its place. Returns the grade_ids found, in order.
    """
    before = set(places)
    search = _Search(cells, known, places, {even(text) for text in ordinary or ()})
    search.by_text()
    search.by_name()
    if ordinary is not None:
        search.by_place()
    return [cell.grade_id for cell in known if cell.grade_id in places.keys() - before]


class _Search:
    """One notebook, in which more and more cells are known."""

    def __init__(
        self,
        cells: Sequence[Cell],
        known: Sequence[InstructorCell],
        places: MutableMapping[str, int],
        ordinary: Collection[str],
    ) -> None:
        self._cells, self._known, self._places = cells, known, places
        self._texts = [even(cell["source"]) for cell in cells]
        self._ordinary = ordinary

    def _missing(self) -> list[InstructorCell]:
        return [cell for cell in self._known if cell.grade_id not in self._places]

    def _free(self) -> list[int]:
        """Places of cells that are neither known yet nor the lesson's ordinary ones."""
        taken = set(self._places.values())
        texts = enumerate(self._texts)
        return [n for n, text in texts if text and n not in taken and text not in self._ordinary]

    def _gap(self, cell: InstructorCell) -> range:
        """The places between the nearest known cells above and below."""
        number = self._known.index(cell)
        above = [
            self._places[one.grade_id]
            for one in self._known[:number]
            if one.grade_id in self._places
        ]
        below = [
            self._places[one.grade_id]
            for one in self._known[number + 1 :]
            if one.grade_id in self._places
        ]
        start = above[-1] + 1 if above else 0
        return range(start, below[0] if below else len(self._cells))

    def _enter(self, cell: InstructorCell, found: Sequence[int], *, last: bool) -> None:
        """Take the first or last of several places, one between the neighbours before others."""
        gap = self._gap(cell)
        chosen = [place for place in found if place in gap] or list(found)
        if chosen:
            self._places[cell.grade_id] = chosen[-1 if last else 0]

    def by_text(self) -> None:
        """Cells whose text is still what was released."""
        for cell in self._missing():
            text = even(released(cell.source))
            found = [n for n in self._free() if self._texts[n] == text]
            self._enter(cell, found, last=False)

    def by_name(self) -> None:
        """Answers in code, by the names that the released stub binds; the last one counts."""
        for cell in self._missing():
            wanted = (
                names_bound(cell.source) if cell.solution and cell.cell_type == "code" else set()
            )
            found = [n for n in self._free() if wanted & names_bound(self._cells[n]["source"])]
            self._enter(cell, found, last=True)

    def by_place(self) -> None:
        """Answers that fill a gap between known neighbours exactly, one candidate for each."""
        answers = [cell for cell in self._missing() if cell.solution]
        runs = groupby(answers, key=lambda cell: (self._gap(cell), cell.cell_type == "code"))
        for (gap, code), group in [(key, list(cells)) for key, cells in runs]:
            found = [
                n
                for n in self._free()
                if n in gap and code == (self._cells[n]["cell_type"] == "code")
            ]
            if len(found) == len(group):
                self._places.update(zip((cell.grade_id for cell in group), found, strict=True))
