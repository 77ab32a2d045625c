"""The exercise `grouped_query_attention`: its inputs, its target, and what is said of a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from manyheads.check.errors_alike import same_error
from manyheads.check.exercise import Case, Cause, Exercise, Trial
from manyheads.check.gqa.causes import CAUSES, LOW_PRECISION
from manyheads.check.gqa.clashes import recognise_clash
from manyheads.check.gqa.grouped import of_attention, target, widened
from manyheads.check.gqa.refusals import accepted, remarks
from manyheads.check.mha.causes import PAIRS
from manyheads.check.mha.report import recognise_number, report
from manyheads.check.numbers import drawn, matches, nearly, spread

GAIN = 1.4  # scores are of the order of its square


def _case(B: int, T: int, H: int, Hkv: int, Dh: int, D: int, strided: bool = False) -> Case:
    def make() -> dict[str, Any]:
        given = {"x": drawn((B, T, D), 71)}
        for seed, (name, heads) in enumerate((("Wq", H), ("Wk", Hkv), ("Wv", Hkv)), start=72):
            given[name] = drawn((D, heads * Dh), seed, GAIN * D**-0.5)
        given["Wo"] = drawn((H * Dh, D), 75, (H * Dh) ** -0.5)
        tensors = {name: spread(z) for name, z in given.items()} if strided else given
        return {**tensors, "n_heads": H, "n_kv_heads": Hkv}

    aside = " (not contiguous in memory)" if strided else ""
    return Case(f"x [{B}, {T}, {D}], H={H}, Hkv={Hkv}, Dh={Dh}{aside}", make, fragile=strided)


CASES = (
    _case(2, 3, 6, 3, 4, 31),  # T <= Dh and H*Dh <= D: all steps can be read back from the output
    _case(3, 7, 8, 2, 2, 10),
    _case(2, 5, 4, 4, 6, 24),
    _case(2, 4, 4, 2, 2, 8),
    _case(2, 6, 4, 1, 6, 32),
    _case(1, 5, 6, 3, 4, 27),
    _case(2, 1, 6, 3, 4, 31),
    _case(2, 5, 1, 1, 4, 6),
    _case(2, 5, 6, 2, 4, 20, strided=True),
)
REFUSED = (_case(2, 5, 5, 2, 4, 10), _case(2, 5, 6, 4, 4, 10))


def as_attention(trial: Trial) -> Trial:
    """The same trial as one of multi-head attention: sharing heads is repeating weights."""

    def make() -> dict[str, Any]:
        args = trial.case.make()
        heads = args.pop("n_heads"), args.pop("n_kv_heads")
        wide = {name: widened(args[name], *heads) for name in ("Wk", "Wv")}
        return {**args, **wide, "num_heads": heads[0]}

    return replace(trial, case=replace(trial.case, make=make))


def _report(trial: Trial) -> tuple[str, tuple[str, ...]]:
    return report(as_attention(trial))


def recognise(trials: Sequence[Trial]) -> Cause | None:
    """The causes that an error's words show: many mistakes stop on the very same inputs."""
    return recognise_clash(trials) or same_error(EXERCISE, trials)


def late(trials: Sequence[Trial]) -> Cause | None:
    """Rounding, a scale that nobody listed, or two mistakes at once."""
    from manyheads.check.diagnose import named

    if all(nearly(trial.got, trial.want) for trial in trials):
        return LOW_PRECISION
    return recognise_number([as_attention(t) for t in trials]) or named(TWO_AT_ONCE, trials)


EXERCISE = Exercise(
    lesson="06_gqa_merge",
    name="grouped_query_attention",
    arguments=7,
    returns="one tensor [B, T, D]",
    cases=CASES,
    target=target,
    causes=CAUSES,
    report=_report,
    probe="call it with Hkv = H, with one token, and with Wq all zero. Which of these is right?",
    passed="Compared: shape and every number, on 9 inputs (H * Dh wider and narrower than D, "
    "Hkv = H, Hkv = 1, n_rep = Hkv, B=1, T=1, H=1, not contiguous); inputs left as they were; "
    "called twice; 5 query heads with 2 K/V heads refused.",
    matches=matches,
    recognise=recognise,
    recognise_late=late,
    refused=REFUSED,
    accepted=accepted,
    remarks=remarks,
)
TWO_AT_ONCE = replace(EXERCISE, causes=tuple(map(of_attention, PAIRS)))
