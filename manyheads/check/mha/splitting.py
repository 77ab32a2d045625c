"""Mistakes in the split: the wrong numbers in a head, or the wrong heads together."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.merge.orders import rejoin
from manyheads.check.mha.projecting import PAIRS, ROLES
from manyheads.check.mha.steps import RIGHT, Steps, Three, same
from manyheads.check.split.orders import chunks, must, regroup


def split_as(read: str, give: str, which: str = ROLES) -> Callable[..., Three]:
    """A split in which some of q, k and v are cut along other axes."""
    return lambda q, k, v, H: tuple(  # type: ignore[return-value]
        regroup(z, H, read, give) if role in which else chunks(z, H)
        for role, z in zip(ROLES, (q, k, v), strict=True)
    )


def reordered(change: Callable[[Tensor], Tensor], which: str) -> Callable[..., Three]:
    """A split after which the heads of some of q, k and v are changed."""
    return lambda q, k, v, H: tuple(  # type: ignore[return-value]
        change(chunks(z, H)) if role in which else chunks(z, H)
        for role, z in zip(ROLES, (q, k, v), strict=True)
    )


def _other_count(count: Callable[[int, Tensor], int]) -> Callable[..., Three]:
    def split(q: Tensor, k: Tensor, v: Tensor, H: int) -> Three:
        n = count(H, q)
        must(n > 0 and q.shape[-1] % n == 0, q)
        return chunks(q, n), chunks(k, n), chunks(v, n)

    return split


def _straight(context: Tensor) -> Tensor:
    return rejoin(context, "BHTD", "BHTD")


def _turned(o: Tensor) -> Tensor:
    """Tokens and heads exchanged once too often, then cut to [B, T, H*Dh]."""
    return o.transpose(1, 2).reshape(o.shape[0], o.shape[1], -1)


def _turned_flat(o: Tensor) -> Tensor:
    """The same, with its last two axes joined: W_O then meets T*Dh features."""
    return o.transpose(1, 2).flatten(2)


def _dh_from_d(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, H: int) -> Tensor:
    must(x.shape[-1] // H == Wq.shape[1] // H, x)
    return RIGHT(x, Wq, Wk, Wv, Wo, H)


def _width_must_be_d(x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, H: int) -> Tensor:
    must(x.shape[-1] == Wq.shape[1], x)
    return RIGHT(x, Wq, Wk, Wv, Wo, H)


def _as_many_heads_as_fit(
    x: Tensor, Wq: Tensor, Wk: Tensor, Wv: Tensor, Wo: Tensor, H: int
) -> Tensor:
    Dh = x.shape[-1] // H
    must(Wq.shape[1] % Dh == 0, x)
    return RIGHT(x, Wq, Wk, Wv, Wo, Wq.shape[1] // Dh)


CAUSES = (
    Cause(
        "split-and-merge-by-view",
        "Heads were cut by a direct view and joined by one. The two undo each other, so x comes "
        "back if nothing happens between them; what happens between them is attention over the "
        "wrong rows.",
        "how many different tokens lie in one head after your split? There should be T.",
        (Steps(split=split_as("BHTD", "BHTD"), merge=_straight),),
        "T > 1, H > 1",
    ),
    Cause(
        "split-by-view",
        "The heads were cut by a view straight to [B, H, T, Dh]. A view moves nothing: head 0 got "
        "all features of the first tokens. View to [B, T, H, Dh] first, then bring heads forward.",
        "split a tensor whose every number is different. How many tokens lie in head 0?",
        tuple(Steps(split=split_as("BHTD", "BHTD", which)) for which in PAIRS),
        "T > 1, H > 1",
    ),
    Cause(
        "split-interleaved",
        "Head h received features h, h+H, h+2H, ... A head owns Dh features that stand side by "
        "side.",
        "which columns of Wq does head 0 read in your function?",
        (
            *(Steps(split=split_as("BTDH", "BHTD", which)) for which in PAIRS),
            Steps(
                split=split_as("BTDH", "BHTD"),
                merge=lambda context: rejoin(context, "BHTD", "BTDH"),
            ),
        ),
        "H > 1, Dh > 1",
    ),
    Cause(
        "no-transpose-before-attention",
        "Tokens still stood before heads when attention began, so each token's heads looked at one "
        "another, and no token at another token. Heads come before tokens: [B, H, T, Dh].",
        "what is the shape of your score matrix? Its last two sizes should be T and T.",
        (
            Steps(split=split_as("BTHD", "BTHD"), merge=lambda o: o.flatten(2)),
            Steps(split=split_as("BTHD", "BTHD"), merge=_turned),
            Steps(split=split_as("BTHD", "BTHD"), merge=lambda o: o.flatten(2), mask=same),
            Steps(split=split_as("BTHD", "BTHD"), merge=_turned, mask=same),
            Steps(split=split_as("BTHD", "BTHD"), merge=_turned_flat),
            Steps(split=split_as("BTHD", "BTHD"), merge=_turned_flat, mask=same),
        ),
        "T other than H",
    ),
    Cause(
        "split-mixes-samples",
        "Numbers of different samples met: the batch was flattened or moved while the heads were "
        "cut.",
        "change sample 1 of x. Does out[0] change?",
        (
            *(Steps(split=split_as(read, "BHTD")) for read in ("HBTD", "TBHD", "HTBD")),
            Steps(
                split=split_as("HBTD", "BHTD"),
                merge=lambda context: rejoin(context, "HBTD", "BTHD"),
            ),
        ),
        "two different samples",
    ),
    Cause(
        "heads-mismatched",
        "The heads of Q, K and V don't belong together: head h of one met another head of the "
        "others.",
        "in what order do the heads of q, k and v stand just before the scores?",
        tuple(
            Steps(split=reordered(change, which))
            for change in (lambda z: z.flip(1), lambda z: z.roll(1, 1))
            for which in PAIRS[:-1]
        ),
        "heads that differ, H > 1",
    ),
    Cause(
        "one-head-for-all",
        "One head did the work of all: its scores or its values were used H times. Every head has "
        "scores and values of its own.",
        "how many different T x T matrices does your function make for one sample?",
        tuple(Steps(split=reordered(lambda z: z[:, :1].expand_as(z), which)) for which in PAIRS),
        "heads that differ, H > 1",
    ),
    Cause(
        "one-big-head",
        "There is one T x T matrix, made from all H*Dh features: the heads were not split before "
        "the scores. Each head makes its own.",
        "how many T x T matrices does your function make for one sample? There should be H.",
        (
            Steps(split=_other_count(lambda _H, _q: 1)),
            Steps(split=_other_count(lambda _H, _q: 1), scale=lambda n: (n.H * n.Dh) ** -0.5),
            Steps(split=_other_count(lambda _H, _q: 1), scale=lambda n: n.D**-0.5),
        ),
        "H > 1",
    ),
    Cause(
        "heads-and-width-swapped",
        "The width was cut into Dh heads of H features. num_heads counts the heads; the head width "
        "follows from it.",
        "what are the sizes of axis 1 and of the last axis of your q?",
        (
            Steps(split=_other_count(lambda H, q: q.shape[-1] // H)),
            Steps(split=_other_count(lambda H, q: q.shape[-1] // H), scale=lambda n: n.H**-0.5),
        ),
        "H other than Dh",
    ),
    Cause(
        "dh-from-d",
        "The head width was taken from D, or the joined heads were given the width D. What is "
        "split is the projection's output: Dh is Wq.shape[1] // num_heads, and H*Dh need not be D.",
        "what is x.shape[-1] here, and what Wq.shape[1]? Which of them do the heads share?",
        (_dh_from_d, _width_must_be_d, _as_many_heads_as_fit),
        "H*Dh other than D",
    ),
)
