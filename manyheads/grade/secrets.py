"""What may not be seen of a lesson, and how to find it in what a student will see."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

from manyheads.build.leaks import CARRIES, HiddenLine, HiddenText, carried, even
from manyheads.build.regions import released, take_apart
from manyheads.errors import LeakError
from manyheads.student.notebook import Notebook, code_cells, grade_id, grading, read_notebook
from manyheads.student.notebook import source as text_of

MESSAGE_LENGTH = 12  # shorter strings of a test ("b", "x") also stand where nothing is given away
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CHECK = re.compile(r"""^check\.(?:answer\(\s*["']\w+["'],\s*["'](\w+)["'].*|(\w+)\(.*)$""", re.M)


@dataclass(frozen=True)
class Secrets:
    """What may not be seen of a lesson, and the checks that a student can run in place of it.

    `checks` are the calls of the lesson's formative checks by exercise, `exercises` the grade_ids
    of its solution cells, `ordinary` the texts of the cells that nbgrader doesn't know.
    """

    hidden: HiddenText
    checks: dict[str, str] = field(default_factory=dict)
    exercises: tuple[str, ...] = ()
    ordinary: tuple[str, ...] = ()

    @classmethod
    def of(cls, source: Path) -> Secrets:
        """The secrets of the instructor's notebook at `source`.

        Raises LeakError when there is no such file: nothing is shown that can't be compared.
        """
        if not source.is_file():
            raise LeakError(
                f"Feedback was not written: {source} is missing, so nothing could be compared with "
                "the hidden tests. Run `manyheads build`, then generate the feedback again."
            )
        known = source.stat()
        return _read(source, known.st_mtime_ns, known.st_size)

    def for_author_of(self, notebook: Any) -> Secrets:
        """The same secrets, without what the student wrote: that is no secret to them."""
        ordinary = set(self.ordinary)
        own = [cell["source"] for cell in notebook["cells"] if not is_instructors(cell)]
        return replace(self, hidden=self.hidden.allowing(*(t for t in own if t not in ordinary)))

    def shown_in(self, text: str) -> list[str]:
        """The hidden lines that a text shows, also coloured, as HTML, or as a quoted string."""
        return [line for reading in readings(text) for line in self.hidden.found_in(reading)]


@lru_cache(maxsize=64)
def _read(source: Path, _changed: int, _size: int) -> Secrets:
    """The secrets of a file as it is now; a class of hundreds has one lesson's."""
    notebook = read_notebook(source)
    cells = notebook["cells"]
    answers = tuple(grade_id(cell) for cell in cells if grading(cell).get("solution"))
    ordinary = tuple(released(text_of(cell)) for cell in cells if not grade_id(cell))
    return Secrets(_hidden(notebook), checks_in(notebook), answers, ordinary)


def is_instructors(cell: Any) -> bool:
    """Whether a graded notebook's cell is the instructor's: known to nbgrader, and no answer."""
    entry = cell["metadata"].get("nbgrader", {})
    return bool(entry) and not entry.get("solution")


def _hidden(notebook: Notebook) -> HiddenText:
    """The source's hidden lines, and the messages inside its hidden tests as lines of their own."""
    hidden = HiddenText.of(notebook)
    messages = [line for cell in code_cells(notebook) for line in _messages(cell)]
    telling = [line for line in (*hidden.lines, *messages) if carried(line.text) >= CARRIES]
    names = [grade_id(cell) for cell in code_cells(notebook)]  # nbgrader heads each score with one
    return replace(hidden, lines=tuple(telling)).allowing(*names)


def _messages(cell: dict[str, Any]) -> Iterator[HiddenLine]:
    source = text_of(cell)
    unseen = {n for n, kind in take_apart(source).hidden.items() if kind == "HIDDEN TESTS"}
    for part in _syntax(source) if unseen else ():
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            text = even(part.value)
            if part.lineno in unseen and len(text) >= MESSAGE_LENGTH:
                yield HiddenLine(text, grade_id(cell), part.lineno, "HIDDEN TESTS")


def _syntax(source: str) -> Iterator[ast.AST]:
    try:
        yield from ast.walk(ast.parse(source))
    except SyntaxError:  # a cell with magics; its lines are hidden all the same
        return


def checks_in(notebook: Notebook) -> dict[str, str]:
    """The call of each exercise's formative check, as the lesson writes it.

    >>> cell = {"cell_type": "code", "source": "check.split_heads(split_heads)"}
    >>> checks_in({"cells": [cell]})
    {'split_heads': 'check.split_heads(split_heads)'}
    """
    sources = [released(text_of(cell)) for cell in code_cells(notebook)]
    calls = [call for source in sources for call in _CHECK.finditer(source)]
    return {call[1] or call[2]: call[0].strip() for call in calls}


def readings(text: str) -> Iterator[str]:
    """A text as it may be read: without colours, as HTML without tags, as an unfolded quotation.

    >>> list(readings("<b>a</b> &lt; b"))[1]
    'a < b'
    """
    plain = _ANSI.sub("", text)
    yield plain
    unmarked = unescape(re.sub(r"</?[a-zA-Z][^>]*>", "", plain)) if _marked(plain) else plain
    if unmarked != plain:
        yield unmarked
    if "\\" in unmarked:
        yield unmarked.replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"')


def _marked(text: str) -> bool:
    return "<" in text or "&" in text
