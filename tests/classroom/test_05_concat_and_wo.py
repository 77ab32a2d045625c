"""Lesson 05 of the sample class, graded as each student deserves.

Attention that is built on a wrong merge or projection falls with it.
"""

from __future__ import annotations

import pytest

from tests.classroom.graded import GradedLesson, all_but, numbered

POINTS = {"merge_heads": 6, "output_projection": 5, "multi_head_attention": 10, "clinic_merge": 3}
POINTS |= numbered(recall=2, quiz=4, practice=4)
LOSES = {
    "s01": {},
    "s02": {},
    "s03": {},
    "s04": {},
    "s05": {"merge_heads": 5, "multi_head_attention": 9},
    "s06": {"multi_head_attention": 9},
    "s07": {"output_projection": 5, "multi_head_attention": 9},
    "s08": all_but(POINTS, "recall_1", "practice_1", "merge_heads", "output_projection", "quiz_1"),
    "s11": {"output_projection": 5, "multi_head_attention": 10},
    "s12": {"multi_head_attention": 9},
    "s14": {"multi_head_attention": 9, "clinic_merge": 1.12},
    "s15": {},
    "s16": {"multi_head_attention": 10},
    "s18": {},
    "s20": {"clinic_merge": 3},
    "s21": {"merge_heads": 5},
    "s24": {"merge_heads": 5, "multi_head_attention": 9},
}


@pytest.mark.slow
@pytest.mark.timeout(900)
class TestLesson05(GradedLesson):
    """The merge, W_O, attention and the clinic."""

    lesson = "05_concat_and_wo"
    points = POINTS
    loses = LOSES
