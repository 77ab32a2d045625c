"""The picture of stored bytes draws each even Hkv, also in words."""

import pytest
import torch

from manyheads.show import kv_bytes


def test_a_bar_is_as_long_as_the_bytes_of_real_tensors():
    bars = [
        bar.get_width() for bar in kv_bytes(H=6, Dh=4, bytes_per_value=4).figure.axes[0].patches
    ]
    assert bars == [torch.zeros(2, Hkv, 4).nbytes for Hkv in (1, 2, 3, 6)]


def test_a_bar_is_labelled_with_its_bytes_and_its_kind():
    (ax,) = kv_bytes(H=4, Dh=8, bytes_per_value=2).figure.axes
    assert [text.get_text() for text in ax.texts] == ["32 bytes", "64 bytes", "128 bytes"]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["Hkv = 1  (MQA)", "Hkv = 2  (GQA)", "Hkv = 4  (MHA)"]


def test_kinds_differ_in_hatch_as_well_as_colour():
    bars = kv_bytes(H=6, Dh=4, bytes_per_value=4).figure.axes[0].patches
    assert len({bar.get_hatch() for bar in bars}) == len({bar.get_facecolor() for bar in bars}) == 3


def test_one_head_alone_is_called_mha():
    assert "16 at Hkv = 1 (MHA)" in kv_bytes(H=1, Dh=4, bytes_per_value=2).alt


def test_alt_text_gives_every_number():
    alt = kv_bytes(H=6, Dh=4, bytes_per_value=4).alt
    assert "32 at Hkv = 1 (MQA); 64 at Hkv = 2 (GQA); 96 at Hkv = 3 (GQA); 192 at Hkv = 6" in alt


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((65, 4, 4), "H=65, but H must be 1 to 64"),
        ((6, 0, 4), "Dh=0, but Dh must be 1"),
        ((6, 4, 17), "bytes_per_value=17, but bytes_per_value must be 1 to 16"),
    ],
)
def test_impossible_numbers_are_refused_by_name(numbers, words):
    with pytest.raises(ValueError, match=words):
        kv_bytes(*numbers)
