"""A submission's run: what ran keeps its outputs, what ends a process costs its own exercise."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.utils import determine_grade

from manyheads.grade.plan import LessonPlan
from manyheads.grade.run import RunReport, process, run_notebook
from manyheads.grade.sandbox import Limits
from manyheads.grade.verdict import is_test, settle
from manyheads.grade.wire import TooLate
from tests.grade.fake import FakePeer, FakeSandbox
from tests.grade.mini import answer, code, graded, text

EXERCISES = ("first", "second", "third")


def lesson() -> NotebookNode:
    """Three exercises, each with two tests, and a cell that the lesson shows."""
    cells = [text("# A lesson"), code("shown = 1")]
    for name in EXERCISES:
        body = f"def {name}(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"
        cells += [
            answer(name, body),
            graded(f"test_{name}_one", 1, f"assert {name}(3) == 6, 'one'"),
            graded(f"test_{name}_more", 2, f"assert {name}(5) == 10, 'more'"),
        ]
    cells += [answer("quiz", 'quiz = "b"'), graded("test_quiz", 1, "assert quiz == 'b'")]
    return notebook(*cells)


def notebook(*cells: NotebookNode) -> NotebookNode:
    made = nbformat.v4.new_notebook(cells=list(cells))
    for number, cell in enumerate(made.cells):
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id") or f"cell-{number}"
    return made


SOURCE = lesson()
PLAN = LessonPlan.of(SOURCE, "02_mini")


def submission(source: NotebookNode = SOURCE, **answers: str) -> NotebookNode:
    """The lesson with some answers of a student's, or other cells by id."""
    made = deepcopy(source)
    for cell in made.cells:
        cell.source = answers.get(cell.id.replace("-", "_"), cell.source)
    return made


def graded_by(
    made: NotebookNode, plan: LessonPlan = PLAN, **options: Any
) -> tuple[dict[str, float], RunReport, FakeSandbox]:
    """Each test's points, the report, and the sandbox, after a run."""
    sandbox = options.pop("sandbox", None) or FakeSandbox()
    report = run_notebook(made, plan, sandbox, **options)
    return points(made), report, sandbox


def points(made: NotebookNode) -> dict[str, float]:
    found = {}
    for cell in deepcopy(made.cells):
        if is_test(cell):
            settle(cell)
            found[cell.metadata.nbgrader.grade_id] = float(determine_grade(cell)[0])
    return found


ALL = {f"test_{n}_{what}": p for n in EXERCISES for what, p in (("one", 1.0), ("more", 2.0))}
ALL |= {"test_quiz": 1.0}


def without(*exercises: str) -> dict[str, float]:
    return {n: 0.0 if any(one in n for one in exercises) else p for n, p in ALL.items()}


def cell_of(made: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in made.cells if cell.id == name)


def words(made: NotebookNode, name: str) -> str:
    return "\n".join(o.evalue for o in cell_of(made, name).outputs if o.output_type == "error")


def test_a_right_student_earns_all() -> None:
    earned, report, sandbox = graded_by(submission())
    assert earned == ALL
    assert (report.causes, report.notes, report.sandboxed) == ({}, (), True)
    assert sandbox.started == 1


def test_a_wrong_answer_costs_its_own_tests() -> None:
    earned, _, _ = graded_by(submission(second="def second(x):\n    return x"))
    assert earned == without("second")


