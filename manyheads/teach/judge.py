"""One answer before both judges: the hidden tests, and the exercise's check."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass

import torch

from manyheads import check
from manyheads.teach.exams import Exam
from manyheads.teach.hidden_tests import answered, earned


@dataclass(frozen=True)
class Attempt:
    """An answer's code, and what it is graded by."""

    exam: Exam
    code: str


@dataclass(frozen=True)
class Verdict:
    """Points earned, whether the check passed it, the cause it was told; and why it was lost.

    `passed` is None where the check came to no end.
    """

    earned: float
    passed: bool | None = None
    cause: str | None = None
    lost: str = ""


def judge(attempt: Attempt) -> Verdict:
    """Grade the answer and put it to its check; what it prints is thrown away."""
    with _apart():
        points = sum(earned(attempt.exam, attempt.code).values())
    with _apart():
        passed, cause = _told(attempt)
    return Verdict(points, passed, cause)


def _told(attempt: Attempt) -> tuple[bool | None, str | None]:
    function = answered(attempt.code).get(attempt.exam.answer)
    try:
        result = getattr(check, attempt.exam.exercise)(function)
    except BaseException:  # an answer may raise KeyboardInterrupt, which a check lets through
        return None, None
    return result.passed, result.cause


@contextmanager
def _apart() -> Iterator[None]:
    """Torch as it is after its import, on one thread; silence, and no warnings."""
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.manual_seed(0)
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
