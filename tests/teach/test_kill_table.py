"""The kill table says no: to a survivor, a falsely accused answer, a wrong name, a cheap shape."""

from __future__ import annotations

import pytest

from manyheads.errors import BankError
from manyheads.teach import kill_table as module
from manyheads.teach.kill_table import Judged, KillTable, Row, kill_table
from tests.bank import Entry
from tests.teach.small_course import course_with_bank

RIGHT = (
    "def split_heads(x, num_heads):\n    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)"
)
WRONG = "def split_heads(x, num_heads):\n    return x.unflatten(-1, (num_heads, -1))"
HANGS = "def split_heads(x, num_heads):\n    while True: pass"
CAUSE = "tokens-before-heads"


def in_this_process(function, jobs, limit, finished):
    results = []
    for job in jobs:
        results.append(function(job))
        finished(len(results))
    return results


def measured(root, wrong=(), right=(), run=in_this_process):
    """The row of split_heads and the floors missed, of a bank with these answers."""
    spelled = {
        "wrong": [
            {"id": f"w{n}", "code": code, "cause": cause} for n, (code, cause) in enumerate(wrong)
        ],
        "right": [{"id": f"r{n}", "code": code} for n, code in enumerate(right)],
    }
    course = course_with_bank(root, split_heads=spelled)
    table = kill_table(course, lambda *_: None, run)
    floors = [floor for floor in table.missed() if "holds no answers" not in floor]
    return table.rows[0], floors


def test_a_good_bank_misses_no_floor(tmp_path):
    row, missed = measured(tmp_path, [(WRONG, CAUSE)], [RIGHT])
    assert (len(row.wrong), len(row.right), row.survivors, row.robbed, missed) == (1, 1, [], [], [])


def test_a_survivor_misses_a_floor(tmp_path):
    row, missed = measured(tmp_path, [(RIGHT, CAUSE)], [RIGHT])
    assert [one.entry.id for one in row.survivors] == ["w0"]
    assert "1 of 1 wrong answers earn full marks, floor 0" in missed


def test_a_right_answer_that_loses_points_or_is_accused_misses_a_floor(tmp_path):
    row, missed = measured(tmp_path, [(WRONG, CAUSE)], [RIGHT, WRONG])
    assert [one.entry.id for one in row.robbed] == ["r1"]
    assert [one.entry.id for one in row.accused] == ["r1"]
    assert missed == [
        "1 right answers lose points, floor 0",
        "1 right answers are not passed by their check, floor 0",
    ]


@pytest.mark.parametrize("cause", ["direct-view", None])
def test_another_name_or_none_is_not_named(tmp_path, cause):
    row, missed = measured(tmp_path, [(WRONG, cause)])
    assert [one.told for one in row.unnamed] == [CAUSE]
    assert missed == ["0 of 1 wrong answers are told their own cause, floor 95%"]


def test_the_highest_score_of_a_wrong_answer_and_the_shape_s_are_measured(tmp_path):
    first_only = f"{RIGHT}[:1].expand(x.shape[0], -1, -1, -1)"
    row, _ = measured(tmp_path, [(WRONG, CAUSE), (first_only, "only-first-sample")])
    assert (row.highest, row.shape_only, row.most) == (1, 1, 6)


@pytest.mark.slow
def test_an_answer_that_hangs_is_caught_and_holds_nothing_up(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 5.0)
    row, missed = measured(tmp_path, [(HANGS, CAUSE), (WRONG, CAUSE)], [RIGHT], module.run_all)
    assert row.survivors == row.robbed == []
    assert [(one.entry.id, one.lost) for one in row.unnamed] == [
        ("w0", "did not end within 5 seconds")
    ]
    assert missed == ["1 of 2 wrong answers are told their own cause, floor 95%"]


@pytest.mark.slow
def test_a_right_answer_that_hangs_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 5.0)
    row, missed = measured(tmp_path, [(WRONG, CAUSE)], [HANGS], module.run_all)
    assert [one.lost for one in row.robbed] == ["did not end within 5 seconds"]
    assert len(missed) == 2


def row(exercise="mix", most=10.0, shape_only=2.0, wrong=100, named=100):
    entry = Entry("w", exercise, right=False, code="", cause="c")
    answers = [Judged(entry, most, 1.0, False, "c" if n < named else "d") for n in range(wrong)]
    return Row("01_small", exercise, most, tuple(answers), shape_only)


@pytest.mark.parametrize(("named", "floors"), [(95, 0), (94, 1)])
def test_the_floor_of_the_named_is_95_percent(named, floors):
    assert len(KillTable((row(named=named),)).missed()) == floors


@pytest.mark.parametrize(("points", "floors"), [(2.0, 0), (2.5, 1), (None, 0)])
def test_the_shape_alone_may_earn_a_fifth(points, floors):
    assert len(KillTable((row(shape_only=points),)).missed()) == floors


def test_an_exercise_without_answers_misses_a_floor_and_a_clinic_does_not():
    table = KillTable((row(),), ("other", "clinic_sign"))
    assert table.missed() == ["the bank holds no answers to other"]


@pytest.mark.parametrize(
    ("exercise", "words"),
    [("spilt_heads", "which no lesson in source/ asks for. Run `manyheads build`")],
)
def test_answers_to_an_exercise_of_no_lesson_are_refused(tmp_path, exercise, words):
    course = course_with_bank(
        tmp_path, **{exercise: {"wrong": [{"id": "w", "code": ""}], "right": []}}
    )
    with pytest.raises(BankError, match=f"answers to {exercise}, {words}"):
        kill_table(course, lambda *_: None, in_this_process)


def test_answers_to_an_exercise_without_a_check_are_refused(tmp_path, monkeypatch):
    monkeypatch.delattr("manyheads.check.split_heads")
    course = course_with_bank(
        tmp_path, split_heads={"wrong": [{"id": "w", "code": ""}], "right": []}
    )
    with pytest.raises(BankError, match="answers to split_heads, which has no check yet"):
        kill_table(course, lambda *_: None, in_this_process)


def test_progress_is_told(tmp_path):
    told = []
    spelled = {"wrong": [{"id": "w", "code": WRONG}], "right": []}
    kill_table(
        course_with_bank(tmp_path, split_heads=spelled), lambda *a: told.append(a), in_this_process
    )
    assert told == [(1, 2, "answers"), (2, 2, "answers")]
