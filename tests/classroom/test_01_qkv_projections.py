"""Lesson 01 of the sample class, graded as each student deserves."""

from __future__ import annotations

import pytest

from tests.classroom.graded import GradedLesson, all_but, numbered

POINTS = {"project_qkv": 5, "split_fused_qkv": 6, "clinic_transpose": 3}
POINTS |= numbered(recall=2, quiz=4, practice=5)
LOSES = {
    "s01": {},
    "s02": {},
    "s03": {},
    "s04": {},
    "s05": {"project_qkv": 5},
    "s06": {"split_fused_qkv": 6},
    "s07": {"project_qkv": 5, "split_fused_qkv": 5},
    "s08": all_but(POINTS, "project_qkv", "recall_1", "recall_2", "practice_1"),
    "s09": all_but(POINTS),
    "s10": all_but(POINTS, "recall_1", "quiz_1", "quiz_2", "practice_1", "practice_2"),
    "s13": {"project_qkv": 4, "split_fused_qkv": 5},
    "s14": {"split_fused_qkv": 2, "clinic_transpose": 3},
    "s15": {},
    "s16": {"project_qkv": 1, "clinic_transpose": 1},
    "s17": {"project_qkv": 5},
    "s19": {"quiz_3": 1, "practice_4": 1},
}


@pytest.mark.slow
@pytest.mark.timeout(900)
class TestLesson01(GradedLesson):
    """Projections, the fused matrix and the clinic."""

    lesson = "01_qkv_projections"
    points = POINTS
    loses = LOSES
