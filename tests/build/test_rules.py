"""Broken files, and the one report of everything that is broken."""

from collections.abc import Callable

import pytest

from manyheads.build.rules import report, violations
from manyheads.build.text import Lesson

Read = Callable[[str], Lesson]
Write = Callable[..., str]
ANSWER = "# %% [markdown]\n# *Write your answer here.*\n\n"


def told(lesson: Lesson) -> list[str]:
    return report([lesson]).splitlines()


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("", "the file holds no cell", "start the first one with"),
        ("x = 1\n\n# %%\ny = 2\n", "text stands before the first cell", "start the first cell"),
        ("\ufeff# %%\ny = 2\n", "text stands before the first cell", "start the first cell with"),
        ("#%%\ny = 2\n", "text stands before the first cell", "start the first cell with # %%"),
        (
            "# %% [markdown]\nhello\n",
            "saving the lesson in JupyterLab would change this line to '# hello'",
            "write it so, or open and save",
        ),
        ("# %%\nx = 1", "saving the lesson in JupyterLab would change this line", "write it so"),
        ("# %%\nx = 1\n\n#%%\ny = 1\n", "would change this line to '# %%'", "write it so"),
        ('# %%\nx = """\n\n# %%\ny = 2\n# """\n', "looks like a cell's header but lies inside", ""),
        (
            "# %%\n# AUTOTEST x\n",
            "nbgrader would replace this AUTOTEST line",
            "write the tests out",
        ),
        (
            "# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n"
            "#       jupytext_version: 1.19.1\n# ---\n\n# %%\nx = 1\n",
            "the file's header names a jupytext version",
            "delete the line, and write notebook_metadata_filter",
        ),
    ],
)
def test_text_outside_the_format_is_refused(
    lesson_of: Read, text: str, what: str, remedy: str
) -> None:
    found = told(lesson_of(text))
    assert any(what in v and remedy in v for v in found)


def test_the_line_that_saving_would_change_is_named(lesson_of: Read, write: Write) -> None:
    python_flags = '# %% nbgrader={"grade": False, "locked": True}'
    lesson = lesson_of(write(answer=f"{ANSWER}{python_flags}\nx = 1\n"))
    churn = [v for v in violations(lesson) if v.what.startswith("saving the lesson")]
    assert [lesson.text.splitlines()[v.line - 1] for v in churn] == [python_flags]


def test_a_lesson_is_called_by_number_and_words(lesson_of: Read, write: Write) -> None:
    from dataclasses import replace

    found = told(replace(lesson_of(write()), name="Double"))
    assert found == [
        "notebooks/01_double.py:1: 'Double' is no lesson's name. "
        "Remedy: call the file NN_name.py: two digits, then lower-case words."
    ]


def test_all_violations_of_all_lessons_are_reported_in_the_order_of_their_lines(
    lesson_of: Read, write: Write
) -> None:
    lesson = lesson_of(write(quiz_test=None, answer=None, given="# %%\n### END SOLUTION\n"))
    lines = report([lesson, lesson]).splitlines()
    assert len(lines) == 6
    assert lines[:3] == lines[3:]
    numbers = [int(line.split(":")[1]) for line in lines[:3]]
    assert numbers == sorted(set(numbers))
    assert all(line.startswith("notebooks/01_double.py:") for line in lines)
