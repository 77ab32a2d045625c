"""Every wrong spelling loses points in its hidden tests, every right one keeps them all."""

from __future__ import annotations

import pytest

from tests.bank import load
from tests.bank.hidden import hidden_tests, scores

ENTRIES = load()
EXERCISES = sorted({entry.exercise for entry in ENTRIES})
SHAPE_SHARE = 1 / 5  # the most that a right shape may earn by itself


def _id(entry):
    return f"{entry.exercise}-{'right' if entry.right else 'wrong'}-{entry.id}"


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore:coroutine:RuntimeWarning")
@pytest.mark.parametrize("entry", ENTRIES, ids=_id)
def test_a_wrong_spelling_loses_points_and_a_right_one_none(entry):
    earned = scores(entry)
    lost = [name for name, (points, most) in earned.items() if points < most]
    assert earned
    assert bool(lost) is not entry.right, lost


@pytest.mark.parametrize("exercise", [e for e in EXERCISES if not e.startswith("clinic_")])
def test_a_right_shape_alone_earns_at_most_a_fifth(exercise):
    points = {test.name: test.points for test in hidden_tests(exercise)}
    shape = sum(worth for name, worth in points.items() if name.endswith("_shape"))
    assert shape <= SHAPE_SHARE * sum(points.values())
