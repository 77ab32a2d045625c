"""The picture of a merge shows each row's owners, right and wrong, also in words."""

import pytest
import torch
from matplotlib.text import Text

from manyheads.show import head_coordinates, head_merge
from manyheads.show.merge import merged_places, reshaped_places


def labels_of(ax):
    return [text.get_text() for text in ax.findobj(Text) if len(text.get_text()) == 3]


def codes(rows):
    return torch.tensor([[100.0 * t + 10 * h + d for t, h, d in row] for row in rows])


def test_the_merge_drawn_is_the_sum_of_its_heads_side_by_side():
    context = head_coordinates(B=1, H=3, T=4, Dh=2)[0]
    assert torch.equal(codes(merged_places(H=3, T=4, Dh=2)), torch.cat(list(context), dim=1))


def test_the_reshape_drawn_is_torch_s():
    context = head_coordinates(B=1, H=3, T=4, Dh=2)[0]
    assert torch.equal(codes(reshaped_places(H=3, T=4, Dh=2)), context.reshape(4, 6))


def test_heads_merge_and_reshape_are_drawn_beside_each_other():
    head_0, head_1, merged, reshaped = head_merge(H=2, T=3, Dh=2).figure.axes
    assert labels_of(head_0) == ["000", "001", "100", "101", "200", "201"]
    assert labels_of(head_1)[0] == "010"
    assert labels_of(merged)[:4] == ["000", "001", "010", "011"]
    assert labels_of(reshaped)[:4] == ["000", "001", "100", "101"]


def test_heads_differ_in_hatch_as_well_as_colour():
    merged = head_merge(H=3, T=1, Dh=1).figure.axes[3]
    assert len({cell.get_hatch() for cell in merged.patches}) == 3
    assert len({cell.get_facecolor() for cell in merged.patches}) == 3


def test_alt_text_says_which_tokens_a_reshape_mixes():
    assert "row 0 holds features of tokens 0, 1, 2." in head_merge(H=3, T=5, Dh=4).alt


def test_alt_text_of_a_single_token_names_one():
    assert "row 0 holds features of token 0." in head_merge(H=3, T=1, Dh=4).alt


@pytest.mark.parametrize("sizes", [(0, 3, 2), (9, 3, 2), (2, 11, 2), (2, 3, 11)])
def test_impossible_sizes_are_refused_by_name(sizes):
    H, T, Dh = sizes
    with pytest.raises(ValueError, match=f"H={H}, T={T}, Dh={Dh}, but H must be 1 to 8"):
        head_merge(H=H, T=T, Dh=Dh)
