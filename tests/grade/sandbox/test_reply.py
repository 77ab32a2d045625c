"""What comes out of a student's process is read, never trusted."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from manyheads.grade.sandbox import Limits
from manyheads.grade.sandbox.reply import BadReply, read_reply

GOOD: dict[str, Any] = {
    "outputs": [
        {"output_type": "stream", "name": "stdout", "text": "hello"},
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "data": {"text/plain": "1", "application/vnd.x+json": {"a": [1.5, None]}},
            "metadata": {},
        },
        {"output_type": "display_data", "data": {"image/png": "UE5H"}, "metadata": {"a": 1}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t"]},
    ],
    "execution_count": 1,
    "failed": True,
}
LIMITS = Limits(output_bytes=1000, outputs=10)


def changed(path: str, value: Any) -> Any:
    """The good reply with one thing in it replaced."""
    reply: Any = copy.deepcopy(GOOD)
    place, *steps = [int(one) if one.isdigit() else one for one in path.split("/")]
    inner = reply
    for step in steps:
        inner, place = inner[place], step
    inner[place] = value
    return reply


def test_good_reply_is_taken_as_it_is() -> None:
    result = read_reply(GOOD, LIMITS)
    assert result.outputs == GOOD["outputs"]
    assert (result.execution_count, result.failed) == (1, True)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("outputs", None),
        ("outputs", [1]),
        ("outputs", [{"output_type": "stream", "name": "stdout", "text": ""}] * 100),
        ("execution_count", True),
        ("execution_count", -1),
        ("execution_count", 10**30),
        ("failed", 1),
        ("outputs/0/output_type", "secret"),
        ("outputs/0/output_type", ["stream"]),
        ("outputs/0/name", "stdlog"),
        ("outputs/0/text", 1),
        ("outputs/1/data", []),
        ("outputs/1/data", {"no mime type": "x"}),
        ("outputs/1/data", {"text/plain\n": "x"}),
        ("outputs/1/metadata", None),
        ("outputs/3/traceback", "text"),
        ("outputs/3/traceback", [1]),
        ("outputs/3/ename", None),
        ("outputs/0/text", "x" * 10**7),
    ],
)
def test_reply_of_another_form_is_refused(path: str, value: Any) -> None:
    with pytest.raises(BadReply, match=r"the reply to a cell"):
        read_reply(changed(path, value), LIMITS)


@pytest.mark.parametrize("reply", [None, [], "x", 1, {}])
def test_reply_that_is_no_object_is_refused(reply: Any) -> None:
    with pytest.raises(BadReply):
        read_reply(reply, LIMITS)


def test_data_nested_too_deep_is_refused() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    with pytest.raises(BadReply, match="too deep"):
        read_reply(changed("outputs/1/data", {"application/json": deep}), LIMITS)


@pytest.mark.parametrize(
    ("given", "kept"),
    [("a\ud800b", "a?b"), ("é", "é")],
    ids=["lone surrogate", "letter"],
)
def test_text_can_be_written_to_a_file(given: str, kept: str) -> None:
    assert read_reply(changed("outputs/0/text", given), LIMITS).outputs[0]["text"] == kept


def test_data_that_is_no_text_becomes_text_where_a_notebook_needs_it() -> None:
    reply = changed("outputs/2/data", {"text/plain": 3})
    assert read_reply(reply, LIMITS).outputs[2]["data"] == {"text/plain": "3"}


def test_numbers_that_are_none_become_words() -> None:
    reply = changed("outputs/2/data", {"application/json": float("inf")})
    assert read_reply(reply, LIMITS).outputs[2]["data"] == {"application/json": "inf"}


def test_keys_that_nobody_knows_are_left_out() -> None:
    reply = changed("outputs/0/secret", "x")
    assert "secret" not in read_reply(reply, LIMITS).outputs[0]
