"""Lesson 06 of the sample class, graded as each student deserves.

Attention that is built on a wrong repeat falls with it.
"""

from __future__ import annotations

import pytest

from tests.classroom.graded import GradedLesson, all_but, numbered

POINTS = {"kv_head_of": 3, "repeat_kv": 6, "grouped_query_attention": 9, "clinic_repeat": 3}
POINTS |= numbered(recall=2, quiz=4, practice=5)
LOSES = {
    "s01": {},
    "s02": {},
    "s03": {},
    "s04": {},
    "s05": {"kv_head_of": 3, "repeat_kv": 5, "grouped_query_attention": 8},
    "s06": {"kv_head_of": 3, "grouped_query_attention": 9, "clinic_repeat": 0.33},
    "s08": all_but(POINTS, "kv_head_of", "recall_1", "recall_2", "practice_1"),
    "s09": all_but(POINTS),
    "s13": {"kv_head_of": 1, "grouped_query_attention": 8},
    "s16": {"repeat_kv": 5, "grouped_query_attention": 8},
    "s18": {},
    "s19": {"grouped_query_attention": 8, "quiz_3": 1},
    "s21": {"kv_head_of": 3},
    "s22": {"grouped_query_attention": 9},
    "s23": {},
    "s24": {"repeat_kv": 5},
}


@pytest.mark.slow
@pytest.mark.timeout(900)
class TestLesson06(GradedLesson):
    """The map, the repeat, attention and the clinic."""

    lesson = "06_gqa_merge"
    points = POINTS
    loses = LOSES
