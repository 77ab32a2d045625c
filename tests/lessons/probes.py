"""What an exercise's graded cells do: what they cost an answer, and what they call it with."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from functools import cache
from typing import Any

import torch

from manyheads.build.regions import released
from manyheads.teach.exams import Exam
from manyheads.teach.hidden_tests import earned
from tests.lessons.altered import code, tensors
from tests.lessons.answers import function_exams, solution, solved


@contextmanager
def quiet() -> Iterator[None]:
    """As in a kernel, where a warning is text on stderr."""
    with warnings.catch_warnings(record=True), redirect_stderr(io.StringIO()):
        warnings.simplefilter("always")
        yield


def lost(exam: Exam, answer: str) -> list[str]:
    """The graded cells in which an answer loses points, by what they test."""
    with quiet():
        points = earned(exam, answer)
    return [test.name for test in exam.tests if points[test.name] < test.points]


def altered(exam: Exam, how: tuple[Any, ...]) -> str:
    """Code of the lesson's own answer, altered."""
    return code(solution(exam), exam.exercise, *how)


@cache
def calls(exercise: str, what: str, hidden: bool = True) -> list[tuple[Any, ...]]:
    """The arguments of all calls that a graded cell makes, its hidden region left out or alone."""
    exam = function_exams()[exercise]
    (test,) = (one for one in exam.tests if one.name == f"test_{exercise}_{what}")
    visible = recorded(exercise, released(test.code))
    return recorded(exercise, test.code)[len(visible) :] if hidden else visible


def recorded(exercise: str, cell: str) -> list[tuple[Any, ...]]:
    made: list[tuple[Any, ...]] = []

    def recorder(*args: Any) -> Any:
        made.append(args)
        return solved()[exercise](*args)

    exec(compile(cell, "<test>", "exec"), {exercise: recorder})  # noqa: S102  (the lesson's own)
    return made


def kinds_of_tests(exercise: str) -> list[str]:
    return [
        test.name.removeprefix(f"test_{exercise}_") for test in function_exams()[exercise].tests
    ]


def takes_tensors(exercise: str) -> bool:
    return any(map(tensors, calls(exercise, "values")))


def refuses(exercise: str) -> bool:
    """Whether the contract in the stub names an error."""
    return bool(re.search(r"^\s*raises: ", solved()[exercise].__doc__ or "", re.MULTILINE))


def moved(exercise: str, place: int) -> bool:
    """Whether the result at that place holds numbers of the input and no others."""
    args = calls(exercise, "values")[0]
    result = solved()[exercise](*args)
    part = result[place] if isinstance(result, list | tuple) else result
    if not torch.is_tensor(part):
        return True
    given = torch.cat([tensor.flatten() for tensor in tensors(args)])
    return bool(torch.isin(part, given).all())


def places(exercise: str, of_moved: bool) -> tuple[int, ...]:
    """Where results are, in order, that were moved only; or those that were computed."""
    result = solved()[exercise](*calls(exercise, "values")[0])
    count = len(result) if isinstance(result, list | tuple) else 1
    return tuple(place for place in range(count) if moved(exercise, place) is of_moved)
