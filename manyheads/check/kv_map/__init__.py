"""The exercise `kv_head_of`: its inputs, its target, and what is said of a wrong list."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import torch
from torch import Tensor

from manyheads.check.engine import Outcome
from manyheads.check.exercise import Case, Exercise, Finding, Trial
from manyheads.check.kinds import KINDS
from manyheads.check.kv_map.causes import CAUSES, REFUSALS
from manyheads.check.refused import accepted_by
from manyheads.check.values import normal
from manyheads.check.words import numbered


def target(n_heads: int, n_kv_heads: int) -> Tensor:
    """The K/V head of each query head, [H].

    >>> target(6, 3).tolist()
    [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    """
    groups = np.repeat(np.arange(n_kv_heads, dtype=np.float64), n_heads // n_kv_heads)
    return torch.from_numpy(groups)


def _case(H: int, Hkv: int) -> Case:
    return Case(f"n_heads={H}, n_kv_heads={Hkv}", lambda: {"n_heads": H, "n_kv_heads": Hkv})


CASES = tuple(
    _case(*heads)
    for heads in ((6, 3), (8, 2), (15, 5), (12, 6), (6, 6), (6, 1), (1, 1), (9, 3), (64, 8))
)
REFUSED = tuple(_case(*heads) for heads in ((5, 2), (6, 4), (7, 3), (3, 6)))


def reading(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, with a row of numbers of any kind read as one tensor [H]."""

    @wraps(fn, updated=())
    def read(*args: Any) -> Any:
        value = fn(*args)
        numbers = normal(value)
        flat = isinstance(numbers, list) and all(isinstance(n, float) for n in numbers)
        return torch.tensor(numbers, dtype=torch.float64) if flat else value

    return read


# kind: what it means here, and one next probe
INSTEAD = {
    "list": (
        "Each entry answers for one query head, with one whole number. Groups in brackets of their "
        "own, or anything but numbers, can't be looked up by h.",
        "what is out[1], and which K/V head does query head 1 read?",
    ),
    "number": (
        "One number answers for one query head. The list answers for all of them, in their order.",
        "which K/V head does query head 0 read, and query head 1, and so on?",
    ),
    "dict": (
        "A dictionary can be asked for a head, but it is no list: list(out) gives its keys.",
        "in which order would a list hold the dictionary's values?",
    ),
    "generator": (
        "A generator has computed nothing yet, gives its values once, and has no length.",
        "which brackets around your for make a list?",
    ),
    "text": (
        "Text can be read, but no head can be looked up in it.",
        "what does type(out) print, and which of your values is the list?",
    ),
}
OTHER = ("One list is asked for: place h holds the K/V head of query head h.", "what is type(out)?")
GENERAL = ("none", "stub", "function", "coroutine", "exception")


def strange(exercise: Exercise, trial: Trial) -> Finding | None:
    """The finding on a result that is no row of numbers, else None."""
    kind = trial.got.kind
    if kind in ("tensor", "error"):
        return None
    cause, what, meaning, probe = KINDS.get(kind, ("returns-other", f"a {kind}", *OTHER))
    if kind not in GENERAL:
        meaning, probe = INSTEAD.get("list" if kind == "tuple" else kind, OTHER)
    headline = f"returned {what}; this exercise asks for {exercise.returns}"
    return Finding(cause, headline, (f"For {trial.case.says} it returned {what}.", meaning), probe)


def report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    """A headline, the first wrong place, and how many are right."""
    got, want = trial.got.array, trial.want.array
    if got is None or want is None:
        return f"returned {trial.got.kind}", (f"For {trial.case.says}.",)
    asked = trial.case.says
    if got.ndim != 1:
        return f"the result has {got.ndim} axes; this exercise asks for a flat list", (
            f"For {asked}, the list should have {want.size} whole numbers.",
        )
    if got.size != want.size:
        return f"the list has {got.size} places; this exercise asks for {want.size}", (
            f"For {asked}, each of the {want.size} query heads has one place. "
            f"Yours is {_shown(got)}.",
        )
    right = [int(h) for h in np.flatnonzero(got == want)]
    h = int(np.flatnonzero(got != want)[0])
    first = f"For {asked}, query head {h} should read K/V head {want[h]:g}. Yours reads {got[h]:g}."
    told = f"Right: {numbered('query head', right)}." if right else "No query head is right yet."
    return "the length is right; the heads are not", (first, f"Yours is {_shown(got)}. {told}")


def _shown(numbers: Any) -> str:
    shown = ", ".join(f"{n:g}" for n in numbers[:12])
    return f"[{shown}{', ...' if len(numbers) > 12 else ''}]"


def accepted(case: Case, got: Outcome) -> Finding:
    """The finding on heads that can't be shared evenly and were not refused."""
    H, Hkv = case.make().values()
    made = {cause: cause.variants[0](H, Hkv) for cause in REFUSALS}
    meant = next((cause for cause, same in made.items() if same(got.array)), None)
    why = f"{H} query heads can't share {Hkv} K/V heads evenly"
    probe = f"what is {H} % {Hkv}, and who reads what is left over?"
    finding = accepted_by(case, got, why, meant, probe)
    if got.array is None:
        return finding
    start = finding.lines[0].rsplit(" It returned", 1)[0]
    lines = (f"{start} It returned {_shown(got.array.ravel())}.", *finding.lines[1:])
    return Finding(finding.cause, finding.headline, lines, finding.probe, finding.traceback)


EXERCISE = Exercise(
    lesson="06_gqa_merge",
    name="kv_head_of",
    arguments=2,
    returns="a list of H whole numbers",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=report,
    probe="how many query heads share one K/V head here, and who are the first ones?",
    passed="Compared: the whole list for nine pairs of H and Hkv (n_rep more and less than Hkv, "
    "the same; Hkv = H, Hkv = 1, one head); called twice; 5 query heads with 2 K/V heads refused.",
    refused=REFUSED,
    accepted=accepted,
    reading=reading,
    strange=strange,
)
__all__ = ["CASES", "EXERCISE", "REFUSED", "reading", "report", "strange", "target"]