def test_cells_are_numbered_as_a_notebook_numbers_them() -> None:
    made = submission()
    graded_by(made)
    counts = [cell.execution_count for cell in made.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    nbformat.validate(made)


def test_no_test_reaches_the_students_process() -> None:
    _, _, sandbox = graded_by(submission())
    assert not [source for source, _ in sandbox.ran if "assert" in source]


def test_the_process_itself_serves_tests_whose_answers_stay_as_they_are() -> None:
    _, _, sandbox = graded_by(submission())
    assert sandbox.log == ["closed"]


def copies(first: str, later: str) -> int:
    """How often the process was copied for the tests of a right answer that a cell follows."""
    made = submission(first=first)
    made.cells.append(code(later))
    made.cells[-1].id = "last"
    earned, _, sandbox = graded_by(made)
    mine = {name: points for name, points in earned.items() if "first" in name}
    assert mine == {"test_first_one": 1, "test_first_more": 2}
    return sandbox.log.count("exam")


def test_a_cell_nested_too_deep_to_be_read_costs_nobody_else() -> None:
    made = submission(second="second = " + "-" * 5_000 + "1")
    assert graded_by(made)[0] == without("second")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            "def second(x:\n    return x",
            "its cell does not run\n  Its cell stopped with SyntaxError",
        ),
        ("1 / 0\ndef second(x):\n    return x", "stopped with ZeroDivisionError: division by zero"),
        ("<<<<<<< mine\nx = 1\n=======\n", "unfinished merge (<<<<<<<): keep one version"),
    ],
)
def test_a_cell_that_does_not_run_is_named_as_the_cause(answer: str, words: str) -> None:
    earned, report, _ = graded_by(submission(second=answer), diagnose=True)
    assert earned == without("second")
    assert words in report.causes["second"]


def importing(above: str, *more: str) -> tuple[dict[str, float], list[str]]:
    """Points of an answer that takes `math` from its test, below other cells; cells that ran."""
    cells = [code(above), answer("first", "def first(x):\n    return math.floor(2 * x)")]
    cells += [graded(f"test_first_{n}", 1, "import math\nassert first(3) == 6") for n in "ab"]
    source = notebook(*cells)
    made = submission(source)
    made.cells[3:3] = [code(text) for text in more]
    earned, _, sandbox = graded_by(made, LessonPlan.of(source, "02_mini"))
    return earned, [text for text, _ in sandbox.ran if text == "import math"]


@pytest.mark.parametrize(
    ("above", "more", "times"),
    [
        ("import math", (), 0),
        ("x = 1", (), 1),
        ("x = 1", ("import math",), 1),
        ("x = 1", ("math = 'notes'",), 2),
        ("math = 'notes'", (), 1),
        ("del math", (), 1),
        ("%reset -f", (), 1),
    ],
)
def test_an_answer_may_rely_on_what_its_test_is_seen_to_import(
    above: str, more: tuple[str, ...], times: int
) -> None:
    earned, ran = importing(above, *more)
    assert earned == {"test_first_a": 1.0, "test_first_b": 1.0}
    assert len(ran) == times + ("import math" in (above, *more))


REBINDS = [
    "def first(x):\n    return 0",
    "import math as first",
    "first = None",
    "for first in range(3):\n    pass",
    "factor = 0",
    "factor += 1",
    "def change():\n    global factor\n    factor = 0\nchange()",
    "globals()['first'] = 0",
    "%run other.py",
    "import numpy as factor",
]
HARMLESS = [
    "%matplotlib inline",
    "%time print(first(2))",
    "!echo from the shell",
    "def half(",
    "return first",
    "import torch\ntorch.ones(2)",
    "# a note",
]


@pytest.mark.parametrize("later", REBINDS)
def test_a_copy_serves_tests_whose_answers_a_later_cell_changes(later: str) -> None:
    assert copies("factor = 2\n\n\ndef first(x):\n    return factor * x", later) >= 1


@pytest.mark.parametrize("later", HARMLESS)
def test_no_copy_is_made_for_a_cell_that_leaves_an_answer_alone(later: str) -> None:
    answer = "import torch\n\n\ndef first(x):\n    return 2 * x + 0 * len(dir(torch))"
    assert copies(answer, later) == 0


def test_a_function_is_met_once_and_data_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    value = FakePeer.value
    monkeypatch.setattr(FakePeer, "value", lambda peer, n: asked.append(n) or value(peer, n))
    cells = [
        answer("f", "seen = []\n\n\ndef f(x):\n    seen.append(x)\n    return 2 * x"),
        graded("test_f_one", 1, "assert f(1) == 2 and seen == [1]"),
        graded("test_f_two", 1, "assert f(2) == 4 and seen == [1, 2]"),
    ]
    made = notebook(*cells)
    earned, _, _ = graded_by(made, LessonPlan.of(made, "02"))
    assert earned == {"test_f_one": 1, "test_f_two": 1}
    assert asked.count("f") == 1


