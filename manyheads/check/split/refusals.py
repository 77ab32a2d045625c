"""What is said when `split_heads` accepts a width that the heads can't share."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from manyheads.check.engine import Outcome, call, same
from manyheads.check.exercise import Case, Cause, Finding
from manyheads.check.kinds import KINDS
from manyheads.check.raised import own_lines
from manyheads.check.words import shape


def _drops(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    width = x.shape[-1] // num_heads
    return torch.stack([x[..., h * width :][..., :width] for h in range(num_heads)], 1)


def _pads(x: torch.Tensor, num_heads: int, where: str = "end") -> torch.Tensor:
    missing = -x.shape[-1] % num_heads
    pad = (0, missing) if where == "end" else (missing, 0)
    return _drops(torch.nn.functional.pad(x, pad), num_heads)


def _regroups(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    width = x.shape[-1] // num_heads
    return torch.stack(x.reshape(x.shape[0], -1, num_heads, width).unbind(2), 1)


def _overlaps(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    width = -(-x.shape[-1] // num_heads)
    starts = [min(h * width, x.shape[-1] - width) for h in range(num_heads)]
    return torch.stack([x[..., start : start + width] for start in starts], 1)


PROBE = "what is D % num_heads here, and what does your function do with the rest?"
CAUSES = (
    Cause(
        "drops-features",
        "Whole-number division rounds down, so the features that are left over belong to no head "
        "and are lost without a word.",
        PROBE,
        (_drops,),
    ),
    Cause(
        "pads-features",
        "The last head was filled up with zeros. They look like features, and no weight was ever "
        "trained for them.",
        PROBE,
        (_pads, lambda x, num_heads: _pads(x, num_heads, "start")),
    ),
    Cause(
        "regroups-tokens",
        "An axis whose size is left open (-1) takes up whatever is left over. Here the rest of the "
        "features became tokens.",
        "how many tokens does your result have, and how many has x?",
        (_regroups,),
    ),
    Cause(
        "shares-features",
        "The last head was moved back until it fitted, so some features belong to two heads.",
        PROBE,
        (_overlaps,),
    ),
)
RAISE = "ValueError, AssertionError or RuntimeError"


def accepted(case: Case, got: Outcome) -> Finding:
    """The finding on a call that had to raise and did not, or raised another kind of error."""
    x, num_heads = case.make().values()
    start = f"Called with {case.says}: {x.shape[-1]} features can't be shared by {num_heads} heads"
    if got.error is not None:
        return _other_error(start, got)
    cause, says, probe = _meaning(case, got)
    what = f"a tensor {shape(got.shape)}" if got.shape is not None else _kind(got)
    headline = "right for valid input; a width that can't be shared is not refused"
    return Finding(cause, headline, (f"{start}. It returned {what}.", says), probe)


def _meaning(case: Case, got: Outcome) -> tuple[str, str, str]:
    for cause in CAUSES:
        if any(same(got, call(variant, case.make())) for variant in cause.variants):
            return cause.id, cause.says, cause.probe
    if got.kind in ("none", "text", "exception", "number", "stub"):
        says = (
            "Returning (or printing) a complaint lets the caller go on with it; the mistake then "
            f"shows far away. This exercise asks for an error that is raised: {RAISE}."
        )
        return (
            "reports-instead-of-raising",
            says,
            "what will the next line of the caller do with it?",
        )
    says = f"The sizes don't go together, so nothing sensible can come back. Raise {RAISE}."
    return "accepts-indivisible", says, PROBE


def remarks(refusals: Sequence[Outcome]) -> tuple[str, ...]:
    """A word on errors that only a failing reshape raised."""
    messages = [str(got.error) for got in refusals if type(got.error) is RuntimeError]
    if not any("shape '" in message or "size" in message for message in messages):
        return ()
    return (
        "D=10, H=3 is refused, by a late reshape error. An early error that names D and H would be "
        "kinder to whoever calls you; for the points either will do.",
    )


def _other_error(start: str, got: Outcome) -> Finding:
    if isinstance(got.error, NotImplementedError):
        says = (
            "NotImplementedError means that something isn't written yet, not that a value is bad."
        )
        cause, probe = "not-written-yet", "which built-in error is meant for a wrong value?"
    else:
        says = f"It was refused, but with {got.typename}. This exercise asks for {RAISE}."
        cause, probe = "other-error", "which built-in error is meant for a wrong value?"
    headline = f"right for valid input; bad input stops with {got.typename}"
    return Finding(cause, headline, (f"{start}.", says), probe, own_lines(got.error))


def _kind(got: Outcome) -> str:
    return KINDS[got.kind][1] if got.kind in KINDS else got.kind
