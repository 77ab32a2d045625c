"""A test cell earns by a positive verdict alone."""

from __future__ import annotations

import pytest
from nbformat import NotebookNode
from nbgrader.utils import determine_grade

from manyheads.grade.cells import node
from manyheads.grade.verdict import is_score, is_test, settle

POINTS = 3.0


def executed_test(*outputs: NotebookNode, ran: bool = True) -> NotebookNode:
    marks = {"grade": True, "solution": False, "points": POINTS, "grade_id": "test_f"}
    return node(
        cell_type="code",
        source="assert f()",
        metadata={"nbgrader": marks},
        execution_count=7 if ran else None,
        outputs=list(outputs),
    )


def result(text: str) -> NotebookNode:
    return node(output_type="execute_result", data={"text/plain": text}, metadata={})


def stream(name: str) -> NotebookNode:
    return node(output_type="stream", name=name, text="said")


def score(cell: NotebookNode) -> float:
    """What nbgrader gives the cell once it is settled."""
    settle(cell)
    return float(determine_grade(cell)[0])


def test_a_test_that_ran_to_its_end_earns_all() -> None:
    assert score(executed_test()) == POINTS


def test_an_error_earns_nothing() -> None:
    failed = node(output_type="error", ename="AssertionError", evalue="", traceback=[])
    assert score(executed_test(failed)) == 0


def test_a_warning_costs_nothing_and_stays_to_be_read() -> None:
    cell = executed_test(stream("stderr"))
    assert score(cell) == POINTS
    assert cell.outputs == [stream("stdout")]


def test_a_test_that_never_ran_earns_nothing_and_says_so() -> None:
    cell = executed_test(ran=False)
    assert score(cell) == 0
    assert "the notebook stopped before this test" in cell.outputs[0].evalue


@pytest.mark.parametrize("text", ["0", "0.0", "1.5", "3", "3.0", "2e0"])
def test_a_possible_score_is_kept(text: str) -> None:
    assert score(executed_test(result(text))) == float(text)


IMPOSSIBLE = ["nan", "inf", "-inf", "-1", "3.01", "1e9", "'3'", "True", "None", "[3]", ""]


@pytest.mark.parametrize("text", [*IMPOSSIBLE, "tensor(3.)", "np.float64(0.5)"])
def test_an_impossible_score_earns_nothing_and_names_the_cause(text: str) -> None:
    cell = executed_test(result(text))
    assert score(cell) == 0
    assert f"last expression gave {text!r}" in cell.outputs[0].evalue
    assert "plain Python number from 0 to 3" in cell.outputs[0].evalue


def test_an_error_after_a_possible_score_earns_nothing() -> None:
    failed = node(output_type="error", ename="AssertionError", evalue="", traceback=[])
    assert score(executed_test(result("3"), failed)) == 0


def test_a_result_without_text_earns_nothing() -> None:
    picture = node(output_type="execute_result", data={"image/png": "AA=="}, metadata={})
    assert score(executed_test(picture)) == 0


def test_a_later_impossible_score_is_not_hidden_by_a_possible_one() -> None:
    assert score(executed_test(result("3"), result("nan"))) == 0


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ({"grade": True, "solution": False}, True),
        ({"grade": True, "solution": True}, False),
        ({"grade": False, "solution": True}, False),
        ({}, False),
    ],
)
def test_only_autograded_code_is_a_test(marks: dict[str, bool], expected: bool) -> None:
    assert is_test(node(cell_type="code", metadata={"nbgrader": marks})) is expected
    assert not is_test(node(cell_type="markdown", metadata={"nbgrader": marks}))


def test_a_score_of_zero_points_is_possible_where_nothing_is_to_be_earned() -> None:
    assert is_score("0", 0)
    assert not is_score("0.1", 0)
