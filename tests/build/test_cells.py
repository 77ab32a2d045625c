"""Broken cell headers, and what the author is told."""

import json
from collections.abc import Callable

import pytest

from manyheads.build.rules import report, violations
from manyheads.build.text import Lesson

Read = Callable[[str], Lesson]
Write = Callable[..., str]
Header = Callable[..., str]
Only = Callable[[Lesson, str, str, str], None]


def told(lesson: Lesson) -> list[str]:
    return report([lesson]).splitlines()


BROKEN_TEST_HEADERS = [
    ({"points": None}, "the points of test_double_values are missing", 'add "points": 1'),
    ({"points": "2"}, "the points of test_double_values are '2', expected a number above 0", ""),
    ({"points": 0}, "the points of test_double_values are 0, expected a number above 0", ""),
    ({"points": -1}, "the points of test_double_values are -1, expected a number above 0", ""),
    ({"points": True}, "the points of test_double_values are True, expected a number", ""),
    ({"points": float("nan")}, "the points of test_double_values are nan, expected a number", ""),
    ({"schema_version": None}, "nbgrader's schema_version is missing, expected 3", ""),
    ({"schema_version": 2}, "nbgrader's schema_version is 2, expected 3", 'write "schema_version"'),
    ({"grade": "yes"}, "\"grade\" is 'yes', expected true or false", 'write "grade": true'),
    ({"task": None}, "\"task\" is 'missing', expected true or false", ""),
    ({"extra": 1}, "nbgrader metadata has no key 'extra'", "remove it"),
    ({"locked": False}, "the test cell test_double_values is not locked", 'set "locked": true'),
    (
        {"solution": True},
        "a code cell with grade + locked + solution is no kind of cell",
        "make it",
    ),
    ({"grade": False, "locked": False, "points": None}, "a code cell with no flag set is no", ""),
    ({"grade_id": None}, "grade_id is missing", "use a letter, then at most 63"),
    ({"grade_id": ""}, "grade_id is ''", "use a letter"),
    ({"grade_id": "test-double"}, "grade_id is 'test-double'", "use a letter"),
    ({"grade_id": 3}, "grade_id is 3", "use a letter"),
    ({"grade_id": "t" * 65}, f"grade_id is '{'t' * 65}'", "use a letter"),
    ({"grade_id": "double_values"}, "the test cell's grade_id is 'double_values'", "call it test_"),
    ({"grade_id": "test_doubling"}, "the test test_doubling has no exercise", "call it test_ and"),
]


@pytest.mark.parametrize(("changed", "what", "remedy"), BROKEN_TEST_HEADERS)
def test_a_broken_test_header_is_refused_at_its_line(
    lesson_of: Read, write: Write, changed: dict[str, object], what: str, remedy: str
) -> None:
    flags = {"grade": True, "locked": True, "solution": False, "task": False, "schema_version": 3}
    flags |= {"grade_id": "test_double_values", "points": 2} | changed  # type: ignore[dict-item]
    kept = {key: value for key, value in flags.items() if value is not None}
    head = f'# %% nbgrader={json.dumps(kept, sort_keys=True)} tags=["raises-exception"]'
    lesson = lesson_of(write(test=f"{head}\nassert double(1) == 2\n"))
    assert any(what in v and remedy in v.split("Remedy")[1] for v in told(lesson))
    line = lesson.text.splitlines().index(head) + 1
    assert f"notebooks/01_double.py:{line}: " in "\n".join(told(lesson))


@pytest.mark.parametrize(
    ("head", "what"),
    [
        ('# %% nbgrader={"grade": true "locked"}', "the cell's header is not valid: nbgrader={"),
        ('# %% nbgrader={"grade": true, tags=["a"]', "the cell's header is not valid: nbgrader={"),
        ("# %% nbgrader=3", "nbgrader metadata is not a JSON object"),
        ('# %% colour="red"', "the cell's header holds 'colour', which lessons don't use"),
        ("# %% Imports", "the cell's header holds 'title', which lessons don't use"),
        ('# %% tags=["skip-execution"] nbgrader=4', "nbgrader metadata is not a JSON object"),
    ],
)
def test_a_cell_header_that_says_nothing_known_is_refused(
    lesson_of: Read, write: Write, head: str, what: str
) -> None:
    assert any(what in v for v in told(lesson_of(write(given=f"{head}\nx = 1\n"))))


def test_a_duplicate_grade_id_is_refused(
    only: Only, lesson_of: Read, write: Write, header: Header
) -> None:
    first, second = f"{header('given', 'helper')}\nx = 1\n", f"{header('given', 'helper')}\ny = 2\n"
    lesson = lesson_of(write(given=first + "\n" + second))
    line = lesson.text.splitlines().index(header("given", "helper")) + 1
    what = f"grade_id 'helper' is already used in line {line}"
    only(lesson, header("given", "helper"), what, "give each cell an id of its own")
    assert violations(lesson)[0].line > line


@pytest.mark.parametrize("name", ["quiz_0", "quiz", "practice_x", "predict_01", "explain_1x"])
def test_an_exercise_id_of_a_reserved_family_needs_its_number(
    lesson_of: Read, write: Write, header: Header, name: str
) -> None:
    exercise = f"{header('exercise', name)}\n{name} = 1\n"
    told_all = told(lesson_of(write(given=exercise)))
    assert any(f"the exercise's grade_id is {name!r}. Remedy: call it" in v for v in told_all)


@pytest.mark.parametrize("kind", ["exercise", "given"])
def test_only_tests_are_called_test(
    lesson_of: Read, write: Write, header: Header, kind: str
) -> None:
    cell = f"{header(kind, 'test_it')}\ndef test_it():\n    pass\n"
    told_all = told(lesson_of(write(given=cell)))
    assert any(f"the {kind} cell's grade_id 'test_it' is a test's" in v for v in told_all)


def test_points_are_for_tests_and_tasks(
    only: Only, lesson_of: Read, write: Write, header: Header
) -> None:
    lesson = lesson_of(write(given=f"{header('given', 'helper', 2)}\nx = 1\n"))
    what = "the cell helper has points but is neither a test nor a task"
    only(lesson, header("given", "helper", 2), what, 'remove "points"')


def test_a_test_cell_lets_run_all_go_on(
    only: Only, lesson_of: Read, write: Write, header: Header
) -> None:
    head = header("test", "test_double_values", 2)
    lesson = lesson_of(write(test=f"{head}\nassert double(1) == 2\n"))
    what = "the test cell test_double_values would stop Run All in an unfinished notebook"
    only(lesson, head, what, 'add tags=["raises-exception"]')


def test_a_graded_cell_is_never_skipped(
    only: Only, lesson_of: Read, write: Write, header: Header
) -> None:
    head = header("test", "test_double_values", 2, ("raises-exception", "skip-execution"))
    lesson = lesson_of(write(test=f"{head}\nassert double(1) == 2\n"))
    what = "the tag skip-execution keeps the cell test_double_values from running when graded"
    only(lesson, head, what, "remove the tag")


def test_a_task_is_called_explain(
    only: Only, lesson_of: Read, write: Write, header: Header
) -> None:
    head = header("task", "why_so", 4)
    body = "# Explain.\n#\n# ### BEGIN MARK SCHEME\n# all\n# ### END MARK SCHEME\n"
    what = "the task cell's grade_id is 'why_so'"
    only(lesson_of(write(task=f"{head}\n{body}")), head, what, "call it explain_1")
