"""The picture of grouped heads shows who reads whom, also in words."""

import pytest
from matplotlib.text import Text

from manyheads.show import head_map


def hatches_by_label(ax):
    """Each box's hatch by the label that is written on it."""
    texts = [text for text in ax.findobj(Text) if text.get_text()[:1] in ("q", "k")]
    return {
        text.get_text(): box.get_hatch()
        for text in texts
        for box in ax.patches
        if box.get_x() < text.get_position()[0] < box.get_x() + box.get_width()
        and box.get_y() < text.get_position()[1] < box.get_y() + box.get_height()
    }


@pytest.mark.parametrize(
    ("half", "reads"), [(0, [0, 0, 1, 1, 2, 2]), (1, [0, 1, 2, 0, 1, 2])], ids=["left", "right"]
)
def test_a_query_head_has_the_hatch_of_the_kv_head_it_reads(half, reads):
    hatch = hatches_by_label(head_map(H=6, Hkv=3).figure.axes[half])
    assert len({hatch[f"k{g} v{g}"] for g in range(3)}) == 3
    assert [hatch[f"q{h}"] for h in range(6)] == [hatch[f"k{g} v{g}"] for g in reads]


def test_a_line_joins_each_query_head_to_its_kv_head():
    left, right = head_map(H=6, Hkv=3).figure.axes
    ends = [[round(float(line.get_xdata()[1]), 3) for line in ax.lines] for ax in (left, right)]
    assert ends == [[0.5, 0.5, 2.5, 2.5, 4.5, 4.5], [0.5, 2.5, 4.5, 0.5, 2.5, 4.5]]


def test_alt_text_gives_both_orders():
    alt = head_map(H=8, Hkv=2).alt
    assert "interleaved: query heads 0 to 7 read K/V heads 0, 0, 0, 0, 1, 1, 1, 1" in alt
    assert "tiled: query heads 0 to 7 read K/V heads 0, 1, 0, 1, 0, 1, 0, 1" in alt


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((6, 4), r"H=6 query heads can't share Hkv=4 .* \(6 % 4 = 2\). Choose Hkv from 1, 2, 3, 6"),
        ((17, 1), "H=17, Hkv=1, but H must be 1 to 16"),
        ((9, 9), "Hkv=9, but .* Hkv 1 to 8"),
    ],
)
def test_impossible_sizes_are_refused_by_name(sizes, words):
    with pytest.raises(ValueError, match=words):
        head_map(*sizes)
