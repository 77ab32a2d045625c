"""A class graded: what students do to notebooks, and what each of them earns."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from nbformat import NotebookNode

from manyheads.course import Course
from manyheads.errors import GradingError, MissingSubmissionError
from manyheads.grade import ClassReport, grade_class
from manyheads.grade.grades import read_csv
from tests.classroom import edit, find, index, read
from tests.grade.mini import CANARY, LESSON, code, make_course, release_notebook, student

pytestmark = pytest.mark.slow

WRONG = "def split_heads(x, num_heads):\n    return x"
WRONG_ALL = {
    "split_heads": WRONG,
    "rotate_qk": "def rotate_qk(q, k, v, rope):\n    return q, k, v",
    "share": "share = 0",
    "quiz_1": "quiz_1 = 'a'",
}
TESTS = {
    "test_split_heads_shape": 1,
    "test_split_heads_values": 3,
    "test_split_heads_contract": 2,
    "test_rotate_qk": 2,
    "test_share": 4,
    "test_quiz_1": 1,
}
SPLIT_TESTS = list(TESTS)[:3]
FULL = {"split_heads": 6, "rotate_qk": 2, "share": 4, "quiz_1": 1, "explain_1": 0}
NOTHING = dict.fromkeys(FULL, 0)
WARNS = """
import logging, sys, warnings

def split_heads(x, num_heads):
    warnings.warn("slow")
    logging.getLogger("mine").error("really slow")
    print("slow indeed", file=sys.stderr)
    return np.stack(np.split(x, num_heads, axis=-1), axis=1)
"""
DIES = "import os\n\n\ndef rotate_qk(*arguments):\n    os._exit(0)"
LOOPS = "def rotate_qk(*arguments):\n    while True:\n        pass"
HANGS = """
import time

def rotate_qk(*arguments):
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass
"""
SPIES = """
import inspect, sys
def split_heads(x, num_heads):
    seen.append(inspect.stack()[1].frame.f_code.co_filename)
    return x
seen = []
"""
LOOKS = """
print(In[-4:])
print(*In)
display({'text/html': '<pre>' + '<br>'.join(In) + '</pre>'}, raw=True)
import linecache
print(*[''.join(linecache.getlines(name)) for name in seen])
print(sys.last_value)
In
"""


@dataclass(frozen=True)
class Case:
    """What a student did, and the points it earns beyond or below a right student's."""

    notebook: NotebookNode
    earns: dict[str, float] = field(default_factory=dict)

    @property
    def points(self) -> dict[str, float]:
        return {**FULL, **self.earns}


def retagged(notebook: NotebookNode, tag: str) -> NotebookNode:
    return edit(notebook, [{"tag": name, "as": tag} for name in TESTS])


def without(notebook: NotebookNode, *names: str) -> NotebookNode:
    return edit(notebook, [{"delete": name} for name in names])


def copied(notebook: NotebookNode, *names: str) -> NotebookNode:
    return edit(notebook, [{"copy": name} for name in names])


def flipped(notebook: NotebookNode, **marks: object) -> NotebookNode:
    for name in TESTS:
        find(notebook, name).metadata["nbgrader"].update(marks)
    return notebook


def with_ids(notebook: NotebookNode, name: str | None, minor: int = 5) -> NotebookNode:
    notebook.nbformat_minor = minor
    for cell in notebook.cells:
        cell.pop("id")
        if name is not None:
            cell["id"] = name
    return notebook


def stripped(notebook: NotebookNode) -> NotebookNode:
    for cell in notebook.cells:
        cell.metadata.clear()
    return notebook


def moved_up(notebook: NotebookNode) -> NotebookNode:
    cell = notebook.cells.pop(index(notebook, "test_split_heads_values"))
    notebook.cells.insert(0, cell)
    return notebook


def looking(notebook: NotebookNode, words: str) -> NotebookNode:
    place = index(notebook, "test_split_heads_contract")
    notebook.cells.insert(place + 1, code(words))
    return notebook


def deleted_and_wrong() -> dict[str, Case]:
    """For each test: its exercise wrong and the test deleted earns nothing for the exercise."""
    cases = {}
    for test in TESTS:
        exercise = next(name for name in WRONG_ALL if name in test)
        notebook = without(student(**{exercise: WRONG_ALL[exercise]}), test)
        cases[f"{test} deleted, wrong"] = Case(notebook, {exercise: 0})
    return cases