def test_no_test_is_heard_before_the_last_cell_has_run() -> None:
    """What a function learns from hidden inputs comes too late for any cell's output."""
    made = submission(first="def first(x):\n    learn(x)\n    return 2 * x")
    made.cells.append(code("assert not learned(), learned()"))
    learned: list[float] = []
    sandbox = FakeSandbox(shared={"learn": learned.append, "learned": lambda: learned})
    earned, _, _ = graded_by(made, sandbox=sandbox)
    assert (earned, made.cells[-1].outputs) == (ALL, [])
    assert learned


def test_a_test_of_plain_values_needs_no_exam() -> None:
    made = notebook(*(deepcopy(c) for c in SOURCE.cells if "quiz" in c.id))
    _, _, sandbox = graded_by(made, LessonPlan.of(made, "02_mini"))
    assert sandbox.log == ["closed"]


def test_what_a_test_does_to_the_students_memory_is_forgotten() -> None:
    """A function that keeps the inputs of hidden tests can't print them in a later cell."""
    made = submission(first="seen = []\ndef first(x):\n    seen.append(x)\n    return 2 * x")
    made.cells.append(code("assert seen == [], seen"))
    made.cells[-1].id = "last"
    earned, _, _ = graded_by(made)
    assert earned == ALL
    assert words(made, "last") == ""


def test_unchanged_cells_of_the_lesson_are_not_drawn() -> None:
    _, _, sandbox = graded_by(submission(first="def first(x):\n    return x + x"))
    drawn = dict(sandbox.ran)
    assert drawn["shown = 1"] is False
    assert drawn["def first(x):\n    return x + x"] is True
    _, _, sandbox = graded_by(submission(cell_1="shown = 2"))
    assert dict(sandbox.ran)["shown = 2"] is True


def test_a_cell_that_ends_the_process_costs_what_it_defines() -> None:
    made = submission(second="leave()\ndef second(x):\n    return 2 * x")
    earned, report, sandbox = graded_by(made)
    assert earned == without("second")
    assert words(made, "second") == "the process exited"
    assert report.notes == ("second: the process exited",)
    assert sandbox.started == 2


def test_the_cells_above_run_again_without_new_outputs() -> None:
    made = submission(cell_1="print(START)", third="leave()")
    _, _, sandbox = graded_by(made)
    again = [drawn for source, drawn in sandbox.ran if source == "print(START)"]
    assert again == [True, False]


def test_a_cell_that_failed_runs_again_too() -> None:
    made = submission(first="def first(x):\n    return 2 * x\n1 / 0", second="leave()")
    made.cells.append(made.cells.pop(3))  # the first answer's tests come last
    made.cells.append(made.cells.pop(3))
    earned, _, _ = graded_by(made)
    assert earned == without("second")


def test_a_cell_that_ends_the_process_at_its_second_run_is_left_out() -> None:
    made = submission(cell_1="if START > 1:\n    leave()")
    made.cells.insert(6, code("leave()"))
    made.cells[6].id = "cell-6b"
    earned, _, _ = graded_by(made)
    assert earned == ALL


def test_an_exam_that_ends_costs_the_rest_of_its_exercise() -> None:
    made = submission(second="def second(x):\n    return leave() if x == 5 else 2 * x")
    earned, report, sandbox = graded_by(made)
    assert earned == {**ALL, "test_second_more": 0}
    assert words(made, "test_second_more") == "the process exited"
    assert report.notes == ("second: the process exited, so its tests earn nothing",)
    assert report.causes["second"].endswith("While it was tested, the process exited.")
    assert sandbox.started == 2


def test_the_tests_after_an_ended_exam_are_not_run() -> None:
    made = submission(second="def second(x):\n    return hang() if x == 3 else 2 * x")
    earned, _, _ = graded_by(made)
    assert earned == without("second")
    assert "longer than 30 s" in words(made, "test_second_more")


