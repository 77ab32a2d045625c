"""Writing feedback pages for a class: one exporter, one gradebook, any number of students."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4.rwbase import rejoin_lines

from manyheads.course import Course
from manyheads.errors import GradingError, ManyheadsError
from manyheads.grade.cells import node
from manyheads.grade.feedback import check_page, hide_tests
from manyheads.grade.inert import make_inert
from manyheads.grade.pages.grades import NotebookGrades, open_grades, read_notebook_grades
from manyheads.grade.pages.render import render
from manyheads.grade.secrets import Secrets
from manyheads.grade.settings import read_settings
from manyheads.student.notebook import read_notebook, write_atomic


def write_page(
    graded: Mapping[str, Any], grades: NotebookGrades, secrets: Secrets, names: Mapping[str, str]
) -> str:
    """The feedback page of a graded notebook, given as JSON; the notebook is left alone.

    `names` are `student`, `assignment` and `notebook`. Raises LeakError in place of a page that
    would show something hidden.
    """
    notebook = rejoin_lines(node(**graded))
    resources: dict[str, Any] = dict(names)
    grades.enter(notebook, resources)
    prepare(notebook, secrets)
    return finished(notebook, resources, secrets)


def prepare(notebook: NotebookNode, secrets: Secrets) -> None:
    """Take everything out of a graded notebook, in place, that its page may not show."""
    hide_tests(notebook, secrets)
    make_inert(notebook, secrets.ordinary)


def finished(notebook: NotebookNode, names: Mapping[str, Any], secrets: Secrets) -> str:
    """The page of a prepared notebook; raises LeakError if something hidden is still on it."""
    page = render(notebook, names, secrets)
    check_page(page, notebook, secrets)
    return page


class PageWriter:
    """Writes the feedback of one course's graded submissions.

    `db_url` is the gradebook's address. What a page needs beside its own notebook is read once a
    process, so writers are made for each page.
    """

    def __init__(self, course: Course, db_url: str) -> None:
        self.course, self._db_url = course, db_url

    @classmethod
    def of(cls, course: Course) -> PageWriter:
        """The writer of a course, with the gradebook that its configuration names."""
        return cls(course, _db_url(course))

    def write(self, lesson: str, student: str) -> list[Path]:
        """Write the pages of all graded notebooks of a submission; the files, by name.

        Raises GradingError or LeakError, with the cause; then an earlier page is gone as well.
        """
        folder = self.course.autograded / student / lesson
        notebooks = sorted(folder.glob("*.ipynb"))
        if not notebooks:
            raise GradingError(f"There is no feedback: {folder} holds no graded notebook.")
        return [self._write(path, lesson, student) for path in notebooks]

    def _write(self, path: Path, lesson: str, student: str) -> Path:
        target = self.course.feedback / student / lesson / f"{path.stem}.html"
        target.unlink(missing_ok=True)
        try:
            page = self._page(path, lesson, student)
        except ManyheadsError:
            raise
        except Exception as error:
            raise GradingError(
                f"The feedback page of {path} can't be written: {type(error).__name__}: {error}. "
                "This is a fault of the program, not of the submission: please report it."
            ) from error
        write_atomic(target, page.encode("utf-8", "replace"))
        target.chmod(0o644 & ~_umask())
        return target

    def _page(self, path: Path, lesson: str, student: str) -> str:
        secrets = Secrets.of(self.course.source / lesson / path.name)
        with open_grades(self._db_url).connect() as connection:
            grades = read_notebook_grades(connection, lesson, path.stem, student)
        names = {"student": student, "assignment": lesson, "notebook": path.stem}
        return write_page(read_notebook(path), grades, secrets, names)


@cache
def _db_url(course: Course) -> str:
    return read_settings(course).db_url


@cache
def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
