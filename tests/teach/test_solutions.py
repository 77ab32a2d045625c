"""A lesson's own answers as code."""

from __future__ import annotations

import pytest

from manyheads.teach.hidden_tests import answered
from manyheads.teach.solutions import right_shape_only, shape_only_code, solution_code
from tests.teach.small_course import code_cell, notebook

LESSON = notebook(
    code_cell("import math\n\ndef short(x):\n    return x"),
    code_cell("raise SystemExit  # shown to learners, not part of an answer"),
    code_cell("def half(x):\n    return x / 2", grade_id="given_half", locked=True, grade=False),
    code_cell("quiz_1 = 'b'", grade_id="quiz_1", solution=True, grade=False),
    code_cell("def down(x):\n    return math.floor(half(x))", grade_id="down", solution=True),
    code_cell("1 / 0", grade_id="test_down", locked=True, grade=True),
    code_cell("def last(x):\n    return x", grade_id="last", solution=True),
)


def test_imports_helpers_given_cells_and_functions_are_kept():
    space = answered(solution_code(LESSON))
    assert space["down"](7) == 3
    assert {"last", "short"} <= set(space)
    assert "quiz_1" not in space


def test_it_ends_with_the_exercise_asked_for():
    assert "last" not in answered(solution_code(LESSON, "down"))


def test_a_shape_only_answer_has_no_content():
    assert answered(shape_only_code(LESSON, "down"))["down"](7) == 0


@pytest.mark.parametrize(("value", "hollow"), [([1, 2], [0, 0]), ((3, [4]), (0, [0])), (5, 0)])
def test_the_form_of_a_result_stays(value, hollow):
    assert right_shape_only(lambda: value)() == hollow
