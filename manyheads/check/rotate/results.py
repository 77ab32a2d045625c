"""Mistakes in how the results are handed back, and those that no variant can produce."""
# ruff: noqa: ARG005  (variants have the signature of the exercise, whatever they use of it)

from __future__ import annotations

from collections.abc import Sequence

from manyheads.check.engine import same
from manyheads.check.exercise import Cause, Trial
from manyheads.check.rotate.atoms import bits_equal
from manyheads.check.rotate.ropes import NotOneTensorError
from manyheads.check.rotate.slots import V_CHANGED

CAUSES = (
    Cause(
        "forgets-v",
        "v is missing. It is not changed, and it still has to be handed on.",
        "how many names does the caller have on the left of its = sign?",
        (
            lambda q, k, v, rope: (rope(q), rope(k)),
            lambda q, k, v, rope: (rope(q), rope(k), None),
        ),
    ),
    Cause(
        "forgets-q-or-k",
        "One of q and k is missing. All three come back, in the order q', k', v.",
        "how many names does the caller have on the left of its = sign?",
        (
            lambda q, k, v, rope: (rope(q), v),
            lambda q, k, v, rope: (rope(k), v),
            lambda q, k, v, rope: (rope(q), None, v),
            lambda q, k, v, rope: (None, rope(k), v),
            lambda q, k, v, rope: (None, None, v),
        ),
    ),
)

ONE_TENSOR = Cause(
    "one-tensor",
    "The results were joined into one tensor, or only one came back. k and v may have fewer heads "
    "than q, so the three stay apart.",
    "how many names does the caller have on the left of its = sign?",
)
NESTED = Cause(
    "nested-results",
    "There is a tuple or a list inside the tuple. The three stand side by side.",
    "count the brackets of your return line.",
)
NOT_TENSORS = Cause(
    "not-three-tensors",
    "There are things among the three that aren't floating-point tensors: arrays, whole numbers, "
    "or functions that were never called.",
    "print type(...) and .dtype of each of your three results.",
)
OTHER_COUNT = Cause(
    "other-number-of-results",
    "Exactly three come back: q', k' and v.",
    "count the commas of your return line.",
)
NOT_BITS = Cause(
    "v-not-bit-for-bit",
    "v is nearly right: it went through arithmetic or another number type that left traces, such "
    "as rotating and turning back. What is passed on untouched needs no arithmetic.",
    "which operation of yours touches v at all?",
)
ROPE_CALL = Cause(
    "calls-rope-with-more",
    "rope takes one tensor and gives one back. It is called once for each tensor that is to be "
    "rotated.",
    "what stands between the brackets where you call rope?",
)


def recognise(trials: Sequence[Trial]) -> Cause | None:
    """The causes that show in the kind of result rather than in its numbers."""
    got = trials[0].got
    if isinstance(got.error, NotOneTensorError):
        return ROPE_CALL
    if got.array is not None:
        return ONE_TENSOR
    if got.kind not in ("tuple", "list"):
        return None
    if any(part.kind in ("tuple", "list") for part in got.parts):
        return NESTED
    if {part.kind for part in got.parts} - {"tensor", "none"}:
        return NOT_TENSORS
    if len(got.parts) not in (2, 3):
        return OTHER_COUNT
    return NOT_BITS if len(got.parts) == 3 and _nearly(trials) else None


def recognise_late(trials: Sequence[Trial]) -> Cause | None:
    """V was changed in a way that no variant knows, while q' and k' are right throughout."""
    return V_CHANGED if all(map(_only_v_is_wrong, trials)) else None


def _only_v_is_wrong(trial: Trial) -> bool:
    got, want = trial.got.parts, trial.want.parts
    return len(got) == 3 and same(got[0], want[0]) and same(got[1], want[1])


def _nearly(trials: Sequence[Trial]) -> bool:
    """Whether q' and k' are right and v is, but for its last bits, on every case."""
    return all(
        len(trial.got.parts) == 3
        and all(same(*pair) for pair in zip(trial.got.parts, trial.want.parts, strict=True))
        for trial in trials
    ) and not all(bits_equal(trial.got.parts[2], trial.want.parts[2]) for trial in trials)