def test_an_end_that_a_test_takes_for_an_error_earns_nothing() -> None:
    """A test that accepts any exception must not take the end of the process for one."""
    refuses = "try:\n    f(-1)\nexcept Exception:\n    pass\nelse:\n    raise AssertionError"
    made = notebook(answer("f", "def f(x):\n    return leave()"), graded("test_f", 1, refuses))
    earned, _, _ = graded_by(made, LessonPlan.of(made, "02_mini"))
    assert earned == {"test_f": 0}


def test_time_is_bounded_for_the_whole_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = FakeSandbox(Limits(submission_seconds=100), cell_takes=45)
    monkeypatch.setattr(process.time, "monotonic", sandbox.monotonic)
    made = submission()
    earned, report, _ = graded_by(made, sandbox=sandbox)
    assert earned == without("second", "third", "quiz")
    assert "the submission's 100 s were used up before this test" in words(made, "test_third_one")
    assert report.notes == ("the submission used up its 100 s; what came after was not run",)
    assert cell_of(made, "third").execution_count is None


CHANGED = {"third": "def third(x):\n    return 3 * x\n\n\ndef first(x):\n    return 0"}


def test_where_no_copy_can_be_made_a_second_process_takes_the_tests() -> None:
    earned, report, sandbox = graded_by(submission(**CHANGED), sandbox=FakeSandbox(no_exams=True))
    assert earned == without("third")
    assert sandbox.started == 2
    assert report.notes == ("some tests ran in a second process: this system has no fork",)


def test_a_second_process_that_ends_costs_its_exercise_alone() -> None:
    made = submission(first="def first(x):\n    return leave()", **CHANGED)
    earned, _, _ = graded_by(made, sandbox=FakeSandbox(no_exams=True))
    assert earned == without("first", "third")


def test_autograd_that_can_not_follow_a_fork_gets_a_process_of_its_own() -> None:
    message = "Unable to handle autograd's threading in combination with fork-based multiprocessing"
    body = f"def first(x):\n    if START == 1:\n        raise RuntimeError({message!r})\n"
    made = submission(first=body + "    return 2 * x")
    earned, _, sandbox = graded_by(made)
    assert earned == ALL
    assert sandbox.started == 2


def test_only_wanted_tests_run_and_others_keep_their_outputs() -> None:
    made = submission()
    cell_of(made, "test_first_one").outputs = [nbformat.v4.new_output("stream", text="kept")]
    earned, _, _ = graded_by(made, only=["second", "test_third_one"])
    assert earned == {**dict.fromkeys(ALL, 0.0), "test_second_one": 1, "test_second_more": 2} | {
        "test_third_one": 1
    }
    assert cell_of(made, "test_first_one").outputs[0].text == "kept"


def test_a_wanted_test_brings_what_it_builds_upon() -> None:
    cells = [
        answer("f", "def f(x):\n    return x"),
        graded("test_f_helper", 1, "def same(x):\n    return f(x) == x"),
        graded("test_f_use", 1, "assert same(3)"),
    ]
    made = notebook(*cells)
    earned, _, _ = graded_by(made, LessonPlan.of(made, "02"), only=["test_f_use"])
    assert earned == {"test_f_helper": 0, "test_f_use": 1}


OPTED_OUT = notebook(
    answer("squares", "def squares(n):\n    return [i**2 for i in range(n)]"),
    answer("total", "def total(n):\n    return sum(squares(n))"),
    graded("test_helper", 1, "def small():\n    return 3"),
    graded("test_total", 2, "del squares\ntry:\n    total(small())\nexcept NameError:\n    pass"),
    graded("test_squares", 1, "assert squares(2) == [0, 1]"),
)


def test_an_opted_out_test_runs_in_the_students_copy_and_is_flagged() -> None:
    earned, report, _ = graded_by(submission(OPTED_OUT), LessonPlan.of(OPTED_OUT, "02"))
    assert earned == {"test_helper": 1, "test_total": 2, "test_squares": 1}
    assert report.notes == (
        "test_total ran in the student's process: it deletes squares; its verdict can be forged",
    )


def test_an_opted_out_test_can_fail() -> None:
    made = submission(OPTED_OUT, total="def total(n):\n    return missing")
    made.cells[3].source = "del squares\nassert total(3) == 5"
    plan = LessonPlan.of(made, "02")
    earned, _, _ = graded_by(made, plan)
    assert earned["test_total"] == 0
    assert "missing" in words(made, "test_total")


