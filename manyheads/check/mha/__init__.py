"""The exercise `multi_head_attention`: its inputs, its target, what is said of a wrong result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from manyheads.check.errors_alike import same_error
from manyheads.check.exercise import Case, Cause, Exercise, Trial
from manyheads.check.mha.causes import CAUSES, PAIRS
from manyheads.check.mha.report import recognise_number, report
from manyheads.check.mha.steps import target
from manyheads.check.numbers import drawn, matches, spread


def _case(
    B: int,
    T: int,
    H: int,
    Dh: int,
    D: int,
    strided: bool = False,
    gain: float = 1.4,
    aside: str = "",
) -> Case:
    """One call; `gain` sets the size of the scores, about gain squared."""

    def make() -> dict[str, Any]:
        given = {"x": drawn((B, T, D), 61)}
        for seed, name in enumerate(("Wq", "Wk", "Wv"), start=62):
            given[name] = drawn((D, H * Dh), seed, gain * D**-0.5)
        given["Wo"] = drawn((H * Dh, D), 65, (H * Dh) ** -0.5)
        tensors = {name: spread(z) for name, z in given.items()} if strided else given
        return {**tensors, "num_heads": H}

    note = aside or (" (not contiguous in memory)" if strided else "")
    width = H * Dh
    says = f"x {[B, T, D]}, Wq, Wk, Wv {[D, width]}, Wo {[width, D]}, num_heads={H}{note}"
    return Case(says, make, fragile=strided)


CASES = (
    _case(2, 4, 3, 5, 18),  # T <= Dh and H*Dh <= D: all steps can be read back from the output
    _case(3, 6, 2, 6, 12),
    _case(2, 5, 4, 4, 10),
    _case(1, 5, 3, 4, 10),
    _case(2, 1, 3, 4, 10),
    _case(2, 5, 1, 4, 10),
    _case(2, 5, 3, 4, 10, gain=3.6, aside=" (large scores)"),
    _case(2, 4, 3, 5, 18, strided=True),
)


def _recognise(trials: Sequence[Trial]) -> Cause | None:
    return same_error(EXERCISE, trials)


def _recognise_late(trials: Sequence[Trial]) -> Cause | None:
    """A scale that nobody listed, or two mistakes at once."""
    from manyheads.check.diagnose import named

    return recognise_number(trials) or named(TWO_AT_ONCE, trials)


EXERCISE = Exercise(
    lesson="05_concat_and_wo",
    name="multi_head_attention",
    arguments=6,
    returns="one tensor [B, T, D]",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=report,
    probe="call it with one head, with one token, and with Wq all zero. Which of these is right?",
    passed="Compared: shape and values on 8 inputs (H*Dh below, equal to and above D; B=1, T=1, "
    "H=1; large scores; not contiguous); all inputs left as they were; called twice.",
    matches=matches,
    recognise=_recognise,
    recognise_late=_recognise_late,
)
TWO_AT_ONCE = replace(EXERCISE, causes=PAIRS)
