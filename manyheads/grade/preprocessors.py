"""nbgrader's doors to this package: the classes that `nbgrader_config.py` names."""

from __future__ import annotations

from pathlib import Path
from subprocess import DEVNULL
from time import monotonic
from typing import Any

from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbconvert.exporters import HTMLExporter
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbgrader.preprocessors import Execute as NbgraderExecute
from traitlets import Bool, Integer

from manyheads.grade.cells import grade_ids, read_gradebook
from manyheads.grade.feedback import Secrets, check_page, hide_tests
from manyheads.grade.sanitize import sanitize
from manyheads.grade.verdict import NOT_RUN, add_error, is_test, settle

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
        flags = sanitize(nb, cells)
        for flag in flags:
            self.log.warning("%s: %s", names["student"], flag)
        nb.metadata["manyheads_flags"] = flags
        return nb, resources


class Execute(NbgraderExecute):  # type: ignore[misc]  # nbgrader has no types
    """Runs a submission's cells until the kernel dies, hangs or takes too long altogether.

    What ran before keeps its outputs, the cell at hand gets an error, the rest stays without
    outputs, and `Verdict` gives such tests nothing.
    """

    iopub_timeout = Integer(30, help="Seconds to wait for a finished cell's outputs").tag(
        config=True
    )
    notebook_timeout = Integer(300, help="Seconds one submission may run altogether").tag(
        config=True
    )

    def preprocess(
        self, nb: NotebookNode, resources: Resources, km: Any = None
    ) -> tuple[NotebookNode, Resources]:
        """Run all cells that can be run."""
        self._stopped = False
        self._deadline = monotonic() + self.notebook_timeout
        done: tuple[NotebookNode, Resources] = super().preprocess(nb, resources, km)
        return done

    def start_new_kernel(self, **kwargs: Any) -> None:
        """Start a kernel that does not write into the grader's terminal."""
        super().start_new_kernel(stdout=DEVNULL, stderr=DEVNULL, **kwargs)

    def preprocess_cell(
        self, cell: NotebookNode, resources: Resources, index: int
    ) -> tuple[NotebookNode, Resources]:
        """Run one cell, or leave it alone once the notebook has stopped."""
        if cell.cell_type != "code" or self._stopped:
            return cell, resources
        try:
            super().preprocess_cell(cell, resources, index)
        except DeadKernelError:
            add_error(cell, NOT_RUN, "the notebook's process ended in this cell.")
            self._stopped = True
        except CellTimeoutError:
            add_error(cell, NOT_RUN, "this cell ran without end and could not be interrupted.")
            self._stopped = True
        self._stopped = self._stopped or monotonic() > self._deadline
        if self._stopped:
            self.log.error("The notebook stopped in cell %d", index)
        return cell, resources


class Verdict(Step):
    """Settles what each test cell earns; see `manyheads.grade.verdict`."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Settle every test cell."""
        for cell in filter(is_test, nb.cells):
            settle(cell)
        return nb, resources


class HideTests(Step):
    """Takes out of a feedback page what no student may see; see `manyheads.grade.feedback`."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Hide tests, mark schemes and outputs that show them."""
        hide_tests(nb, Secrets.of(source_path(self, resources)))
        return nb, resources


class FeedbackExporter(HTMLExporter):
    """Writes a feedback page, or fails if something hidden is still on it."""

    def from_notebook_node(  # type: ignore[override]  # as HTMLExporter overrides its own parent
        self, nb: NotebookNode, resources: Resources | None = None, **kwargs: Any
    ) -> tuple[str, Resources]:
        """Export to HTML; raises LeakError in place of a page that shows something hidden."""
        page, made = super().from_notebook_node(nb, resources, **kwargs)
        check_page(page, nb, Secrets.of(source_path(self, made)))
        return page, made
