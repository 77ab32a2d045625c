"""nbgrader's doors for what students see and send in: reading a submission, writing its page.

What is run in between is in `manyheads.grade.preprocessors`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter, NotebookExporter
from nbformat import NotebookNode
from nbgrader.converters import base as converters
from nbgrader.utils import find_all_files

from manyheads.errors import UnreadableError
from manyheads.grade.cells import node, ordinary_texts
from manyheads.grade.feedback import Secrets
from manyheads.grade.inert import make_inert
from manyheads.grade.pages.grades import open_grades, read_notebook_grades
from manyheads.grade.pages.writer import finished, prepare
from manyheads.grade.preprocessors import Resources, Step, source_path
from manyheads.grade.reading import read_bytes
from manyheads.grade.reading.folder import MOST_BYTES, Entry, kind, list_folder, read_file

FLAGS = "manyheads_flags"  # among the resources, from reading to `Sanitize`


def _regular_files(path: str, exclude: Any = None) -> list[str]:
    """List the files that nbgrader copies, without links, pipes and devices.

    nbgrader copies what a link leads to: any file that the instructor may read would go to the
    student's code, and a device would be copied without end.
    """
    return [name for name in find_all_files(path, exclude) if kind(Path(name)) == "a file"]


converters.find_all_files = _regular_files


class SubmissionExporter(NotebookExporter):
    """Reads a submitted notebook as `manyheads grade` does, whatever is in the file."""

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> Any:
        """Read, preprocess and write; raises UnreadableError with the cause."""
        if not getattr(self.parent, "_sanitizing", False):
            return super().from_filename(filename, resources, **kwargs)
        path = Path(filename)
        list_folder(path.parent, path.stem)  # refuses folders that are links
        notebook, flags = _read(path)
        nbconvert: Any = self  # which has no types here
        made = nbconvert._init_resources({**(resources or {}), FLAGS: flags})
        made["metadata"] |= {"name": path.stem, "path": str(path.parent)}
        return nbconvert.from_notebook_node(node(**notebook), made, **kwargs)


def _read(path: Path) -> tuple[dict[str, Any], list[str]]:
    try:
        return read_bytes(read_file(Entry(path, path.name), MOST_BYTES))
    except UnreadableError as error:
        raise UnreadableError(error.cause, error.remedy, error.line, str(path)) from error


class Inert(Step):
    """Makes a graded submission harmless to look at; see `manyheads.grade.inert`."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Make all that is a student's inert."""
        make_inert(nb, ordinary_texts(source_path(self, resources)))
        return nb, resources


class ReadGrades(Step):
    """Notes scores and comments in a graded notebook, and which points are not given yet."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Read the gradebook."""
        names = resources["nbgrader"]
        with open_grades(names["db_url"]).connect() as connection:
            grades = read_notebook_grades(
                connection, names["assignment"], names["notebook"], names["student"]
            )
        grades.enter(nb, names)
        return nb, resources


class HideTests(Step):
    """Takes out of a feedback page what no student may see; see `manyheads.grade.feedback`."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Hide tests, mark schemes and outputs that show them; make the rest inert."""
        prepare(nb, Secrets.of(source_path(self, resources)))
        return nb, resources


class FeedbackExporter(HTMLExporter):
    """Writes a feedback page, or fails if something hidden is still on it."""

    def from_notebook_node(self, nb: NotebookNode, resources: Any = None, **_: Any) -> Any:
        """Export to HTML; raises LeakError in place of a page that shows something hidden."""
        nbconvert: Any = self  # which has no types here
        prepared, made = nbconvert._preprocess(nb, nbconvert._init_resources(resources))
        secrets = Secrets.of(source_path(self, made))
        return finished(prepared, made["nbgrader"], secrets), made
