"""Running a notebook's checks from the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from manyheads.course import Course, notebook_path
from manyheads.errors import MissingSubmissionError, NoChecksError, UnreadableNotebookError
from manyheads.student.copies import lay_copies
from manyheads.student.run_checks import CheckReport, run_checks

LESSON = "02_small"


def verdicts(report: CheckReport) -> dict[str, bool | None]:
    return {outcome.name: outcome.passed for outcome in report.outcomes}


@pytest.mark.slow
def test_untouched_copy_has_everything_open(student_course: Course) -> None:
    lay_copies(student_course)
    report = run_checks(student_course, LESSON)
    assert verdicts(report) == {"predict_1": None, "double": None, "test_double": False}
    assert report.summary == (
        "0 of 3 visible checks passed, 2 not answered yet; hidden tests run at grading."
    )


@pytest.mark.slow
def test_right_answer_passes_and_the_file_stays(
    student_course: Course, answer: Callable[..., None]
) -> None:
    answer(double="def double(x):\n    return 2 * x", predict_1="predict_1 = 4")
    path = notebook_path(student_course.work, LESSON)
    before = path.read_bytes()
    report = run_checks(student_course, LESSON)
    assert verdicts(report) == {"double": True, "test_double": True}
    assert report.summary == "2 of 2 visible checks passed; hidden tests run at grading."
    assert path.read_bytes() == before


@pytest.mark.slow
def test_wrong_answer_fails_with_the_tests_words(
    student_course: Course, answer: Callable[..., None]
) -> None:
    answer(double="def double(x):\n    return x")
    report = run_checks(student_course, str(notebook_path(student_course.work, LESSON)))
    assert verdicts(report) == {"predict_1": None, "double": False, "test_double": False}
    assert report.outcomes[-1].text == "test_double   AssertionError: twice two is four"


@pytest.mark.slow
def test_weakened_test_is_run_as_released(
    student_course: Course, answer: Callable[..., None]
) -> None:
    answer(double="def double(x):\n    return x", test_double="pass")
    assert verdicts(run_checks(student_course, LESSON))["test_double"] is False


@pytest.mark.slow
def test_deleted_test_counts_as_failed(student_course: Course) -> None:
    lay_copies(student_course)
    path = notebook_path(student_course.work, LESSON)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != "test_double"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    report = run_checks(student_course, LESSON)
    assert verdicts(report)["test_double"] is False
    assert "no longer in your notebook" in report.outcomes[-1].text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "remark"),
    [
        ("while True: pass", r"Cell 5 \(double\) did not finish within 2 s"),
        ("import os; os._exit(1)", r"Cell 5 \(double\) ended the kernel"),
    ],
)
def test_run_that_ends_early_says_where_and_why(
    student_course: Course, answer: Callable[..., None], code: str, remark: str
) -> None:
    answer(double=code)
    report = run_checks(student_course, LESSON, timeout=2)
    (said,) = report.remarks
    assert report.passed == 0
    assert verdicts(report)["test_double"] is None
    assert re.match(remark, said)


@pytest.mark.slow
def test_notebook_without_checks_is_an_error(student_course: Course, tmp_path: Path) -> None:
    path = tmp_path / "plain.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": []}), encoding="utf-8")
    with pytest.raises(NoChecksError, match="holds no check and no test"):
        run_checks(student_course, str(path))


def test_missing_file_is_an_error(student_course: Course) -> None:
    with pytest.raises(MissingSubmissionError, match=r"There is no notebook none.ipynb"):
        run_checks(student_course, "none.ipynb")


def test_unreadable_notebook_starts_no_kernel(student_course: Course) -> None:
    lay_copies(student_course)
    notebook_path(student_course.work, LESSON).write_text("[]", encoding="utf-8")
    with pytest.raises(UnreadableNotebookError, match="it holds a JSON list"):
        run_checks(student_course, LESSON)
