"""What docs/writing-a-lesson.md says, held against the build."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from manyheads.build.rules import violations
from manyheads.build.text import Lesson

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "writing-a-lesson.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "manyheads" / "build").glob("*.py"))
CODE = "".join(path.read_text(encoding="utf-8") for path in SOURCES).replace("\\", "")
MESSAGES = [
    message
    for row in re.findall(r"^\| (`.*) \| .* \|$", TEXT.split("## What the build refuses")[1], re.M)
    for message in re.findall(r"`([^`]+)`", row)
]


def examples() -> str:
    """All examples of the page, as one lesson."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE))


def test_the_examples_are_a_lesson_that_breaks_no_rule(
    lesson_of: Callable[[str], Lesson],
) -> None:
    lesson = lesson_of(examples())
    assert violations(lesson) == []
    ids = {"given_numbers", "double", "test_double_values", "predict_1", "quiz_1", "explain_1"}
    assert ids <= {cell.grade_id for cell in lesson.cells}


def test_the_table_lists_many_messages() -> None:
    assert len(MESSAGES) > 40


@pytest.mark.parametrize("message", MESSAGES)
def test_a_listed_message_is_one_the_build_says(message: str) -> None:
    parts = [part for part in message.split("…") if part.strip(" (),:")]
    assert parts
    assert all(part.strip() in CODE for part in parts), parts
