"""The command line: one line for each error, plain output, exit codes."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from manyheads import __version__
from manyheads.cli import main
from manyheads.course import Course, notebook_path
from manyheads.student.copies import lay_copies

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    student_course: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Call it with a command's words: runs it in the small course; exit code, stdout, stderr."""
    monkeypatch.chdir(student_course.root)

    def call(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(words)
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call


def assert_one_line(result: tuple[int, str, str], *words: str) -> None:
    code, _, err = result
    assert code == 1
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


@pytest.mark.parametrize(
    "words",
    [("check", "09"), ("lab", "09"), ("reset", "09"), ("submit", "09", "--as", "s01")],
)
def test_unknown_lesson(run: Run, words: tuple[str, ...]) -> None:
    assert_one_line(run(*words), "No lesson is called '09'", "02_small")


def test_taken_port(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert_one_line(run("lab", "--port", str(port)), f"--port {port + 1}")


def test_missing_work_copy(run: Run) -> None:
    assert_one_line(run("submit", "02", "--as", "s01"), "There is no copy", "`manyheads lab`")
    assert_one_line(run("check", "02"), "There is no copy", "`manyheads lab`")


def test_missing_submission(run: Run, student_course: Course) -> None:
    student_course.source.mkdir()
    assert_one_line(run("grade", "02"), "submitted", "02_small")


@pytest.mark.parametrize("damage", ["", '{"cells": [', "[]"])
@pytest.mark.parametrize("words", [("check", "02"), ("submit", "02", "--as", "s01")])
def test_unreadable_notebook(
    run: Run, student_course: Course, damage: str, words: tuple[str, ...]
) -> None:
    lay_copies(student_course)
    notebook_path(student_course.work, "02_small").write_text(damage, encoding="utf-8")
    assert_one_line(run(*words), "can't be read as a notebook", "`manyheads reset 02_small`")


def test_bad_student_id(run: Run) -> None:
    assert_one_line(run("submit", "02", "--as", "../s01"), "can't be a student's id")


def test_notebook_file_that_is_not_there(run: Run) -> None:
    assert_one_line(run("check", "none.ipynb"), "There is no notebook none.ipynb")


@pytest.mark.parametrize("command", ["build", "bundle", "grade", "bank"])
def test_students_copy_says_what_it_is(run: Run, command: str) -> None:
    assert_one_line(run(command), "is a students' copy")


def test_outside_a_course(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert_one_line(run("status"), "is not inside a course")


def test_system_error_is_one_line(run: Run, student_course: Course) -> None:
    student_course.work.write_text("a file in the folder's place", encoding="utf-8")
    assert_one_line(run("reset", "02"), "work")


def test_usage_error_exits_with_2(run: Run) -> None:
    code, _, err = run("submit", "02")
    assert code == 2
    assert "--as" in err


def test_interrupt_exits_with_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Course) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("manyheads.student.status.course_status", interrupted)
    code, _, err = run("status")
    assert code == 130
    assert "Traceback" not in err


def test_status_is_plain_text_off_a_terminal(run: Run) -> None:
    code, out, _ = run("status")
    assert code == 0
    assert "0 of 3" in out
    assert out.splitlines()[-1].startswith("Next: 02_small, 3 of 3 questions to answer")
    assert "\x1b" not in out


def test_submit_says_where_and_warns_when_blank(run: Run, student_course: Course) -> None:
    lay_copies(student_course)
    code, out, err = run("submit", "02", "--as", "s01")
    assert code == 0
    assert "0 of 3 questions answered" in out
    assert str(student_course.submitted / "s01" / "02_small") in out
    assert err == (
        "warning: No question of 02_small is answered yet; it was sent in all the same.\n"
    )
    assert "kept in" in run("submit", "02", "--as", "s01")[1]


def test_reset_says_where_the_old_copy_is(run: Run, student_course: Course) -> None:
    lay_copies(student_course)
    code, out, _ = run("reset", "02")
    assert code == 0
    assert "before-reset" in out


@pytest.mark.slow
def test_check_exits_with_1_until_all_passes(run: Run, answer: Callable[..., None]) -> None:
    answer(double="def double(x):\n    return x", predict_1="predict_1 = 1")
    code, out, _ = run("check", "02")
    assert code == 1
    assert "failed  double   double(2) is 4" in out.splitlines()
    answer(double="def double(x):\n    return 2 * x")
    code, out, _ = run("check", "02")
    assert code == 0
    assert out.splitlines()[-1] == ("2 of 2 visible checks passed; hidden tests run at grading.")


@pytest.fixture
def graded(student_course: Course, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Stands for grading: the options it was called with, once it was."""
    from manyheads import grade

    asked: dict[str, object] = {}

    def stand_in(
        course: Course, lessons: list[str], progress: Callable[..., None], **options: object
    ) -> object:
        progress(1, 2, "s01")
        asked.update(options, lessons=lessons)
        report = grade.ClassReport(course.root / "grades.csv", course.feedback, course.root / "log")
        report.grades = []
        report.flags["s02", "02_small"] = ["test_double was missing: put back"]
        report.failures.append(grade.Failure("s03", lessons[0], "the file is empty", ungraded=True))
        return report

    student_course.source.mkdir()
    monkeypatch.setattr(grade, "grade_class", stand_in)
    return asked


@pytest.mark.usefixtures("graded")
def test_grade_shows_flags_failures_and_where_the_files_are(
    run: Run, student_course: Course
) -> None:
    code, out, _ = run("grade")
    assert code == 1
    assert "flagged: s02, 02_small: test_double was missing: put back" in out
    assert "failed: s03, 02_small: the file is empty" in out
    assert f"Feedback for students: {student_course.feedback}" in out
    assert f"Grades: {student_course.root / 'grades.csv'}" in out
    assert f"The log of this run: {student_course.root / 'log'}" in out


DEFAULTS = {"workers": None, "again": False, "isolated": True, "feedback": True}


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ((), {}),
        (("--workers", "3"), {"workers": 3}),
        (("--again",), {"again": True}),
        (("--no-sandbox",), {"isolated": False}),
        (("--no-feedback",), {"feedback": False}),
    ],
)
def test_grade_passes_its_options_on(
    run: Run, graded: dict[str, object], words: tuple[str, ...], options: dict[str, object]
) -> None:
    run("grade", "02", *words)
    assert graded == {"lessons": ["02_small"], **DEFAULTS, **options}


@pytest.mark.usefixtures("graded")
def test_grade_says_nothing_of_feedback_that_was_not_wanted(run: Run) -> None:
    assert "Feedback" not in run("grade", "--no-feedback")[1]


def test_no_workers_at_all_is_a_usage_error(run: Run) -> None:
    code, _, err = run("grade", "--workers", "0")
    assert code == 2
    assert "--workers" in err


def test_grade_refuses_without_a_sandbox_and_says_what_to_install(
    run: Run, student_course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "bubblewrap is missing. Install it: sudo apt install bubblewrap."
    monkeypatch.setattr("manyheads.grade.sandbox.missing", lambda: words)
    for folder in (student_course.source, student_course.submitted / "s01"):
        path = notebook_path(folder, "02_small")
        path.parent.mkdir(parents=True)
        path.write_bytes(notebook_path(student_course.release, "02_small").read_bytes())
    assert_one_line(run("grade"), words, "--no-sandbox")
    assert not student_course.gradebook.exists()


def test_grade_explains_each_option(run: Run) -> None:
    _, out, _ = run("grade", "--help")
    text = " ".join(out.replace("│", " ").split())
    for words in (
        "gradebook, grades.csv, feedback pages",
        "a run that was stopped goes on where it was",
        "only their exercises are judged again",
        "Processes that grade at once",
        "Grade everything anew, changed or not",
        "Run students' code unconfined. All results are marked",
    ):
        assert words in text


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"manyheads {__version__}\n", "")


def test_help_lists_the_commands_quickly() -> None:
    begin = time.perf_counter()
    command = [sys.executable, "-m", "manyheads.cli", "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert time.perf_counter() - begin < 3  # seconds, on a busy machine; 0.2 on an idle one
    student = ("lab", "check", "status", "submit", "reset", "doctor")
    for name in (*student, "build", "bundle", "grade", "bank"):
        assert f" {name} " in said


def test_import_leaves_heavy_libraries_alone() -> None:
    heavy = "{'torch', 'nbgrader', 'matplotlib', 'jupyter_server'}"
    code = f"import sys, manyheads.cli; print(*({heavy} & set(sys.modules)))"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "\n"
