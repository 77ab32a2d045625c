"""After a notebook ran: what each test cell earns is decided here, before nbgrader reads it.

nbgrader gives full marks to a test that never ran, takes all of them for a warning, and reads
"nan" or a text as full marks. Here only a positive verdict earns: the cell ran to its end
without an error, and the number it ended with, if any, is a possible score.
"""

from __future__ import annotations

import math

from nbformat import NotebookNode

from manyheads.grade.cells import node

NOT_RUN = "TestDidNotRun"
BAD_SCORE = "BadPartialCredit"


def add_error(cell: NotebookNode, name: str, words: str) -> None:
    """Add an error output to a code cell: class `name`, message `words`.

    >>> cell = node(outputs=[])
    >>> add_error(cell, "TestDidNotRun", "The kernel died.")
    >>> cell.outputs[0].traceback
    ['TestDidNotRun: The kernel died.']
    """
    traceback = [f"{name}: {words}"]
    cell.outputs.append(node(output_type="error", ename=name, evalue=words, traceback=traceback))


def is_test(cell: NotebookNode) -> bool:
    """Whether the cell is an autograded test, by its nbgrader metadata."""
    entry = cell.metadata.get("nbgrader", {})
    return bool(cell.cell_type == "code" and entry.get("grade") and not entry.get("solution"))


def settle(cell: NotebookNode) -> None:
    """Make nbgrader score an executed test cell by its verdict, in place.

    What it wrote to stderr becomes ordinary output, which costs nothing; whatever is not a
    positive verdict becomes an error output, which earns nothing.

    >>> result = node(output_type="execute_result", data={"text/plain": "nan"})
    >>> marks = {"nbgrader": {"points": 2}}
    >>> cell = node(metadata=marks, execution_count=1, outputs=[result])
    >>> settle(cell)
    >>> cell.outputs[0].ename
    'BadPartialCredit'
    """
    for output in cell.outputs:
        if output.output_type == "stream":
            output.name = "stdout"
    if not any(output.output_type == "error" for output in cell.outputs):
        _judge(cell)
    cell.outputs.sort(key=lambda output: output.output_type != "error")  # nbgrader heeds the first


def _judge(cell: NotebookNode) -> None:
    """Add an error to a cell without one, if it did not run or ended with no possible score."""
    if cell.execution_count is None:
        add_error(cell, NOT_RUN, "the notebook stopped before this test, so it earns nothing.")
    points = float(cell.metadata["nbgrader"]["points"])
    results = [output for output in cell.outputs if output.output_type == "execute_result"]
    for text in (str(result.data.get("text/plain", "")) for result in results):
        if not is_score(text, points):
            words = (
                f"the test's last expression gave {text[:80]!r}; partial credit is a plain Python "
                f"number from 0 to {points:g}. It earns nothing until the test is corrected."
            )
            add_error(cell, BAD_SCORE, words)


def is_score(text: str, points: float) -> bool:
    """Whether `text`, the printed value of a test's last expression, is a score up to `points`.

    >>> [is_score(text, 2) for text in ("1.5", "2", "nan", "-1", "3", "'all'", "True")]
    [True, True, False, False, False, False, False]
    """
    try:
        score = float(text)
    except ValueError:
        return False
    return math.isfinite(score) and 0 <= score <= points