CASES = {
    "right": Case(student()),
    "untouched": Case(release_notebook(), NOTHING),
    "all wrong": Case(student(**WRONG_ALL), NOTHING),
    "syntax error": Case(student(split_heads="def split_heads(x"), {"split_heads": 0}),
    "warns": Case(student(split_heads=WARNS)),
    "tags to skip, right": Case(retagged(student(), "skip-execution")),
    "tags to skip, wrong": Case(retagged(student(**WRONG_ALL), "skip-execution"), NOTHING),
    "all tests deleted, right": Case(without(student(), *TESTS)),
    "all tests deleted, wrong": Case(without(student(**WRONG_ALL), *TESTS), NOTHING),
    **deleted_and_wrong(),
    "everything copied, right": Case(copied(student(), *TESTS, *WRONG_ALL, "given_helper")),
    "everything copied, wrong": Case(copied(student(**WRONG_ALL), *TESTS, *WRONG_ALL), NOTHING),
    "more points": Case(flipped(student(**WRONG_ALL), points=1000), NOTHING),
    "not graded": Case(flipped(student(), grade=False)),
    "tests as answers": Case(flipped(student(**WRONG_ALL), solution=True, locked=False), NOTHING),
    "old schema": Case(flipped(student(), schema_version=1)),
    "future schema": Case(flipped(student(), schema_version=99)),
    "same cell id everywhere": Case(with_ids(student(), "same")),
    "no cell ids": Case(with_ids(student(), None)),
    "older format": Case(with_ids(student(), None, minor=2)),
    "metadata stripped": Case(stripped(student())),
    "test above its answer": Case(moved_up(student())),
    "half the share": Case(student(share="share = 0.5"), {"share": 2}),
    "share nan": Case(student(share="share = float('nan')"), {"share": 0}),
    "share inf": Case(student(share="share = float('inf')"), {"share": 0}),
    "share negative": Case(student(share="share = -1"), {"share": 0}),
    "share too much": Case(student(share="share = 2"), {"share": 0}),
    "share a text": Case(student(share="share = 'all of it'"), {"share": 0}),
    "dies": Case(student(rotate_qk=DIES), {"rotate_qk": 0}),
    "loops": Case(student(rotate_qk=LOOPS), {"rotate_qk": 0}),
    "hangs": Case(student(rotate_qk=HANGS), {"rotate_qk": 0}),
    "spies": Case(looking(student(split_heads=SPIES), LOOKS), {"split_heads": 0}),
}
STUDENTS = {name: f"s{number:02}" for number, name in enumerate(CASES, start=1)}
UNREADABLE = "t01"


@dataclass(frozen=True)
class Graded:
    course: Course
    report: ClassReport
    steps: list[tuple[int, int, str]]

    def points(self, name: str) -> dict[str, float]:
        grades = [grade for grade in self.report.grades if grade.student == name]
        return {grade.exercise: grade.points for grade in grades}

    def page(self, name: str) -> str:
        path = self.report.feedback / name / LESSON / f"{LESSON}.html"
        return path.read_text(encoding="utf-8")


