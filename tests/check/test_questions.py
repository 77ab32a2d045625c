"""The questions' files: read once, and refused with every fault when they break the schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from manyheads.check.questions import load
from manyheads.errors import LessonTextError, UnknownLessonError


def write(folder, questions):
    (folder / "03_bad.yaml").write_text(f"title: Bad\nquestions:\n{questions}", encoding="utf-8")


@pytest.mark.parametrize(
    ("questions", "fault"),
    [
        ("  q: {kind: guess}", "q: kind must be one of choice, value"),
        ("  q: 3", "q: kind must be one of"),
        ("  q: {kind: predict}", "q: says is missing"),
        ("  q: {kind: predict, says: 3}", "q: says must be text"),
        ("  q: {kind: function, says: x}", "q: 'says' is not known for kind function"),
        ("  q: {kind: choice, choices: {a: {right: true, says: x}}}", "two or more"),
        (
            "  q: {kind: choice, choices: {a: {right: true, says: x}, b: {right: true, says: y}}}",
            "exactly one choice must be right",
        ),
        (
            "  q: {kind: choice, choices: {a: {right: true, says: x}, b: {right: 0, says: y}}}",
            "choices.b needs",
        ),
        (
            "  q: {kind: choice, choices: {1: {right: true, says: x}, b: {right: false, says: y}}}",
            "choices.1 needs a letter",
        ),
        ("  q: {kind: value, right: 1, says: x}", "q: otherwise is missing"),
        (
            "  q: {kind: value, right: 1, says: x, otherwise: y, mistakes: [3]}",
            "mistakes[0] needs exactly value and says",
        ),
        (
            "  q: {kind: value, right: 1, says: x, otherwise: y, mistakes: [{value: 1, says: z}]}",
            "mistakes[0] is the right value",
        ),
        ("  q: {kind: value, right: 1, says: x, otherwise: y, mistakes: 3}", "must be a list"),
        ("  q: [", "can't be read as YAML"),
        ("  - q", "questions a mapping of ids"),
    ],
)
def test_a_fault_is_named_with_its_place(lessons, questions, fault):
    write(lessons, questions)
    with pytest.raises(LessonTextError) as caught:
        load("03_bad")
    assert fault in str(caught.value)
    assert "03_bad.yaml" in str(caught.value)


def test_all_faults_are_named_at_once(lessons):
    write(lessons, "  p: {kind: predict}\n  q: {kind: value, right: 1, says: x}")
    with pytest.raises(LessonTextError, match=r"(?s)p: says is missing.*q: otherwise is missing"):
        load("03_bad")


@pytest.mark.usefixtures("lessons")
def test_an_unknown_lesson_is_named_beside_the_known():
    with pytest.raises(UnknownLessonError, match="With questions: 02_small"):
        load("04_none")


@pytest.mark.usefixtures("lessons")
def test_a_lesson_is_read_once(monkeypatch):
    first = load("02_small")
    monkeypatch.setattr(Path, "read_text", None)
    assert load("02_small") is first


@pytest.mark.usefixtures("lessons")
def test_questions_keep_the_lessons_order():
    assert list(load("02_small").questions)[:3] == ["predict_1", "quiz_1", "practice_1"]


def test_the_lessons_of_the_course_keep_the_schema():
    from manyheads.check.questions import FOLDER

    for path in FOLDER.glob("*.yaml"):
        assert load(path.stem).questions
