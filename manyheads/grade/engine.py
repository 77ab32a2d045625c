"""nbgrader's own feedback converter in this process, with the course's own configuration."""

from __future__ import annotations

import glob
import logging
import sys
import warnings
from typing import Any

from nbformat.warnings import DuplicateCellId, MissingIDFieldWarning
from nbgrader.converters import GenerateFeedback, NbGraderException
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from manyheads.course import MARKER, Course
from manyheads.errors import GradingError

LOG_NAME = ".nbgrader.log"


class _Log(logging.FileHandler):
    """Writes nbgrader's log and keeps the error that it was reporting last.

    nbgrader logs a failure's traceback as text, then raises an exception without a cause; the
    original one is still being handled while its record is written.
    """

    cause: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            self.cause = sys.exc_info()[1] or self.cause
        super().emit(record)


class Nbgrader:
    """One course's nbgrader, for feedback; a context manager.

    Everything nbgrader says goes to the file `log`.
    """

    def __init__(self, course: Course) -> None:
        """Load the course's configuration; raises GradingError for a path nbgrader can't use."""
        if glob.has_magic(str(course.root)):
            raise GradingError(
                f"nbgrader can't grade in {course.root}: it takes [ ] * ? in a path for a pattern. "
                "Move the course to a folder without these characters."
            )
        self.course = course
        self.log = course.root / LOG_NAME
        self._config: Config = PyFileConfigLoader(MARKER, path=str(course.root)).load_config()
        self._handler = _Log(self.log, mode="a", encoding="utf-8")
        self._handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        self._logger = logging.Logger("nbgrader", level=logging.INFO)  # a private one, not shared
        self._logger.addHandler(self._handler)

    def __enter__(self) -> Nbgrader:
        """The engine itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the log."""
        self._handler.close()

    def feedback(self, lesson: str, student: str) -> None:
        """Write one student's feedback page; raises GradingError with the cause."""
        folders = self._folders(assignment_id=lesson, student_id=student)
        self._run(GenerateFeedback, folders)

    def _folders(self, **which: str) -> CourseDirectory:
        return CourseDirectory(config=self._config, log=self._logger, **which)

    def _run(self, converter: Any, folders: CourseDirectory) -> None:
        self._handler.cause = None
        job = converter(coursedir=folders, config=self._config, log=self._logger)
        job.force = True
        try:
            with warnings.catch_warnings():
                for known in (SAWarning, MissingIDFieldWarning, DuplicateCellId):
                    warnings.simplefilter("ignore", known)  # harmless here, and no one could act
                job.start()
        except NbGraderException as error:
            raise GradingError(_in_words(self._handler.cause or error)) from error


def _in_words(error: BaseException) -> str:
    """An exception's message in one line, or its class where it has none."""
    return " ".join(str(error).split()) or type(error).__name__
