"""Hostile submissions: what students may try, each with a wrong answer to the lesson at hand.

`attacks/KIND.yaml` lists the attacks of one kind:

    - id: torch-equal        # the student is called KIND-ID
      start: |               # a cell of their own below the imports
      before: |              # a cell of their own above the exercise that is attacked
      answer: |              # their answer to it; `return x`, which is wrong, if they wrote none
      after: |               # a cell of their own below the exercise's tests
      end: |                 # a cell of their own at the end
      cells: {quiz_1: ...}   # answers to other exercises, in lessons that have these
      text: ...              # what they wrote as free text
      tags: [...]            # tags on every cell
      slow: true             # runs into a time limit

NAME is the attacked exercise, LESSON, STUDENT and BYSTANDER are names; COURSE, HOMEDIR, PORT,
SOCKET and ABSTRACT are what `room.py` set up for them to be found.
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

from tests.classroom import fill, find, grade_id, index

ATTACKS = Path(__file__).parent / "attacks"
WRONG = "def NAME(x, *rest):\n    return x"


@dataclass(frozen=True)
class Attack:
    """One hostile submission, as `attacks/*.yaml` describes it."""

    kind: str
    id: str
    start: str = ""
    before: str = ""
    answer: str = WRONG
    after: str = ""
    end: str = ""
    cells: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    tags: Sequence[str] = ()
    slow: bool = False

    @property
    def student(self) -> str:
        """Who sends it in."""
        return f"{self.kind}-{self.id}"


UNATTACKED = Attack("wrong", "answers")


def load() -> list[Attack]:
    """All attacks, kind by kind."""
    return [
        Attack(kind=path.stem, **entry)
        for path in sorted(ATTACKS.glob("*.yaml"))
        for entry in yaml.safe_load(path.read_text(encoding="utf-8"))
    ]


def hostile(
    attack: Attack, release: NotebookNode, exercise: str, wrong: Mapping[str, str]
) -> NotebookNode:
    """The attack's notebook: `wrong` answers, and the attack around the `exercise`."""
    known = {grade_id(cell) for cell in release.cells}
    cells = {name: text for name, text in attack.cells.items() if name in known}
    notebook = fill(release, {**wrong, exercise: attack.answer, **cells})
    if attack.text:
        notebook.cells[index(notebook, "explain_1") + 1].source = attack.text
    own = ((_imports(notebook), attack.start), (index(notebook, exercise) - 1, attack.before))
    places = [*own, (_last_test(notebook, exercise), attack.after)]
    for place, source in sorted(places, reverse=True):
        if source:
            notebook.cells.insert(place + 1, _cell(source))
    if attack.end:
        notebook.cells.append(_cell(attack.end))
    for cell in notebook.cells if attack.tags else ():
        cell.metadata["tags"] = [*cell.metadata.get("tags", []), *attack.tags]
    return notebook


def filled_in(notebook: NotebookNode, words: Mapping[str, Any]) -> NotebookNode:
    """The notebook with the words in capitals replaced in every cell a student may write."""
    notebook = deepcopy(notebook)
    for cell in notebook.cells:
        for word, value in words.items():
            cell.source = cell.source.replace(word, str(value))
    return notebook


def _imports(notebook: NotebookNode) -> int:
    return next(n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code")


def _last_test(notebook: NotebookNode, exercise: str) -> int:
    names = [grade_id(cell) for cell in notebook.cells]
    return max(n for n, name in enumerate(names) if name.startswith(f"test_{exercise}"))


def _cell(source: str) -> NotebookNode:
    return nbformat.v4.new_code_cell(source.strip("\n"))


def own_outputs(notebook: NotebookNode) -> str:
    """Everything that the notebook's cells gave out, as text."""
    return "\n".join(str(output) for cell in notebook.cells for output in cell.get("outputs", ()))


__all__ = ["UNATTACKED", "Attack", "filled_in", "find", "hostile", "load", "own_outputs"]
