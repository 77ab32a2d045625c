"""All misconceptions about which K/V head a query head reads, in the order they are tried."""
# ruff: noqa: ARG005  (variants have the signature of the exercise, whatever they use of it)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from manyheads.check.exercise import Cause, Variant

Owner = Callable[[int, int, int], float]


def _map(owner: Owner) -> Variant:
    """The list whose place h holds owner(h, Hkv, n_rep)."""

    def variant(n_heads: int, n_kv_heads: int) -> Tensor:
        share = n_heads // n_kv_heads
        return _row([owner(h, n_kv_heads, share) for h in range(n_heads)])

    return variant


def _row(numbers: list[float]) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64)


def _only(condition: Callable[[int, int], bool]) -> Variant:
    """Right where the condition holds, an error elsewhere."""

    def variant(n_heads: int, n_kv_heads: int) -> Tensor:
        if not condition(n_heads, n_kv_heads):
            raise ValueError(f"{n_heads} and {n_kv_heads} are refused")
        return _row([h // (n_heads // n_kv_heads) for h in range(n_heads)])

    return variant


PROBE = "which K/V head do query heads 0 and 1 read, and which one comes next?"
CAUSES = (
    Cause(
        "tiled",
        "Query heads were dealt out in turn, 0, 1, 2, 0, 1, 2. Neighbours share one K/V head: the "
        "first n_rep query heads read K/V head 0, the next n_rep read 1.",
        PROBE,
        (_map(lambda h, Hkv, n: h % Hkv),),
        "Hkv between 1 and H",
    ),
    Cause(
        "divides-by-hkv",
        "h was divided by Hkv. It is divided by n_rep, the number of query heads that share; the "
        "two are the same number only where n_rep = Hkv.",
        "how many query heads read K/V head 0 in your list, and how many should?",
        (
            _map(lambda h, Hkv, n: h // Hkv),
            _map(lambda h, Hkv, n: min(h // Hkv, Hkv - 1)),
            _map(lambda h, Hkv, n: h // Hkv % Hkv),
        ),
        "n_rep other than Hkv",
    ),
    Cause(
        "place-in-the-group",
        "The list holds each query head's place in its group. Asked for is the group.",
        PROBE,
        (
            _map(lambda h, Hkv, n: h % n),
            _map(lambda h, Hkv, n: h % n % Hkv),
            _map(lambda h, Hkv, n: min(h % n, Hkv - 1)),
        ),
        "n_rep other than Hkv",
    ),
    Cause(
        "counts-from-1",
        "The groups are right, but heads are counted from 0.",
        "which is the first head of k[:, ...]?",
        (_map(lambda h, Hkv, n: h // n + 1), _map(lambda h, Hkv, n: (h + 1) // n)),
        "any input",
    ),
    Cause(
        "true-division",
        "A head's number has to be whole: / gives fractions where // gives the group.",
        "what is 1 / 2 in Python, and what is 1 // 2?",
        (
            _map(lambda h, Hkv, n: h / n),
            _map(lambda h, Hkv, n: h / Hkv),
        ),
        "n_rep > 1",
    ),
    Cause(
        "rounds",
        "The quotient was rounded to the nearest or the next whole number. The group begins at a "
        "multiple of n_rep and ends just before the next one: always down.",
        "into which group falls query head n_rep - 1?",
        (
            _map(lambda h, Hkv, n: round(h / n)),
            _map(lambda h, Hkv, n: -(-h // n)),
            _map(lambda h, Hkv, n: min(round(h / n), Hkv - 1)),
            _map(lambda h, Hkv, n: min(-(-h // n), Hkv - 1)),
            _map(lambda h, Hkv, n: int(h / n + 0.5)),
            _map(lambda h, Hkv, n: round(h * (Hkv - 1) / max(Hkv * n - 1, 1))),
        ),
        "n_rep > 1",
    ),
    Cause(
        "own-head",
        "Each query head was given a K/V head of its own. That is multi-head attention; here there "
        "are only Hkv K/V heads.",
        "what is the largest number in your list, and does that K/V head exist?",
        (
            _map(lambda h, Hkv, n: h),
            _map(lambda h, Hkv, n: min(h, Hkv - 1)),
            _map(lambda h, Hkv, n: h if h < Hkv else 0),
        ),
        "Hkv < H",
    ),
    Cause(
        "one-head-for-all",
        "Every query head reads the same K/V head. That is multi-query attention; here there are "
        "Hkv.",
        "does each K/V head occur in your list?",
        (_map(lambda h, Hkv, n: 0), _map(lambda h, Hkv, n: Hkv - 1)),
        "Hkv > 1",
    ),
    Cause(
        "groups-reordered",
        "Neighbours share, but the groups stand in another order, or begin in the middle of one.",
        "which K/V head does query head 0 read?",
        (
            _map(lambda h, Hkv, n: Hkv - 1 - h // n),
            _map(lambda h, Hkv, n: (h // n + 1) % Hkv),
            _map(lambda h, Hkv, n: (h // n - 1) % Hkv),
            _map(lambda h, Hkv, n: (h + 1) // n % Hkv),
            _map(lambda h, Hkv, n: (h + n - 1) // n % Hkv),
        ),
        "Hkv > 1",
    ),
    Cause(
        "snake",
        "The order turns round after each pass, 0, 1, 2, 2, 1, 0. Neighbours share one K/V head.",
        PROBE,
        (_map(lambda h, Hkv, n: h % Hkv if h // Hkv % 2 == 0 else Hkv - 1 - h % Hkv),),
        "Hkv between 1 and H",
    ),
    Cause(
        "first-query-head-of-the-group",
        "The list names the first query head of each group. Asked for is the K/V head that the "
        "group reads, 0 to Hkv - 1.",
        "how many different numbers should the list hold, and which is the largest?",
        (
            _map(lambda h, Hkv, n: h // n * n),
            _map(lambda h, Hkv, n: h - h % Hkv),
            _map(lambda h, Hkv, n: h * n),
            _map(lambda h, Hkv, n: h * Hkv),
        ),
        "n_rep > 1",
    ),
    Cause(
        "one-entry-a-kv-head",
        "There is an entry for each K/V head. Asked for is one for each query head.",
        "how long is your list, and how many query heads are there?",
        (
            lambda n_heads, n_kv_heads: _row(list(range(n_kv_heads))),
            lambda n_heads, n_kv_heads: _row([n_heads // n_kv_heads] * n_kv_heads),
            lambda n_heads, n_kv_heads: _row([h // n_kv_heads for h in range(n_kv_heads)]),
            lambda n_heads, n_kv_heads: _row(
                [h // (n_heads // n_kv_heads) for h in range(n_kv_heads)]
            ),
            lambda n_heads, n_kv_heads: _row(list(range(0, n_heads, n_heads // n_kv_heads))),
        ),
        "Hkv < H",
    ),
    Cause(
        "other-length",
        "The list is too long or too short: there is one place for each query head, H in all.",
        "count the places of your list for H = 6.",
        (
            lambda H, Hkv: _row([g for g in range(Hkv) for _ in range(H)]),
            lambda H, Hkv: _row([g for g in range(H) for _ in range(H // Hkv)]),
            lambda H, Hkv: _row([g for g in range(Hkv) for _ in range(Hkv)]),
            lambda H, Hkv: _row([g for g in range(H // Hkv) for _ in range(H // Hkv)]),
            lambda H, Hkv: _row([h // (H // Hkv) for h in range(H - 1)]),
            lambda H, Hkv: _row([h // (H // Hkv) for h in range(H + 1)]),
            lambda H, Hkv: _row([h // (H // Hkv) for h in range(1, H)]),
            lambda H, Hkv: _row(list(range(Hkv)) * Hkv),
            lambda H, Hkv: _row(list(range(Hkv)) * H),
            lambda H, Hkv: _row([g for g in range(H) for _ in range(Hkv)]),
        ),
        "H other than Hkv * Hkv",
    ),
    Cause(
        "arguments-exchanged",
        "n_heads and n_kv_heads have changed places: the larger one comes first.",
        "which of your two names is H?",
        (
            _only(lambda H, Hkv: Hkv % H < 1),
            lambda H, Hkv: _row([h // (Hkv // H) for h in range(Hkv)]),
        ),
        "Hkv < H",
    ),
    Cause(
        "refuses-an-edge",
        "A valid pair was refused: Hkv = H is multi-head attention, Hkv = 1 is multi-query "
        "attention, and n_rep may be larger or smaller than Hkv.",
        "put H and Hkv of this case into your condition by hand.",
        (
            _only(lambda H, Hkv: Hkv < H),
            _only(lambda H, Hkv: H > 1),
            _only(lambda H, Hkv: Hkv > 1),
            _only(lambda H, Hkv: Hkv not in (1, H)),
            _only(lambda H, Hkv: H // Hkv % 2 == 0),
            _only(lambda H, Hkv: H % 2 == 0),
            _only(lambda H, Hkv: H % (2 * Hkv) == 0),
            _only(lambda H, Hkv: Hkv % (H // Hkv) == 0),
        ),
        "Hkv = H, Hkv = 1 and H = 1",
    ),
)


def _told_by(owner: Callable[[int, int, int], list[int]]) -> Variant:
    """A judge of a refused pair: it knows the list that `owner` makes of H, Hkv and n_rep."""

    def judge(H: int, Hkv: int) -> Callable[[Any], bool]:
        made = owner(H, Hkv, max(H // Hkv, 1))
        return lambda got: got is not None and got.tolist() == made

    return judge


LEFT = "who reads what is left over?"
REFUSALS = (
    Cause(
        "names-a-missing-head",
        "The list names a K/V head that doesn't exist, which shows only when somebody looks it up.",
        LEFT,
        (_told_by(lambda H, Hkv, n: [h // n for h in range(H)]),),
    ),
    Cause(
        "last-kv-head-serves-more",
        "The last K/V head serves the query heads that are left over. No checkpoint has such a "
        "group, so something else is wrong and stays unnoticed.",
        LEFT,
        (_told_by(lambda H, Hkv, n: [min(h // n, Hkv - 1) for h in range(H)]),),
    ),
    Cause(
        "drops-query-heads",
        "Whole-number division rounds down, so some query heads are missing from the list.",
        LEFT,
        (_told_by(lambda H, Hkv, n: [g for g in range(Hkv) for _ in range(n)]),),
    ),
    Cause(
        "uneven-groups",
        "The K/V heads were dealt out in groups of different sizes.",
        LEFT,
        (_told_by(lambda H, Hkv, n: [h * Hkv // H for h in range(H)]),),
    ),
)
