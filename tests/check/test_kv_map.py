"""What the check of kv_head_of says, sentence by sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from manyheads import check
from manyheads.check.kv_map import CASES, target

TILED = """\
kv_head_of   the length is right; the heads are not
  For n_heads=6, n_kv_heads=3, query head 1 should read K/V head 0. Yours reads 1.
"""


def right(H, Hkv):
    if H % Hkv:
        raise ValueError("H % Hkv")
    return [h // (H // Hkv) for h in range(H)]


def text(fn):
    return " ".join(check.kv_head_of(fn).text.split())


def test_the_first_wrong_head_is_a_sentence():
    assert check.kv_head_of(lambda H, Hkv: [h % Hkv for h in range(H)]).text.startswith(TILED)


@pytest.mark.parametrize(
    "as_row", [tuple, np.array, torch.tensor, lambda row: list(map(float, row))]
)
def test_any_row_of_numbers_is_read_as_a_list(as_row):
    assert check.kv_head_of(lambda H, Hkv: as_row(right(H, Hkv))).passed is True


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda H, Hkv: right(H, Hkv)[:-1], "the list has 5 places; this exercise asks for 6"),
        (
            lambda H, Hkv: [3, *right(H, Hkv)[1:]],
            "Yours is [3, 0, 1, 1, 2, 2]. Right: query heads 1",
        ),
        (lambda H, Hkv: torch.tensor([right(H, Hkv)]).float(), "the result has 2 axes"),
        (lambda H, Hkv: dict(enumerate(right(H, Hkv))), "list(out) gives its keys"),
        (lambda H, Hkv: [[g, g] for g in range(Hkv)], "can't be looked up by h"),
        (lambda H, Hkv: (g for g in right(H, Hkv)), "which brackets around your for"),
        (lambda H, Hkv: "001122", "Text can be read"),
        (lambda H, Hkv: 2, "One number answers for one query head"),
        (lambda H, Hkv: None, "A function without `return` gives None"),
    ],
)
def test_other_results_are_told_what_they_are(fn, words):
    assert words in text(fn)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda H, Hkv: [h // max(H // Hkv, 1) for h in range(H)], "It returned [0, 0, 1, 1, 2]."),
        (lambda H, Hkv: right(H, Hkv) if H % Hkv == 0 else None, "It returned nothing (None)."),
        (lambda H, Hkv: [right(H, Hkv) if H % Hkv == 0 else {}[H]][0], "stops with KeyError"),
    ],
)
def test_what_can_t_be_shared_has_to_be_refused(fn, words):
    result = text(fn)
    assert "5 query heads can't share 2 K/V heads evenly" in result
    assert words in result


def test_an_error_keeps_its_traceback():
    result = check.kv_head_of(lambda H, Hkv: right(H, Hkv)[H])
    assert result.traceback.endswith("IndexError: list index out of range")


def test_the_target_shares_evenly_in_every_case():
    for case in CASES:
        H, Hkv = case.make().values()
        counts = torch.bincount(target(H, Hkv).long(), minlength=Hkv)
        assert counts.tolist() == [H // Hkv] * Hkv
