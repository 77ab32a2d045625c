"""A lesson whose tests the judge could not run from a distance is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from manyheads.build.judgeable import judge_violations
from manyheads.build.rules import report
from manyheads.build.text import Lesson

Write = Callable[..., str]
Read = Callable[[str], Lesson]


def told(lesson: Lesson) -> list[str]:
    return [violation.what for violation in judge_violations(lesson)]


def cell_of(header: Callable[..., str], text: str, *tags: str) -> str:
    return f"{header('test', 'test_double_values', 2, ('raises-exception', *tags))}\n{text}\n"


def test_the_example_lesson_keeps_the_rules(write: Write, lesson_of: Read) -> None:
    assert told(lesson_of(write())) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("del double", "test_double_values deletes double"),
        ("assert double(2) is double(2)", "asks double(2) is double(2)"),
        ("double.used = True\nassert double(2) == 4", "changes double.used"),
        ("import inspect\nassert inspect.getsource(double)", "inspects code"),
        ("assert double(2).backward()", "takes gradients"),
    ],
)
def test_what_a_judge_can_not_do_is_refused(
    text: str, what: str, write: Write, lesson_of: Read, header: Callable[..., str]
) -> None:
    (violation,) = told(lesson_of(write(test=cell_of(header, text))))
    assert what in violation


def test_the_opt_out_is_refused_in_a_lesson_of_the_course(
    write: Write, lesson_of: Read, header: Callable[..., str]
) -> None:
    text = write(test=cell_of(header, "assert double(2) == 4", "runs-with-student"))
    (violation,) = told(lesson_of(text))
    assert "lets a submission forge the verdict of test_double_values" in violation


def test_the_report_of_all_rules_names_line_and_remedy(
    write: Write, lesson_of: Read, header: Callable[..., str]
) -> None:
    text = write(test=cell_of(header, "assert double(1) == 2\ndel double"))
    line = text.splitlines().index("del double") + 1
    words = report([lesson_of(text)])
    assert f"notebooks/01_double.py:{line}: the test test_double_values deletes double" in words
    assert "Remedy: let the test call the student's function" in words


def test_code_that_is_no_python_is_left_to_the_rule_on_that(
    write: Write, lesson_of: Read, header: Callable[..., str]
) -> None:
    assert told(lesson_of(write(test=cell_of(header, "assert double(1 == 2")))) == []
