"""The sample class: students s01 to s24, each made from the release and a small answer file.

An answer file, `<lesson>/<student>.yaml`, says what the student did:

    note: one line on who this is
    answers: all             # or [grade_id, ...]: as the instructor answers; others are untouched
    cells:                   # what this student wrote instead; a task is answered in the next cell
      split_heads: |
        def split_heads(x, num_heads): ...
    edits:                   # what this student did to cells, in order
      - {delete: test_split_heads_values}
      - {tag: test_split_heads_shape, as: skip-execution}
      - {copy: split_heads}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import yaml
from nbformat import NotebookNode

from manyheads.build.regions import take_apart

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Student:
    """One student's work on one lesson, as an answer file describes it."""

    name: str
    lesson: str
    note: str
    answers: str | Sequence[str] = ()
    cells: Mapping[str, str] = field(default_factory=dict)
    edits: Sequence[Mapping[str, str]] = ()


def lessons() -> list[str]:
    """The lessons that the sample class has worked on."""
    return sorted(path.name for path in HERE.iterdir() if any(path.glob("s*.yaml")))


def students(lesson: str) -> list[Student]:
    """The students of the sample class who worked on a lesson."""
    paths = sorted((HERE / lesson).glob("s*.yaml"))
    return [Student(path.stem, lesson, **yaml.safe_load(path.read_text("utf-8"))) for path in paths]


def submission(student: Student, source: NotebookNode, release: NotebookNode) -> NotebookNode:
    """The notebook that a student hands in."""
    right = solutions(source)
    chosen = right if student.answers == "all" else student.answers
    answers = {**{name: right[name] for name in chosen}, **student.cells}
    return edit(fill(release, answers), student.edits)


def solutions(source: NotebookNode) -> dict[str, str]:
    """The instructor's own answer to each exercise, by grade_id."""
    return {
        grade_id(cell): without_markers(cell.source)
        for cell in source.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def without_markers(text: str) -> str:
    """A source cell's text with its solution, but without the lines that mark regions."""
    regions = take_apart(text)
    kept = {*regions.hidden, *regions.visible}
    return "\n".join(line for n, line in enumerate(text.split("\n"), start=1) if n in kept)


def fill(release: NotebookNode, answers: Mapping[str, str]) -> NotebookNode:
    """A copy of a release notebook with a student's answers, by grade_id.

    A task's answer goes into the cell below the task. Raises KeyError for an unknown grade_id.
    """
    notebook = deepcopy(release)
    for name, answer in answers.items():
        place = index(notebook, name)
        is_task = notebook.cells[place].metadata["nbgrader"].get("task")
        notebook.cells[place + bool(is_task)].source = answer.strip("\n")
    return notebook


def edit(notebook: NotebookNode, edits: Sequence[Mapping[str, str]]) -> NotebookNode:
    """A copy of a notebook with cells deleted, tagged or copied."""
    notebook = deepcopy(notebook)
    for step in edits:
        match step:
            case {"delete": name}:
                del notebook.cells[index(notebook, name)]
            case {"tag": name, "as": tag}:
                find(notebook, name).metadata.setdefault("tags", []).append(tag)
            case {"copy": name}:
                copied = deepcopy(find(notebook, name))
                copied.id = f"{name}-copy"
                notebook.cells.insert(index(notebook, name) + 1, copied)
            case _:
                raise ValueError(f"An answer file has the unknown edit {dict(step)}.")
    return notebook


def grade_id(cell: NotebookNode) -> str:
    """A cell's grade_id, or an empty string."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def index(notebook: NotebookNode, name: str) -> int:
    """Where the cell with this grade_id stands; raises KeyError if there is none."""
    for place, cell in enumerate(notebook.cells):
        if grade_id(cell) == name:
            return place
    raise KeyError(f"the notebook has no cell {name!r}")


def find(notebook: NotebookNode, name: str) -> NotebookNode:
    """The cell with this grade_id; raises KeyError if there is none."""
    return notebook.cells[index(notebook, name)]


def read(path: Path) -> NotebookNode:
    """The notebook at a path."""
    notebook: Any = nbformat.read(path, as_version=4)
    return notebook
