"""What a student sees after grading: scores and their own work, no hidden test, no mark scheme."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from manyheads.build.leaks import HiddenLine, HiddenText, even
from manyheads.build.regions import released, take_apart
from manyheads.errors import LeakError
from manyheads.grade.cells import node
from manyheads.grade.exercises import exercise_of
from manyheads.grade.verdict import BAD_SCORE, NOT_RUN, is_test
from manyheads.student.notebook import Notebook, code_cells, grade_id, grading, read_notebook
from manyheads.student.notebook import source as text_of

LEFT_OUT = "This output is left out: it shows text of the hidden tests or of the solution.\n"
MESSAGE_LENGTH = 12  # shorter strings of a test ("b", "x") also stand where nothing is given away
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CHECK = re.compile(r"""^check\.(?:answer\(\s*["']\w+["'],\s*["'](\w+)["'].*|(\w+)\(.*)$""", re.M)


@dataclass(frozen=True)
class Secrets:
    """What may not be seen of a lesson, and the checks that a student can run in place of it."""

    hidden: HiddenText
    checks: dict[str, str] = field(default_factory=dict)
    exercises: tuple[str, ...] = ()

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
        notebook = read_notebook(source)
        answers = [grade_id(cell) for cell in notebook["cells"] if grading(cell).get("solution")]
        return cls(_hidden(notebook), checks_in(notebook), tuple(answers))

    def for_author_of(self, notebook: NotebookNode) -> Secrets:
        """The same secrets, without what the student wrote: that is no secret to them."""
        own = [cell.source for cell in notebook.cells if not _is_instructors(cell)]
        return replace(self, hidden=self.hidden.allowing(*own))

    def shown_in(self, text: str) -> list[str]:
        """The hidden lines that a text shows, also coloured, as HTML, or as a quoted string."""
        return [line for reading in readings(text) for line in self.hidden.found_in(reading)]


def _hidden(notebook: Notebook) -> HiddenText:
    """The source's hidden lines, and the messages inside its hidden tests as lines of their own."""
    hidden = HiddenText.of(notebook)
    messages = [line for cell in code_cells(notebook) for line in _messages(cell)]
    names = [grade_id(cell) for cell in code_cells(notebook)]  # nbgrader heads each score with one
    return replace(hidden, lines=(*hidden.lines, *messages)).allowing(*names)


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
    unmarked = unescape(re.sub(r"</?[a-zA-Z][^>]*>", "", plain))
    yield unmarked
    yield unmarked.replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"')


def _is_instructors(cell: NotebookNode) -> bool:
    entry = cell.metadata.get("nbgrader", {})
    return bool(entry) and not entry.get("solution")


def hide_tests(notebook: NotebookNode, secrets: Secrets) -> None:
    """Take out of a graded notebook, in place, all that its student may not see.

    Instructor's cells keep the text that was released. A test's output becomes one line with
    the score and what to do. Other outputs that show a hidden line become a note that says so.
    """
    secrets = secrets.for_author_of(notebook)
    for cell in notebook.cells:
        if _is_instructors(cell):
            cell.source = released(cell.source)
        if is_test(cell):
            cell.outputs = [_printed(score_line(cell, secrets))]
        elif cell.cell_type == "code":
            cell.outputs = [_redacted(output, secrets) for output in cell.outputs]


def _printed(text: str) -> NotebookNode:
    return node(output_type="stream", name="stdout", text=text)


def _redacted(output: NotebookNode, secrets: Secrets) -> NotebookNode:
    shown = secrets.shown_in("\n".join(_strings(output)))
    return _printed(LEFT_OUT) if shown else output


def _strings(value: Any) -> Iterator[str]:
    """Every text inside an output, except pictures."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("image/png", "image/jpeg"):
                yield from _strings(inner)
    elif isinstance(value, list):
        if all(isinstance(line, str) for line in value):
            yield "\n".join(value)
        else:
            yield from (text for inner in value for text in _strings(inner))


def score_line(cell: NotebookNode, secrets: Secrets) -> str:
    r"""A test cell's score in words, and what its student can do about it.

    >>> marks = {"nbgrader": {"grade_id": "test_f_shape", "score": 0, "points": 3}}
    >>> secrets = Secrets(HiddenText((), ""), {"f": "check.f(f)"}, ("f",))
    >>> score_line(node(metadata=marks, outputs=[]), secrets)
    '0 of 3 points: the tests of f failed. Run check.f(f) to see why.\n'
    """
    entry = cell.metadata["nbgrader"]
    earned, points = float(entry.get("score") or 0), float(entry["points"])
    line = f"{earned:g} of {points:g} {'point' if points == 1 else 'points'}"
    if earned >= points:
        return f"{line}.\n"
    exercise = exercise_of(entry["grade_id"], secrets.exercises)
    errors = {output.get("ename") for output in cell.outputs}
    return f"{line}: {_reason(exercise, earned, errors, secrets.checks.get(exercise))}\n"


def _reason(exercise: str, earned: float, errors: set[str | None], call: str | None) -> str:
    if NOT_RUN in errors:
        return (
            "this test did not run, because the notebook stopped here or above. "
            "Restart the kernel, run all cells and look where it stops."
        )
    if BAD_SCORE in errors:
        return f"the test of {exercise} is faulty; your instructor has to correct it."
    advice = f" Run {call} to see why." if call else ""
    told = f"not all tests of {exercise} passed" if earned else f"the tests of {exercise} failed"
    return f"{told}.{advice}"


def check_page(page: str, notebook: NotebookNode, secrets: Secrets) -> None:
    """Make sure that a feedback page, made of `notebook`, shows nothing hidden.

    Raises LeakError, with the first such line, if it does.
    """
    secrets = secrets.for_author_of(notebook)
    shown = [*secrets.hidden.found_in_page(page), *secrets.shown_in(page)]
    if shown:
        raise LeakError(
            f"The feedback page was not written: it would show {json.dumps(shown[0])}, which "
            "students may not see. Look for it in the graded notebook, take it out of the output "
            "or the comment that shows it, and generate the feedback again."
        )
