"""The head map's owners and bytes are torch's; its text is the lesson's."""

from __future__ import annotations

import pytest
import torch

from manyheads import explore


def test_owners_and_bytes_are_torch_s(node_test):
    pairs = [(H, Hkv) for H in range(1, 17) for Hkv in range(1, 17) if H % Hkv == 0]
    maps = []
    for H, Hkv in pairs:
        heads, n_rep = torch.arange(Hkv), H // Hkv
        orders = {"interleave": heads.repeat_interleave(n_rep), "tile": heads.repeat(n_rep)}
        maps.append({"H": H, "Hkv": Hkv} | {name: order.tolist() for name, order in orders.items()})
    kinds = {4: torch.float32, 2: torch.bfloat16, 1: torch.int8}
    bytes_ = [
        {"Hkv": Hkv, "Dh": Dh, "size": size, "stored": torch.zeros(2, Hkv, Dh, dtype=kind).nbytes}
        for Hkv, Dh in ((1, 4), (3, 4), (8, 128))
        for size, kind in kinds.items()
    ]
    node_test("heads.test.mjs", {"maps": maps, "bytes": bytes_})


def test_the_text_gives_both_orders_and_the_bytes():
    lines = explore.head_map(H=6, Hkv=3).text.splitlines()
    assert [line.split()[2:5:2] for line in lines[1:7]] == [
        [str(h // 2), str(h % 3)] for h in range(6)
    ]
    assert "96 bytes" in lines[-1]


def test_the_text_says_which_rule_broke():
    assert "5 % 2 = 1" in explore.head_map(H=5, Hkv=2).text


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"H": 17}, "H=17, but H must be a whole number from 1 to 16"),
        ({"Dh": 0}, "Dh=0, but Dh must"),
        ({"bytes_per_value": 3}, "bytes_per_value=3, but it must be 1, 2 or 4"),
    ],
)
def test_numbers_out_of_range_are_refused_by_name(numbers, words):
    with pytest.raises(ValueError, match=words):
        explore.head_map(**numbers)
