"""Generated classes: as many honest submissions as are asked for, no two of them alike.

Answers come from the bank, right and wrong ones, and from spellings of plain values; some
exercises are left as they came. Between the lesson's cells stand cells of the student's own. The
same numbers give the same class, byte for byte, on every machine.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from manyheads.course import Course, notebook_path
from tests.bank import Entry, load
from tests.classroom import fill, find, index, read, solutions
from tests.classroom.make import REPOSITORY, TIMESTAMP

RIGHT, WRONG = 0.55, 0.3  # the rest is left as it came

OWN_CODE = (
    "print('so far', 3 + 4)",
    "x = [1, 2, 3]\nfor t in x:\n    print(t)",
    "B, T, D, H = 2, 3, 8, 2\nB * T * D",
    "import torch\ntry_it = torch.arange(24).view(2, 3, 4)\ntry_it.transpose(1, 2).shape",
    "import torch\ntorch.manual_seed(3)\ntorch.randn(2, 3)",
    "import matplotlib.pyplot as plt\nplt.figure(figsize=(2, 1))\nplt.plot([1, 3, 2])\nplt.show()",
    "import warnings\nwarnings.warn('careful', stacklevel=1)",
    "import sys\nprint('a note to myself', file=sys.stderr)",
    "an_unknown_name + 1",
    "1 / 0",
    "def half(",
    "q = k = v = None\nt = 'tokens'",
    "from IPython.display import display, HTML\ndisplay(HTML('<b>done</b>'))",
    "%time sum(range(1000))",
    "import numpy as np\nnp.random.seed(1)\nnp.random.rand(2, 2).round(2)",
    "import random\nrandom.seed(5)\nrandom.random()",
    "with open('notes.txt', 'w') as file:\n    file.write('mine')\nopen('notes.txt').read()",
    "!echo from the shell",
    "assert 1 == 2, 'my own test fails'",
    "raise NotImplementedError('later')",
    "def helper(a, b=2):\n    return a ** b\n\nhelper(3)",
    "# todo: ask about axes",
    "",
)
OWN_TEXT = (
    "My notes: the head axis comes *before* the token axis.",
    "### Question\n\nIs $D_h = D / H$ always whole?",
    "- [ ] go over this again",
)
LETTERS = ('"{}"', "'{}'", '"{}".upper()', '" {} "', "str('{}')")
NUMBERS = ("{}", "{} + 0", "int({})", "{}.0", "sum([{}])")
SIZES = ("{}", "tuple({})", "list({})", "({})", "tuple(n for n in {})")
SLIPS = ("None", "0", "'I do not know'", "(1, 2)", "-1", "[2, 5, 12, 1]", "'x'", "{}", "len", "3.5")


@dataclass(frozen=True)
class Made:
    """One submission of a generated class."""

    student: str
    lesson: str
    notebook: NotebookNode


def generate(count: int, *, seed: int = 0, lessons: Sequence[str] = ()) -> Iterator[Made]:
    """A class of `count` submissions, `s0001` and so on, the lessons in turn."""
    lessons = lessons or Course(REPOSITORY).lessons()
    for number in range(count):
        name = f"s{number + 1:04}"
        yield Made(name, lesson := lessons[number % len(lessons)], _submission(name, lesson, seed))


def hand_in(course: Course, made: Made) -> Path:
    """Lay a generated submission into a course's `submitted/`; returns its notebook's path."""
    path = notebook_path(course.submitted / made.student, made.lesson)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(made.notebook) + "\n", encoding="utf-8", newline="\n")
    (path.parent / "timestamp.txt").write_text(TIMESTAMP, encoding="utf-8")
    return path


def _submission(student: str, lesson: str, seed: int) -> NotebookNode:
    choose = random.Random(f"{seed} {student} {lesson}")  # noqa: S311  (no secret)
    release, right = _lesson(lesson)
    answers = {}
    for exercise, solution in right.items():
        kind = choose.random()
        if kind < RIGHT + WRONG:
            given = str(find(release, exercise).source)
            answers[exercise] = _answer(exercise, solution, given, kind < RIGHT, choose)
    if choose.random() < RIGHT:
        answers["explain_1"] = f"Every head reads all tokens ({student})."
    notebook = fill(release, answers)
    for _ in range(choose.randrange(5)):
        _insert_own(notebook, choose)
    return notebook


@cache
def _lesson(lesson: str) -> tuple[NotebookNode, dict[str, str]]:
    course = Course(REPOSITORY)
    source = read(notebook_path(course.source, lesson))
    return read(notebook_path(course.release, lesson)), solutions(source)


@cache
def _bank() -> dict[tuple[str, bool], list[Entry]]:
    entries: dict[tuple[str, bool], list[Entry]] = {}
    for entry in load():
        entries.setdefault((entry.exercise, entry.right), []).append(entry)
    return entries


def _answer(exercise: str, solution: str, given: str, right: bool, choose: random.Random) -> str:
    """An answer: a spelling from the bank, or a plain value with what stood below it."""
    if spellings := _bank().get((exercise, right)):
        return choose.choice(spellings).code
    below = [line for line in given.split("\n") if line.startswith("check.")]
    value = _spelled(solution, choose) if right else choose.choice(SLIPS)
    return "\n".join([f"{exercise} = {value}", *below])


def _spelled(solution: str, choose: random.Random) -> str:
    """The value that a solution cell assigns, in other words."""
    [assignment] = [step for step in ast.parse(solution).body if isinstance(step, ast.Assign)]
    value = ast.literal_eval(assignment.value)
    forms = {str: LETTERS, int: NUMBERS}.get(type(value), SIZES)
    return choose.choice(forms).format(value)


def _insert_own(notebook: NotebookNode, choose: random.Random) -> None:
    """Put a cell of the student's own anywhere below the imports and above the written answer."""
    imports = next(n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    place = choose.randrange(imports + 1, index(notebook, "explain_1"))
    if choose.random() < 0.2:
        cell = nbformat.v4.new_markdown_cell(choose.choice(OWN_TEXT))
    else:
        cell = nbformat.v4.new_code_cell(choose.choice(OWN_CODE))
    cell.id = f"own-{choose.randrange(10**9):09}"
    notebook.cells.insert(place, cell)
