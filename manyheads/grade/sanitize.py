"""Before anything runs: the instructor's cells are what the gradebook says they are.

A student may copy, split, delete, move or retag cells, and an editor may take every mark away.
What decides over points is the instructor's; what a student wrote in a solution cell is theirs
and stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any

from nbformat import NotebookNode

from manyheads.build.leaks import even
from manyheads.build.regions import released
from manyheads.grade.cells import InstructorCell, node
from manyheads.grade.reading.recognise import recognise
from manyheads.grade.reading.shape import is_id
from manyheads.grade.run.ahead import effects

PYTHON = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
ELSEWHERE = "# This cell was missing. What it asks for stands in a cell above.\n"
Cell = dict[str, Any]


def sanitize(
    notebook: NotebookNode | dict[str, Any],
    cells: Sequence[InstructorCell],
    ordinary: Collection[str] | None = None,
    kernelspec: Mapping[str, Any] = PYTHON,
) -> list[str]:
    """Give a submitted notebook the instructor's cells, in place; returns what had to be changed.

    `cells` are the instructor's, in the lesson's order; `ordinary` are the texts of the lesson's
    other cells, which are nobody's answers (None if they aren't known). No tag, no metadata and
    no output of a student's is kept, and the kernel is the course's.

    >>> test = InstructorCell("test_f", "code", "assert f()", grade=True, locked=True, points=1)
    >>> sanitize(node(nbformat_minor=5, cells=[], metadata={}), [test])
    ['test_f was missing: put back']
    """
    known = {cell.grade_id: cell for cell in cells}
    flags = _adopt(notebook, cells, ordinary)
    moved = _set_aside_misplaced(notebook, cells)
    flags += [f"{name} {how}: moved" for name, how in sorted(moved.items())]
    flags += _restore(notebook, cells, moved)
    _number_cells(notebook, known)
    _clear_outputs(notebook)
    notebook["metadata"] = _metadata(notebook.get("metadata"), kernelspec)
    return flags


def _adopt(
    notebook: Mapping[str, Any],
    cells: Sequence[InstructorCell],
    ordinary: Collection[str] | None,
) -> list[str]:
    """Make what is an instructor's cell into just that, and clear the marks of all others."""
    known = {cell.grade_id: cell for cell in cells}
    students: list[Cell] = notebook["cells"]
    claims = _claims(students, known)
    places = {name: _which(known[name], found, students) for name, found in claims.items()}
    unmarked = {name for name, place in places.items() if _named(students[place]) != name}
    found = recognise(students, cells, places, ordinary) if len(places) < len(known) else []
    for cell in students:
        cell["metadata"] = node()
    written = _written_over(students, places, known)
    for name, place in places.items():
        students[place] = _overwritten(students[place], known[name])
    return (
        written + _copied(claims) + _rebuilt([cell.grade_id for cell in cells], {*unmarked, *found})
    )


def _named(cell: Cell) -> str | None:
    """The grade_id in a cell's metadata, if any."""
    metadata = cell.get("metadata")
    entry = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = entry.get("grade_id") if isinstance(entry, dict) else None
    return name if isinstance(name, str) else None


def _claims(cells: Sequence[Cell], known: Mapping[str, InstructorCell]) -> dict[str, list[int]]:
    """Where cells stand that say they are one of the instructor's: by metadata, else by cell id."""
    claims: dict[str, list[int]] = defaultdict(list)
    for place, cell in enumerate(cells):
        name = _named(cell)
        if name in known:
            claims[str(name)].append(place)
    for place, cell in enumerate(cells):
        name = cell.get("id")
        if _named(cell) is None and isinstance(name, str) and name in known and name not in claims:
            claims[name].append(place)
    return claims


def _which(owner: InstructorCell, places: Sequence[int], cells: Sequence[Cell]) -> int:
    """Which of several copies counts: the first of given code, the last of answers and tests.

    All later cells need what is given; of two answers, Python keeps the one that ran last. Of
    written answers it is the last that was written at all.
    """
    if owner.locked and not owner.grade:
        return places[0]
    if owner.solution and owner.cell_type != "code":
        stub = even(owner.source)
        written = [place for place in places if even(cells[place]["source"]) not in ("", stub)]
        return (written or places)[-1]
    return places[-1]


def _written_over(
    cells: Sequence[Cell], places: Mapping[str, int], known: Mapping[str, InstructorCell]
) -> list[str]:
    """A flag for each locked text that a student wrote into: it may be an answer to be read."""
    flags = []
    for name, place in places.items():
        owner = known[name]
        if not owner.locked or owner.cell_type == "code":
            continue
        ours = {even(owner.source), even(released(owner.source)), ""}
        if even(cells[place]["source"]) not in ours:
            flags.append(
                f"{name} had other words than the lesson's, which is put back: look in the "
                "submitted notebook whether they are an answer"
            )
    return flags


