"""One class, graded by stock nbgrader and by ours, cell by cell side by side.

`python -m tests.grade.stock FOLDER N` does that for the sample class and N generated submissions.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from manyheads.course import Course, notebook_path
from manyheads.grade import grade_class
from tests.classroom import find, grade_id, read
from tests.classroom.generate import generate, hand_in
from tests.classroom.make import make
from tests.grade.mini import REPOSITORY
from tests.hostile.room import copy_course, graded_notebook, scores

LESSONS = Course(REPOSITORY).lessons()
# Nothing of ours: nbgrader's own converters and preprocessors, told only where to work.
CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "manyheads"
c.CourseDirectory.root = {root!r}
c.GenerateAssignment.force = True
c.ClearSolutions.code_stub = {{"python": "..."}}
c.ClearSolutions.text_stub = "*Write your answer here.*"
c.Execute.timeout = 30
c.Execute.iopub_timeout = 60
"""


@dataclass(frozen=True)
class Difference:
    """A cell that earned something else, or was graded by one of the two only (None)."""

    student: str
    cell: str
    ours: float | None
    stock: float | None


def lay_class(root: Path, count: int, *, sample: bool, seed: int = 0) -> tuple[Course, Course]:
    """The same submissions in two courses: one with our configuration, one with nbgrader's own."""
    courses = Course(root / "ours"), Course(root / "stock")
    for course in courses:
        course.root.mkdir(parents=True)
        if sample:
            make(course.root)
        else:
            copy_course(Course(REPOSITORY), course)
        for made in generate(count, seed=seed):
            hand_in(course, made)
    stock = courses[1].root
    (stock / "nbgrader_config.py").write_text(CONFIG.format(root=str(stock)), encoding="utf-8")
    return courses


def grade_both(ours: Course, stock: Course) -> None:
    """Grade the class with both."""
    grade_class(ours, LESSONS, lambda *_: None)
    grade_stock(stock)


def grade_stock(course: Course) -> None:
    """Generate and grade with nbgrader's own commands.

    A copied cell stops its batch, so those whom it did not come to are graded one by one.
    """
    for lesson in LESSONS:
        _nbgrader(course, "generate_assignment", lesson)
        _nbgrader(course, "autograde", lesson)
        for folder in sorted(course.submitted.glob(f"*/{lesson}")):
            if folder.parent.name not in scores(course, lesson):
                _nbgrader(course, "autograde", lesson, "--student", folder.parent.name)


def _nbgrader(course: Course, *arguments: str) -> None:
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    with (course.root / "nbgrader.log").open("a", encoding="utf-8") as log:
        subprocess.run(
            [folder / "nbgrader", *arguments],
            cwd=course.root,
            env=environment,
            stdout=log,
            stderr=log,
            check=False,
        )


def differences(ours: Course, stock: Course, lesson: str) -> list[Difference]:
    """The cells whose scores differ."""
    here, there = scores(ours, lesson), scores(stock, lesson)
    cells = {
        (student, cell) for found in (here, there) for student in found for cell in found[student]
    }
    compared = [
        Difference(student, cell, here.get(student, {}).get(cell), there.get(student, {}).get(cell))
        for student, cell in sorted(cells)
    ]
    return [one for one in compared if one.ours != one.stock]


def reason(stock: Course, lesson: str, one: Difference) -> str:
    """Why a score is not nbgrader's; empty where there is no reason for it.

    nbgrader takes all points for a line on stderr, gives them to tests that never ran, loses what
    comes after a process that ended, and refuses submissions in which a cell was copied.
    """
    notebook = graded_notebook(stock, one.student, lesson)
    if notebook is None:
        return _refused(read(notebook_path(stock.submitted / one.student, lesson)))
    cell = find(notebook, one.cell)
    outputs = cell.get("outputs", [])
    if "skip-execution" in cell.metadata.get("tags", []):
        return "nbgrader gives full marks to a test that a tag keeps from running"
    if one.stock == 0 and any(output.get("name") == "stderr" for output in outputs):
        return "nbgrader takes a warning for a failure"
    return ""


def _refused(submission: NotebookNode) -> str:
    """Why nbgrader does not take a submission; empty where it should."""
    names = [grade_id(cell) for cell in submission.cells if grade_id(cell)]
    if len(names) != len(set(names)):
        return "nbgrader refuses a submission in which a cell was copied"
    if any("os._exit" in cell.source for cell in submission.cells):
        return "nbgrader loses all results when the process ends"
    return ""


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("Say where, and how many: python -m tests.grade.stock FOLDER N")
    ours, stock = lay_class(Path(sys.argv[1]), int(sys.argv[2]), sample=True)
    grade_both(ours, stock)
    for lesson in LESSONS:
        print(lesson, len(scores(ours, lesson)), "submissions")
        for one in differences(ours, stock, lesson):
            why = reason(stock, lesson, one) or "NO REASON"
            print(f"  {one.student} {one.cell}: ours {one.ours}, nbgrader {one.stock}: {why}")


if __name__ == "__main__":
    main()
