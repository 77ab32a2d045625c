"""The document says what was measured, and stays true."""

from __future__ import annotations

import pytest

from manyheads.course import Course
from manyheads.errors import DriftError
from manyheads.teach.assessment import check_document, document, terminal_table, write_document
from manyheads.teach.kill_table import Judged, KillTable, Row, kill_table
from tests.bank import Entry
from tests.teach.small_course import REPOSITORY


def judged(name, earned=1.0, passed=False, told="c", lost="", **fields):
    entry = Entry(name, "mix", **{"right": False, "code": "", "cause": "c", **fields})
    return Judged(entry, 6.0, earned, passed, told, lost)


TABLE = KillTable(
    (
        Row(
            "01_small",
            "mix",
            6.0,
            (
                judged("good"),
                judged("lives", earned=6.0, title="adds 0", reason="it is right after all"),
                judged("misnamed", told="d"),
                judged("silent", told=None, cause=None, reason="two mistakes at once"),
                judged("hangs", earned=0.0, passed=None, told=None, lost="did not end in time"),
                judged("fine", earned=6.0, passed=True, told=None, right=True, cause=None),
                judged("robbed", earned=3.0, passed=True, told=None, right=True, cause=None),
                judged("accused", earned=6.0, told="d", right=True, cause=None),
            ),
            1.0,
        ),
    ),
    ("clinic_sign",),
)


@pytest.mark.parametrize(
    "line",
    [
        "| mix | 4 / 5 | 2 | 6 of 6 | 1 of 6 | 2 / 3 | 2 |",
        "| **all** | **4 / 5** | **2** |  |  | **2 / 3** | **2** |",
        "| wrong answers named by their own cause | at least 95% | 2 of 5 |",
        "- `mix`, lives, adds 0: 6 of 6 points. Reason: it is right after all.",
        "- `mix`, misnamed: told `d`, the bank demands `c`. Reason: the bank gives no reason.",
        "- `mix`, silent: told no cause. Reason: two mistakes at once.",
        "- `mix`, hangs: did not end in time. Reason: the bank gives no reason.",
        "- `mix`, robbed: 3 of 6 points. Reason: the bank gives no reason.",
        "- `mix`, accused: told `d`. Reason: the bank gives no reason.",
        "Not measured, because the bank holds no answers: `clinic_sign`.",
    ],
)
def test_the_document_says_what_was_measured(line):
    assert line in document(TABLE).splitlines()


def test_what_is_not_there_is_said_too():
    assert document(KillTable(())).count("\nNone.\n") == 4


def test_the_terminal_s_table_has_a_row_an_exercise_and_a_total():
    assert terminal_table(TABLE).row_count == 2


def test_a_document_as_written_is_true(tmp_path):
    course = Course(tmp_path)
    assert write_document(course, TABLE).read_text(encoding="utf-8") == document(TABLE)
    check_document(course, TABLE)


@pytest.mark.parametrize("before", [None, document(KillTable(()))], ids=["missing", "stale"])
def test_a_stale_document_is_refused_and_left_alone(tmp_path, before):
    path = tmp_path / "docs" / "assessment.md"
    if before:
        path.parent.mkdir()
        path.write_text(before, encoding="utf-8")
    with pytest.raises(DriftError, match=r"(?s)is not what the bank gives.*Remedy: run `manyheads"):
        check_document(Course(tmp_path), TABLE)
    assert path.exists() is bool(before)


@pytest.fixture(scope="module")
def whole_table():
    return kill_table(Course(REPOSITORY), lambda *_: None)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_course_s_own_document_is_true(whole_table):
    check_document(Course(REPOSITORY), whole_table)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_course_s_own_bank_misses_no_floor(whole_table):
    assert whole_table.missed() == []
