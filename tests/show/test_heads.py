"""The picture of a head split shows each feature's owner, also in words."""

import pytest
from matplotlib.text import Text

from manyheads.show import head_split


def labels_of(ax):
    return [text.get_text() for text in ax.findobj(Text) if text.get_text().isdigit()]


def test_each_head_shows_its_own_features_of_every_token():
    before, head_0, head_1 = head_split(T=3, D=8, H=2).figure.axes
    assert {"0", "107", "207"} <= set(labels_of(before))
    assert {str(100 * t + f) for t in range(3) for f in range(4)} <= set(labels_of(head_0))
    assert {str(100 * t + f) for t in range(3) for f in range(4, 8)} <= set(labels_of(head_1))


def test_heads_differ_in_hatch_as_well_as_colour():
    axes = head_split(T=2, D=8, H=4).figure.axes[1:]
    hatches = {ax.patches[0].get_hatch() for ax in axes}
    colours = {ax.patches[0].get_facecolor() for ax in axes}
    assert len(hatches) == len(colours) == 4


def test_alt_text_says_what_the_picture_shows():
    alt = head_split(T=5, D=12, H=3).alt
    assert "5 tokens by 12 features" in alt
    assert "head 2 holds features 8 to 11 of every token" in alt


def test_notebooks_receive_the_picture_with_its_alt_text():
    picture = head_split(T=2, D=4, H=2)
    shown, metadata = picture._repr_mimebundle_()
    assert shown["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == shown["text/plain"] == picture.alt
    assert f'alt="{picture.alt}"' in shown["text/html"]


def test_the_learner_s_own_figures_are_left_alone():
    import matplotlib.pyplot as plt

    head_split(T=2, D=4, H=2).png()
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((3, 10, 3), r"D=10 can't be shared by H=3 heads \(10 % 3 = 1\). Choose H from 1, 2, 5"),
        ((3, 9, 9), "H=9, but .* H 1 to 8"),
        ((11, 8, 2), "T=11, .* but T must be 1 to 10"),
    ],
)
def test_impossible_sizes_are_refused_by_name(sizes, words):
    T, D, H = sizes
    with pytest.raises(ValueError, match=words):
        head_split(T=T, D=D, H=H)
