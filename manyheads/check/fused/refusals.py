"""What is said when `split_fused_qkv` accepts a width that doesn't add up."""
# ruff: noqa: ARG001, ARG005  (all ways of doing it have one signature, whatever they use)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from manyheads.check.engine import Outcome, call
from manyheads.check.exercise import Case, Cause, Finding
from manyheads.check.fused.layouts import Parts, cut
from manyheads.check.kinds import contents
from manyheads.check.project.slots import alike
from manyheads.check.raised import own_lines

RAISE = "ValueError, AssertionError or RuntimeError"
PROBE = "what is (H + 2*Hkv) * Dh for this input, and how many columns has Wqkv?"


def _from_the_end(y: Tensor, a: int, b: int, d: int) -> Parts:
    return y[..., :a], y[..., -2 * b : -b], y[..., -b:]


def _stretched(x: Tensor, Wqkv: Tensor, H: int, Hkv: int, Dh: int) -> Any:
    n = Wqkv.shape[1] // (H + 2 * Hkv)
    y, a, b = x @ Wqkv, H * n, Hkv * n
    return y[..., :a], y[..., a : a + b], y[..., a + b : a + 2 * b]


CAUSES = (
    Cause(
        "ignores-extra-columns",
        "Columns were left over and nobody missed them. A matrix of another model would pass "
        "unnoticed.",
        PROBE,
        (cut(lambda y, a, b, d: (y[..., :a], y[..., a : a + b], y[..., a + b : a + 2 * b])),),
    ),
    Cause(
        "v-takes-the-rest",
        "V was given whatever is left after Q and K, too much or too little.",
        PROBE,
        (cut(lambda y, a, b, d: (y[..., :a], y[..., a : a + b], y[..., a + b :])),),
    ),
    Cause(
        "ignores-middle-columns",
        "K and V were cut from the end, so columns in the middle belong to nobody, or to two.",
        PROBE,
        (cut(_from_the_end),),
    ),
    Cause(
        "kv-share-the-rest",
        "K and V were given half each of whatever is left after Q.",
        PROBE,
        (
            cut(lambda y, a, b, d: (y[..., :a], *y[..., a:].chunk(2, -1))),
            cut(lambda y, a, b, d: (y[..., :a], *y[..., a:].tensor_split(2, -1))),
        ),
    ),
    Cause(
        "stretches-heads",
        "The head width was worked out from the matrix, and head_dim was never looked at.",
        "which head width did you use here, and what is head_dim?",
        (_stretched,),
    ),
)
NARROW = Cause(
    "accepts-narrow",
    "There are too few columns, so a piece is shorter than it should be, or empty. Slicing past "
    "the end is no error in Python.",
    PROBE,
)
OTHERWISE = Cause(
    "accepts-other-widths",
    f"The widths don't add up, so nothing sensible can come back. Raise {RAISE}.",
    PROBE,
)


def accepted(case: Case, got: Outcome) -> Finding:
    """The finding on a call that had to raise and did not, or raised another kind of error."""
    _, Wqkv, H, Hkv, Dh = case.make().values()
    need, given = (H + 2 * Hkv) * Dh, Wqkv.shape[1]
    start = f"Called with {case.says}: Q, K and V need {need} columns and there are {given}"
    if got.error is not None:
        return _other_error(start, got)
    headline = "right for valid input; a width that doesn't add up is not refused"
    if not got.parts and got.array is None:
        says = (
            "Returning (or printing) a complaint lets the caller go on with it; the mistake then "
            f"shows far away. This exercise asks for an error that is raised: {RAISE}."
        )
        probe = "what will the next line of the caller do with it?"
        told = f"{start}. It returned {got.typename}."
        return Finding("reports-instead-of-raising", headline, (told, says), probe)
    cause = _cause(case, got, given < need)
    return Finding(
        cause.id, headline, (f"{start}. It returned {contents(got)}.", cause.says), cause.probe
    )


def _cause(case: Case, got: Outcome, narrow: bool) -> Cause:
    if narrow:
        return NARROW
    for cause in CAUSES:
        if any(alike(got, call(variant, case.make())) for variant in cause.variants):
            return cause
    return OTHERWISE


def _other_error(start: str, got: Outcome) -> Finding:
    says = f"It was refused, but with {got.typename}. This exercise asks for {RAISE}."
    cause = "other-error"
    if isinstance(got.error, NotImplementedError):
        says = (
            "NotImplementedError means that something isn't written yet, not that a value is bad."
        )
        cause = "not-written-yet"
    headline = f"right for valid input; bad input stops with {got.typename}"
    probe = "which built-in error is meant for a wrong value?"
    return Finding(cause, headline, (f"{start}.", says), probe, own_lines(got.error))


def remarks(refusals: Sequence[Outcome]) -> tuple[str, ...]:
    """What could be kinder about the errors: torch's own words name no head."""
    late = any("split_sizes" in str(got.error) for got in refusals)
    if not late:
        return ()
    return (
        "Refused by torch's split. That counts; a message of your own could name H, Hkv and Dh.",
    )
