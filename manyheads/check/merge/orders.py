"""Mistakes in the order of axes: read the context in one order, give its axes in another.

`rejoin(context, "BHTD", "BTHD")` is right: the context lies in memory as [B, H, T, Dh] (D stands
for the head width), tokens come before heads, and the last two axes become one.
"""

from __future__ import annotations

from itertools import permutations
from math import prod

from torch import Tensor

from manyheads.check.exercise import Cause, Variant

ORDERS = tuple("".join(order) for order in permutations("BHTD"))
LIES, RIGHT = "BHTD", "BTHD"
AS_OTHERS = {("BTHD", "BTHD"), ("BTDH", "BTDH"), ("BTHD", "BDTH")}  # give what others give
NAMES = {"B": "B", "H": "H", "T": "T", "D": "Dh"}


def sizes_of(context: Tensor) -> dict[str, int]:
    """The size of each axis of [B, H, T, Dh], by its letter."""
    return dict(zip(LIES, context.shape, strict=True))


def reorder(context: Tensor, read: str, give: str) -> Tensor:
    """Read the numbers as if they lay in the order `read`, and give the axes in another."""
    sizes = sizes_of(context)
    as_read = context.reshape([sizes[axis] for axis in read])
    return as_read.permute([read.index(axis) for axis in give])


def rejoin(context: Tensor, read: str, give: str) -> Tensor:
    """The same, cut to the shape [B, T, H*Dh], whatever it holds then."""
    sizes = sizes_of(context)
    return reorder(context, read, give).reshape(sizes["B"], sizes["T"], sizes["H"] * sizes["D"])


def spoken(order: str) -> str:
    """An order of axes as it is written in the course.

    >>> spoken("BTHD")
    '[B, T, H, Dh]'
    """
    return f"[{', '.join(NAMES[axis] for axis in order)}]"


def _joins(reads: tuple[str, ...], gives: tuple[str, ...]) -> tuple[Variant, ...]:
    return tuple(
        lambda context, read=read, give=give: rejoin(context, read, give)
        for read in reads
        for give in gives
        if (read, give) != (LIES, RIGHT) and (read == LIES or (read, give) not in AS_OTHERS)
    )


TOLD = {
    "BHTD": (
        "no-transpose",
        "A reshape never moves data. In [B, H, T, Dh] one head's tokens lie side by side, so a row "
        "takes several tokens of one head. Bring tokens before heads first, and keep the result: "
        "transpose and permute return a new tensor.",
        "which tokens do you find in out[0, 0]? There should be one.",
    ),
    "BTDH": (
        "interleaved-heads",
        "The tokens are right, but the features of the heads are interleaved: feature 0 of every "
        "head, then feature 1 of every head. Each head's Dh features stay together, head after "
        "head.",
        "read out[0, 0] from left to right. After how many numbers does the head change?",
    ),
    "BHDT": (
        "wrong-axes-swapped",
        "Two axes changed places, and they were T and Dh. Heads and tokens have to change places.",
        "in [B, H, T, Dh], which numbers have the axes H and T?",
    ),
}
GENERIC_PROBE = "name the four axes one line before the reshape, from left to right."


def _given(order: str) -> Cause:
    if order in TOLD:
        id_, says, probe = TOLD[order]
    else:
        id_, probe = f"joined-as-{order}", GENERIC_PROBE
        says = (
            f"Before the last reshape your axes stood in the order {spoken(order)}; for a row to "
            f"keep its own token, they have to stand as {spoken(RIGHT)}."
        )
    exposed = "T > 1 and H > 1, every number different"
    return Cause(id_, says, probe, _joins((LIES,), (order,)), exposed)


BATCH_FIRST = tuple(order for order in ORDERS if order[0] == "B")
BATCH_LATER = tuple(order for order in ORDERS if order[0] != "B")
AFTER_A_MISREADING = ("BTHD", "BHTD", "BTDH")  # what people go on to, whatever they misread
GIVEN = tuple(_given(order) for order in dict.fromkeys((*TOLD, *BATCH_FIRST)) if order != RIGHT)

