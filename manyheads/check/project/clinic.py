"""The bug clinic of the projections: can `find_bug` tell faulty versions from right ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from manyheads.check import session
from manyheads.check.engine import takes
from manyheads.check.raised import own_lines
from manyheads.check.result import Result

LESSON, EXERCISE = "01_qkv_projections", "clinic_transpose"
Views = Callable[..., Any]


@dataclass(frozen=True)
class Patient:
    """A version handed to `find_bug`: what it does, and the input that tells."""

    views: Views
    symptom: str
    hint: str = ""


def _each(view: Callable[[Tensor, Tensor], Tensor]) -> Views:
    return lambda x, Wq, Wk, Wv: tuple(view(x, W) for W in (Wq, Wk, Wv))


def _product(x: Tensor, W: Tensor) -> Tensor:
    return torch.einsum("btd,de->bte", x, W)


def _turned(x: Tensor, W: Tensor) -> Tensor:
    return torch.einsum("btd,ed->bte", x, W)


FAULTY = (
    Patient(
        _each(_turned),
        "multiplies by every matrix transposed",
        "square matrices that are not symmetric, with the values compared",
    ),
    Patient(
        lambda x, Wq, Wk, Wv: (_product(x, Wq), _turned(x, Wk), _product(x, Wv)),
        "transposes Wk alone",
        "a Wk that is square and not symmetric, with k looked at as well",
    ),
    Patient(
        lambda x, Wq, Wk, Wv: _each(_product)(x, Wq, Wv, Wk),
        "returns q, v, k",
        "three different matrices, with all three results compared",
    ),
    Patient(
        lambda x, Wq, Wk, _: _each(_product)(x, Wq, Wk, Wk),
        "makes v with Wk",
        "a Wv that differs from Wk, with v looked at as well",
    ),
    Patient(
        _each(lambda x, W: _product(x.roll(1, 1), W)),
        "gives each token the row of the token before it",
        "an x whose tokens differ, with T > 1",
    ),
    Patient(
        _each(lambda x, W: _product(x[:1].expand_as(x), W)),
        "gives every sample the rows of sample 0",
        "an x whose samples differ, with B > 1",
    ),
    Patient(
        _each(lambda x, W: _product(x, W).clamp(min=0)),
        "turns negative numbers into zeros",
        "numbers of both signs",
    ),
    Patient(
        _each(lambda x, W: _product(x, W) + 1),
        "adds 1 to every number",
        "a comparison of values, with an expectation of your own",
    ),
)
RIGHT = (
    Patient(_each(_product), "a right version"),
    Patient(_each(lambda x, W: (W.mT @ x.mT).mT), "a right version, not contiguous in memory"),
    Patient(
        lambda x, Wq, Wk, Wv: [_product(x, W).clone() for W in (Wq, Wk, Wv)],
        "a right version that returns a list",
    ),
)


def clinic_result(find_bug: Any) -> Result:
    """Ask `find_bug` about every version and say how it did."""
    if not callable(find_bug) or not takes(find_bug, 1):
        needed = (
            "find_bug is a function of one argument, the candidate. It calls candidate(x, Wq, Wk, "
            "Wv) on inputs of its own choice and returns True for a faulty one, False for a right "
            "one.",
        )
        return _result(False, "not yet: this is no function of one candidate", needed)
    silent: list[str] = []
    missed = [one for one in FAULTY if _says(find_bug, one, silent) is not True]
    accused = [one for one in RIGHT if _says(find_bug, one, silent) is True]
    caught = len(FAULTY) - len(missed)
    headline = f"{caught} of {len(FAULTY)} faulty versions caught"
    headline += f", {len(accused)} right {'one' if len(accused) == 1 else 'ones'} accused"
    problems = list(_problems(missed, accused, silent))
    if not problems:
        praise = (
            "It catches every one of these and accuses no right version, whatever its container.",
            "Hidden candidates, right and wrong, are tried at grading.",
        )
        return _result(True, f"passed: {headline}", praise)
    lines = tuple(line for told, _, _ in problems for line in told)
    _, probe, cause = problems[-1]
    return _result(False, headline, lines, probe, cause)


def _problems(
    missed: list[Patient], accused: list[Patient], silent: list[str]
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """What is to be told, the gravest last: lines, a probe and a cause."""
    if silent and silent[0]:
        stopped = (
            "On some candidates find_bug itself stopped with an error, which counts as no answer. "
            "A candidate that raises on good input is faulty: catch the error and decide.",
            f"The first one: {silent[0].splitlines()[-1]}",
        )
        yield stopped, "which line of yours calls candidate outside a try?", "no-answer"
    elif silent:
        undecided = ("find_bug gave neither True nor False for some candidates.",)
        yield undecided, "does every way through find_bug end in a return?", "no-answer"
    elif missed:
        escaped = (f"It missed one that {missed[0].symptom}.",)
        yield escaped, f"what would your comparison say for {missed[0].hint}?", "misses-a-bug"
    if accused:
        slander = (
            f"It accuses {accused[0].symptom}.",
            "In grading, one right version accused costs all points of the clinic.",
        )
        probe = (
            "which of your comparisons says so: a shape, a type, a value? Small whole numbers give "
            "exact products."
        )
        yield slander, probe, "accuses-a-right-one"


def _says(find_bug: Callable[..., Any], patient: Patient, silent: list[str]) -> bool | None:
    """True or False, also as a NumPy or torch value; None, noted in `silent`, for no answer."""
    try:
        word = find_bug(lambda x, Wq, Wk, Wv: patient.views(x, Wq, Wk, Wv))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # exit() in find_bug must not end the notebook
        silent.append(own_lines(error))
        return None
    if issubclass(type(word), Tensor) and word.numel() == 1:
        word = word.item()
    if type(word).__name__ in ("bool", "bool_", "int"):
        return bool(word)
    silent.append("")
    return None


def _result(
    passed: bool,
    headline: str,
    lines: tuple[str, ...],
    probe: str = "",
    cause: str | None = None,
) -> Result:
    session.record(LESSON, EXERCISE, passed)
    foot = session.footer(LESSON)
    return Result(LESSON, EXERCISE, passed, headline, lines, probe, cause, footer=foot)
