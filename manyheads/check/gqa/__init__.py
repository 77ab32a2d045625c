"""The exercise `grouped_query_attention`: its inputs, its target, and what is said of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from manyheads.check.attention_errors import recognise_clash
from manyheads.check.attention_rows import (
    LOW_PRECISION,
    drawn,
    near,
    nearly,
    recognise_late,
    report,
)
from manyheads.check.attention_stages import attention
from manyheads.check.exercise import Case, Cause, Exercise, Trial
from manyheads.check.gqa.causes import CAUSES
from manyheads.check.gqa.refusals import accepted, remarks


def _case(B: int, T: int, H: int, Hkv: int, Dh: int, D: int, spread: bool = False) -> Case:
    def make() -> dict[str, Any]:
        shapes = ((B, T, D), (D, H * Dh), (D, Hkv * Dh), (D, Hkv * Dh), (H * Dh, D))
        made = drawn(1000 * H + 10 * T + Hkv, *shapes)
        given = [z.mT.contiguous().mT if spread else z for z in made]
        names = ("x", "Wq", "Wk", "Wv", "Wo")
        return {**dict(zip(names, given, strict=True)), "n_heads": H, "n_kv_heads": Hkv}

    aside = " (not contiguous in memory)" if spread else ""
    return Case(f"x [{B}, {T}, {D}], H={H}, Hkv={Hkv}, Dh={Dh}{aside}", make, fragile=spread)


CASES = (
    _case(2, 5, 6, 3, 4, 31),  # D > H * Dh, so that the heads can be told apart in the result
    _case(3, 7, 8, 2, 2, 10),
    _case(2, 5, 4, 4, 6, 24),
    _case(2, 4, 4, 2, 2, 8),
    _case(2, 6, 4, 1, 6, 32),
    _case(1, 5, 6, 3, 4, 31),
    _case(2, 1, 6, 3, 4, 31),
    _case(2, 5, 1, 1, 4, 6),
    _case(2, 5, 6, 2, 4, 20, spread=True),
)
REFUSED = (_case(2, 5, 5, 2, 4, 10), _case(2, 5, 6, 4, 4, 10))


def _report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    return report(trial, trial.case.make()["n_heads"])


def recognise(trials: Sequence[Trial]) -> Cause | None:
    """The causes that no variant can produce: rounding, and those that an error's sizes show."""
    if nearly(trials):
        return LOW_PRECISION
    args = next(trial for trial in trials if not trial.right).case.make()
    return recognise_clash(trials, args["n_heads"], args["n_kv_heads"])


def late(trials: Sequence[Trial]) -> Cause | None:
    """The stage that comes into question where no cause is known."""
    args = next(trial for trial in trials if not trial.right).case.make()
    return recognise_late(trials, args["n_heads"])


EXERCISE = Exercise(
    lesson="06_gqa_merge",
    name="grouped_query_attention",
    arguments=7,
    returns="one tensor [B, T, D]",
    cases=CASES,
    target=attention,
    causes=CAUSES,
    report=_report,
    probe="set Wq to zeros: every weight in row t is then 1 / (t + 1). Which rows are right now?",
    passed="Compared: shape and every number, on 9 inputs (H * Dh wider and narrower than D, "
    "Hkv = H, Hkv = 1, n_rep = Hkv, B=1, T=1, H=1, not contiguous); inputs left as they were; "
    "called twice; 5 query heads with 2 K/V heads refused.",
    matches=near,
    recognise=recognise,
    recognise_late=late,
    refused=REFUSED,
    accepted=accepted,
    remarks=remarks,
)
__all__ = ["CASES", "EXERCISE", "REFUSED", "recognise"]
