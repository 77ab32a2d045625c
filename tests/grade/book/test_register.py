"""A lesson is entered in the gradebook as nbgrader's own generate step enters it, row for row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from nbformat import NotebookNode
from sqlalchemy import create_engine, inspect, text

from manyheads.course import Course
from manyheads.errors import GradebookError, GradingError
from manyheads.grade.book.database import open_gradebook
from manyheads.grade.book.generate import generate
from manyheads.grade.book.register import LessonRows, register
from manyheads.grade.book.tables import SUBMISSION, SUBMITTED_NOTEBOOK
from manyheads.grade.settings import read_settings
from tests.classroom import find, index
from tests.grade.book.rows import rows
from tests.grade.book.stock import generate_assignment
from tests.grade.foreign import ASSIGNMENT, make_foreign_course
from tests.grade.mini import LESSON, code, make_course, save, source_notebook

OURS = "ours.db"


def enter(course: Course, lesson: str) -> LessonRows:
    """Enter a lesson in a gradebook of our own making."""
    settings = read_settings(course)
    sources: Sequence[Path] = sorted((course.source / lesson).glob("*.ipynb"))
    made = generate(sources, lesson, course.root, settings.config)
    engine = open_gradebook(f"sqlite:///{course.root / OURS}", settings.course_id)
    with engine.begin() as connection:
        entered = register(connection, lesson, made, settings.course_id)
    engine.dispose()
    return entered


def changed_points(notebook: NotebookNode) -> None:
    find(notebook, "test_quiz_1").metadata["nbgrader"]["points"] = 7


def changed_test(notebook: NotebookNode) -> None:
    find(notebook, "test_quiz_1").source += "\n# corrected"


def changed_kernel(notebook: NotebookNode) -> None:
    notebook.metadata["kernelspec"] = {"name": "other", "display_name": "Other"}


def one_more(notebook: NotebookNode) -> None:
    notebook.cells.append(code("y = 1", "new_helper", locked=True))


def one_less(notebook: NotebookNode) -> None:
    del notebook.cells[index(notebook, "test_quiz_1")]


def now_an_answer(notebook: NotebookNode) -> None:
    find(notebook, "given_helper").metadata["nbgrader"].update(locked=False, solution=True)


CHANGES = [changed_points, changed_test, changed_kernel, one_more, one_less, now_an_answer]


@pytest.mark.slow
@pytest.mark.parametrize(("make", "lesson"), [(make_foreign_course, ASSIGNMENT), (None, LESSON)])
def test_rows_are_nbgraders(
    tmp_path: Path, make: Callable[[Path], Course] | None, lesson: str
) -> None:
    course = make(tmp_path) if make else make_course(tmp_path, {})
    generate_assignment(course, lesson)
    enter(course, lesson)
    assert rows(course.root / OURS) == rows(course.gradebook)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_source_changes_the_same_rows(
    tmp_path: Path, change: Callable[[NotebookNode], None]
) -> None:
    course = make_course(tmp_path, {})
    open_gradebook(f"sqlite:///{course.gradebook}").dispose()  # nbgrader takes seconds to make one
    source = source_notebook()
    generate_assignment(course, LESSON)
    enter(course, LESSON)
    change(source)
    save(source, course.source / LESSON / f"{LESSON}.ipynb")
    generate_assignment(course, LESSON)
    enter(course, LESSON)
    assert rows(course.root / OURS) == rows(course.gradebook)


@pytest.mark.slow
def test_a_notebook_that_is_gone_is_removed(tmp_path: Path) -> None:
    course = make_foreign_course(tmp_path)
    open_gradebook(f"sqlite:///{course.gradebook}", "numerics").dispose()
    generate_assignment(course, ASSIGNMENT)
    enter(course, ASSIGNMENT)
    (course.source / ASSIGNMENT / "p2.ipynb").unlink()
    generate_assignment(course, ASSIGNMENT)
    enter(course, ASSIGNMENT)
    assert rows(course.root / OURS) == rows(course.gradebook)


def hand_in(course: Course, entered: LessonRows) -> None:
    """Make rows of a submission, as if somebody had been graded."""
    engine = create_engine(f"sqlite:///{course.root / OURS}")
    with engine.begin() as connection:
        connection.execute(
            SUBMISSION.insert(), {"id": "s", "assignment_id": entered.id, "student_id": "s01"}
        )
        for notebook in entered.notebooks:
            keys = {"id": f"s {notebook.name}", "notebook_id": notebook.id, "assignment_id": "s"}
            connection.execute(SUBMITTED_NOTEBOOK.insert(), keys)
    engine.dispose()


@pytest.mark.parametrize(
    ("change", "word"), [(one_more, "new_helper"), (one_less, "test_quiz_1"), (now_an_answer, "gi")]
)
def test_other_cells_are_refused_once_something_was_graded(
    tmp_path: Path, change: Callable[[NotebookNode], None], word: str
) -> None:
    course = make_course(tmp_path, {})
    hand_in(course, enter(course, LESSON))
    before = rows(course.root / OURS)
    source = source_notebook()
    change(source)
    save(source, course.source / LESSON / f"{LESSON}.ipynb")
    with pytest.raises(GradingError, match=rf"{LESSON} could not be entered .*{word}.*aside"):
        enter(course, LESSON)
    assert rows(course.root / OURS) == before


def test_another_set_of_notebooks_is_refused_once_something_was_graded(tmp_path: Path) -> None:
    course = make_foreign_course(tmp_path)
    hand_in(course, enter(course, ASSIGNMENT))
    (course.source / ASSIGNMENT / "p2.ipynb").unlink()
    with pytest.raises(GradingError, match=r"it has other notebooks than .*\(p2\)"):
        enter(course, ASSIGNMENT)


@pytest.mark.parametrize("change", [changed_points, changed_test])
def test_a_corrected_test_keeps_all_ids(
    tmp_path: Path, change: Callable[[NotebookNode], None]
) -> None:
    course = make_course(tmp_path, {})
    first = enter(course, LESSON)
    hand_in(course, first)
    source = source_notebook()
    change(source)
    save(source, course.source / LESSON / f"{LESSON}.ipynb")
    second = enter(course, LESSON)
    assert second.notebooks[0].graded == first.notebooks[0].graded
    assert second.notebooks[0].cells != first.notebooks[0].cells


def test_a_source_that_nbgrader_refuses_is_named(tmp_path: Path) -> None:
    course = make_course(tmp_path, {})
    source = source_notebook()
    source.cells.append(code("x = 1", "given_helper", locked=True))
    save(source, course.source / LESSON / f"{LESSON}.ipynb")
    with pytest.raises(GradingError, match=r"can't make an assignment of .*02_mini\.ipynb"):
        enter(course, LESSON)


def test_a_configuration_that_records_nothing_is_named(tmp_path: Path) -> None:
    course = make_course(tmp_path, {})
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("c.GenerateAssignment.preprocessors = []\n")
    with pytest.raises(GradingError, match=r"takes SaveCells out .*Put it back"):
        enter(course, LESSON)


def test_a_new_gradebook_carries_nbgraders_version_mark(tmp_path: Path) -> None:
    from nbgrader.api import Gradebook

    url = f"sqlite:///{tmp_path / OURS}"
    engine = open_gradebook(url)
    with engine.connect() as connection:
        version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    engine.dispose()
    assert version
    with Gradebook(url) as gradebook:
        assert gradebook.assignments == []


def test_opening_twice_changes_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / OURS}"
    open_gradebook(url, "numerics").dispose()
    before = rows(tmp_path / OURS)
    engine = open_gradebook(url, "numerics")
    assert inspect(engine).has_table("manyheads_graded")
    engine.dispose()
    assert rows(tmp_path / OURS) == before
    assert [dict(row)["id"] for row in before["course"]] == ["default_course", "numerics"]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlite:////nowhere/at/all.db", "unable to open"),
        ("postgresql+nodriver://grader:secret@localhost/grades", "nodriver"),
        ("not an address", "parse"),
    ],
)
def test_a_gradebook_that_cannot_be_had_is_reported_without_its_password(
    url: str, words: str
) -> None:
    with pytest.raises(GradebookError, match=words) as raised:
        open_gradebook(url)
    assert "secret" not in str(raised.value)


def test_a_file_that_is_no_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / OURS).write_text("no database" * 100, encoding="utf-8")
    with pytest.raises(GradebookError, match=r"not a database.*grade again"):
        open_gradebook(f"sqlite:///{tmp_path / OURS}")
