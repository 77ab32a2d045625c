"""Quiz, practice and prediction: every answer is judged and explained."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from manyheads import check

pytestmark = pytest.mark.usefixtures("lessons")


@pytest.mark.parametrize("value", ["b", "B", " b ", "(b)", "b."])
def test_the_right_choice_is_accepted_in_any_spelling(value):
    assert check.answer("02_small", "quiz_1", value).passed is True


@pytest.mark.parametrize(("value", "says"), [("a", "count the tokens"), ("b", "all of them")])
def test_every_choice_explains_itself(value, says):
    assert says in check.answer("02_small", "quiz_1", value).text


@pytest.mark.parametrize("value", ["c", 2, ["a"], True, "a or b"])
def test_something_that_is_no_choice_is_told_the_choices(value):
    result = check.answer("02_small", "quiz_1", value)
    assert result.passed is False
    assert 'Put "a" or "b" in the place of the dots' in result.text


@pytest.mark.parametrize(
    "value",
    [
        [2, 3, 5, 4],
        (2, 3, 5, 4),
        torch.Size([2, 3, 5, 4]),
        np.array([2, 3, 5, 4]),
        torch.tensor([2, 3, 5, 4]),
        [2.0, np.int64(3), torch.tensor(5), 4],
    ],
    ids=repr,
)
def test_a_right_value_is_accepted_in_any_container(value):
    assert check.answer("02_small", "practice_1", value).passed is True


@pytest.mark.parametrize("value", [4, 4.0, np.float32(4), torch.tensor(4)])
def test_a_right_number_is_accepted_in_any_type(value):
    assert check.answer("02_small", "practice_2", value).passed is True


@pytest.mark.parametrize(
    ("question", "value", "says"),
    [
        ("practice_1", (2, 5, 3, 4), "That is before the axes change places."),
        ("practice_1", (2, 3, 5), "Write down the four names first."),
        ("practice_1", "2, 3, 5, 4", "You gave text in quotes; this question asks for a row"),
        ("practice_2", True, "You gave True or False; this question asks for a number"),
        ("practice_2", float("nan"), "Divide."),
        ("practice_3", 1, "You gave a number; this question asks for True or False"),
        ("practice_3", False, "Try one."),
        ("practice_2", len, "You gave a function"),
    ],
)
def test_a_wrong_value_is_told_why(question, value, says):
    result = check.answer("02_small", question, value)
    assert result.passed is False
    assert says in " ".join(result.text.split())


def test_a_wrong_value_is_not_told_the_answer():
    assert "2, 3, 5, 4" not in check.answer("02_small", "practice_1", (1, 1)).text


@pytest.mark.parametrize("value", [..., None, "...", "*Write your answer here.*", ""])
@pytest.mark.parametrize("question", ["quiz_1", "practice_1", "predict_1", "explain_1"])
def test_an_untouched_answer_is_open(question, value):
    result = check.answer("02_small", question, value)
    assert result.passed is None
    assert "not answered yet" in result.text


@pytest.mark.parametrize(
    ("question", "value", "says"),
    [
        ("predict_1", 3, "Noted. You will see."),
        ("predict_1", torch.ones(2), "Noted. You will see."),
        ("explain_1", "because", "Your teacher reads"),
    ],
)
def test_a_prediction_or_a_text_is_noted(question, value, says):
    result = check.answer("02_small", question, value)
    assert result.passed is None
    assert says in result.text


@pytest.mark.parametrize(
    ("lesson", "question", "says"),
    [
        ("02_small", "quiz_9", "02_small has no question 'quiz_9'. It has: predict_1, quiz_1"),
        ("02_small", None, "has no question None"),
        ("02_small", [], "has no question []"),
        ("99", "quiz_1", "No lesson is called '99'. With questions: 02_small."),
        (None, "quiz_1", "No lesson is called 'None'"),
        ("../02_small", "quiz_1", "No lesson is called"),
    ],
)
def test_an_unknown_name_gets_a_sentence(lesson, question, says):
    result = check.answer(lesson, question, "a")
    assert result.passed is None
    assert says in " ".join(result.text.split())


def test_a_function_is_sent_to_its_own_check():
    assert "check.split_heads(split_heads)" in check.answer("02_small", "split_heads", len).text


def test_a_value_whose_methods_misbehave_does_not_stop_the_check():
    class Cruel(list):
        def __iter__(self):
            raise SystemError

    assert check.answer("02_small", "practice_1", Cruel()).passed is False


def test_a_lesson_that_breaks_the_schema_gets_a_sentence(lessons):
    (lessons / "03_bad.yaml").write_text("title: x\n", encoding="utf-8")
    assert "expected exactly the keys title and questions" in check.answer("03_bad", "q", 1).text
