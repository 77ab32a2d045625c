"""What torch's own words about clashing sizes tell: which tensors met, and how many heads each had.

Several mistakes stop with an error on the very same inputs; the sizes in the message part them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyheads.check.exercise import Cause, Trial

CLASH = re.compile(
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton "
    r"dimension 1"
)
ATTEND = re.compile(r"attend: shapes differ: \[\((.*?)\), \((.*?)\), \((.*?)\)\]")
NOT_REPEATED = Cause(
    "kv-not-repeated",
    "K or V still has Hkv heads where Q has H. Both are repeated before the products; with "
    "Hkv = 1 broadcasting can hide it.",
    "print q.shape, k.shape and v.shape just before the first product, and before the second.",
)
CUT_FOR_QUERIES = Cause(
    "kv-cut-into-query-heads",
    "K and V were cut into n_heads heads. They have n_kv_heads, each as wide as Q's.",
    "how wide is x @ Wk, and how wide is one head of Q?",
)
OTHER_COPIES = Cause(
    "repeats-by-another-number",
    "K and V were repeated, but not n_rep = H // Hkv times.",
    "how many heads have k and v after your repeat, and how many has q?",
)


def recognise_clash(trials: Sequence[Trial]) -> Cause | None:
    """The cause that the first error's sizes show; None for results and for other errors."""
    trial = next(trial for trial in trials if not trial.right)
    said = str(trial.got.error) if trial.got.kind == "error" else ""
    clash, attend = CLASH.search(said), ATTEND.search(said)
    args = trial.case.make()
    H, Hkv = args["n_heads"], args["n_kv_heads"]
    if clash:
        return _by_count({int(clash[1]), int(clash[2])} - {H}, H, Hkv)
    if attend:
        shapes = [tuple(map(int, group.split(", "))) for group in attend.groups()]
        return _by_count({sizes[1] for sizes in shapes[1:]} - {H}, H, Hkv)
    return None


def _by_count(others: set[int], heads: int, kv_heads: int) -> Cause | None:
    """The cause by the number of heads that K or V has in place of H."""
    if heads == kv_heads or not others:
        return None
    if kv_heads in others:
        return NOT_REPEATED
    if heads * (heads // kv_heads) in others:
        return CUT_FOR_QUERIES
    return OTHER_COPIES if any(count % kv_heads == 0 for count in others) else None