def impatient(course: Course) -> Course:
    """The course with short waits, so that what hangs is given up soon."""
    with (course.root / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write("c.Execute.timeout = 3\n")
    return course


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The class of all cases, graded once, with an unreadable notebook among them."""
    submissions = {STUDENTS[name]: case.notebook for name, case in CASES.items()}
    course = impatient(make_course(tmp_path_factory.mktemp("course"), submissions))
    unreadable = course.submitted / UNREADABLE / LESSON / f"{LESSON}.ipynb"
    unreadable.parent.mkdir(parents=True)
    unreadable.write_text('{"cells": [', encoding="utf-8")
    steps: list[tuple[int, int, str]] = []
    report = grade_class(course, [LESSON], lambda *step: steps.append(step))
    return Graded(course, report, steps)


@pytest.fixture
def one(tmp_path: Path) -> Course:
    """A course with one right student."""
    return make_course(tmp_path / "course", {"s01": student()})


def quiet(done: int, total: int, label: str) -> None:
    """Show no progress."""


@pytest.mark.parametrize("case", CASES)
def test_each_submission_earns_what_it_deserves(graded: Graded, case: str) -> None:
    assert graded.points(STUDENTS[case]) == CASES[case].points


@pytest.mark.parametrize("case", CASES)
def test_no_page_shows_anything_hidden(graded: Graded, case: str) -> None:
    assert CANARY not in graded.page(STUDENTS[case])


def test_every_case_has_a_page_with_its_score_lines(graded: Graded) -> None:
    assert "0 of 3 points" in graded.page(STUDENTS["all wrong"])
    assert "not all tests of share passed" in graded.page(STUDENTS["half the share"])


def test_no_output_had_to_be_left_out_since_hidden_tests_never_reach_a_student(
    graded: Graded,
) -> None:
    assert not any("This output is left out" in graded.page(STUDENTS[name]) for name in CASES)


def test_an_unreadable_notebook_fails_alone_with_cause_and_remedy(graded: Graded) -> None:
    [failure] = graded.report.failures
    assert (failure.student, failure.lesson, failure.ungraded) == (UNREADABLE, LESSON, True)
    assert "line 1: the file breaks off here" in failure.cause
    assert "send the notebook again" in failure.cause
    assert graded.points(UNREADABLE) == {}


def test_progress_is_told_at_the_start_and_after_each_submission(graded: Graded) -> None:
    total = len(CASES) + 1
    grading = [step for step in graded.steps if not step[2].startswith("feedback")]
    assert [done for done, _, _ in grading] == list(range(total + 1))
    assert {whole for _, whole, _ in grading} == {total}
    names = [*STUDENTS.values(), UNREADABLE]
    assert sorted(label for _, _, label in grading[1:]) == [f"{name} {LESSON}" for name in names]


def test_progress_is_told_after_each_page(graded: Graded) -> None:
    pages = [step for step in graded.steps if step[2].startswith("feedback")]
    assert [done for done, _, _ in pages] == list(range(1, len(CASES) + 1))


def test_the_table_of_grades_is_written(graded: Graded) -> None:
    assert read_csv(graded.report.csv) == graded.report.grades


def test_free_text_waits_for_a_person(graded: Graded) -> None:
    texts = [grade for grade in graded.report.grades if grade.exercise == "explain_1"]
    assert {(grade.points, grade.max_points, grade.manual) for grade in texts} == {(0, 4, True)}


def test_what_was_put_right_is_flagged(graded: Graded) -> None:
    flags = graded.report.flags
    assert (STUDENTS["right"], LESSON) not in flags
    assert flags[STUDENTS["test_quiz_1 deleted, wrong"], LESSON] == [
        "test_quiz_1 was missing: put back"
    ]


def test_nothing_that_is_printed_while_a_test_runs_is_kept(graded: Graded) -> None:
    path = graded.course.autograded / STUDENTS["warns"] / LESSON / f"{LESSON}.ipynb"
    assert "slow indeed" not in str([cell.get("outputs") for cell in read(path).cells])


@pytest.mark.parametrize("case", ["dies", "loops", "hangs"])
def test_what_ended_a_process_is_flagged_with_its_exercise(graded: Graded, case: str) -> None:
    [flag] = graded.report.flags[STUDENTS[case], LESSON]
    assert flag.startswith("rotate_qk: ")
    assert ("the process exited" if case == "dies" else "longer than 3 s") in flag


def test_release_and_source_are_left_alone_by_grading(graded: Graded, tmp_path: Path) -> None:
    fresh = make_course(tmp_path, {})
    for folder in ("source", "release"):
        files = sorted(path for path in (graded.course.root / folder).rglob("*") if path.is_file())
        assert [path.name for path in files] == [f"{LESSON}.ipynb"]
        assert files[0].read_bytes() == (fresh.root / folder / LESSON / files[0].name).read_bytes()


def test_grading_again_gives_the_same_and_keeps_manual_points(one: Course) -> None:
    from nbgrader.api import Gradebook

    first = grade_class(one, [LESSON], quiet).grades
    with Gradebook(f"sqlite:///{one.gradebook}") as gradebook:
        grade = gradebook.find_grade("explain_1", LESSON, LESSON, "s01")
        grade.manual_score, grade.needs_manual_grade = 3, False
        gradebook.db.commit()
    second = grade_class(one, [LESSON], quiet, again=True).grades
    assert second[:-1] == first[:-1]
    assert (second[-1].points, second[-1].manual) == (3, False)


def test_a_worse_answer_lowers_the_points(one: Course) -> None:
    assert sum(grade.points for grade in grade_class(one, [LESSON], quiet).grades) == 13
    make_course(one.root, {"s01": student(**WRONG_ALL)})
    assert sum(grade.points for grade in grade_class(one, [LESSON], quiet).grades) == 0


def test_a_corrected_hidden_test_is_what_counts_next_time(one: Course) -> None:
    grade_class(one, [LESSON], quiet)
    source = read(one.source / LESSON / f"{LESSON}.ipynb")
    test = find(source, "test_quiz_1")
    test.source = test.source.replace('"b"', '"c"')
    make_course(one.root, {}, source)
    grades = {grade.exercise: grade.points for grade in grade_class(one, [LESSON], quiet).grades}
    assert grades["quiz_1"] == 0


def test_other_graded_cells_than_those_graded_are_refused_and_grades_stay(one: Course) -> None:
    grade_class(one, [LESSON], quiet)
    before = one.gradebook.read_bytes()
    source = read(one.source / LESSON / f"{LESSON}.ipynb")
    del source.cells[index(source, "test_quiz_1")]
    make_course(one.root, {}, source)
    with pytest.raises(GradingError, match=r"02_mini could not be entered .*move the gradebook"):
        grade_class(one, [LESSON], quiet)
    assert one.gradebook.read_bytes() == before


def test_a_page_that_would_show_hidden_text_is_not_written_but_reported(one: Course) -> None:
    from nbgrader.api import Gradebook

    grade_class(one, [LESSON], quiet, feedback=False)
    with Gradebook(f"sqlite:///{one.gradebook}") as gradebook:
        comment = gradebook.find_comment("split_heads", LESSON, LESSON, "s01")
        comment.manual_comment = "See: wanted = canary_input[:, :, 3 * head : 3 * head + 3]"
        gradebook.db.commit()
    report = grade_class(one, [LESSON], quiet)
    [failure] = report.failures
    assert not failure.ungraded
    assert "The feedback page was not written: it would show" in failure.cause
    assert not list(one.feedback.rglob("*.html"))
    assert sum(grade.points for grade in report.grades) == 13


def test_nothing_submitted_is_an_error_before_anything_is_made(tmp_path: Path) -> None:
    course = make_course(tmp_path, {})
    with pytest.raises(MissingSubmissionError):
        grade_class(course, [LESSON], quiet)
    assert not course.gradebook.exists()


def test_a_path_that_nbgrader_takes_for_a_pattern_is_graded_in(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course [2026]*?", {"s01": student(), "s[02]": student()})
    report = grade_class(course, [LESSON], quiet, feedback=False)
    assert [failure.cause for failure in report.failures] == []
    assert {grade.student for grade in report.grades} == {"s01", "s[02]"}


def test_unusual_student_names_are_graded(tmp_path: Path) -> None:
    names = ["-s", "=1+1", "a b", "o'brien", "李"]
    course = make_course(tmp_path, dict.fromkeys(names, student()))
    report = grade_class(course, [LESSON], quiet)
    assert report.failures == []
    assert list(dict.fromkeys(grade.student for grade in read_csv(report.csv))) == names


def test_the_log_goes_to_a_file_not_to_the_screen(
    one: Course, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        report = grade_class(one, [LESSON], quiet)
    assert capfd.readouterr() == ("", "")
    assert "nbgrader" not in {record.name for record in caplog.records}
    assert f"graded s01 {LESSON}" in report.log.read_text(encoding="utf-8")


def test_a_notebook_of_another_lesson_is_flagged(tmp_path: Path) -> None:
    notebook = student()
    notebook.metadata["manyheads"] = {"lesson": "05_other", "release": "0"}
    report = grade_class(make_course(tmp_path, {"s01": notebook}), [LESSON], quiet)
    assert "says that it is a copy of '05_other'" in report.flags["s01", LESSON][0]