def test_a_later_cell_finds_what_the_visible_part_of_a_test_defines() -> None:
    hidden = "### BEGIN HIDDEN TESTS\nassert f(scale) == 4\n### END HIDDEN TESTS"
    made = notebook(
        answer("f", "def f(x):\n    return 2 * x"),
        graded("test_f", 1, f"scale = 2\n{hidden}"),
        code("print(scale)"),
    )
    earned, _, sandbox = graded_by(made, LessonPlan.of(made, "02"))
    assert earned == {"test_f": 1}
    assert [source for source, _ in sandbox.ran][1:] == ["scale = 2", "print(scale)"]
    assert words(made, "cell-2") == ""


def test_generators_are_shared_where_a_test_seeds_them() -> None:
    made = notebook(
        code("import random"),
        answer("f", "def f():\n    return random.random()"),
        graded(
            "test_f",
            1,
            "random.seed(3)\nwant = random.random()\nrandom.seed(3)\nassert f() == want",
        ),
    )
    earned, _, _ = graded_by(made, LessonPlan.of(made, "02"))
    assert earned == {"test_f": 1}


def test_files_lie_beside_the_student() -> None:
    _, _, sandbox = graded_by(submission(), files={"data.csv": b"1,2"})
    assert sandbox.files == {"data.csv": b"1,2"}


def test_the_release_as_it_is_was_not_attempted() -> None:
    made = submission(**PLAN.stubs)
    earned, report, _ = graded_by(made)
    assert earned == dict.fromkeys(ALL, 0.0)
    assert set(report.cause_ids.values()) == {"not-attempted"}
    assert report.causes["first"] == ("first   not attempted\n  Its cell is as it was handed out.")


def test_a_left_over_not_implemented_error_is_named() -> None:
    body = "def first(x):\n    y = 2 * x\n    raise NotImplementedError\n    return y"
    _, report, _ = graded_by(submission(first=body))
    assert "NotImplementedError still stands in the answer: remove it" in report.causes["first"]
    assert report.cause_ids == {"first": "not-written-yet"}


@pytest.mark.parametrize(
    "error", ["MemoryError", 'RuntimeError("DefaultCPUAllocator: can\'t allocate memory")']
)
def test_a_memory_limit_that_was_reached_is_named(error: str) -> None:
    _, report, _ = graded_by(submission(first=f"def first(x):\n    raise {error}"))
    assert "it reached the memory limit" in report.causes["first"]


@pytest.mark.parametrize(
    ("expression", "earned"),
    [("1.5", 1.5), ("float('nan')", 0), ("-1", 0), ("'all'", 0), ("4", 0), ("float('inf')", 0)],
)
def test_partial_credit_is_a_possible_score_or_nothing(expression: str, earned: float) -> None:
    made = notebook(answer("f", "f = 1"), graded("test_f", 3, f"f\n{expression}"))
    assert graded_by(made, LessonPlan.of(made, "02"))[0] == {"test_f": earned}


def test_a_warning_costs_nothing() -> None:
    body = "import warnings\ndef first(x):\n    warnings.warn('old')\n    return 2 * x"
    with pytest.warns(UserWarning, match="old"):
        assert graded_by(submission(first=body))[0] == ALL


CHECKED = notebook(
    code("import torch\nfrom manyheads import check"),
    answer("split_heads", "def split_heads(x, num_heads):\n    return x"),
    code("check.split_heads(split_heads)"),
    graded("test_split_heads", 2, "assert split_heads(1, 2) == 1"),
    answer("recall_1", "recall_1 = (2, 5, 12)"),
    code('check.answer("02_head_split", "recall_1", recall_1)'),
    graded("test_recall_1", 1, "assert tuple(recall_1) == (2, 5, 12)"),
)


def checked(**answers: str) -> tuple[RunReport, FakeSandbox]:
    _, report, sandbox = graded_by(submission(CHECKED, **answers), LessonPlan.of(CHECKED, "02"))
    return report, sandbox


