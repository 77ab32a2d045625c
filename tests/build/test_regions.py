"""Broken markers and regions, and what the author is told."""

from collections.abc import Callable

import pytest

from manyheads.build.rules import report
from manyheads.build.text import Lesson

Read = Callable[[str], Lesson]
Write = Callable[..., str]
Header = Callable[..., str]
Only = Callable[[Lesson, str, str, str], None]
RAISES = ("raises-exception",)


def told(lesson: Lesson) -> list[str]:
    return report([lesson]).splitlines()


@pytest.mark.parametrize(
    ("change", "at", "what", "remedy"),
    [
        (
            ("### END HIDDEN TESTS\n", ""),
            "### BEGIN HIDDEN TESTS",
            "### BEGIN HIDDEN TESTS is never closed in its cell",
            "add ### END HIDDEN TESTS below it",
        ),
        (
            ("### BEGIN HIDDEN TESTS\n", ""),
            "### END HIDDEN TESTS",
            "### END HIDDEN TESTS has no ### BEGIN HIDDEN TESTS before it",
            "add it, or delete this line",
        ),
        (
            ("### END HIDDEN TESTS", "### END SOLUTION"),
            "### END SOLUTION",
            "### END SOLUTION closes a HIDDEN TESTS region opened in line 4 of its cell",
            "write ### END HIDDEN TESTS",
        ),
        (
            ("### BEGIN HIDDEN TESTS", "### BEGIN HIDDEN TESTS\n### BEGIN HIDDEN TESTS"),
            "### BEGIN HIDDEN TESTS",
            "### BEGIN HIDDEN TESTS stands inside the HIDDEN TESTS region opened in line 4 of "
            "its cell",
            "close that region first with ### END HIDDEN TESTS",
        ),
    ],
)
def test_a_region_that_does_not_open_and_close_once_is_refused(
    only: Only,
    lesson_of: Read,
    write: Write,
    header: Header,
    change: tuple[str, str],
    at: str,
    what: str,
    remedy: str,
) -> None:
    test = f"""\
{header("test", "test_double_values", 2, RAISES)}
import math

assert double(1) == 2
### BEGIN HIDDEN TESTS
assert double(2) == 4
### END HIDDEN TESTS
"""
    only(lesson_of(write(test=test.replace(*change))), at, what, remedy)


@pytest.mark.parametrize(
    "line",
    [
        "### BEGIN HIDDEN TEST",
        "###BEGIN SOLUTIONS",
        "### begin hidden tests",
        "### Begin Solution",
        "# BEGIN HIDDEN TESTS",
        "### BEGIN_HIDDEN_TESTS",
        "### BEGIN HIDDEN TESTS:",
        "### END SOLUTOIN",
        "x = 1  ### BEGIN HIDDEN TESTS",
        "### BEGIN MARKING SCHEME",
        "### BEGIN HIDDEN",
        "#### BEGIN  MARK  SCHEME",
    ],
)
def test_a_line_like_a_marker_is_refused(lesson_of: Read, write: Write, line: str) -> None:
    lesson = lesson_of(write(given=f"# %%\n{line}\n"))
    assert any(f"{line!r} looks like a region marker and is none" in v for v in told(lesson))


@pytest.mark.parametrize(
    "line",
    ["# In the end, solutions differ", "# Begin with T tokens", "end = solutions", "# The end"],
)
def test_a_line_of_prose_is_no_marker(lesson_of: Read, write: Write, line: str) -> None:
    assert told(lesson_of(write(given=f"# %%\n{line}\n"))) == []


@pytest.mark.parametrize(
    ("kind", "place", "flag"),
    [
        ("SOLUTION", "a solution cell", "solution"),
        ("HIDDEN TESTS", "a graded test cell", "grade"),
        ("MARK SCHEME", "a task cell", "task"),
    ],
)
def test_a_region_in_a_cell_of_another_kind_is_refused(
    only: Only, lesson_of: Read, write: Write, kind: str, place: str, flag: str
) -> None:
    lesson = lesson_of(write(given=f"# %%\n### BEGIN {kind}\nx = 1\n### END {kind}\n"))
    what = f"a {kind} region stands in a cell that is not {place}"
    remedy = f'set "{flag}": true in the cell\'s header, or move the region'
    only(lesson, f"### BEGIN {kind}", what, remedy)
