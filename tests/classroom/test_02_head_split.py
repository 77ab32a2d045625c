"""Lesson 02 of the sample class, graded as each student deserves."""

from __future__ import annotations

import pytest

from tests.classroom.graded import GradedLesson, all_but, numbered

POINTS = {"split_heads": 6, "rotate_qk": 4, "clinic_view": 4}
POINTS |= numbered(recall=2, quiz=4, practice=4)
LOSES = {
    "s01": {},
    "s02": {},
    "s03": {},
    "s04": {},
    "s05": {"split_heads": 5},
    "s06": {"split_heads": 6},
    "s07": {"split_heads": 5, "rotate_qk": 4},
    "s08": all_but(POINTS, "split_heads", "quiz_1"),
    "s09": all_but(POINTS),
    "s10": all_but(POINTS, "quiz_1", "quiz_2", "quiz_3"),
    "s11": {"split_heads": 6},
    "s12": {"rotate_qk": 4},
    "s13": {"split_heads": 5, "rotate_qk": 4},
    "s14": {"split_heads": 2, "clinic_view": 3.5},
    "s18": dict.fromkeys(("recall_2", "quiz_1", "quiz_2", "practice_4"), 1),
}


@pytest.mark.slow
@pytest.mark.timeout(900)
class TestLesson02(GradedLesson):
    """The split, RoPE's place and the clinic."""

    lesson = "02_head_split"
    points = POINTS
    loses = LOSES
