"""Causal attention as a chain of stages, any of which a known mistake can take the place of.

Multi-head attention is the chain with as many K/V heads as query heads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

Stage = Callable[..., Any]
NONE: Mapping[str, Stage] = {}


def project(x: Tensor, W: Tensor) -> Tensor:
    """[B, T, D] -> [B, T, W's width]."""
    return torch.einsum("btd,dw->btw", x, W)


def split(y: Tensor, heads: int) -> Tensor:
    """[B, T, heads*Dh] -> [B, heads, T, Dh]: head h owns a block of neighbouring features."""
    return torch.stack(y.tensor_split(heads, dim=2), dim=1)


def interleave(x: Tensor, n_rep: int) -> Tensor:
    """[B, Hkv, T, Dh] -> [B, H, T, Dh]: n_rep neighbours are copies of one head."""
    return torch.stack([head for head in x.unbind(dim=1) for _ in range(n_rep)], dim=1)


def score(q: Tensor, k: Tensor) -> Tensor:
    """[B, H, T, Dh] twice -> [B, H, T, T], not scaled yet."""
    return torch.einsum("bhid,bhjd->bhij", q, k)


def divisor(x: Tensor, q: Tensor) -> float:
    """What scores are divided by: the root of q's head width. x is there for those who err."""
    del x
    return math.sqrt(q.shape[-1])


def future(scores: Tensor) -> Tensor:
    """True where key j lies after query i, [T, T]."""
    i, j = np.ogrid[: scores.shape[-2], : scores.shape[-1]]
    return torch.from_numpy(j > i)


def mask(scores: Tensor) -> Tensor:
    """Scores [B, H, T, T] with the future at minus infinity."""
    return torch.where(future(scores), -torch.inf, scores)


def weigh(scores: Tensor) -> Tensor:
    """Softmax over keys, [B, H, T, T] -> same shape."""
    return torch.softmax(scores, dim=3)


def mix(weights: Tensor, v: Tensor) -> Tensor:
    """[B, H, T, T] and [B, H, T, Dh] -> the context [B, H, T, Dh]."""
    return torch.einsum("bhij,bhjd->bhid", weights, v)


def merge(context: Tensor) -> Tensor:
    """[B, H, T, Dh] -> [B, T, H*Dh]: heads side by side in each token's row."""
    return torch.cat(list(context.unbind(dim=1)), dim=2)


def output(merged: Tensor, Wo: Tensor, x: Tensor) -> Tensor:
    """[B, T, H*Dh] -> [B, T, D]; x is there for those who add it."""
    del x
    return torch.einsum("btw,wd->btd", merged, Wo)


STAGES: dict[str, Stage] = {
    "project": project,
    "split_q": split,
    "split_k": split,
    "split_v": split,
    "share_k": interleave,
    "share_v": interleave,
    "score": score,
    "divisor": divisor,
    "mask": mask,
    "weigh": weigh,
    "mix": mix,
    "merge": merge,
    "output": output,
}


def attention(
    x: Tensor,
    Wq: Tensor,
    Wk: Tensor,
    Wv: Tensor,
    Wo: Tensor,
    n_heads: int,
    n_kv_heads: int,
    other: Mapping[str, Stage] = NONE,
) -> Tensor:
    """Causal attention [B, T, D] -> [B, T, D] in which n_heads // n_kv_heads query heads share.

    x: tensor [B, T, D]; Wq [D, H*Dh], Wk and Wv [D, Hkv*Dh], Wo [H*Dh, D], used as x @ W
    other: stages to use in place of those in STAGES, by name

    >>> one = torch.ones(1, 1, 1)
    >>> attention(one, 2 * one[0], one[0], 3 * one[0], 5 * one[0], 1, 1).tolist()
    [[[15.0]]]
    """
    use = {**STAGES, **other}
    n_rep = n_heads // n_kv_heads
    q = use["split_q"](use["project"](x, Wq), n_heads)  # [B, H, T, Dh]
    k = use["share_k"](use["split_k"](use["project"](x, Wk), n_kv_heads), n_rep)  # [B, H, T, Dh]
    v = use["share_v"](use["split_v"](use["project"](x, Wv), n_kv_heads), n_rep)  # [B, H, T, Dh]
    scores = use["mask"](use["score"](q, k) / use["divisor"](x, q))  # [B, H, T, T]
    context = use["mix"](use["weigh"](scores), v)  # [B, H, T, Dh]
    return use["output"](use["merge"](context), Wo, x)  # type: ignore[no-any-return]


def with_stages(**other: Stage) -> partial[Tensor]:
    """`attention` with some stages replaced; an unknown stage's name is a KeyError.

    >>> with_stages(mix=lambda weights, v: v).func is attention
    True
    """
    for name in other:
        STAGES[name]
    return partial(attention, other=other)
