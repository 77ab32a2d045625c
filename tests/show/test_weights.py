"""The picture of several heads' weights shows one query's rows as numbers, also in words."""

import pytest
import torch
from matplotlib.text import Text

from manyheads.show import head_weights

WORDS = ["The", "cat", "sat"]


def weights(heads=2, T=3):
    drawn = torch.rand(heads, T, T, generator=torch.Generator().manual_seed(5))
    return drawn / drawn.sum(dim=-1, keepdim=True)


def numbers_of(ax):
    return [text.get_text() for text in ax.findobj(Text) if text.get_text().startswith("0.")]


def test_the_bars_carry_the_query_s_row_of_each_head():
    P = weights()
    bars = head_weights(WORDS, P, query="cat").figure.axes[-1]
    labels = set(numbers_of(bars))
    assert {f"{weight:.3f}" for weight in P[:, 1].flatten().tolist()} <= labels


def test_a_frame_marks_the_query_in_every_head_s_matrix():
    matrices = head_weights(WORDS, weights(), query=2).figure.axes[:2]
    assert [ax.patches[0].get_y() for ax in matrices] == [1.5, 1.5]


def test_heads_differ_in_hatch_as_well_as_colour():
    bars = head_weights(WORDS, weights(heads=4), query=0).figure.axes[-1]
    first = [container[0] for container in bars.containers]
    assert len({bar.get_hatch() for bar in first}) == 4
    assert len({bar.get_facecolor() for bar in first}) == 4


def test_alt_text_names_each_head_s_top_tokens():
    P = torch.tensor([[[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.7, 0.1]]])
    assert (
        "Head A gives most to cat (0.700), then The (0.200), then sat (0.100)."
        in head_weights(WORDS, P, query="sat").alt
    )


def test_alt_text_names_tokens_that_no_head_sees():
    P = torch.tensor([[[1.0, 0, 0], [0.5, 0.5, 0], [0.2, 0.7, 0.1]]])
    assert head_weights(WORDS, P, query=1).alt.endswith("No head gives anything to sat.")


def test_a_word_that_occurs_twice_means_its_first_place():
    alt = head_weights(["a", "b", "a"], weights(), query="a").alt
    assert "the row of a, token 0" in alt


@pytest.mark.parametrize(
    ("P", "query", "words"),
    [
        (torch.ones(3, 3), 0, r"weights are \[3, 3\], but 3 tokens need \[H, 3, 3\]"),
        (torch.ones(2, 4, 4), 0, r"weights are \[2, 4, 4\], but 3 tokens need \[H, 3, 3\]"),
        (torch.ones(5, 3, 3), 0, "H=5, T=3, but H must be 1 to 4"),
        (torch.ones(2, 3, 3), "dog", "'dog' is no token of this sentence. Choose one of The"),
        (torch.ones(2, 3, 3), 3, "3 is no token of this sentence"),
    ],
)
def test_weights_that_do_not_fit_the_sentence_are_refused(P, query, words):
    with pytest.raises(ValueError, match=words):
        head_weights(WORDS, P, query=query)
