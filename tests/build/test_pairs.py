"""Broken pairs of cells, and what the author is told."""

from collections.abc import Callable

import pytest

from manyheads.build.rules import report, violations
from manyheads.build.text import Lesson

Read = Callable[[str], Lesson]
Write = Callable[..., str]
Header = Callable[..., str]
Only = Callable[[Lesson, str, str, str], None]
RAISES = ("raises-exception",)
ANSWER = "# %% [markdown]\n# *Write your answer here.*\n\n"


def told(lesson: Lesson) -> list[str]:
    return report([lesson]).splitlines()


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
    only: Only, lesson_of: Read, write: Write, header: Header
) -> None:
    what, remedy = "the exercise quiz_1 has no test", "add a graded test cell test_quiz_1"
    only(lesson_of(write(quiz_test=None)), header("exercise", "quiz_1"), what, remedy)


def test_a_prediction_is_not_graded(
    only: Only, lesson_of: Read, write: Write, header: Header
) -> None:
    test = f"{header('test', 'test_predict_1', 1, RAISES)}\nassert predict_1\n"
    what = "the prediction predict_1 is graded by a test"
    remedy = "delete the test, or call the exercise quiz_1"
    only(lesson_of(write(answer=ANSWER + test)), header("exercise", "predict_1"), what, remedy)


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
