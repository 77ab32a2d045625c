"""What a student sees after grading: scores, causes and their own work, nothing hidden."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

from manyheads.build.regions import released
from manyheads.errors import LeakError
from manyheads.grade.cells import node
from manyheads.grade.exercises import exercise_of
from manyheads.grade.secrets import Secrets, is_instructors
from manyheads.grade.verdict import BAD_SCORE, NOT_RUN, is_test

__all__ = ["LEFT_OUT", "Secrets", "check_page", "hide_tests", "score_line"]

LEFT_OUT = "This output is left out: it shows text of the hidden tests or of the solution.\n"


def hide_tests(notebook: NotebookNode, secrets: Secrets) -> None:
    """Take out of a graded notebook, in place, all that its student may not see.

    Instructor's cells keep the text that was released. A test's output becomes one line with
    the score and, once for each exercise, the cause that its check found. Other outputs that show
    a hidden line become a note that says so.
    """
    secrets = secrets.for_author_of(notebook)
    causes = causes_of(notebook, secrets)
    for cell in notebook.cells:
        if is_instructors(cell):
            cell.source = released(cell.source)
        if is_test(cell):
            cell.outputs = [_printed(score_line(cell, secrets, causes))]
        elif cell.cell_type == "code":
            cell.outputs = [_redacted(output, secrets) for output in cell.outputs]


def causes_of(notebook: NotebookNode, secrets: Secrets) -> dict[str, str]:
    """Why exercises lost points, by exercise, in the checks' own words.

    The checks know nothing of the hidden tests; words that show a hidden line are dropped all the
    same.
    """
    ours = notebook.metadata.get("manyheads", {})
    found = ours.get("causes", {}) if isinstance(ours, dict) else {}
    return {name: text for name, text in found.items() if text and not secrets.shown_in(text)}


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


def score_line(cell: NotebookNode, secrets: Secrets, causes: dict[str, str] | None = None) -> str:
    r"""A test cell's score in words, and what its student can do about it.

    An exercise's cause is told once: it is taken out of `causes`, which keeps an empty text for it.

    >>> from manyheads.build.leaks import HiddenText
    >>> marks = {"nbgrader": {"grade_id": "test_f_shape", "score": 0, "points": 3}}
    >>> secrets = Secrets(HiddenText((), ""), {"f": "check.f(f)"}, ("f",))
    >>> score_line(node(metadata=marks, outputs=[]), secrets)
    '0 of 3 points: the tests of f failed. Run check.f(f) to see why.\n'
    """
    causes = {} if causes is None else causes
    entry = cell.metadata["nbgrader"]
    earned, points = float(entry.get("score") or 0), float(entry["points"])
    line = f"{earned:g} of {points:g} {'point' if points == 1 else 'points'}"
    if earned >= points:
        return f"{line}.\n"
    exercise = exercise_of(entry["grade_id"], secrets.exercises)
    errors = {output.get("ename") for output in cell.outputs}
    told = f"not all tests of {exercise} passed" if earned else f"the tests of {exercise} failed"
    if BAD_SCORE not in errors and exercise in causes:
        cause, causes[exercise] = causes[exercise], ""
        return f"{line}: {told}.\n\n{cause.strip()}\n" if cause else f"{line}: {told}, see above.\n"
    return f"{line}: {_reason(exercise, told, errors, secrets.checks.get(exercise))}\n"


def _reason(exercise: str, told: str, errors: set[str | None], call: str | None) -> str:
    if NOT_RUN in errors:
        return (
            "this test did not run, because the notebook stopped here or above. "
            "Restart the kernel, run all cells and look where it stops."
        )
    if BAD_SCORE in errors:
        return f"the test of {exercise} is faulty; your instructor has to correct it."
    return f"{told}.{f' Run {call} to see why.' if call else ''}"


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
