"""The package reads the bank with the bank's own loader."""

from __future__ import annotations

import pytest

from manyheads.course import Course
from manyheads.errors import BankError
from manyheads.teach.bank import load_bank
from tests.bank import load
from tests.teach.small_course import REPOSITORY, course_with_bank


def test_it_is_what_the_loader_gives():
    mine = [(entry.exercise, entry.id, entry.code) for entry in load_bank(Course(REPOSITORY))]
    assert mine == [(entry.exercise, entry.id, entry.code) for entry in load()]


def test_a_course_without_a_bank_says_so(tmp_path):
    with pytest.raises(BankError, match=r"has no bank of known answers: tests/bank is missing"):
        load_bank(Course(tmp_path))


def test_a_broken_entry_is_refused_with_its_cause(tmp_path):
    course = course_with_bank(tmp_path, split_heads={"wrong": [{"id": "no-code"}], "right": []})
    with pytest.raises(BankError, match=r"can't be read \(TypeError: .*'code'"):
        load_bank(course)
