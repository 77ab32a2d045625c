"""Mistakes that show at some sizes, or in some memory order, only."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from manyheads.check.exercise import Cause, Variant
from manyheads.check.mha.steps import RIGHT, Sizes, Steps, sizes_of
from manyheads.check.split.orders import must


def _only_if(fits: Callable[[Sizes], bool]) -> Variant:
    """Right where `fits` holds; elsewhere it stops."""

    def variant(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, H: int) -> Tensor:
        must(fits(sizes_of(x, Wq, H)), x)
        return RIGHT(x, Wq, Wk, Wv, Wo, H)

    return variant


def _heads(count: int) -> Variant:
    """Right with a number of heads of its own, whatever num_heads says."""

    def variant(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, _H: int) -> Tensor:
        must(Wq.shape[1] % count == 0, x)
        return RIGHT(x, Wq, Wk, Wv, Wo, count)

    return variant


def _if_in_order(pick: Callable[..., Tensor]) -> Variant:
    def variant(*args: Tensor) -> Tensor:
        must(pick(*args).is_contiguous(), args[0])
        return RIGHT(*args)  # type: ignore[arg-type]

    return variant


def _squeezed(axis: int | None) -> Variant:
    return Steps(
        out=lambda merged, Wo, _: (
            (merged @ Wo).squeeze() if axis is None else (merged @ Wo).squeeze(axis)
        )
    )


READ = "which numbers stand in your code, and which of them do the shapes tell?"
CAUSES = (
    Cause(
        "ignores-num-heads",
        "The number of heads is written into the function; num_heads has no say.",
        "call it with num_heads=1 and with num_heads=3. Do the results differ?",
        tuple(_heads(n) for n in (2, 3, 4, 5, 6, 8)),
        "another num_heads",
    ),
    Cause(
        "hard-coded-scale",
        "The scale is a number that fits one head width only. It is 1 / sqrt(Dh), whatever Dh is.",
        "what is your scale for Dh = 5, and what for Dh = 6?",
        tuple(Steps(scale=lambda _, d=d: d**-0.5) for d in (2, 4, 5, 6, 8, 64)),
        "another Dh",
    ),
    Cause(
        "hard-coded-sizes",
        "A size of one example is written into the function as a number, so it stops on others.",
        READ,
        (
            _only_if(lambda n: n.B == 2),
            _only_if(lambda n: n.T == 4),
            _only_if(lambda n: n.T == 5),
            _only_if(lambda n: n.D == 18),
            _only_if(lambda n: n.D == 10),
            _only_if(lambda n: n.H == 3),
            _only_if(lambda n: n.Dh == 4),
            _only_if(lambda n: n.Dh == 5),
            _only_if(lambda n: n.T <= 4),
        ),
        "other sizes",
    ),
    Cause(
        "demands-square",
        "Valid input was refused. H*Dh = D is a custom, not a law; here H*Dh and D differ.",
        "which two sizes does your test compare, and why should they be equal?",
        (
            _only_if(lambda n: n.D % n.H == 0),
            _only_if(lambda n: n.H * n.Dh <= n.D),
            _only_if(lambda n: n.Dh % 2 == 0),
            _only_if(lambda n: n.T % n.H == 0),
        ),
        "H*Dh other than D",
    ),
    Cause(
        "refuses-one",
        "Valid input was refused. One head, one token, one sample are ordinary sizes.",
        "what should the shape be for num_heads = 1, and for one token?",
        (
            _only_if(lambda n: n.H > 1),
            _only_if(lambda n: n.T > 1),
            _only_if(lambda n: n.B > 1),
        ),
        "B = 1, T = 1 or H = 1",
    ),
    Cause(
        "squeezes",
        "An axis of size 1 was removed: squeeze() takes every such axis, also B or T when they "
        "happen to be 1. The result has three axes for every input.",
        "what is out.shape for one sample, B = 1? And for one token?",
        tuple(_squeezed(axis) for axis in (None, 0, 1)),
        "B = 1 or T = 1",
    ),
    Cause(
        "needs-contiguous",
        "It works only where the numbers lie one after the other in memory. After a transpose they "
        "don't.",
        "what does x.is_contiguous() print here, and which line of yours needs it?",
        (
            _if_in_order(lambda x, *_: x),
            _if_in_order(lambda _x, Wq, *_: Wq),
            _if_in_order(lambda *args: args[4]),
        ),
        "inputs that aren't contiguous",
    ),
)
