"""What nbgrader records of a lesson: its generate step, up to where it writes to the gradebook."""

from __future__ import annotations

import contextlib
import hashlib
import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbconvert.exporters.exporter import Exporter
from nbformat import NotebookNode
from nbformat.warnings import DuplicateCellId, MissingIDFieldWarning
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from nbgrader.utils import is_grade, is_locked, is_solution, is_task
from traitlets.config import Config

from manyheads.errors import GradingError
from manyheads.grade.cells import InstructorCell


@dataclass(frozen=True)
class GeneratedNotebook:
    """One notebook of a lesson as the gradebook knows it: solutions are out, hidden tests are in.

    `material` is a digest of everything but the graded tests; `tests` holds theirs, by grade_id.
    """

    name: str
    kernelspec: str
    cells: tuple[InstructorCell, ...]
    material: str

    @property
    def tests(self) -> dict[str, str]:
        """A digest of each graded test: its text and its points."""
        return {
            cell.grade_id: digest([cell.cell_type, cell.source, cell.points])
            for cell in self.cells
            if cell.is_test
        }


def digest(value: Any) -> str:
    """A short name for a JSON value, the same whenever the value is.

    >>> digest(["code", "assert f()", 1.0])
    '377144b8cfe54dae'
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def generate(sources: Sequence[Path], lesson: str, root: Path, config: Config) -> list[Any]:
    """Each source notebook of a lesson as nbgrader's own preprocessors, as configured, make it.

    Runs in the course's folder `root`, as nbgrader does. Raises GradingError with the cause.
    """
    exporter = Exporter(config=_without_defaults(config))
    for step in _steps(config, lesson):
        exporter.register_preprocessor(step)
    made = []
    with contextlib.chdir(root), warnings.catch_warnings():
        for known in (MissingIDFieldWarning, DuplicateCellId):
            warnings.simplefilter("ignore", known)  # harmless here, and no one could act
        for source in sources:
            try:
                notebook = _generated(exporter, source, lesson)
            except Exception as error:  # whatever a preprocessor of the course raises
                raise GradingError(
                    f"nbgrader can't make an assignment of {source}: {error}. Correct the source "
                    "notebook and grade again."
                ) from error
            made.append(_described(source.stem, notebook))
    return made


def _without_defaults(config: Config) -> Config:
    merged = Config(config)
    merged.Exporter.default_preprocessors = []
    return merged


def _steps(config: Config, lesson: str) -> list[Any]:
    """The preprocessors before the one that writes to the gradebook."""
    steps = GenerateAssignment(
        coursedir=CourseDirectory(config=config), config=config
    ).preprocessors
    names = [step if isinstance(step, str) else step.__name__ for step in steps]
    last = next((n for n, name in enumerate(names) if name.endswith(SaveCells.__name__)), None)
    if last is None:
        raise GradingError(
            f"Lesson {lesson} can't be entered in the gradebook: nbgrader_config.py takes "
            "SaveCells out of GenerateAssignment.preprocessors. Put it back and grade again."
        )
    return list(steps[:last])


def _generated(exporter: Exporter, source: Path, lesson: str) -> NotebookNode:
    names = {"student": ".", "assignment": lesson, "notebook": source.stem}
    notebook, _ = exporter.from_filename(str(source), resources={"nbgrader": names})
    return notebook


def _described(name: str, notebook: NotebookNode) -> GeneratedNotebook:
    cells = tuple(_instructor_cells(notebook.cells))
    tests = {cell.grade_id for cell in cells if cell.is_test}
    rest = [
        [cell.cell_type, cell.source, cell.metadata.get("nbgrader")]
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") not in tests
    ]
    order = [cell.grade_id for cell in cells]
    kernelspec = json.dumps(notebook.metadata.get("kernelspec", {}))
    return GeneratedNotebook(name, kernelspec, cells, digest([rest, order]))


def _instructor_cells(cells: Iterable[NotebookNode]) -> Iterable[InstructorCell]:
    for cell in cells:
        grade, solution, locked, task = (
            bool(known(cell)) for known in (is_grade, is_solution, is_locked, is_task)
        )
        if grade or solution or locked or task:
            entry = cell.metadata.nbgrader
            yield InstructorCell(
                grade_id=entry["grade_id"],
                cell_type=cell.cell_type,
                source=cell.source,
                checksum=entry.get("checksum"),
                grade=grade,
                solution=solution,
                locked=locked,
                task=task,
                points=float(entry["points"]) if grade or task else None,
            )
