"""On an honest class every cell's score is the one that nbgrader gives by itself.

Stock nbgrader takes four seconds a submission, so a dozen stand for all here;
`python -m tests.grade.stock FOLDER N` compares the sample class and N generated submissions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from manyheads.course import Course
from tests.grade.stock import LESSONS, differences, grade_both, lay_class, reason
from tests.hostile.classes import refuse_without_sandbox

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SUBMISSIONS = 12


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, Course]:
    """The same class, graded by stock nbgrader and by `manyheads grade`."""
    refuse_without_sandbox()
    root = tmp_path_factory.mktemp("both")
    ours, stock = lay_class(root, SUBMISSIONS, sample=False, seed=4)
    grade_both(ours, stock)
    return ours, stock


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_score_is_nbgraders(both: tuple[Course, Course], lesson: str) -> None:
    stock = both[1]
    found = differences(*both, lesson)
    assert [one for one in found if not reason(stock, lesson, one)] == []


def test_a_difference_is_noticed(both: tuple[Course, Course], tmp_path: Path) -> None:
    import shutil
    import sqlite3

    ours, stock = both
    spoiled = Course(tmp_path)
    shutil.copy(stock.gradebook, spoiled.gradebook)
    with sqlite3.connect(spoiled.gradebook) as database:
        database.execute(
            "update grade set auto_score = 77 where rowid in (select min(rowid) from grade)"
        )
    database.close()
    found = [one for lesson in LESSONS for one in differences(ours, spoiled, lesson)]
    assert [one.stock for one in found if one.stock == 77] == [77]
