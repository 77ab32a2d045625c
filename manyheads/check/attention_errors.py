"""What torch's own words about clashing sizes tell: which tensors met, and how many heads each had.

Several mistakes stop with an error on the very same inputs; the sizes in the message part them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manyheads.check.exercise import Cause, Trial

CLASH = re.compile(
    r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton "
    r"dimension (\d+)"
)
PRODUCT = re.compile(r"shapes cannot be multiplied \(\d+x(\d+) and (\d+)x(\d+)\)")
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
NOT_CONCATENATED = Cause(
    "heads-not-concatenated",
    "Heads were added up or averaged. They are laid side by side; only W_O adds them up.",
    "how wide is your merged row, and how many rows has W_O?",
)
OTHER_MASK = Cause(
    "mask-of-another-size",
    "The mask doesn't fit the scores. Scores compare tokens with tokens, so the mask is [T, T].",
    "print scores.shape and the shape of your mask.",
)


def recognise_clash(trials: Sequence[Trial], heads: int, kv_heads: int) -> Cause | None:
    """The cause that the first error's sizes show; None for results and for other errors.

    heads, kv_heads: H and Hkv of the first case that went wrong
    """
    trial = next(trial for trial in trials if not trial.right)
    said = str(trial.got.error) if trial.got.kind == "error" else ""
    clash, attend = CLASH.search(said), ATTEND.search(said)
    if clash:
        sizes = {int(clash[1]), int(clash[2])}
        if clash[3] != "1":
            return _not_on_heads(trial, sizes, int(clash[3]))
        return _by_count(sizes - {heads}, heads, kv_heads)
    product = PRODUCT.search(said)
    if product and _one_head_wide(trial, heads, int(product[1]), int(product[2])):
        return NOT_CONCATENATED
    if attend:
        shapes = [tuple(map(int, group.split(", "))) for group in attend.groups()]
        return _by_count({s[1] for s in shapes[1:]} - {heads}, heads, kv_heads)
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


def _one_head_wide(trial: Trial, heads: int, columns: int, rows: int) -> bool:
    """Whether something as wide as one head met W_O."""
    height = trial.case.make()["Wo"].shape[0]
    return rows == height and columns * heads == height and heads > 1


def _not_on_heads(trial: Trial, sizes: set[int], axis: int) -> Cause | None:
    tokens = trial.case.make()["x"].shape[1]
    return OTHER_MASK if axis in (2, 3) and tokens in sizes else None
