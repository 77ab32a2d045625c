"""Which exercise a graded cell belongs to, and how a table abbreviates exercises."""

from __future__ import annotations

import re
from collections.abc import Iterable

TEST = "test_"


def exercise_of(graded: str, solutions: Iterable[str]) -> str:
    """The exercise that a graded cell's points count for.

    `graded` is a test's `grade_id`, `test_<exercise>[_<what>]`, or that of a task, which is an
    exercise of its own; `solutions` are the `grade_id`s of all solution cells.

    >>> exercise_of("test_split_heads_shape", ["split", "split_heads"])
    'split_heads'
    >>> exercise_of("explain_1", ["split_heads"])
    'explain_1'
    """
    if not graded.startswith(TEST):
        return graded
    name = graded.removeprefix(TEST)
    found = [one for one in solutions if name == one or name.startswith(f"{one}_")]
    return max(found, key=len, default=name)


def family(exercise: str) -> str:
    """The name under which numbered exercises share a column.

    >>> family("quiz_3"), family("split_heads")
    ('quiz', 'split_heads')
    """
    return re.sub(r"_\d+$", "", exercise)
