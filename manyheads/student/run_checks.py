"""Running a student's notebook from the terminal and reading its checks and visible tests."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from manyheads.course import Course, notebook_path
from manyheads.errors import MissingSubmissionError, NoChecksError, UnknownLessonError
from manyheads.student.answers import answered
from manyheads.student.copies import work_path
from manyheads.student.notebook import (
    Notebook,
    code_cells,
    course_metadata,
    grade_id,
    is_test,
    read_notebook,
    source,
)
from manyheads.student.outcomes import Outcome, does_something, outcomes

CELL_TIMEOUT = 60  # seconds; a lesson's cells take well under one


@dataclass(frozen=True)
class CheckReport:
    """What a run of a notebook said: outcomes in order, and sentences about the run itself."""

    notebook: Path
    outcomes: list[Outcome]
    remarks: list[str]

    @property
    def passed(self) -> int:
        """How many checks and visible tests passed."""
        return sum(outcome.passed is True for outcome in self.outcomes)

    @property
    def summary(self) -> str:
        """One line for the end of a run; it never says more than the visible part can know."""
        waiting = sum(outcome.passed is None for outcome in self.outcomes)
        unanswered = f", {waiting} not answered yet" if waiting else ""
        return (
            f"{self.passed} of {len(self.outcomes)} visible checks passed{unanswered}; "
            "hidden tests run at grading."
        )


def run_checks(course: Course, lesson: str, timeout: int = CELL_TIMEOUT) -> CheckReport:
    """Run a lesson's work notebook, or the one at a path, in a fresh kernel; the file is kept.

    A cell may take `timeout` seconds; one that takes longer ends the run.

    Raises UnknownLessonError, MissingSubmissionError, UnreadableNotebookError, and NoChecksError
    when the notebook holds no check and no visible test.
    """
    path = _meant(course, lesson)
    notebook = read_notebook(path)
    release = _release_of(course, path, notebook) or notebook
    _restore_tests(notebook, release)
    executed, remarks = execute(notebook, path.parent, timeout)
    found = _judged(executed, release) + _unrun_tests(executed, release)
    if not found and not remarks:
        raise NoChecksError(
            f"{path} holds no check and no test. Is it a lesson's notebook? "
            "`manyheads status` lists the lessons."
        )
    return CheckReport(path, found, remarks)


def _meant(course: Course, lesson: str) -> Path:
    if not lesson.endswith(".ipynb"):
        return work_path(course, lesson)
    path = Path(lesson)
    if not path.is_file():
        raise MissingSubmissionError(
            f"There is no notebook {path}. Name a lesson or a file that exists."
        )
    return path


def _release_of(course: Course, path: Path, notebook: Notebook) -> Notebook | None:
    """The release a notebook was copied from, if this course still has that one."""
    lesson = course_metadata(notebook).get("lesson", path.stem)
    try:
        released = notebook_path(course.release, course.lesson(lesson))
    except UnknownLessonError:
        return None
    if not released.is_file():
        return None
    release = read_notebook(released)
    same = course_metadata(release).get("release") == course_metadata(notebook).get("release")
    return release if same else None


def _restore_tests(notebook: Notebook, release: Notebook) -> None:
    """Give every test cell its released text, as grading will."""
    released = {grade_id(cell): source(cell) for cell in code_cells(release) if is_test(cell)}
    for cell in code_cells(notebook):
        if is_test(cell):
            cell["source"] = released.get(grade_id(cell), source(cell))


def _judged(executed: Notebook, release: Notebook) -> list[Outcome]:
    """The outcomes without those of answers that are only noted (a prediction, say), not judged."""
    done = answered(executed, release)
    return [
        found for found in outcomes(executed) if found.passed is not None or found.name not in done
    ]


def _unrun_tests(executed: Notebook, release: Notebook) -> list[Outcome]:
    """The release's visible tests without an outcome: deleted, or after a run's early end."""
    present = {grade_id(cell) for cell in code_cells(executed) if is_test(cell)}
    ran = {outcome.name for outcome in outcomes(executed)}
    expected = (cell for cell in code_cells(release) if is_test(cell) and does_something(cell))
    names = [grade_id(cell) for cell in expected if grade_id(cell) not in ran]
    deleted = "this test cell is no longer in your notebook; grading puts it back"
    return [
        Outcome(name, None, f"{name}   not run")
        if name in present
        else Outcome(name, False, f"{name}   {deleted}")
        for name in names
    ]


def execute(notebook: Notebook, folder: Path, timeout: int) -> tuple[Notebook, list[str]]:
    """Run the cells in a fresh kernel started in `folder`, going on after errors.

    Returns the notebook run, and a sentence for each reason why the run ended early.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    node = nbformat.from_dict(_fresh(notebook))
    started = [0]
    client = NotebookClient(
        node,
        timeout=timeout,
        allow_errors=True,
        kernel_name="python3",
        on_cell_start=lambda cell, cell_index: started.append(cell_index),  # noqa: ARG005 - by name
        # The kernel's own remarks (on its transport, say) are not about the student's work.
        extra_arguments=["--IPKernelApp.log_level=50"],
        resources={"metadata": {"path": str(folder)}},
    )
    # An early end is told once, in our words.
    client.log.setLevel(logging.CRITICAL)
    try:
        client.execute()
    except CellTimeoutError:
        cause = f"did not finish within {timeout} s. Look for a loop that never ends."
        return node, [_stopped(node, started[-1], cause)]
    except DeadKernelError:
        cause = "ended the kernel. Look for exit(), or an array too large for the memory."
        return node, [_stopped(node, started[-1], cause)]
    return node, []


def _fresh(notebook: Notebook) -> Notebook:
    """The notebook as a kernel takes it: no outputs, and each source one string."""
    for cell in notebook["cells"]:
        cell["source"] = source(cell)
    for cell in code_cells(notebook):
        cell["outputs"], cell["execution_count"] = [], None
    return notebook


def _stopped(notebook: Notebook, index: int, cause: str) -> str:
    """A sentence on the cell that ended a run; the cell then counts as not run."""
    cell = notebook["cells"][index]
    cell["outputs"], cell["execution_count"] = [], None
    name = grade_id(cell) or cell.get("id", "no id")
    return f"Cell {index + 1} ({name}) {cause} The cells after it were not run."
