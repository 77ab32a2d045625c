"""The head of a feedback page: points by exercise, and what its student should know of the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from manyheads.grade.exercises import exercise_of
from manyheads.student.notebook import Cell, grading

UNSANDBOXED = "This submission was graded without a sandbox, so these points are provisional."
# The flags that concern a student, and how they are put to one.
_KIND_WORDS = {
    r"(\S+) was there \d+ times: one counts": (
        "{0} stood more than once in your notebook; one of them was graded."
    ),
    r"(\S+) was missing: put back": (
        "{0} was missing in your notebook and was put back for grading."
    ),
    r"(\S+) stood above its answer: moved": (
        "{0} stood above what it tests and was moved below it."
    ),
    r"(.+) was taken for (.+)": (
        "Your file was called {0}; it was graded as {1}. Please keep that name next time."
    ),
    r"other notebooks lie there, not graded: (.+)": (
        "Other notebooks that you handed in were not graded: {0}."
    ),
    r"rebuilt: (\d+) cells? had lost the nbgrader metadata.*": (
        "A program had removed the marks of {0} of your notebook's cells; they were put back."
    ),
    r"(.+) was left out: (.+)": "Your file {0} was not used: {1}.",
    r"the notebook was in the old format (.+): upgraded": (
        "Your notebook was in the old format {0}; it was upgraded."
    ),
}


def notes_for_student(metadata: dict[str, Any]) -> list[str]:
    """What a student should know about how their notebook was graded, from its metadata.

    >>> notes_for_student({"flags": ["quiz_1 was missing: put back"]})
    ['quiz_1 was missing in your notebook and was put back for grading.']
    """
    flags = metadata.get("flags", [])
    notes = [words for flag in flags if (words := _kind_words(str(flag)))]
    return [UNSANDBOXED, *notes] if metadata.get("sandboxed") is False else notes


def _kind_words(flag: str) -> str | None:
    for pattern, words in _KIND_WORDS.items():
        found = re.fullmatch(pattern, flag)
        if found:
            return words.format(*found.groups())
    return None


def rows_by_exercise(
    cells: Iterable[Cell], exercises: Iterable[str], causes: dict[str, str]
) -> list[dict[str, Any]]:
    """One row an exercise, in the order of the notebook: points, and what was found.

    `anchor` is the first cell that the points are for. A cause's first line is its headline.
    """
    rows: dict[str, dict[str, Any]] = {}
    answers = list(exercises)
    for cell in cells:
        entry = grading(cell)
        if not (entry.get("grade") or entry.get("task")):
            continue
        name = exercise_of(str(entry["grade_id"]), answers)
        row = rows.setdefault(name, _row(name, str(entry["grade_id"])))
        row["earned"] += float(entry.get("score") or 0.0)
        row["points"] += float(entry.get("points") or 0.0)
        row["waiting"] = row["waiting"] or bool(entry.get("waiting"))
    for name, row in rows.items():
        row["words"] = headline(name, causes.get(name, "")) if row["earned"] < row["points"] else ""
    return list(rows.values())


def _row(name: str, anchor: str) -> dict[str, Any]:
    return {"name": name, "anchor": anchor, "earned": 0.0, "points": 0.0, "waiting": False}


def headline(exercise: str, cause: str) -> str:
    r"""A cause's first line without the exercise's name.

    >>> headline("split_heads", "split_heads   the owners are not right\n  More.")
    'the owners are not right'
    """
    first = cause.strip().split("\n")[0]
    return first.removeprefix(exercise).strip()
