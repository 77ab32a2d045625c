"""Scores and comments of a page are what nbgrader itself reads from the gradebook."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from nbgrader.api import Gradebook

from manyheads.errors import GradingError
from manyheads.grade.book.database import open_gradebook
from manyheads.grade.cells import node
from manyheads.grade.pages.grades import NotebookGrades, open_grades, read_notebook_grades

pytestmark = [
    pytest.mark.slow,  # loads nbgrader
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]

SCORES = [
    # auto, manual, extra, waiting
    (2.0, None, None, False),
    (2.0, 1.0, None, False),
    (2.0, 1.0, 0.5, True),
    (None, None, None, True),
    (None, 0.0, None, False),
    (1.0, None, 0.25, False),
    (None, None, 1.0, False),
]
COMMENTS = [(None, None), ("No response.", None), ("No response.", "Mine"), (None, ""), (None, "x")]


@pytest.fixture(scope="module")
def db_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A gradebook with one submission, all kinds of grades and comments, and a late penalty."""
    url = f"sqlite:///{tmp_path_factory.mktemp('book')}/gradebook.db"
    open_gradebook(url).dispose()
    with Gradebook(url) as book:
        book.add_assignment("l [1]")
        book.add_notebook("n", "l [1]")
        for number in range(len(SCORES)):
            name = f"g{number}"
            if number % 2:
                book.add_task_cell(name, "n", "l [1]", max_score=3, cell_type="markdown")
            else:
                book.add_grade_cell(name, "n", "l [1]", max_score=3, cell_type="code")
        for number in range(len(COMMENTS)):
            book.add_solution_cell(f"c{number}", "n", "l [1]")
        book.add_student("o'brien")
        book.add_submission("l [1]", "o'brien", timestamp=datetime.now(UTC).replace(tzinfo=None))
        for number, (auto, manual, extra, waiting) in enumerate(SCORES):
            grade = book.find_grade(f"g{number}", "n", "l [1]", "o'brien")
            grade.auto_score, grade.manual_score, grade.extra_credit = auto, manual, extra
            grade.needs_manual_grade = waiting
        for number, (auto_comment, manual_comment) in enumerate(COMMENTS):
            comment = book.find_comment(f"c{number}", "n", "l [1]", "o'brien")
            comment.auto_comment, comment.manual_comment = auto_comment, manual_comment
        book.find_submission_notebook("n", "l [1]", "o'brien").late_submission_penalty = 1.5
        book.db.commit()
    return url


@pytest.fixture
def read(db_url: str) -> NotebookGrades:
    with open_grades(db_url).connect() as connection:
        return read_notebook_grades(connection, "l [1]", "n", "o'brien")


def test_each_score_is_nbgraders(db_url: str, read: NotebookGrades) -> None:
    with Gradebook(db_url) as book:
        for number in range(len(SCORES)):
            grade = book.find_grade(f"g{number}", "n", "l [1]", "o'brien")
            mine = read.cells[f"g{number}"]
            assert (mine.score, mine.points) == (grade.score, grade.max_score)


def test_each_comment_is_nbgraders(db_url: str, read: NotebookGrades) -> None:
    with Gradebook(db_url) as book:
        for number in range(len(COMMENTS)):
            comment = book.find_comment(f"c{number}", "n", "l [1]", "o'brien")
            assert read.comments[f"c{number}"] == comment.comment


def test_the_sums_are_nbgraders(db_url: str, read: NotebookGrades) -> None:
    with Gradebook(db_url) as book:
        notebook = book.find_submission_notebook("n", "l [1]", "o'brien")
        assert (read.score, read.max_score) == (notebook.score - 1.5, notebook.max_score)
        assert read.late_penalty == 1.5


def test_what_no_one_has_scored_is_waiting(read: NotebookGrades) -> None:
    assert [name for name, cell in read.cells.items() if cell.waiting] == ["g3"]
    assert read.waiting == 3


def test_they_are_entered_where_templates_look_for_them(read: NotebookGrades) -> None:
    marks = {"nbgrader": {"grade_id": "g1", "task": True}}
    notebook = node(cells=[{"metadata": marks}, {"metadata": {}}])
    resources: dict[str, object] = {}
    read.enter(notebook, resources)
    entry = notebook.cells[0].metadata.nbgrader
    assert (entry.score, entry.points, entry.waiting) == (1.0, 3.0, False)
    assert resources["max_score"] == 21


@pytest.mark.parametrize("names", [("l [1]", "n", "s9"), ("other", "n", "o'brien")])
def test_what_was_never_graded_is_refused(db_url: str, names: tuple[str, str, str]) -> None:
    lesson, notebook, student = names
    with (
        open_grades(db_url).connect() as connection,
        pytest.raises(
            GradingError, match=r"There is no feedback for .* Grade the submission first"
        ),
    ):
        read_notebook_grades(connection, lesson, notebook, student)
