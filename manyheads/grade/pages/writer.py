"""Writing feedback pages for a class: one exporter, one gradebook, any number of students."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from manyheads.course import Course
from manyheads.errors import GradingError
from manyheads.grade.cells import node
from manyheads.grade.feedback import check_page, hide_tests
from manyheads.grade.inert import make_inert
from manyheads.grade.pages.grades import NotebookGrades, open_grades, read_notebook_grades
from manyheads.grade.pages.render import render
from manyheads.grade.secrets import Secrets
from manyheads.student.notebook import read_notebook, write_atomic


def write_page(
    graded: Mapping[str, Any], grades: NotebookGrades, secrets: Secrets, names: Mapping[str, str]
) -> str:
    """The feedback page of a graded notebook, given as JSON; the notebook is left alone.

    `names` are `student`, `assignment` and `notebook`. Raises LeakError in place of a page that
    would show something hidden.
    """
    notebook = node(**graded)
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

    `db_url` is the gradebook's address.
    """

    def __init__(self, course: Course, db_url: str) -> None:
        self.course, self._db_url = course, db_url

    def write(self, lesson: str, student: str) -> list[Path]:
        """Write the pages of all graded notebooks of a submission; the files, by name.

        Raises GradingError, of which LeakError is told as one, with the cause.
        """
        folder = self.course.autograded / student / lesson
        notebooks = sorted(folder.glob("*.ipynb"))
        if not notebooks:
            raise GradingError(f"There is no feedback: {folder} holds no graded notebook.")
        return [self._write(path, lesson, student) for path in notebooks]

    def _write(self, path: Path, lesson: str, student: str) -> Path:
        secrets = Secrets.of(self.course.source / lesson / path.name)
        with open_grades(self._db_url).connect() as connection:
            grades = read_notebook_grades(connection, lesson, path.stem, student)
        names = {"student": student, "assignment": lesson, "notebook": path.stem}
        page = write_page(read_notebook(path), grades, secrets, names)
        target = self.course.feedback / student / lesson / f"{path.stem}.html"
        write_atomic(target, page.encode("utf-8", "replace"))
        target.chmod(0o644 & ~_umask())
        return target


@cache
def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
