"""A result as text, as HTML and as data."""

from __future__ import annotations

import html.parser

import pytest

from manyheads.check.result import CHECK_MIME, PROGRESS_MIME, Progress, Result

EVIL = Result(
    "02",
    "<b>x</b>",
    False,
    "<script>alert(1)</script>",
    ("out[0, 1] & more", "<img src=x>"),
    "is 1 < 2?",
    "cause",
    "in f, line 1:\n    a < b",
    "1 of 2 questions",
)


class Tags(html.parser.HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.words = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.words.append(data)


def parsed(markup):
    tags = Tags()
    tags.feed(markup)
    return tags


def test_everything_is_escaped():
    assert not {"script", "img", "b"} & set(parsed(EVIL.html()).tags)


def test_the_block_is_a_status():
    assert ("role", "status") in parsed(EVIL.html()).attributes


@pytest.mark.parametrize(
    ("passed", "verdict", "word"),
    [(True, "", "passed"), (False, "", "not yet"), (None, "", "noted"), (None, "open", "open")],
)
def test_the_verdict_is_a_word(passed, verdict, word):
    markup = Result("02", "quiz_1", passed, "headline", verdict=verdict).html()
    assert f"<strong>{word}</strong>" in markup


def test_coordinates_are_set_in_a_fixed_width():
    assert '<p class="where">out[0, 1]' in EVIL.html()


def test_text_is_at_most_100_columns_wide():
    long = Result("02", "quiz_1", False, "headline", ("word " * 60,), "why " * 40)
    assert max(map(len, long.text.splitlines())) <= 100


def test_the_bundle_holds_what_the_command_line_reads():
    assert EVIL.bundle()[CHECK_MIME] == {
        "lesson": "02",
        "exercise": "<b>x</b>",
        "passed": False,
        "cause": "cause",
        "text": EVIL.answer,
    }


def test_the_representation_is_one_short_line():
    assert repr(Result("02", "quiz_1", True, "passed")) == "<quiz_1: passed>"


def test_progress_says_how_many_what_is_open_and_what_is_next():
    progress = Progress("02", ("quiz_1",), ("quiz_2", "quiz_3"), ("explain_1",))
    assert progress.text.splitlines() == [
        "02   1 of 3 questions answered in this session",
        "  Next: quiz_2. Open: quiz_2, quiz_3.",
        "  Read by your teacher: explain_1.",
    ]
    assert progress.bundle()[PROGRESS_MIME]["next"] == "quiz_2"
    assert "progress" in parsed(progress.html()).tags


def test_progress_says_when_all_is_answered():
    assert "Every question of this lesson is answered" in Progress("02", ("quiz_1",), ()).text


def test_backticks_become_code():
    markup = Result("02", "quiz_1", False, "headline", ("ends in `return`",)).html()
    assert "<p>ends in <code>return</code></p>" in markup