def test_a_functions_cause_is_in_the_checks_words_and_from_a_process_apart() -> None:
    body = "def split_heads(x, num_heads):\n    return None"
    report, sandbox = checked(split_heads=body)
    assert report.cause_ids == {"split_heads": "returns-none"}
    assert sandbox.started == 2
    assert sandbox.log == ["closed", "closed"]


def test_an_answers_cause_needs_no_process() -> None:
    report, sandbox = checked(recall_1="recall_1 = (2, 12, 5)")
    assert list(report.causes) == ["recall_1"]
    assert report.causes["recall_1"].startswith("recall_1   not yet")
    assert sandbox.started == 1


ODD = {
    "a function": ("recall_1 = len", "You gave a function"),
    "a class": ("recall_1 = dict", "You gave a function"),
    "an object": ("class Odd: pass\nrecall_1 = Odd()", "You gave a Odd"),
    "a list with one": ("recall_1 = [2, len]", "recall_1   not yet"),
}


@pytest.mark.parametrize(("answer", "words"), ODD.values(), ids=ODD)
def test_an_answer_that_is_no_value_needs_no_process_either(answer: str, words: str) -> None:
    report, sandbox = checked(recall_1=answer)
    assert words in report.causes["recall_1"]
    assert sandbox.started == 1


@pytest.mark.parametrize("error", [ValueError, TooLate])
def test_an_answer_that_can_not_be_looked_at_is_graded_all_the_same(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    value = FakePeer.value

    def refused(peer: FakePeer, name: str) -> Any:
        if name == "recall_1":
            raise error("no")
        return value(peer, name)

    monkeypatch.setattr(FakePeer, "value", refused)
    earned, _, _ = graded_by(
        submission(CHECKED, recall_1="recall_1 = len"), LessonPlan.of(CHECKED, "02")
    )
    assert earned["test_recall_1"] == 0


def test_an_answer_left_open_is_told_so() -> None:
    report, _ = checked(recall_1="recall_1 = (\n    ...\n)")
    assert "not answered yet" in report.causes["recall_1"]


def test_what_passes_its_check_and_fails_a_hidden_test_is_told_so() -> None:
    right = "def split_heads(x, num_heads):\n    if isinstance(x, int):\n        return 0\n"
    right += "    if x.shape[-1] % num_heads:\n        raise ValueError('D, H')\n"
    right += "    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)"
    report, _ = checked(split_heads=right)
    assert "a hidden test went further" in report.causes["split_heads"]
    assert report.cause_ids == {}


def test_an_endless_check_leaves_no_cause() -> None:
    report, _ = checked(
        split_heads="def split_heads(x, n):\n    return 0 if isinstance(x, int) else hang()"
    )
    assert report.causes == {}


def test_words_that_show_a_hidden_line_are_dropped() -> None:
    body = (
        "x = 1\n### BEGIN HIDDEN TESTS\nassert split_heads(1, 2) == 1234567\n### END HIDDEN TESTS"
    )
    made = notebook(*CHECKED.cells[:3], graded("test_split_heads", 2, body))
    plan = LessonPlan.of(made, "02")
    tells = (
        "def split_heads(x, n):\n    raise ValueError('assert split_heads(1, 2) ' + '== 1234567')"
    )
    _, report, _ = graded_by(submission(made, split_heads=tells), plan)
    assert report.causes == {}
    assert report.notes == ("split_heads: the cause was dropped, as it would show a hidden line",)


def test_each_test_of_an_answer_is_looked_at_for_what_it_needs() -> None:
    cells = [
        answer(
            "f", "scale = 3\n\n\ndef f(x):\n    return 2 * x\n\n\ndef g(x):\n    return scale * x"
        ),
        graded("test_f_one", 1, "assert f(1) == 2"),
        graded("test_f_two", 1, "assert g(1) == 3"),
        code("scale = 0"),
    ]
    made = notebook(*cells)
    earned, _, sandbox = graded_by(made, LessonPlan.of(made, "02"))
    assert earned == {"test_f_one": 1, "test_f_two": 1}
    assert sandbox.log.count("exam") == 1