def _copied(claims: Mapping[str, list[int]]) -> list[str]:
    return [
        f"{name} was there {len(places)} times: one counts"
        for name, places in claims.items()
        if len(places) > 1
    ]


def _rebuilt(order: Sequence[str], found: Collection[str]) -> list[str]:
    """One flag for all cells whose marks were gone."""
    names = [name for name in order if name in found]
    if not names:
        return []
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    cells = "cell" if len(names) == 1 else "cells"
    return [f"rebuilt: {len(names)} {cells} had lost the nbgrader metadata ({shown})"]


def _overwritten(cell: Cell, owner: InstructorCell) -> NotebookNode:
    made = owner.notebook_cell(None if owner.locked else cell["source"])
    if owner.cell_type != "code" and not owner.locked and cell.get("attachments"):
        made.attachments = node(**cell["attachments"])
    return made


def _grade_id(cell: Cell) -> str | None:
    entry: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return entry.get("grade_id")


def _places(notebook: Mapping[str, Any]) -> dict[str, int]:
    """Where each of the instructor's cells stands in the notebook."""
    ids = [_grade_id(cell) for cell in notebook["cells"]]
    return {grade_id: index for index, grade_id in enumerate(ids) if grade_id is not None}


def _set_aside_misplaced(
    notebook: NotebookNode | dict[str, Any], cells: Sequence[InstructorCell]
) -> dict[str, str]:
    """Take out each test that stands above the answer it tests, and given code that stands too low.

    `_restore` puts a test below its answer, and given code below what precedes it in the lesson.
    The result says of each what was wrong.
    """
    places = _places(notebook)
    answer, misplaced = -1, {}
    for number, cell in enumerate(cells):
        here = places.get(cell.grade_id, -1)
        if cell.solution:
            answer = here
        elif cell.is_test and -1 < here < answer:
            misplaced[cell.grade_id] = "stood above its answer"
        elif cell.locked and cell.cell_type == "code" and not cell.grade:
            below = [places.get(one.grade_id, here) for one in cells[number + 1 :] if one.solution]
            if min(below, default=here) < here:
                misplaced[cell.grade_id] = "stood below code that needs it"
    notebook["cells"] = [cell for cell in notebook["cells"] if _grade_id(cell) not in misplaced]
    return misplaced


def _restore(
    notebook: Mapping[str, Any], cells: Sequence[InstructorCell], moved: Collection[str]
) -> list[str]:
    """Put each missing cell after the nearest earlier one that is there; a flag for each.

    Those that are `moved` were there.
    """
    flags, last, places = [], -1, _places(notebook)
    for cell in cells:
        place = places.get(cell.grade_id)
        if place is None:
            place = last + 1
            answered = cell.solution and _sets_all(notebook["cells"][:place], cell)
            text = ELSEWHERE if answered else None
            notebook["cells"].insert(place, cell.notebook_cell(text))
            places = _places(notebook)
            how = "put back without its stub, as cells above answer it" if answered else "put back"
            if cell.grade_id not in moved:
                flags.append(f"{cell.grade_id} was missing: {how}")
        last = place
    return flags


def _sets_all(above: Sequence[Cell], missing: InstructorCell) -> bool:
    """Whether cells set all that a missing cell's stub would set anew."""
    if missing.cell_type != "code":
        return False
    wanted = _set_by(missing.source)
    return bool(wanted) and wanted <= frozenset().union(
        *(_set_by(cell["source"]) for cell in above if cell["cell_type"] == "code")
    )


def _set_by(text: str) -> frozenset[str]:
    told = effects(text)
    return told.writes - told.inside


def _number_cells(
    notebook: NotebookNode | dict[str, Any], known: Mapping[str, InstructorCell]
) -> None:
    """Give every cell an id of its own: the instructor's theirs, others by position if needed."""
    notebook["nbformat_minor"] = max(5, notebook["nbformat_minor"])
    taken, numbers = set(known), count(1)
    for index, cell in enumerate(notebook["cells"]):
        if _grade_id(cell) is not None:
            continue
        if cell.get("id") in taken or not is_id(cell.get("id")):
            cell["id"] = f"student-{index:03}"
            while cell["id"] in taken:
                cell["id"] = f"student-{index:03}-{next(numbers)}"
        taken.add(cell["id"])


def _clear_outputs(notebook: Mapping[str, Any]) -> None:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None


def _metadata(found: Any, kernelspec: Mapping[str, Any]) -> NotebookNode:
    """The notebook's metadata: the course's kernel, and the release that the student worked on."""
    ours = found.get("manyheads") if isinstance(found, dict) else None
    said = ours if isinstance(ours, dict) else {}
    kept = {key: said[key] for key in ("lesson", "release") if isinstance(said.get(key), str)}
    return node(kernelspec=dict(kernelspec), manyheads=kept)
