"""Each broken lesson, and what its author is told."""

import json
from collections.abc import Callable

import pytest

from manyheads.build.rules import report, violations
from manyheads.build.text import Lesson

Read = Callable[[str], Lesson]
Write = Callable[..., str]
Header = Callable[..., str]
RAISES = ("raises-exception",)


def told(lesson: Lesson) -> list[str]:
    return [violation.at("01.py") for violation in violations(lesson)]


def only(lesson: Lesson, at: str, what: str, remedy: str) -> None:
    """One violation alone, at the line that reads `at`, with these words."""
    found = violations(lesson)
    assert [f"{v.what}. Remedy: {v.remedy}." for v in found] == [f"{what}. Remedy: {remedy}."]
    assert lesson.text.splitlines()[found[0].line - 1].strip() == at


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
    lesson_of: Read, write: Write, kind: str, place: str, flag: str
) -> None:
    lesson = lesson_of(write(given=f"# %%\n### BEGIN {kind}\nx = 1\n### END {kind}\n"))
    what = f"a {kind} region stands in a cell that is not {place}"
    remedy = f'set "{flag}": true in the cell\'s header, or move the region'
    only(lesson, f"### BEGIN {kind}", what, remedy)


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
    assert f"01.py:{line}: " in "\n".join(told(lesson))


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


def test_a_duplicate_grade_id_is_refused(lesson_of: Read, write: Write, header: Header) -> None:
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


def test_points_are_for_tests_and_tasks(lesson_of: Read, write: Write, header: Header) -> None:
    lesson = lesson_of(write(given=f"{header('given', 'helper', 2)}\nx = 1\n"))
    what = "the cell helper has points but is neither a test nor a task"
    only(lesson, header("given", "helper", 2), what, 'remove "points"')


def test_a_test_cell_lets_run_all_go_on(lesson_of: Read, write: Write, header: Header) -> None:
    head = header("test", "test_double_values", 2)
    lesson = lesson_of(write(test=f"{head}\nassert double(1) == 2\n"))
    what = "the test cell test_double_values would stop Run All in an unfinished notebook"
    only(lesson, head, what, 'add tags=["raises-exception"]')


def test_a_graded_cell_is_never_skipped(lesson_of: Read, write: Write, header: Header) -> None:
    head = header("test", "test_double_values", 2, ("raises-exception", "skip-execution"))
    lesson = lesson_of(write(test=f"{head}\nassert double(1) == 2\n"))
    what = "the tag skip-execution keeps the cell test_double_values from running when graded"
    only(lesson, head, what, "remove the tag")


@pytest.mark.parametrize(
    ("body", "at", "what"),
    [
        ("assert double(D) == 2", "assert double(D) == 2", "uses D, which neither it nor its"),
        ("assert torch.ones(1)", "assert torch.ones(1)", "uses torch, which neither it nor"),
        ("helper()", "helper()", "uses helper, which neither it nor its exercise sets"),
        ("twice_as_much", "twice_as_much", "uses twice_as_much, which neither it nor"),
        ("from math import *", "from math import *", "imports *, so its names can't be known"),
        ("x = 1\nx = y\ny = 2", "x = y", "uses y, which neither it nor its exercise sets"),
    ],
)
def test_a_test_that_does_not_stand_alone_is_refused(
    lesson_of: Read, write: Write, header: Header, body: str, at: str, what: str
) -> None:
    head = header("test", "test_double_values", 2, RAISES)
    lesson = lesson_of(write(test=f"{head}\n{body}\n"))
    (found,) = violations(lesson)
    assert f"the test test_double_values {what}" in found.what
    assert "in the test cell before its use" in found.remedy or "import each name" in found.remedy
    assert lesson.text.splitlines()[found.line - 1] == at


def test_what_only_hidden_tests_import_is_missing_in_the_students_version(
    lesson_of: Read, write: Write, header: Header
) -> None:
    head = header("test", "test_double_values", 2, RAISES)
    body = "### BEGIN HIDDEN TESTS\nimport math\n### END HIDDEN TESTS\nmath.pi\n"
    assert "uses math, which" in "".join(told(lesson_of(write(test=f"{head}\n{body}"))))


@pytest.mark.parametrize(
    ("code", "fits"),
    [
        ("FACTOR = 2\ndef double(x):\n    return FACTOR * x\n", True),
        ("import math\ndef double(x):\n    return math.fsum([x, x])\n", False),
    ],
)
def test_a_test_may_use_what_the_stub_defines_but_not_what_it_imports(
    lesson_of: Read, write: Write, header: Header, code: str, fits: bool
) -> None:
    stub = (
        code.replace("    return", "    ### BEGIN SOLUTION\n    return") + "    ### END SOLUTION\n"
    )
    name = "FACTOR" if fits else "math"
    test = f"{header('test', 'test_double_values', 2, RAISES)}\nassert double({name})\n"
    lesson = lesson_of(write(exercise=f"{header('exercise', 'double')}\n{stub}", test=test))
    assert (told(lesson) == []) is fits


