"""`manyheads bank`: a table, a document, and an exit code."""

from __future__ import annotations

import pytest

from manyheads.cli import main
from manyheads.teach import kill_table as module
from manyheads.teach.kill_table import Judged, KillTable, Row
from tests.bank import Entry
from tests.teach.small_course import course_with_bank

RIGHT = Judged(Entry("r", "mix", right=True, code=""), 6.0, 6.0, True, None)
CAUGHT = Judged(Entry("w", "mix", right=False, code="", cause="c"), 6.0, 1.0, False, "c")
SURVIVES = Judged(CAUGHT.entry, 6.0, 6.0, False, "c")
ACCUSED = Judged(RIGHT.entry, 6.0, 6.0, False, "c")


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Call it with what is measured and options; exit code, stdout, stderr."""
    course_with_bank(tmp_path)
    monkeypatch.chdir(tmp_path)

    def call(answers, *options):
        table = KillTable((Row("01_small", "mix", 6.0, tuple(answers), 1.0),))
        monkeypatch.setattr(module, "kill_table", lambda course, progress: table)
        with pytest.raises(SystemExit) as ended:
            main(["bank", *options])
        return int(ended.value.code or 0), *capsys.readouterr()

    return call


def test_a_good_bank_writes_the_document_and_exits_with_0(run, tmp_path):
    code, out, _ = run([CAUGHT, RIGHT])
    assert code == 0
    assert "mix" in out
    assert "| mix | 1 / 1 |" in (tmp_path / "docs" / "assessment.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("answers", "floor"),
    [
        ([SURVIVES, RIGHT], "missed: 1 of 1 wrong answers earn full marks, floor 0"),
        ([CAUGHT, ACCUSED], "missed: 1 right answers are not passed by their check, floor 0"),
    ],
)
def test_a_missed_floor_is_said_and_exits_with_1(run, answers, floor):
    code, out, _ = run(answers)
    assert code == 1
    assert floor in out.splitlines()


def test_check_writes_nothing(run, tmp_path):
    code, _, err = run([CAUGHT, RIGHT], "--check")
    assert code == 1
    assert err.startswith("error: docs/assessment.md is not what the bank gives")
    assert not (tmp_path / "docs").exists()


def test_check_of_a_true_document_exits_with_0(run):
    run([CAUGHT, RIGHT])
    assert run([CAUGHT, RIGHT], "--check")[0] == 0


def test_check_of_a_true_document_with_a_missed_floor_exits_with_1(run):
    run([SURVIVES, RIGHT])
    assert run([SURVIVES, RIGHT], "--check")[0] == 1
