"""A feedback page shows scores and the student's own work, and nothing hidden."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat import NotebookNode

from manyheads.errors import LeakError
from manyheads.grade.cells import node
from manyheads.grade.feedback import LEFT_OUT, Secrets, check_page, hide_tests
from manyheads.grade.verdict import BAD_SCORE, NOT_RUN, add_error
from tests.classroom import fill, find, index
from tests.grade.mini import CANARY, answers, release_notebook, save, source_notebook

VALUES = "test_split_heads_values"
ASSERTION = (
    'assert (canary_heads[:, head] == wanted).all(), "CANARY-message: head owns other features"'
)
SHOWN = {
    "as it is": ASSERTION,
    "the message alone": "AssertionError: CANARY-message: head owns other features",
    "with its comment": "canary_input = np.arange(3 * 4 * 6).reshape(3, 4, 6)  # CANARY-comment",
    "in a traceback": f"----> 9     {ASSERTION}",
    "in colour": "\x1b[38;5;28;01massert\x1b[39;00m " + ASSERTION.removeprefix("assert "),
    "quoted, as In shows it": repr(["", f"first\n    {ASSERTION}\nlast"]),
    "as HTML": ASSERTION.replace("assert", "<b>assert</b>").replace('"', "&quot;"),
    "the mark scheme": "Two points for the CANARY-scheme: each head reads every position.",
    "the solution": "return canary_solution.swapaxes(1, 2)",
}


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    path = tmp_path_factory.mktemp("source") / "02_mini.ipynb"
    save(source_notebook(), path)
    return Secrets.of(path)


@pytest.fixture
def graded() -> NotebookNode:
    """A graded notebook: the source's tests in a student's copy, all failed, scores noted."""
    notebook = fill(release_notebook(), answers())
    for cell in source_notebook().cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade") or marks.get("task"):
            place = index(notebook, cell.id)
            notebook.cells[place] = cell
            marks["score"] = 0
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    add_error(find(notebook, VALUES), "AssertionError", "CANARY-message: head owns other features")
    return notebook


def printed(text: str) -> NotebookNode:
    return node(output_type="stream", name="stdout", text=text)


def line(notebook: NotebookNode, name: str = VALUES) -> str:
    return str(find(notebook, name).outputs[0].text)


def test_instructors_cells_show_what_was_released(graded: NotebookNode, secrets: Secrets) -> None:
    hide_tests(graded, secrets)
    for cell in release_notebook().cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks and not marks.get("solution"):
            assert find(graded, cell.id).source == cell.source
    assert CANARY not in str(graded)


def test_a_test_says_score_and_what_to_do(graded: NotebookNode, secrets: Secrets) -> None:
    hide_tests(graded, secrets)
    assert line(graded) == (
        "0 of 3 points: the tests of split_heads failed. "
        "Run check.split_heads(split_heads) to see why.\n"
    )
    assert 'Run check.answer("02_mini", "quiz_1", quiz_1) to see why.' in line(
        graded, "test_quiz_1"
    )


def test_a_passed_test_says_its_points_alone(graded: NotebookNode, secrets: Secrets) -> None:
    find(graded, VALUES).metadata["nbgrader"]["score"] = 3.0
    find(graded, "test_quiz_1").metadata["nbgrader"]["score"] = 1.0
    hide_tests(graded, secrets)
    assert line(graded) == "3 of 3 points.\n"
    assert line(graded, "test_quiz_1") == "1 of 1 point.\n"


def test_a_cause_is_told_once_for_each_exercise_in_place_of_advice(
    graded: NotebookNode, secrets: Secrets
) -> None:
    graded.metadata["manyheads"] = {
        "causes": {"split_heads": "split_heads   the owners\n  are not"}
    }
    hide_tests(graded, secrets)
    assert line(graded, "test_split_heads_shape") == (
        "0 of 1 point: the tests of split_heads failed.\n\nsplit_heads   the owners\n  are not\n"
    )
    assert line(graded) == "0 of 3 points: the tests of split_heads failed, see above.\n"


@pytest.mark.parametrize("shown", SHOWN)
def test_a_cause_that_shows_something_hidden_is_not_told(
    graded: NotebookNode, secrets: Secrets, shown: str
) -> None:
    graded.metadata["manyheads"] = {"causes": {"split_heads": f"Look: {SHOWN[shown]}"}}
    hide_tests(graded, secrets)
    assert "Look" not in str(graded.cells)
    assert "Run check.split_heads(split_heads) to see why." in line(graded)


def test_a_faulty_test_is_not_put_down_to_the_student(
    graded: NotebookNode, secrets: Secrets
) -> None:
    graded.metadata["manyheads"] = {"causes": {"share": "share   wrong"}}
    add_error(find(graded, "test_share"), BAD_SCORE, "CANARY")
    hide_tests(graded, secrets)
    assert "is faulty; your instructor has to correct it" in line(graded, "test_share")


def test_part_of_the_points_says_that_not_all_tests_passed(
    graded: NotebookNode, secrets: Secrets
) -> None:
    find(graded, "test_share").metadata["nbgrader"]["score"] = 1.5
    hide_tests(graded, secrets)
    assert line(graded, "test_share") == "1.5 of 4 points: not all tests of share passed.\n"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NOT_RUN, "did not run, because the notebook stopped here or above. Restart the kernel"),
        (BAD_SCORE, "is faulty; your instructor has to correct it"),
    ],
)
def test_a_test_that_gave_no_verdict_says_so(
    graded: NotebookNode, secrets: Secrets, error: str, words: str
) -> None:
    add_error(find(graded, "test_share"), error, "CANARY")
    hide_tests(graded, secrets)
    assert words in line(graded, "test_share")


@pytest.mark.parametrize("shown", SHOWN)
def test_an_output_that_shows_something_hidden_is_left_out(
    graded: NotebookNode, secrets: Secrets, shown: str
) -> None:
    graded.cells[1].outputs = [printed("before\n"), printed(SHOWN[shown])]
    hide_tests(graded, secrets)
    assert graded.cells[1].outputs == [printed("before\n"), printed(LEFT_OUT)]


@pytest.mark.parametrize("kind", ["display_data", "execute_result", "error"])
def test_every_kind_of_output_is_searched(
    graded: NotebookNode, secrets: Secrets, kind: str
) -> None:
    output = {
        "display_data": {"data": {"text/html": f"<pre>{ASSERTION}</pre>"}, "metadata": {}},
        "execute_result": {"data": {"application/x+json": {"a": [1, ASSERTION]}}, "metadata": {}},
        "error": {"ename": "E", "evalue": "", "traceback": ["---", f"--> {ASSERTION}"]},
    }[kind]
    graded.cells[1].outputs = [node(output_type=kind, **output)]
    hide_tests(graded, secrets)
    assert graded.cells[1].outputs == [printed(LEFT_OUT)]


def test_other_outputs_stay_as_they_are(graded: NotebookNode, secrets: Secrets) -> None:
    mine = [printed("(2, 3, 5, 4)\n"), node(output_type="display_data", data={"image/png": "AA=="})]
    graded.cells[1].outputs = list(mine)
    hide_tests(graded, secrets)
    assert graded.cells[1].outputs == mine


def test_a_students_own_words_are_no_secret_to_them(graded: NotebookNode, secrets: Secrets) -> None:
    graded.cells[1].source += "\nreturn canary_solution.swapaxes(1, 2)"
    graded.cells[1].outputs = [printed("----> 2 return canary_solution.swapaxes(1, 2)")]
    before = list(graded.cells[1].outputs)
    hide_tests(graded, secrets)
    assert graded.cells[1].outputs == before


def test_a_clean_page_is_let_through(graded: NotebookNode, secrets: Secrets) -> None:
    hide_tests(graded, secrets)
    check_page("<p>3 of 3 points.</p>", graded, secrets)


def test_a_hidden_call_named_like_its_cell_is_no_secret(
    graded: NotebookNode, tmp_path: Path
) -> None:
    source = source_notebook()
    hidden = f"def {VALUES}():\n    split_heads(1, 1)  # CANARY-call\n\n\n{VALUES}()"
    find(source, VALUES).source = f"### BEGIN HIDDEN TESTS\n{hidden}\n### END HIDDEN TESTS"
    save(source, tmp_path / "02_mini.ipynb")
    secrets = Secrets.of(tmp_path / "02_mini.ipynb")
    hide_tests(graded, secrets)
    check_page(f"<li><a>Test cell: {VALUES}</a> (Score: 3 / 3)</li>", graded, secrets)
    with pytest.raises(LeakError, match="CANARY-call"):
        check_page("<pre>split_heads(1, 1) # CANARY-call</pre>", graded, secrets)


@pytest.mark.parametrize("shown", ["as it is", "the message alone", "the mark scheme"])
def test_a_page_that_shows_something_hidden_is_refused(
    graded: NotebookNode, secrets: Secrets, shown: str
) -> None:
    hide_tests(graded, secrets)
    with pytest.raises(
        LeakError, match=r"The feedback page was not written: it would show .*CANARY"
    ):
        check_page(f"<pre>{SHOWN[shown]}</pre>", graded, secrets)


def test_without_the_source_there_is_no_page(tmp_path: Path) -> None:
    with pytest.raises(LeakError, match=r"is missing.*Run `manyheads build`"):
        Secrets.of(tmp_path / "02_mini.ipynb")


def test_checks_are_found_where_the_lesson_calls_them(secrets: Secrets) -> None:
    assert secrets.checks == {
        "split_heads": "check.split_heads(split_heads)",
        "quiz_1": 'check.answer("02_mini", "quiz_1", quiz_1)',
    }
