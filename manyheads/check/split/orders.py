"""Mistakes in the order of axes: a family, written down by the two orders that were used.

`regroup(x, H, "BHTD", "BHTD")` reads x as if it lay in memory as [B, H, T, Dh] (D stands for the
head width) and returns the axes in the second order. Right would be "BTHD", then "BHTD".
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import torch
from torch import Tensor

from manyheads.check.exercise import Cause, Variant

ORDERS = tuple("".join(order) for order in permutations("BHTD"))
RIGHT = "BHTD"
LIES = "BTHD"
BATCH_LATER = tuple(order for order in ORDERS if order[0] != "B")
NAMES = {"B": "B", "H": "H", "T": "T", "D": "Dh"}


def regroup(x: Tensor, H: int, read: str, give: str) -> Tensor:
    """Read [B, T, D] with its axes in the order `read`, return them in the order `give`."""
    B, T = x.shape[:2]
    sizes = {"B": B, "H": H, "T": T, "D": x.shape[-1] // H}
    return x.reshape([sizes[axis] for axis in read]).permute([read.index(axis) for axis in give])


def chunks(x: Tensor, H: int) -> Tensor:
    """The heads as they should be, [B, H, T, Dh]; mistakes are made to it or beside it."""
    Dh = x.shape[-1] // H
    return torch.stack([x[..., h * Dh : h * Dh + Dh] for h in range(H)], 1)


def must(condition: bool, value: Tensor) -> Tensor:
    """`value`, or an error where the mistaken code would have stopped."""
    if not condition:
        raise ValueError
    return value


def spoken(order: str) -> str:
    """An order of axes as it is written in the course.

    >>> spoken("BTHD")
    '[B, T, H, Dh]'
    """
    return f"[{', '.join(NAMES[axis] for axis in order)}]"


def _variants(reads: Iterable[str], gives: Iterable[str]) -> tuple[Variant, ...]:
    gives = tuple(gives)
    return tuple(
        lambda x, H, read=read, give=give: regroup(x, H, read, give)
        for read in reads
        for give in gives
        if (read, give) != (LIES, RIGHT)
    )


def _turned(x: Tensor, H: int, turn: tuple[int, ...], read: str) -> Tensor:
    """The axes of x exchanged first, then the numbers taken as if they lay in the order `read`."""
    return regroup(x.permute(turn).reshape(x.shape), H, read, RIGHT)


def _merged(read: str, order: str, first: int, last: int) -> Variant:
    """Axes `first` to `last` of the result flattened into one."""
    return lambda x, H: regroup(x, H, read, order).flatten(first, last)


TOLD = {
    "BTHD": (
        "tokens-before-heads",
        "The features are cut as they should be, but axis 1 is still tokens. Attention works on "
        "the last two axes of each head, so it would compare heads with heads.",
        "which axis of your result has length 5? Which one should?",
    ),
    "BTDH": (
        "width-and-heads-swapped",
        "Two axes changed places, and they were H and Dh. The tokens still stand in front of them.",
        "name the four axes of your result from left to right. Where are the tokens?",
    ),
    "HBTD": (
        "heads-before-batch",
        "The head axis stands in front of the batch. The batch always stays first.",
        "what is out.shape[0], and what should it count?",
    ),
    "BHDT": (
        "tokens-last",
        "Inside each head tokens and features are exchanged: a column is a token, where a row "
        "should be one. (Keys are turned like this later, for the scores alone.)",
        "what do you read along the last axis of out[0, 0]: features or tokens?",
    ),
}


def _axes(order: str) -> Cause:
    generic = (
        f"axes-{order}",
        f"The features are cut as they should be, but the axes stand in the order {spoken(order)}. "
        f"This course uses {spoken(RIGHT)}.",
        "name the four axes of your result from left to right.",
    )
    id_, says, probe = TOLD.get(order, generic)
    exposed = f"sizes that all differ, so that {spoken(order)} has another shape"
    return Cause(id_, says, probe, _variants((LIES,), (order,)), exposed)


AXES = tuple(_axes(order) for order in dict.fromkeys((*TOLD, *ORDERS)) if order != RIGHT)

VIEWS = (
    Cause(
        "direct-view",
        "A view never moves data: head 0 received the first token's features before it saw the "
        "second token.",
        "how many different tokens do you see in out[0, 0]? There should be five.",
        _variants(("BHTD", "BHDT"), ORDERS),
        "T > 1 with a different number at every place",
    ),
    Cause(
        "interleaved-features",
        "Head h received features h, h+H, h+2H, ... A head owns features that stand side by side: "
        "a chunk of Dh of them. In einops the first name in brackets varies slowest.",
        "which features does out[0, 0, 0] hold? Are they neighbours in x?",
        _variants(("BTDH",), [order for order in ORDERS if order not in ("BDTH", "BTDH")]),
        "H > 1, Dh > 1 and features that differ",
    ),
    Cause(
        "heads-and-width-swapped",
        "The features were cut into Dh pieces of H features; asked for are H pieces of Dh. Some "
        "functions take the number of pieces, others (split, unfold) the size of a piece.",
        "for D = 12 and num_heads = 3: how many heads has your result, and how wide are they?",
        _variants(("BTDH",), ("BDTH", "BTDH")),
        "H and Dh that differ",
    ),
    Cause(
        "turned-then-reshaped",
        "x was turned round before it was cut. A reshape takes the numbers in the order in which "
        "they now stand, so it cut across tokens or samples.",
        "after your first transpose, which number stands next to x[0, 0, 0]?",
        tuple(
            lambda x, H, turn=turn, read=read: _turned(x, H, turn, read)
            for turn in ((0, 2, 1), (1, 0, 2), (2, 0, 1), (2, 1, 0), (1, 2, 0))
            for read in (RIGHT, LIES)
        ),
        "T > 1 with a different number at every place",
    ),
    Cause(
        "width-first-view",
        "x was read as if the head width were an outer axis. In memory all D features of a token "
        "come before the next token starts.",
        "which tokens do you find in out[0, 0, 0]?",
        _variants(("BDTH", "BDHT"), ORDERS),
        "T > 1 with a different number at every place",
    ),
    Cause(
        "mixes-samples",
        "Numbers of different sequences lie in one sample: the batch was flattened into the rest "
        "and cut up again. Sequences of a batch never meet.",
        "which samples do you find in out[0]? There should be one.",
        (
            *(_variants((order,), (order,))[0] for order in BATCH_LATER),
            *_variants(BATCH_LATER, (RIGHT,)),
            lambda x, H: regroup(x, H, LIES, "HBTD").flatten(1, 2).unsqueeze(0),
            lambda x, H: x.reshape(x.shape[1], H, -1),
            lambda x, H: x.reshape(x.shape[1], H, -1).transpose(0, 1),
            lambda x, H: regroup(x, H, LIES, "HBTD").reshape(
                x.shape[0], H, x.shape[1], x.shape[2] // H
            ),
        ),
        "two different sequences, B > 1",
    ),
)

MERGES = (
    Cause(
        "batch-and-heads-merged",
        "Batch and heads share one axis. Some libraries work like that inside; this exercise keeps "
        "them apart, so that each axis has one meaning.",
        "which sizes were multiplied to give the first axis of your result?",
        (
            *(_merged(read, "BHTD", 0, 1) for read in (LIES, "BHTD")),
            _merged(LIES, "HBTD", 0, 1),
        ),
    ),
    Cause(
        "merged-back",
        "The heads were made and then flattened again in the wrong order, so the shape is x's and "
        "the numbers are not. Merging comes after attention.",
        "what is the shape one line before the end of your function?",
        (lambda x, H: regroup(x, H, LIES, RIGHT).reshape(x.shape),),
    ),
    Cause(
        "extra-axis",
        "The heads are right and there is an axis of size 1 too many.",
        "which axis of your result has size 1, and which line made it?",
        tuple(
            lambda x, H, axis=axis: regroup(x, H, LIES, RIGHT).unsqueeze(axis) for axis in range(5)
        ),
    ),
    Cause(
        "axes-merged",
        "Two or more of the axes were flattened into one. This exercise keeps four, each with one "
        "meaning.",
        "which sizes were multiplied to give the longest axis of your result?",
        tuple(
            _merged(LIES, order, first, last)
            for order in ORDERS
            for first, last in ((0, 1), (1, 2), (2, 3), (0, 2), (1, 3), (0, 3))
            if order[first : last + 1] not in ("BH", "HB", "HD")
        ),
    ),
)
