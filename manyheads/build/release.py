"""The students' notebooks, made from the instructor's by nbgrader's own generate step."""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manyheads.course import MARKER, Course, notebook_path
from manyheads.errors import LessonTextError

_LOG = logging.getLogger("manyheads.build")


def generate(course: Course, sources: Mapping[str, bytes]) -> dict[str, Any]:
    """What nbgrader makes of the source notebooks, by lesson, with the course's configuration.

    Runs in this process and in a folder of its own; no gradebook is opened or made, and the folders
    of the course are not touched. Raises LessonTextError, with the reason nbgrader gives, when it
    refuses a lesson.
    """
    import nbformat

    with tempfile.TemporaryDirectory(prefix="manyheads-") as folder:
        workshop = Course(Path(folder).resolve())
        for lesson, content in sources.items():
            path = notebook_path(workshop.source, lesson)
            path.parent.mkdir(parents=True)
            path.write_bytes(content)
        _convert(course, workshop)
        return {
            lesson: nbformat.reads(
                notebook_path(workshop.release, lesson).read_text(encoding="utf-8"), as_version=4
            )
            for lesson in sources
        }


def _convert(course: Course, workshop: Course) -> None:
    """Run nbgrader's converter over all lessons of the workshop."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.preprocessors import SaveCells

    config = load_config(course)
    config.CourseDirectory.root = str(workshop.root)
    config.CourseDirectory.assignment_id = "*"
    folder = CourseDirectory(config=config)
    told = _Told()
    converter = GenerateAssignment(coursedir=folder, config=config, no_database=True, log=told.log)
    # SaveCells is what writes to the gradebook, whatever no_database says.
    converter.preprocessors = [step for step in converter.preprocessors if step is not SaveCells]
    try:
        converter.start()
    except NbGraderException as error:
        raise LessonTextError(
            f"nbgrader refused to make the release: {told.cause(error)}\n"
            "Nothing was written. Correct the lesson in notebooks/, or nbgrader_config.py."
        ) from error


class _Told(logging.Handler):
    """Keeps what nbgrader logs as errors: its exceptions name no cause."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []
        self.log = logging.Logger("manyheads.build.nbgrader", logging.ERROR)
        self.log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())

    def cause(self, error: Exception) -> str:
        """The last line of the first traceback, or the first thing logged."""
        traceback = next((m for m in self.messages if m.startswith("Traceback")), "")
        lines = (traceback or "".join(self.messages[:1]) or str(error)).strip().splitlines()
        return lines[-1]


def load_config(course: Course) -> Any:
    """The course's `nbgrader_config.py`, as traitlets configuration."""
    from traitlets.config.loader import PyFileConfigLoader

    return PyFileConfigLoader(MARKER, path=str(course.root)).load_config()


def release_digest(release: Any) -> str:
    """Twelve hex digits that change when what students see of a lesson changes.

    Counted are each cell's id, type and text; a change of hidden tests alone makes no new release.
    """
    seen = [[cell.id, cell.cell_type, cell.source] for cell in release.cells]
    text = json.dumps(seen, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
