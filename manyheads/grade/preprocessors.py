"""nbgrader's doors to this package: the classes that `nbgrader_config.py` names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from traitlets import Bool, Integer

from manyheads.grade.cells import grade_ids, node, ordinary_texts, read_gradebook
from manyheads.grade.judge.prepare import prepare
from manyheads.grade.plan import LessonPlan
from manyheads.grade.reading.files import collect
from manyheads.grade.reading.folder import list_folder
from manyheads.grade.run import RunReport, run_notebook
from manyheads.grade.run.kept import kept_sandbox
from manyheads.grade.sandbox import Limits
from manyheads.grade.sanitize import sanitize
from manyheads.grade.verdict import is_test, settle

Resources = dict[str, Any]


def source_path(part: Any, resources: Resources) -> Path:
    """The instructor's notebook, for a `part` that an nbgrader converter runs.

    A preprocessor's parent is the exporter, the exporter's is the converter, and that one
    knows the course's folders.
    """
    while not hasattr(part, "coursedir"):
        part = part.parent
    names = resources["nbgrader"]
    source = part.coursedir.source_directory
    folder = part.coursedir.format_path(source, ".", names["assignment"])
    return Path(folder) / f"{names['notebook']}.ipynb"


class Step(Preprocessor):
    """A preprocessor that runs unless the configuration turns it off."""

    enabled = Bool(True, help="Whether this step runs").tag(config=True)


class Sanitize(Step):
    """Gives a submission the gradebook's cells; notes in its metadata what had to be changed."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """See `manyheads.grade.sanitize`."""
        names = resources["nbgrader"]
        order = grade_ids(source_path(self, resources))
        cells = read_gradebook(names["db_url"], names["assignment"], names["notebook"], order)
        ordinary = ordinary_texts(source_path(self, resources))
        flags = [*resources.get("manyheads_flags", []), *sanitize(nb, cells, ordinary)]
        for flag in flags:
            self.log.warning("%s: %s", names["student"], flag)
        nb.metadata["manyheads"]["flags"] = flags
        return nb, resources


class Execute(Step):
    """Runs a submission in a sandbox, its tests before the judge; see `manyheads.grade.run`."""

    timeout = Integer(30, help="Seconds one cell may run").tag(config=True)
    notebook_timeout = Integer(300, help="Seconds one submission may run altogether").tag(
        config=True
    )
    isolated = Bool(
        True, help="Whether student code runs in a sandbox; without one, results are marked"
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Run all code cells; raises SandboxError where no sandbox can be had."""
        plan = LessonPlan.of(source_path(self, resources), resources["nbgrader"]["notebook"])
        folder = list_folder(Path(resources["metadata"]["path"]), plan.lesson)
        files, flags = collect(folder, None)
        prepare(plan)
        limits = Limits(cell_seconds=self.timeout, submission_seconds=self.notebook_timeout)
        with kept_sandbox(limits, isolated=self.isolated) as sandbox:
            report = run_notebook(nb, plan, sandbox, files=files)
        for note in (*flags, *report.notes):
            self.log.warning("%s: %s", resources["nbgrader"]["student"], note)
        _describe(nb, report, flags)
        return nb, resources


def _describe(nb: NotebookNode, report: RunReport, flags: list[str]) -> None:
    """Write into the notebook's metadata what the feedback page and the class report need."""
    told = nb.metadata.setdefault("manyheads", node())
    earlier = told.get("flags", [])
    told["flags"] = list(dict.fromkeys([*earlier, *flags, *report.notes]))
    told["causes"], told["cause_ids"] = dict(report.causes), dict(report.cause_ids)
    told["sandboxed"] = report.sandboxed


class Verdict(Step):
    """Settles what each test cell earns; see `manyheads.grade.verdict`."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Settle every test cell."""
        for cell in filter(is_test, nb.cells):
            settle(cell)
        return nb, resources
