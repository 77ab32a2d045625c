"""A lesson in miniature, with canaries in all that students may not see, and courses with it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from manyheads.build.regions import released
from manyheads.course import Course, notebook_path
from tests.classroom import fill

REPOSITORY = Path(__file__).parents[2]
LESSON = "02_mini"
CANARY = "CANARY"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def code(source: str, grade_id: str = "", **marks: Any) -> NotebookNode:
    return _cell(nbformat.v4.new_code_cell(source.strip("\n")), grade_id, marks)


def text(source: str, grade_id: str = "", **marks: Any) -> NotebookNode:
    return _cell(nbformat.v4.new_markdown_cell(source.strip("\n")), grade_id, marks)


def _cell(cell: NotebookNode, grade_id: str, marks: Mapping[str, Any]) -> NotebookNode:
    if grade_id:
        entry = {"schema_version": 3, "grade_id": grade_id}
        flags = dict.fromkeys(("grade", "locked", "solution", "task"), False)
        cell.metadata = {"nbgrader": {**entry, **flags, **marks}}
    return cell


def answer(name: str, source: str) -> NotebookNode:
    return code(source, name, solution=True)


def graded(name: str, points: float, source: str) -> NotebookNode:
    cell = code(source, name, grade=True, locked=True, points=points)
    cell.metadata["tags"] = ["raises-exception"]
    return cell


def source_notebook() -> NotebookNode:
    """The instructor's notebook: four exercises and a free text."""
    cells = [
        text("# A miniature lesson"),
        code(
            """
import numpy as np

class check:  # stands for manyheads.check
    split_heads = answer = staticmethod(lambda *arguments: None)
"""
        ),
        code("GIVEN = 'a helper that all later cells may use'", "given_helper", locked=True),
        answer(
            "split_heads",
            """
def split_heads(x, num_heads):
    ### BEGIN SOLUTION
    canary_solution = x.reshape(x.shape[0], x.shape[1], num_heads, -1)  # CANARY-solution
    return canary_solution.swapaxes(1, 2)
    ### END SOLUTION
""",
        ),
        code("check.split_heads(split_heads)"),
        graded(
            "test_split_heads_shape",
            1,
            """
import numpy as np

assert split_heads(np.zeros((2, 5, 12)), 3).shape == (2, 3, 5, 4), "wrong shape"
""",
        ),
        graded(
            "test_split_heads_values",
            3,
            """
# Graded test: values on hidden inputs.
### BEGIN HIDDEN TESTS
import numpy as np

canary_input = np.arange(3 * 4 * 6).reshape(3, 4, 6)  # CANARY-comment
canary_heads = split_heads(canary_input, 2)
for head in range(2):
    wanted = canary_input[:, :, 3 * head : 3 * head + 3]
    assert (canary_heads[:, head] == wanted).all(), "CANARY-message: head owns other features"
### END HIDDEN TESTS
""",
        ),
        graded(
            "test_split_heads_contract",
            2,
            """
# Graded test: 7 features can't be shared by 2 heads.
### BEGIN HIDDEN TESTS
import numpy as np

try:
    split_heads(np.zeros((1, 2, 7)), 2)
except (ValueError, AssertionError, RuntimeError):
    pass
else:
    raise AssertionError("CANARY-contract: no error for seven features and two heads")
### END HIDDEN TESTS
""",
        ),
        answer(
            "rotate_qk",
            """
def rotate_qk(q, k, v, rope):
    ### BEGIN SOLUTION
    return rope(q), rope(k), v
    ### END SOLUTION
""",
        ),
        graded(
            "test_rotate_qk",
            2,
            """
### BEGIN HIDDEN TESTS
canary_rotated = rotate_qk(1, 2, 3, lambda number: -number)
assert canary_rotated == (-1, -2, 3), "CANARY-rotate: v was turned as well"
### END HIDDEN TESTS
""",
        ),
        answer("share", "share = (\n    ### BEGIN SOLUTION\n    1.0\n    ### END SOLUTION\n)"),
        graded(
            "test_share",
            4,
            """
# Partial credit: four points times the share.
### BEGIN HIDDEN TESTS
share if isinstance(share, str) else 4 * share  # CANARY-partial
### END HIDDEN TESTS
""",
        ),
        answer("quiz_1", 'quiz_1 = (\n    ### BEGIN SOLUTION\n    "b"\n    ### END SOLUTION\n)'),
        code('check.answer("02_mini", "quiz_1", quiz_1)'),
        graded(
            "test_quiz_1",
            1,
            """
# Graded test of quiz_1.
### BEGIN HIDDEN TESTS
assert quiz_1 == "b", "CANARY-quiz: the other letter is right"
### END HIDDEN TESTS
""",
        ),
        text(
            """
Explain why more heads is not more sequence length.

### BEGIN MARK SCHEME
Two points for the CANARY-scheme: each head reads every position.
### END MARK SCHEME
""",
            "explain_1",
            task=True,
            locked=True,
            points=4,
        ),
        text("*Write your answer here.*"),
        code("summary = 'the end of the lesson'\nsummary"),
    ]
    return lesson_of(LESSON, cells)


def lesson_of(lesson: str, cells: list[NotebookNode]) -> NotebookNode:
    """A source notebook as the build makes it: its cells numbered, its lesson named."""
    for index, cell in enumerate(cells, start=1):
        entry = cell.metadata.get("nbgrader", {})
        cell.id = entry.get("grade_id") or f"{lesson}-{index:03d}"
    metadata = {"kernelspec": KERNEL, "manyheads": {"lesson": lesson, "release": "0123456789ab"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata)


def released_copy(source: NotebookNode) -> NotebookNode:
    """What students get of a source notebook."""
    notebook = deepcopy(source)
    for cell in notebook.cells:
        cell.source = released(cell.source)
    return notebook


def release_notebook() -> NotebookNode:
    """What students get of it."""
    return released_copy(source_notebook())


def make_course(
    root: Path, submissions: Mapping[str, NotebookNode], source: NotebookNode | None = None
) -> Course:
    """A course at `root` with this repository's configuration and the given submissions."""
    course = Course(root)
    root.mkdir(parents=True, exist_ok=True)
    shutil.copy(REPOSITORY / "nbgrader_config.py", root)
    save(source or source_notebook(), notebook_path(course.source, LESSON))
    save(release_notebook(), notebook_path(course.release, LESSON))
    for student, notebook in submissions.items():
        submit(course, student, notebook)
    return course


def submit(course: Course, student: str, notebook: NotebookNode, lesson: str = LESSON) -> Path:
    path = notebook_path(course.submitted / student, lesson)
    save(notebook, path)
    (path.parent / "timestamp.txt").write_text("2026-01-31 18:00:00.000000 UTC", encoding="utf-8")
    return path


def save(notebook: NotebookNode, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(notebook, ensure_ascii=False, indent=1)  # as it is, valid or not
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def answers(**changed: str) -> dict[str, str]:
    """A right student's answers in words of their own, some of them changed."""
    right = {
        "split_heads": "def split_heads(x, num_heads):\n"
        "    return np.stack(np.split(x, num_heads, axis=-1), axis=1)",
        "rotate_qk": "def rotate_qk(q, k, v, rope):\n    return (rope(q), rope(k), v)",
        "share": "share = 1",
        "quiz_1": 'quiz_1 = "b"',
        "explain_1": "More heads, more views of the same tokens.",
    }
    return {**right, **changed}


def student(**changed: str) -> NotebookNode:
    """The notebook of a right student, some of the answers changed."""
    return fill(release_notebook(), answers(**changed))
