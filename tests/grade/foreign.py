"""A course that knows nothing of this package: plain nbgrader, plain numpy, two notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from manyheads.course import Course
from tests.grade.mini import KERNEL, code, save, text

ASSIGNMENT = "ps1"
CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "numerics"
"""


def solution(grade_id: str, source: str) -> NotebookNode:
    return code(source, grade_id, solution=True)


def test_cell(grade_id: str, points: float, source: str) -> NotebookNode:
    return code(source, grade_id, grade=True, locked=True, points=points)


test_cell.__test__ = False  # type: ignore[attr-defined]  # the name is the field's, not pytest's


def _notebook(cells: list[NotebookNode], name: str) -> NotebookNode:
    for place, cell in enumerate(cells):
        cell.id = f"{name}-{place:03}"
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def problem_one() -> NotebookNode:
    """Functions on arrays, with a hidden test, partial credit and a cell that deletes a name."""
    cells = [
        code("import numpy as np"),
        code("def as_column(x):\n    return np.asarray(x).reshape(-1, 1)", "helper", locked=True),
        solution(
            "squares",
            "def squares(n):\n    ### BEGIN SOLUTION\n"
            "    return np.arange(1, n + 1) ** 2\n    ### END SOLUTION",
        ),
        test_cell(
            "correct_squares",
            2,
            "import numpy as np\nnp.testing.assert_array_equal(squares(3), [1, 4, 9])\n"
            "### BEGIN HIDDEN TESTS\nassert len(squares(10)) == 10\n### END HIDDEN TESTS",
        ),
        solution(
            "center",
            "def center(x):\n    ### BEGIN SOLUTION\n"
            "    return x - x.mean(axis=0)\n    ### END SOLUTION",
        ),
        test_cell(
            "partial_center",
            4,
            "import numpy as np\nx = np.array([[1.0, 2.0], [3.0, 6.0]])\ny = center(x)\n"
            "same = np.allclose(y.std(axis=0), x.std(axis=0))\n"
            "float(2 * np.allclose(y.mean(axis=0), 0) + 2 * same)",
        ),
        solution("total", "total = (\n    ### BEGIN SOLUTION\n    385\n    ### END SOLUTION\n)"),
        test_cell(
            "deletes_a_name",
            1,
            "kept = squares\ndel squares\ntry:\n    squares(1)\nexcept NameError:\n    pass\n"
            "else:\n    raise AssertionError('still there')\nsquares = kept\nassert total == 385",
        ),
    ]
    return _notebook(cells, "p1")


def problem_two() -> NotebookNode:
    """An answer in words and one in code that a person grades, and a plain value."""
    cells = [
        text("Why does the mean vanish?\n\n### BEGIN SOLUTION\nx\n### END SOLUTION", "why",
             grade=True, solution=True, points=3),
        code("import numpy as np\n### BEGIN SOLUTION\nplot = 1\n### END SOLUTION", "figure",
             grade=True, solution=True, points=2),
        solution("rank", "rank = (\n    ### BEGIN SOLUTION\n    2\n    ### END SOLUTION\n)"),
        test_cell("correct_rank", 1, "assert rank == 2"),
    ]  # fmt: skip
    return _notebook(cells, "p2")


NOTEBOOKS = {"p1": problem_one, "p2": problem_two}


def release(name: str) -> NotebookNode:
    """What nbgrader makes of a notebook for students, with its own stubs."""
    from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

    notebook, resources = NOTEBOOKS[name](), {}
    for step in (ClearSolutions(), ClearHiddenTests()):
        notebook, resources = step(notebook, resources)
    return notebook


ANSWERS = {
    "squares": "def squares(n):\n    return np.array([k * k for k in range(1, n + 1)])",
    "center": "def center(x):\n    return as_column(x).reshape(x.shape) - x.mean(0)",
    "total": "total = 385",
    "why": "Because the sum of deviations is zero.",
    "figure": "plot = 2",
    "rank": "rank = 2",
}


def answered(name: str, **changed: str) -> NotebookNode:
    """A student's notebook: right answers, some of them changed."""
    notebook = release(name)
    answers = {**ANSWERS, **changed}
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)
    return notebook


def students() -> Mapping[str, Mapping[str, NotebookNode]]:
    """A right one, a partly right one, one who handed in the release, one with half of it."""
    return {
        "s01": {name: answered(name) for name in NOTEBOOKS},
        "s02": {
            "p1": answered("p1", center="def center(x):\n    return x * 0", total="total = 384"),
            "p2": answered("p2", rank="rank = 3"),
        },
        "s03": {name: release(name) for name in NOTEBOOKS},
        "s04": {"p1": answered("p1", squares="def squares(n):\n    return list(range(n))")},
    }


def make_foreign_course(root: Path) -> Course:
    """The course with four students; the last has not handed in the second notebook."""
    course = Course(root)
    root.mkdir(parents=True, exist_ok=True)
    (root / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    for name, made in NOTEBOOKS.items():
        save(made(), course.source / ASSIGNMENT / f"{name}.ipynb")
    for student, notebooks in students().items():
        for name, notebook in notebooks.items():
            save(notebook, course.submitted / student / ASSIGNMENT / f"{name}.ipynb")
        stamp = course.submitted / student / ASSIGNMENT / "timestamp.txt"
        stamp.write_text("2026-01-31 18:00:00.000000 UTC", encoding="utf-8")
    (course.source / ASSIGNMENT / "data.csv").write_text("1,2\n", encoding="utf-8")
    return course
