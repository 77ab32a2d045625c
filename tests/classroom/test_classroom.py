"""The sample class: made from answer files and laid out as a course."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from nbformat import NotebookNode

from manyheads.course import Course, notebook_path
from manyheads.errors import ManyheadsError
from tests.classroom import (
    edit,
    fill,
    find,
    grade_id,
    index,
    lessons,
    read,
    solutions,
    students,
    submission,
)
from tests.classroom.make import REPOSITORY, make
from tests.grade.mini import answers, release_notebook, source_notebook


def own(notebook: NotebookNode, name: str) -> str:
    return str(find(notebook, name).source)


def test_answers_fill_the_cells_they_name() -> None:
    filled = fill(release_notebook(), answers())
    assert own(filled, "quiz_1") == 'quiz_1 = "b"'
    assert own(filled, "test_quiz_1") == own(release_notebook(), "test_quiz_1")


def test_a_tasks_answer_goes_into_the_cell_below_it() -> None:
    filled = fill(release_notebook(), {"explain_1": "Because."})
    assert filled.cells[index(filled, "explain_1") + 1].source == "Because."
    assert own(filled, "explain_1") == own(release_notebook(), "explain_1")


def test_filling_leaves_the_release_alone() -> None:
    release = release_notebook()
    fill(release, answers())
    assert release == release_notebook()


def test_an_answer_to_an_unknown_exercise_is_an_error() -> None:
    with pytest.raises(KeyError, match="the notebook has no cell 'split_tails'"):
        fill(release_notebook(), {"split_tails": ""})


def test_the_instructors_answers_are_whole_cells_without_markers() -> None:
    assert solutions(source_notebook())["quiz_1"] == 'quiz_1 = (\n    "b"\n)'


def test_cells_are_deleted_tagged_and_copied() -> None:
    steps = [{"delete": "test_share"}, {"tag": "share", "as": "x"}, {"copy": "quiz_1"}]
    edited = edit(release_notebook(), steps)
    names = [grade_id(cell) for cell in edited.cells]
    assert "test_share" not in names
    assert names.count("quiz_1") == 2
    assert find(edited, "share").metadata["tags"] == ["x"]
    assert len({cell.id for cell in edited.cells}) == len(edited.cells)


def test_an_unknown_edit_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"unknown edit .*'paint': 'quiz_1'"):
        edit(release_notebook(), [{"paint": "quiz_1"}])


def test_twenty_four_students_work_on_four_lessons() -> None:
    assert [lesson[:2] for lesson in lessons()] == ["01", "02", "05", "06"]
    names = {student.name for lesson in lessons() for student in students(lesson)}
    assert sorted(names) == [f"s{n:02}" for n in range(1, 25)]


@pytest.mark.parametrize("lesson", lessons())
def test_each_student_says_who_it_is(lesson: str) -> None:
    notes = [student.note for student in students(lesson)]
    assert len(set(notes)) == len(notes) >= 15


@pytest.mark.parametrize("lesson", lessons())
def test_no_two_students_hand_in_the_same(lesson: str) -> None:
    source = read(notebook_path(REPOSITORY / "source", lesson))
    release = read(notebook_path(REPOSITORY / "release", lesson))
    handed_in = [submission(student, source, release) for student in students(lesson)]
    assert all(one != other for n, one in enumerate(handed_in) for other in handed_in[:n])


def test_a_class_is_a_whole_course(tmp_path: Path) -> None:
    paths = make(tmp_path / "class")
    course = Course(tmp_path / "class")
    assert paths == [
        notebook_path(course.submitted / student.name, lesson)
        for lesson in lessons()
        for student in students(lesson)
    ]
    assert all((path.parent / "timestamp.txt").is_file() for path in paths)
    for folder, lesson in product(("source", "release"), lessons()):
        path = notebook_path(course.root / folder, lesson)
        assert path.read_bytes() == notebook_path(REPOSITORY / folder, lesson).read_bytes()


def test_making_it_again_replaces_its_own_and_keeps_the_rest(tmp_path: Path) -> None:
    first = make(tmp_path)
    first[0].write_text("changed", encoding="utf-8")
    kept = [tmp_path / "gradebook.db", tmp_path / "submitted" / "me" / "note.txt"]
    for path in kept:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine", encoding="utf-8")
    make(tmp_path)
    assert first[0].read_text(encoding="utf-8") != "changed"
    assert all(path.read_text(encoding="utf-8") == "mine" for path in kept)


def test_a_folder_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ManyheadsError, match=r"is no sample class: it holds thesis\.txt"):
        make(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [([], "Say where the sample class goes"), (["."], "is no sample class")],
)
@pytest.mark.slow
def test_the_command_says_what_is_wrong_in_a_line(arguments: list[str], words: str) -> None:
    command = [sys.executable, "-m", "tests.classroom", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
