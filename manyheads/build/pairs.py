"""The rules between cells: each exercise with its tests, each free-text task with its answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from manyheads.build.cells import CLINIC, NUMBERED, kind_of
from manyheads.build.names import defined_names
from manyheads.build.regions import has_region, released_cell, take_apart
from manyheads.build.standalone import foreign_names
from manyheads.build.text import Cell, Lesson, Violation


def exercise_of(test_id: str, exercises: list[str]) -> str | None:
    """The exercise a test belongs to: the longest id that its name starts with after `test_`.

    >>> exercise_of("test_split_heads_shape", ["split", "split_heads"])
    'split_heads'
    >>> exercise_of("test_splitting", ["split"]) is None
    True
    """
    named = test_id.removeprefix("test_")
    found = [name for name in exercises if named == name or named.startswith(f"{name}_")]
    return max(found, key=len, default=None)


def answer_name(exercise_id: str) -> str:
    """The name an exercise's cell must define: its id, or `find_bug` in a bug clinic."""
    return "find_bug" if CLINIC.fullmatch(exercise_id) else exercise_id


def pair_violations(lesson: Lesson) -> Iterator[Violation]:
    """What is wrong between the lesson's exercises and tests, and around its tasks."""
    exercises = {c.grade_id: c for c in lesson.cells if kind_of(c) == "exercise" and c.grade_id}
    tests = [c for c in lesson.cells if kind_of(c) == "test" and c.grade_id]
    tested = {exercise_of(test.grade_id, list(exercises)) for test in tests}
    for name, cell in exercises.items():
        yield from _exercise_violations(name, cell, name in tested)
    for test in tests:
        owner = exercise_of(test.grade_id, list(exercises))
        yield from _test_violations(test, exercises.get(owner or ""))
    yield from _task_violations(lesson)


def _exercise_violations(name: str, cell: Cell, tested: bool) -> Iterator[Violation]:
    predicts = name.startswith("predict_")
    if not tested and not predicts:
        what = f"the exercise {name} has no test"
        yield Violation(cell.header, what, f"add a graded test cell test_{name}")
    if tested and predicts:
        what = f"the prediction {name} is graded by a test"
        yield Violation(cell.header, what, "delete the test, or call the exercise quiz_1")
    broken = [*_syntax_violations(cell, cell.source, ""), *_stub_violations(cell)]
    yield from broken
    if not broken:
        yield from _definition_violations(name, cell)


def _definition_violations(name: str, cell: Cell) -> Iterator[Violation]:
    answer = answer_name(name)
    defined = defined_names(cell.source)
    if answer not in defined:
        what = f"the exercise {name} does not define {answer} at its top level"
        yield Violation(cell.start, what, f"define {answer}, or correct the grade_id")
    elif not NUMBERED.fullmatch(name) and answer not in _functions(cell.source):
        what = f"{answer} is not a function, and exercises are called after their function"
        yield Violation(cell.start, what, "define it with def, or call the exercise quiz_1")


def _functions(code: str) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.parse(code).body if isinstance(node, kinds)}


def _syntax_violations(cell: Cell, code: str, version: str) -> Iterator[Violation]:
    """A syntax error in the code; in the released version its line is not the text's own."""
    try:
        ast.parse(code)
    except SyntaxError as error:
        line = cell.start if version else cell.line(error.lineno or 1)
        yield Violation(
            line,
            f"{cell.grade_id} is not valid Python{version} ({error.msg})",
            "correct it; magics and shell commands are not allowed in exercises and tests",
        )


def _stub_violations(cell: Cell) -> Iterator[Violation]:
    return _syntax_violations(cell, released_cell(cell), " once its regions are removed")


def _test_violations(test: Cell, exercise: Cell | None) -> Iterator[Violation]:
    if exercise is None:
        what = f"the test {test.grade_id} has no exercise"
        remedy = "call it test_ and the grade_id of a solution cell, or add that cell"
        yield Violation(test.header, what, remedy)
    elif test.header < exercise.header:
        what = f"the test {test.grade_id} stands before its exercise in line {exercise.header}"
        yield Violation(test.header, what, "move it below the exercise")
    broken = [*_syntax_violations(test, test.source, ""), *_stub_violations(test)]
    yield from broken
    if not broken:
        yield from _foreign_violations(test, exercise)


def _foreign_violations(test: Cell, exercise: Cell | None) -> Iterator[Violation]:
    """Names the test takes from elsewhere, both in full and in the version students run."""
    found = dict.fromkeys(foreign_names(released_cell(test)), test.start)
    found.update((name, test.line(line)) for name, line in foreign_names(test.source).items())
    allowed = _offered(exercise) if exercise else set()
    for name, line in sorted(found.items(), key=lambda item: (item[1], item[0])):
        if name == "*":
            what = f"the test {test.grade_id} imports *, so its names can't be known"
            yield Violation(line, what, "import each name it needs")
        elif name not in allowed:
            what = f"the test {test.grade_id} uses {name}, which neither it nor its exercise sets"
            yield Violation(line, what, f"import or define {name} in the test cell before its use")


def _offered(exercise: Cell) -> set[str]:
    """Names a student's cell is sure to define: the answer, and what its stub defines already."""
    try:
        return defined_names(released_cell(exercise)) | {answer_name(exercise.grade_id)}
    except SyntaxError:
        return {answer_name(exercise.grade_id)}


def _task_violations(lesson: Lesson) -> Iterator[Violation]:
    for index, cell in enumerate(lesson.cells):
        if kind_of(cell) != "task":
            continue
        if not _has_mark_scheme(cell):
            what = f"the task {cell.grade_id} has no mark scheme"
            remedy = "add it between ### BEGIN MARK SCHEME and ### END MARK SCHEME"
            yield Violation(cell.header, what, remedy)
        following = lesson.cells[index + 1] if index + 1 < len(lesson.cells) else None
        if following is None or following.node.cell_type != "markdown" or following.nbgrader:
            what = f"the task {cell.grade_id} has no answer cell after it"
            remedy = "add a markdown cell without nbgrader metadata right below it"
            yield Violation(cell.header, what, remedy)


def _has_mark_scheme(cell: Cell) -> bool:
    lines = cell.source.split("\n")
    hidden = take_apart(cell.source).hidden
    text = any(lines[number - 1].strip() for number in hidden)
    return text and has_region(cell.source, "MARK SCHEME")
