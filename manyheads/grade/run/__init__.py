"""Run one submission: the student's cells in the student's process, the tests before the judge."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode

from manyheads.grade.judge.prepare import prepare
from manyheads.grade.judge.state import generators_kept
from manyheads.grade.plan import LessonPlan
from manyheads.grade.run.notebook import Run

if TYPE_CHECKING:
    from manyheads.grade.sandbox import Sandbox


@dataclass(frozen=True)
class RunReport:
    """What is to be told of a run beside the notebook's outputs.

    `causes` are by exercise, in words for the student; `cause_ids` name the misconceptions that
    were recognised. `notes` are flags for the instructor. `seconds` is the time that the student's
    own cells took, tests not counted.
    """

    causes: Mapping[str, str] = field(default_factory=dict)
    cause_ids: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sandboxed: bool = True
    seconds: float = 0.0


def run_notebook(
    nb: NotebookNode | dict[str, Any],
    plan: LessonPlan,
    sandbox: Sandbox,
    only: Collection[str] | None = None,
    files: Mapping[str, bytes] | None = None,
    *,
    diagnose: bool = True,
) -> RunReport:
    """Run all code cells of a sanitized notebook and fill in their outputs, in place.

    Its tests are run as `plan` has them, by the judge; where `only` names tests or exercises, no
    others are run, and these keep the outputs they have. `files` lie in the student's working
    folder. A process that ends costs the exercise at hand. Causes are found unless `diagnose` is
    False.
    """
    prepare(plan)
    cells = [cell for cell in nb["cells"] if cell["cell_type"] == "code"]
    run = Run(plan, sandbox, files or {}, plan.wanted(only), diagnose, cells)
    with generators_kept(), run:
        for cell in cells:
            run.cell(cell)
        run.judge()
        run.explain()
    return RunReport(
        causes=run.causes.texts,
        cause_ids=run.causes.ids,
        notes=tuple(run.notes),
        sandboxed=bool(sandbox.isolated),
        seconds=run.process.seconds,
    )
