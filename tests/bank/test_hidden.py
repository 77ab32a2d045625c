"""The graded tests have power: every wrong spelling loses points, no right one does."""

from __future__ import annotations

import pytest

from tests.bank import Entry, load
from tests.bank.hidden import graded_cells, points

EXERCISES = ("project_qkv", "split_fused_qkv", "clinic_transpose")
ENTRIES = [entry for exercise in EXERCISES for entry in load(exercise)]
WRONG = [entry for entry in ENTRIES if not entry.right]
RIGHT = [entry for entry in ENTRIES if entry.right]


def _id(entry):
    return f"{entry.exercise}-{entry.id}"


def most(exercise):
    return sum(most for _, most, _ in graded_cells()[exercise])


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
@pytest.mark.parametrize("entry", WRONG, ids=_id)
def test_a_wrong_spelling_loses_points(entry):
    assert sum(points(entry).values()) < most(entry.exercise)


@pytest.mark.parametrize("entry", RIGHT, ids=_id)
def test_a_right_spelling_earns_all(entry):
    assert sum(points(entry).values()) == most(entry.exercise)


@pytest.mark.parametrize("exercise", ["project_qkv", "split_fused_qkv"])
def test_the_shape_is_at_most_a_fifth(exercise):
    shape = sum(p for name, p, _ in graded_cells()[exercise] if name.endswith("_shape"))
    assert shape <= most(exercise) / 5


def test_the_harness_can_say_no():
    code = "def project_qkv(x, Wq, Wk, Wv):\n    ..."
    nothing = Entry("nothing", "project_qkv", False, code)
    assert set(points(nothing).values()) == {0.0}
