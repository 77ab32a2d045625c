"""The rules that let a judge run a test from a distance.

Grading runs a test in a process of its own; the student's function is called through a wire, plain
values, arrays and tensors come as copies. A lesson's test may call the function and read values. It
may not delete or replace the student's names, look into objects, ask `is` or `isinstance` about
them, or take gradients: nbgrader courses of other houses may, and then run unprotected.
"""

from __future__ import annotations

from collections.abc import Iterator

from manyheads.build.cell_code import Code
from manyheads.build.cells import kind_of
from manyheads.build.distance import OPT_OUT_TAG, obstacles
from manyheads.build.imports import imported
from manyheads.build.text import Cell, Lesson, Violation

REMEDY = "let the test call the student's function and compare the values that come back"


def judge_violations(lesson: Lesson) -> Iterator[Violation]:
    """What the lesson's tests do that the judge can't let them do."""
    for cell in lesson.cells:
        if kind_of(cell) == "test":
            yield from _tagged(cell)
            yield from _at_a_distance(cell)


def _tagged(cell: Cell) -> Iterator[Violation]:
    if OPT_OUT_TAG in cell.node.metadata.get("tags", []):
        what = f"the tag {OPT_OUT_TAG} lets a submission forge the verdict of {cell.grade_id}"
        yield Violation(cell.header, what, f"remove the tag, and {REMEDY}")


def _at_a_distance(cell: Cell) -> Iterator[Violation]:
    code = Code.of(cell.source)
    if code.tree is None or code.magic:
        return  # reported as no valid Python
    for obstacle in obstacles(code.tree, code.free - code.builtins, imported(code.tree)):
        what = f"the test {cell.grade_id} {obstacle.what}, which can't be done from the judge"
        yield Violation(cell.line(obstacle.line), what, REMEDY)