MISREAD = (
    Cause(
        "batch-and-heads-confused",
        "The context was read as [H, B, T, Dh], so samples and heads are mixed. It comes as "
        "[B, H, T, Dh].",
        "which samples do you find in out[0]? There should be one.",
        _joins(("HBTD",), BATCH_FIRST),
        "B > 1 and H > 1",
    ),
    Cause(
        "samples-mixed",
        "Numbers of different samples lie in one sample of your result: the batch axis moved "
        "before the last reshape. The batch stays first, always.",
        "which samples do you find in out[0]? There should be one.",
        _joins((LIES,), BATCH_LATER),
        "two different samples, B > 1",
    ),
    Cause(
        "already-token-major",
        "The context was read as if its tokens stood before its heads already. It comes as "
        "[B, H, T, Dh]; a view of other sizes moves nothing.",
        "what is context.shape, axis by axis, before you touch it?",
        _joins(("BTHD", "BTDH"), BATCH_FIRST),
        "T > 1 and H > 1, every number different",
    ),
    Cause(
        "misread-axes",
        "The context was cut along axes that it doesn't have. It comes as [B, H, T, Dh], and only "
        "transpose or permute may change that order.",
        "what is context.shape, axis by axis, before you touch it?",
        _joins(
            tuple(o for o in ORDERS if o not in (LIES, "HBTD", "BTHD", "BTDH")),
            AFTER_A_MISREADING,
        ),
        "sizes that all differ",
    ),
)


def _permuted(order: str) -> Variant:
    return lambda context: reorder(context, LIES, order)


def _flattened(order: str, first: int, last: int) -> Variant:
    return lambda context: reorder(context, LIES, order).flatten(first, last)


TOLD_JOINS = {
    *((order, 2, 3) for order in ("BTHD", "BTDH", "TBHD")),
    *((order, 1, 2) for order in ("BHTD", "BTHD", "BHDT", "BDHT")),
    *((order, 1, 3) for order in ("BHTD", "BTHD")),
    *((order, 0, 1) for order in ("BHTD", "HBTD")),
}  # right, or another cause's
SHAPES = (
    Cause(
        "not-flattened",
        "The tokens stand before the heads, as they should, but H and Dh are still two axes. The "
        "last step makes one of them.",
        "how many axes has your result, and how many has [B, T, H*Dh]?",
        (
            _permuted("BTHD"),
            _permuted("BTDH"),
            lambda context: reorder(context, LIES, RIGHT).unsqueeze(1),
        ),
    ),
    Cause(
        "unchanged",
        "This is the context as it came: four axes, heads before tokens.",
        "which two of its axes have to become one, and do they stand side by side?",
        (_permuted(LIES),),
    ),
    Cause(
        "transposed-only",
        "Axes changed places, but none were joined, and the order isn't [B, T, H, Dh] either.",
        GENERIC_PROBE,
        tuple(_permuted(order) for order in ORDERS if order not in (LIES, "BTHD", "BTDH")),
    ),
    Cause(
        "joins-tokens",
        "The heads were put one below the other, so the sequence grew to H*T tokens of Dh "
        "features. They go side by side: T stays, the features grow.",
        "what is the shape of your result, and which of its axes should still be 5?",
        (
            _flattened("BHTD", 1, 2),
            _flattened("BTHD", 1, 2),
        ),
        "any H > 1",
    ),
    Cause(
        "joins-samples",
        "Batch and heads became one axis, so every head counts as a sample. The heads of one token "
        "go side by side, as features.",
        "what is out.shape[0], and what should it count?",
        (
            _flattened("BHTD", 0, 1),
            _flattened("HBTD", 0, 1),
        ),
        "any H > 1",
    ),
    Cause(
        "tokens-before-batch",
        "The rows are right, but the first two axes stand as [T, B]. The batch stays first.",
        "what is out.shape[0], and what should it count?",
        (_flattened("TBHD", 2, 3),),
        "B and T that differ",
    ),
    Cause(
        "features-before-tokens",
        "Heads and features were joined, but tokens stand last: [B, H*Dh, T]. A row has to be a "
        "token.",
        "what do you read along the last axis of out[0]: features or tokens?",
        (_flattened("BHDT", 1, 2), _flattened("BDHT", 1, 2)),
        "T that differs from H*Dh",
    ),
    Cause(
        "flattened-whole",
        "Samples, tokens and features lie in one long row or table. B and T stay axes of their "
        "own.",
        "which axes has [B, T, H*Dh], and which of them does your result lack?",
        (
            lambda context: context.reshape(context.shape[0], -1),
            lambda context: reorder(context, LIES, RIGHT).reshape(-1, prod(context.shape[1::2])),
            lambda context: reorder(context, LIES, RIGHT).reshape(context.shape[0], -1),
        ),
    ),
    Cause(
        "other-axes-joined",
        "Axes were joined that don't belong together. What becomes one axis is H and Dh, after "
        "tokens have come before heads.",
        "which sizes were multiplied to give the longest axis of your result?",
        tuple(
            _flattened(order, first, last)
            for order in (*BATCH_FIRST, "HBTD", "HTBD", "TBHD", "THBD")
            for first, last in ((0, 1), (1, 2), (2, 3), (1, 3), (0, 2))
            if (order, first, last) not in TOLD_JOINS
        ),
    ),
)
