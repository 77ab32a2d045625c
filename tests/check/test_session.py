"""Progress: what counts as answered, and what is next."""

from __future__ import annotations

import pytest

from manyheads import check

pytestmark = pytest.mark.usefixtures("lessons")


def answered():
    return check.progress("02_small").answered


def test_nothing_is_answered_at_first():
    progress = check.progress("02_small")
    assert progress.answered == ()
    assert progress.open[0] == "predict_1"


def test_free_text_is_not_counted_but_named():
    progress = check.progress("02_small")
    assert progress.by_hand == ("explain_1",)
    assert "explain_1" not in progress.open


def test_right_and_noted_answers_count():
    check.answer("02_small", "quiz_1", "b")
    check.answer("02_small", "predict_1", 5)
    assert answered() == ("predict_1", "quiz_1")


@pytest.mark.parametrize("value", ["a", ...])
def test_an_answer_taken_back_no_longer_counts(value):
    check.answer("02_small", "quiz_1", "b")
    check.answer("02_small", "quiz_1", value)
    assert answered() == ()


def test_the_foot_of_a_result_shows_the_progress():
    said = check.answer("02_small", "quiz_1", "b").text
    assert said.endswith("1 of 6 questions answered in this session")


def test_an_unknown_lesson_gets_a_sentence():
    assert "No lesson is called 'x'" in check.progress("x").text


def test_a_function_counts_for_its_lesson(lessons):
    (lessons / "02_head_split.yaml").write_text(
        "title: x\nquestions:\n  rotate_qk: {kind: function}\n", encoding="utf-8"
    )
    result = check.rotate_qk(lambda q, k, v, rope: (rope(q), rope(k), v))
    assert result.footer == "1 of 1 questions answered in this session"
