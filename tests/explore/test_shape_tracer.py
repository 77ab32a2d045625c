"""The shape tracer's places and shapes are torch's; its text is the lesson's."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from manyheads import explore, show

SIZES = [
    {"B": 2, "T": 5, "D": 12, "H": 3, "Hkv": 3},
    {"B": 1, "T": 7, "D": 12, "H": 6, "Hkv": 3},
    {"B": 4, "T": 8, "D": 24, "H": 8, "Hkv": 2},
    {"B": 2, "T": 3, "D": 10, "H": 5, "Hkv": 1},
    {"B": 1, "T": 1, "D": 1, "H": 1, "Hkv": 1},
    {"B": 3, "T": 1, "D": 6, "H": 3, "Hkv": 3},
]


def traced(sizes: dict[str, int], split_direct: bool, merge_direct: bool) -> dict[str, Any]:
    """The same walk by torch, on coordinates: the codes of one sample and all shapes."""
    B, T, D, H, Hkv = sizes.values()
    Dh = D // H
    q = show.coordinates(B, T, D) % 1000  # 100 * token + feature, the same in every sample
    shapes: dict[str, Any] = {}

    def note(stage: str, **tensors: torch.Tensor) -> None:
        shapes[stage] = {name: list(tensor.shape) for name, tensor in tensors.items()}

    def split(z: torch.Tensor, heads: int) -> torch.Tensor:
        if split_direct:
            return z.view(B, heads, T, Dh)
        return z.view(B, T, heads, Dh).transpose(1, 2)

    k = torch.zeros(B, T, Hkv * Dh)
    note("x", x=q)
    note("project", q=q, k=k, v=k)
    heads, kv = split(q, H), split(k, Hkv)
    if split_direct:
        note("view", q=heads, k=kv, v=kv)
    else:
        seen, unseen = q.view(B, T, H, Dh), k.view(B, T, Hkv, Dh)
        note("view", q=seen, k=unseen, v=unseen)
        note("transpose", q=heads, k=kv, v=kv)
    kv = kv.repeat_interleave(H // Hkv, dim=1)
    note("repeat", q=heads, k=kv, v=kv)
    context = F.scaled_dot_product_attention(heads, kv, kv)
    note("attend", weights=heads @ kv.transpose(-2, -1), context=context)
    asked = heads  # each place of the context answers the query number at the same place
    if merge_direct:
        merged = asked.reshape(B, T, D)
    else:
        note("back", context=context.transpose(1, 2))
        merged = asked.transpose(1, 2).reshape(B, T, D)
    note("merge", merged=merged)
    note("output", out=merged @ torch.eye(D))
    note("residual", residual=merged + q)
    direct = {"split": split_direct, "merge": merge_direct}
    split_codes, merged_codes = heads[0].int().tolist(), merged[0].int().tolist()
    return {
        "sizes": sizes, "direct": direct, "split": split_codes, "merged": merged_codes,
        "shapes": shapes,
    }  # fmt: skip


def test_places_and_shapes_are_torch_s(node_test):
    switches = product((False, True), repeat=2)
    cases = [traced(sizes, *direct) for direct in switches for sizes in SIZES]
    node_test("shape_stages.test.mjs", cases)


def test_the_text_has_the_shapes_of_gqa():
    text = explore.shape_tracer(B=2, T=5, D=12, H=6, Hkv=3).text
    assert "k, v [2, 5, 3, 2]" in text
    assert text.splitlines()[-1].endswith("residual [2, 5, 12]")


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"D": 10, "H": 3}, "D=10 can't be shared by H=3 heads: 10 % 3 = 1"),
        ({"D": 10, "H": 5, "Hkv": 2}, "H=5 query heads can't share Hkv=2 K/V heads: 5 % 2 = 1"),
    ],
)
def test_the_text_says_which_rule_broke(sizes, words):
    assert words in explore.shape_tracer(**sizes).text


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"T": 9}, "T=9, but T must be a whole number from 1 to 8"),
        ({"D": 0}, "D=0, but D must"),
        ({"H": 2.0}, "H=2.0, but H must be a whole number"),
        ({"Hkv": 9}, "Hkv=9, but Hkv must"),
    ],
)
def test_sizes_that_can_t_be_drawn_are_refused_by_name(sizes, words):
    with pytest.raises(ValueError, match=words):
        explore.shape_tracer(**sizes)