def test_a_test_may_not_use_what_only_the_solution_defines(
    lesson_of: Read, write: Write, header: Header
) -> None:
    whole = f"{header('exercise', 'double')}\nK = 2\ndef double(x):\n    return K * x\n"
    test = f"{header('test', 'test_double_values', 2, RAISES)}\nassert double(K)\n"
    assert "uses K, which neither" in "".join(told(lesson_of(write(exercise=whole, test=test))))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("assert double(1 == 2", "test_double_values is not valid Python ("),
        ("%time double(1)", "test_double_values is not valid Python ("),
        (
            "for x in range(2):\n    ### BEGIN HIDDEN TESTS\n    double(x)\n"
            "    ### END HIDDEN TESTS",
            "test_double_values is not valid Python once its regions are removed (",
        ),
    ],
)
def test_a_test_that_is_no_python_is_refused(
    lesson_of: Read, write: Write, header: Header, body: str, what: str
) -> None:
    head = header("test", "test_double_values", 2, RAISES)
    assert any(what in v for v in told(lesson_of(write(test=f"{head}\n{body}\n"))))


def test_an_exercise_whose_stub_is_no_python_is_refused(
    lesson_of: Read, write: Write, header: Header
) -> None:
    body = "def double(x):\n### BEGIN SOLUTION\n    return 2 * x\n### END SOLUTION\n"
    lesson = lesson_of(write(exercise=f"{header('exercise', 'double')}\n{body}"))
    assert any("double is not valid Python once its regions are" in v for v in told(lesson))


def test_a_test_without_an_exercise_is_refused(lesson_of: Read, write: Write) -> None:
    lesson = lesson_of(write(quiz=None))
    found = "".join(told(lesson))
    assert "the test test_quiz_1 has no exercise. Remedy: call it test_ and the grade_id" in found


def test_a_test_before_its_exercise_is_refused(lesson_of: Read, write: Write) -> None:
    from itertools import pairwise

    text = write()
    cells = text.split("# %%")
    at = next(n for n, (a, b) in enumerate(pairwise(cells)) if "def double" in a and "math" in b)
    cells[at], cells[at + 1] = cells[at + 1], cells[at]
    (found,) = violations(lesson_of("# %%".join(cells)))
    assert found.what.startswith("the test test_double_values stands before its exercise in line")
    assert found.remedy == "move it below the exercise"


def test_an_exercise_without_a_test_is_refused(
    lesson_of: Read, write: Write, header: Header
) -> None:
    what, remedy = "the exercise quiz_1 has no test", "add a graded test cell test_quiz_1"
    only(lesson_of(write(quiz_test=None)), header("exercise", "quiz_1"), what, remedy)


def test_a_prediction_is_not_graded(lesson_of: Read, write: Write, header: Header) -> None:
    test = f"{header('test', 'test_predict_1', 1, RAISES)}\nassert predict_1\n"
    what = "the prediction predict_1 is graded by a test"
    remedy = "delete the test, or call the exercise quiz_1"
    only(lesson_of(write(answer=ANSWER + test)), header("exercise", "predict_1"), what, remedy)


ANSWER = "# %% [markdown]\n# *Write your answer here.*\n\n"


@pytest.mark.parametrize(
    ("name", "body", "what"),
    [
        ("double", "def triple(x):\n    ...", "the exercise double does not define double at its"),
        ("double", "double = 3", "double is not a function, and exercises are called after"),
        (
            "clinic_view",
            "def clinic_view(f):\n    ...",
            "the exercise clinic_view does not define f",
        ),
    ],
)
def test_an_exercise_defines_what_it_is_called_after(
    lesson_of: Read, write: Write, header: Header, name: str, body: str, what: str
) -> None:
    lesson = lesson_of(write(exercise=f"{header('exercise', name)}\n{body}\n"))
    assert any(what in v for v in told(lesson))


def test_a_clinic_defines_find_bug(lesson_of: Read, write: Write, header: Header) -> None:
    clinic = f"{header('exercise', 'clinic_view')}\ndef find_bug(candidate):\n    return True\n\n"
    test = f"{header('test', 'test_clinic_view', 1, RAISES)}\nassert find_bug(len)\n"
    assert told(lesson_of(write(given=f"{clinic}{test}"))) == []


@pytest.mark.parametrize(
    ("part", "text", "what"),
    [
        ("answer", None, "the task explain_1 has no answer cell after it"),
        ("answer", "# %%\nx = 1\n", "the task explain_1 has no answer cell after it"),
        ("task", "### END MARK SCHEME", "the task explain_1 has no mark scheme"),
    ],
)
def test_a_task_has_a_mark_scheme_and_an_answer_cell(
    lesson_of: Read, write: Write, header: Header, part: str, text: str | None, what: str
) -> None:
    head = header("task", "explain_1", 4)
    if part == "task":
        text = f"{head}\n# Explain.\n#\n# ### BEGIN MARK SCHEME\n#\n# {text}\n"
    found = violations(lesson_of(write(**{part: text})))
    assert [v.what for v in found] == [what]
    assert "add" in found[0].remedy


def test_a_task_is_called_explain(lesson_of: Read, write: Write, header: Header) -> None:
    head = header("task", "why_so", 4)
    body = "# Explain.\n#\n# ### BEGIN MARK SCHEME\n# all\n# ### END MARK SCHEME\n"
    what = "the task cell's grade_id is 'why_so'"
    only(lesson_of(write(task=f"{head}\n{body}")), head, what, "call it explain_1")


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
        "01.py:1: 'Double' is no lesson's name. "
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
