"""Heads on a sentence: the page's arithmetic and the text against torch's own attention."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from manyheads import explore
from manyheads.explore.sentence import FIRST, SECOND, WORDS

HERE = Path(__file__).parent
NODE = shutil.which("node")


def independent(z, Wo, causal):
    """What every query receives, by torch: weights [T][H][T], joined, added, mix."""
    H, T, Dh = z.shape
    eye = torch.eye(T, dtype=z.dtype).expand(H, T, T)
    P = F.scaled_dot_product_attention(z, z, eye, is_causal=causal)  # [H, T, T]
    joined = (P @ z).transpose(0, 1).reshape(T, H * Dh)
    return [
        {
            "weights": P[:, t].tolist(),
            "joined": joined[t].tolist(),
            "added": (joined[t, :, None] * Wo).tolist(),
            "mix": (joined[t] @ Wo).tolist(),
        }
        for t in range(T)
    ]


def cases():
    torch.manual_seed(3)
    sizes = {"two wide heads": (2, 7, 3, 5), "four heads": (4, 5, 2, 3), "one head": (1, 9, 4, 4)}
    lesson = (
        torch.tensor([FIRST, SECOND]).double()[:, :, None],
        torch.tensor([[1, 0.3], [0.3, 1]]),
    )
    examples = {"lesson": lesson} | {
        name: (1.4 * torch.randn(H, T, Dh).double(), torch.randn(H * Dh, D))
        for name, (H, T, Dh, D) in sizes.items()
    }
    for name, (z, Wo) in examples.items():
        for causal in (False, True):
            Wo = Wo.double()
            state = {"z": z.tolist(), "Wo": Wo.tolist(), "causal": causal}
            yield {
                "name": f"{name}, causal={causal}",
                "state": state,
                "queries": independent(z, Wo, causal),
            }


@pytest.mark.skipif(
    NODE is None, reason="node isn't installed; get it from nodejs.org (20 or later)"
)
def test_the_page_s_arithmetic_is_torch_s(tmp_path):
    fixture = tmp_path / "cases.json"
    fixture.write_text(json.dumps(list(cases())), encoding="utf-8")
    ran = subprocess.run(
        [str(NODE), "--test", HERE / "sentence_math.test.mjs"],
        env=os.environ | {"MANYHEADS_FIXTURE": str(fixture)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert "# pass 0" not in ran.stdout


@pytest.mark.parametrize(
    ("causal", "said"),
    [
        (False, ["cat (0.290)", "1.001", "sat (0.143)", "0.077", "(1.024, 0.377)"]),
        (True, ["cat (0.358)", "sat (0.172)", "(1.108, 0.515)"]),
    ],
)
def test_the_text_says_the_lesson_s_numbers(causal, said):
    text = explore.sentence(causal=causal).text
    assert [number for number in said if number not in text] == []


def test_the_text_has_a_row_for_every_token():
    text = explore.sentence().text
    assert all(any(line.startswith(word) for line in text.splitlines()) for word in WORDS)


def test_a_masked_token_gets_nothing():
    assert "tired     0.000   0.000" in explore.sentence(causal=True).text


def test_tensors_that_want_gradients_are_read():
    z = torch.randn(2, 3, 1, requires_grad=True)
    assert explore.sentence(["a", "b", "c"], z, torch.eye(2), query=0).state["z"] == z.tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"z": torch.zeros(2, 9, 1)}, r"z is \[2, 9, 1\], but 10 words need \[H, 10, Dh\]"),
        ({"Wo": torch.eye(3)}, r"Wo is \[3, 3\], but H=2 heads of Dh=1 need \[2, D\]"),
        ({"query": "dog"}, "'dog' is no token of this sentence. Choose one of The, cat"),
        ({"query": 10}, "a number from 0 to 9"),
        ({"z": torch.zeros(9, 10, 1), "Wo": torch.zeros(9, 2)}, "H must be 1 to 4"),
        ({"Wo": [[float("nan"), 0], [0, 1]]}, "Wo holds a number that isn't finite"),
    ],
)
def test_what_can_t_be_drawn_is_refused_with_words(arguments, words):
    with pytest.raises(ValueError, match=words):
        explore.sentence(**arguments)
