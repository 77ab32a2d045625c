"""What is said when `grouped_query_attention` accepts heads that can't be shared evenly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor

from manyheads.check.engine import Outcome, call
from manyheads.check.exercise import Case, Cause, Finding, Variant
from manyheads.check.mha.steps import RIGHT, Three
from manyheads.check.numbers import matches
from manyheads.check.refused import accepted_by
from manyheads.check.split.orders import chunks

PROBE = "what is n_heads % n_kv_heads here, and what does your function do with the rest?"


def _by(owner: Callable[[int, int, int], int]) -> Variant:
    """Attention whose query head h reads K/V head owner(h, H, Hkv)."""

    def variant(
        x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, H: int, Hkv: int
    ) -> Tensor:
        heads = [owner(h, H, Hkv) for h in range(H)]

        def split(q: Tensor, k: Tensor, v: Tensor, _: int) -> Three:
            return chunks(q, H), chunks(k, Hkv)[:, heads], chunks(v, Hkv)[:, heads]

        return replace(RIGHT, split=split)(x, Wq, Wk, Wv, Wo, H)

    return variant


CAUSES = (
    Cause(
        "last-kv-head-serves-more",
        "The last K/V head serves the query heads that are left over. No checkpoint has such a "
        "group, so something else is wrong and stays unnoticed.",
        PROBE,
        (_by(lambda h, H, Hkv: min(h // max(H // Hkv, 1), Hkv - 1)),),
    ),
    Cause(
        "starts-over",
        "The query heads that are left over start again at K/V head 0.",
        PROBE,
        (
            _by(lambda h, H, Hkv: h // max(H // Hkv, 1) % Hkv),
            _by(lambda h, _, Hkv: h % Hkv),
        ),
    ),
    Cause(
        "uneven-groups",
        "The K/V heads were dealt out in groups of different sizes.",
        PROBE,
        (
            _by(lambda h, H, Hkv: h * Hkv // H),
            _by(lambda h, H, Hkv: h // -(-H // Hkv)),
        ),
    ),
)


def accepted(case: Case, got: Outcome) -> Finding:
    """The finding on a call that had to raise and did not, or raised another kind of error."""
    args = case.make()
    H, Hkv = args["n_heads"], args["n_kv_heads"]
    why = f"{H} query heads can't share {Hkv} K/V heads evenly"
    return accepted_by(case, got, why, _meant(case, got), PROBE)


def _meant(case: Case, got: Outcome) -> Cause | None:
    for cause in CAUSES:
        if any(matches(got, call(variant, case.make())) for variant in cause.variants):
            return cause
    return None


def remarks(refusals: Sequence[Outcome]) -> tuple[str, ...]:
    """A word on errors that only a clash of sizes raised."""
    if not any(type(got.error) is RuntimeError for got in refusals):
        return ()
    return (
        "Heads that can't be shared are refused, by a late error about sizes. An early one that "
        "names H and Hkv would be kinder to whoever calls you; for the points either will do.",
    )
