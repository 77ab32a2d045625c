"""What the checks know of a lesson's questions agrees with the lesson."""

import ast
import re
from pathlib import Path

import yaml

import manyheads.check


def questions(lesson):
    folder = Path(manyheads.check.__file__).parent / "lessons"
    return yaml.safe_load((folder / f"{lesson}.yaml").read_text(encoding="utf-8"))["questions"]


def meta(cell):
    return cell.metadata.get("nbgrader", {})


def solution_of(cell):
    """The literal that stands in an answer cell's solution region."""
    region = re.search(r"### BEGIN SOLUTION\n(.*)### END SOLUTION", cell.source, re.DOTALL)
    return ast.literal_eval(region.group(1).strip())


def as_tuples(value):
    """A value of the yaml as the source writes it: lists as tuples, inside too."""
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


def names_bound(cell):
    """What a cell binds at its top level, imports aside."""
    tree = ast.parse(cell.source)
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            yield statement.name
        elif not isinstance(statement, ast.Import | ast.ImportFrom):
            stored = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
            yield from (n.id for n in stored if isinstance(n.ctx, ast.Store))


def test_a_graded_test_binds_no_name_but_its_own(source):
    for cell in source.cells:
        if meta(cell).get("grade"):
            assert set(names_bound(cell)) <= {meta(cell)["grade_id"]}


def answer_cells(source, kind, known):
    return [
        (cell, known[meta(cell)["grade_id"]])
        for cell in source.cells
        if meta(cell).get("solution") and known[meta(cell)["grade_id"]]["kind"] == kind
    ]


def test_every_question_of_the_lesson_is_known_in_its_order(lesson, source):
    asked = [
        meta(c)["grade_id"] for c in source.cells if meta(c).get("solution") or meta(c).get("task")
    ]
    known = questions(lesson)
    assert set(known) == set(asked)


def test_the_choices_shown_are_the_choices_explained(lesson, source):
    known = questions(lesson)
    for index, cell in enumerate(source.cells):
        question = known.get(meta(cell).get("grade_id"), {})
        if meta(cell).get("solution") and question["kind"] == "choice":
            shown = re.findall(r"^- `([a-z])` ", source.cells[index - 1].source, re.MULTILINE)
            assert shown == list(question["choices"])


def test_exactly_one_choice_is_right_and_it_is_the_source_s_answer(lesson, source):
    for cell, question in answer_cells(source, "choice", questions(lesson)):
        right = [letter for letter, choice in question["choices"].items() if choice["right"]]
        assert right == [solution_of(cell)]


def test_every_choice_explains_itself(lesson, source):
    for _, question in answer_cells(source, "choice", questions(lesson)):
        says = [choice["says"] for choice in question["choices"].values()]
        assert all(len(text.split()) >= 6 for text in says)
        assert len(set(says)) == len(says)


def test_a_value_s_right_answer_is_the_source_s(lesson, source):
    cells = answer_cells(source, "value", questions(lesson))
    assert cells
    for cell, question in cells:
        assert solution_of(cell) == as_tuples(question["right"])


def test_a_value_s_known_mistakes_are_mistakes(lesson, source):
    for _, question in answer_cells(source, "value", questions(lesson)):
        assert question["right"] not in [m["value"] for m in question["mistakes"]]
