"""A small lesson of its own, and a session that begins anew with every test."""

from __future__ import annotations

import pytest

from manyheads.check import questions, session

LESSON = """\
title: A small lesson
questions:
  predict_1: {kind: predict, says: "Noted. You will see."}
  quiz_1:
    kind: choice
    choices:
      a: {right: false, says: "No, count the tokens."}
      B: {right: true, says: "Yes, all of them."}
  practice_1:
    kind: value
    right: [2, 3, 5, 4]
    says: "B, H, T, Dh."
    mistakes: [{value: [2, 5, 3, 4], says: "That is before the axes change places."}]
    otherwise: "Write down the four names first."
  practice_2: {kind: value, right: 4, says: "12 / 3.", otherwise: "Divide."}
  practice_3: {kind: value, right: true, says: "It does.", otherwise: "Try one."}
  split_heads: {kind: function}
  explain_1: {kind: text}
"""


@pytest.fixture(autouse=True)
def new_session():
    session.forget()
    yield
    session.forget()


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    """A folder of questions with one lesson, `02_small`; tests may write more into it."""
    (tmp_path / "02_small.yaml").write_text(LESSON, encoding="utf-8")
    monkeypatch.setattr(questions, "FOLDER", tmp_path)
    return tmp_path
