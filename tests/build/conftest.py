"""A tiny course of two lessons, and small helpers to write lessons with."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from manyheads.build.rules import violations
from manyheads.build.text import Lesson, read_lesson
from manyheads.course import Course

CONFIG = """\
c = get_config()
c.ClearSolutions.code_stub = {"python": "..."}
c.ClearSolutions.text_stub = "*Write your answer here.*"
"""
HEADER = """\
# ---
# jupyter:
#   jupytext:
#     notebook_metadata_filter: -jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

"""


def head(kind: str, grade_id: str, points: float | None = None, tags: tuple[str, ...] = ()) -> str:
    """A cell's header line, as authors write it."""
    flags = {"grade": kind == "test", "locked": kind != "exercise", "schema_version": 3}
    flags |= {"solution": kind == "exercise", "task": kind == "task", "grade_id": grade_id}
    flags |= {} if points is None else {"points": points}
    marked = " [markdown]" if kind == "task" else ""
    more = f" tags={json.dumps(list(tags))}" if tags else ""
    return f"# %%{marked} nbgrader={json.dumps(flags, sort_keys=True)}{more}"


TITLE = """\
# %% [markdown]
# # Doubling
#
# Double a number. Ümlaut.
"""
EXERCISE = f"""\
{head("exercise", "double")}
def double(x):
    \"\"\"Return twice `x`.\"\"\"
    ### BEGIN SOLUTION
    twice_as_much = x + x
    return twice_as_much
    ### END SOLUTION
"""
TEST = f"""\
{head("test", "test_double_values", 2, ("raises-exception",))}
import math

assert double(1) == 2
### BEGIN HIDDEN TESTS
assert math.isclose(double(0.25), 0.5), "a quarter"
### END HIDDEN TESTS
"""
QUIZ = f"""\
{head("exercise", "quiz_1")}
quiz_1 = (
    ### BEGIN SOLUTION
    "the second answer"
    ### END SOLUTION
)
"""
QUIZ_TEST = f"""\
{head("test", "test_quiz_1", 1, ("raises-exception",))}
### BEGIN HIDDEN TESTS
assert quiz_1 == "the second answer"
### END HIDDEN TESTS
"""
TASK = f"""\
{head("task", "explain_1", 4)}
# Explain why doubling keeps the sign.
#
# ### BEGIN MARK SCHEME
# - *two* points for naming the **factor** 2
# ### END MARK SCHEME
"""
ANSWER = """\
# %% [markdown]
# *Write your answer here.*
"""
GIVEN = f"""\
{head("given", "helper")}
def helper():
    return 3
"""
PREDICT = f"""\
{head("exercise", "predict_1")}
predict_1 = (
    ### BEGIN SOLUTION
    [1, 4, 9]
    ### END SOLUTION
)
"""
PARTS = {
    "title": TITLE,
    "predict": PREDICT,
    "given": GIVEN,
    "exercise": EXERCISE,
    "test": TEST,
    "quiz": QUIZ,
    "quiz_test": QUIZ_TEST,
    "task": TASK,
    "answer": ANSWER,
}


def lesson_text(**changed: str | None) -> str:
    """The example lesson, with some of its parts replaced, or left out where None is given."""
    parts = [part for part in (PARTS | changed).values() if part is not None]
    return HEADER + "\n".join(textwrap.dedent(part) for part in parts)


@pytest.fixture
def write() -> Callable[..., str]:
    """The function that writes the example lesson's text with parts replaced or left out."""
    return lesson_text


@pytest.fixture
def header() -> Callable[..., str]:
    """The function that writes a cell's header line."""
    return head


@pytest.fixture
def lesson_of(tmp_path: Path) -> Callable[[str], Lesson]:
    """The function that reads a text as the lesson 01_double."""

    def read(text: str) -> Lesson:
        path = tmp_path / "01_double.py"
        path.write_text(text, encoding="utf-8", newline="\n")
        return read_lesson(path, "notebooks/01_double.py")

    return read


@pytest.fixture
def only() -> Callable[[Lesson, str, str, str], None]:
    """The function that holds a lesson to one violation alone, at a line, with its words."""

    def hold(lesson: Lesson, at: str, what: str, remedy: str) -> None:
        found = violations(lesson)
        assert [(v.what, v.remedy) for v in found] == [(what, remedy)]
        assert lesson.text.splitlines()[found[0].line - 1].strip() == at

    return hold


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course of two lessons, not built yet."""
    root = tmp_path / "course [1]"
    (root / "notebooks").mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    (root / "notebooks" / "01_double.py").write_text(lesson_text(), encoding="utf-8")
    second = lesson_text(quiz=None, quiz_test=None, title="# %% [markdown]\n# # Again\n")
    (root / "notebooks" / "02_again.py").write_text(second, encoding="utf-8")
    return Course(root)
