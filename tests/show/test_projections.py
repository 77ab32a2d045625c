"""The pictures of projections show the numbers that the product gives, also in words."""

import pytest
import torch
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from manyheads.show import fused_columns, three_views

TOKEN = torch.tensor([1.0, 2, 3, -1])
SHEAR = torch.tensor([[1.0, 2, 0, 0], [0, 1, 0, 0], [0, 0, 1, 3], [0, 0, 0, 1]])


def texts(ax):
    return [text.get_text() for text in ax.findobj(Text)]


def squares(ax):
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def test_each_panel_shows_token_matrix_and_view():
    picture = three_views(TOKEN, SHEAR, 2 * SHEAR, -SHEAR, H=2)
    for ax, factor in zip(picture.figure.axes, (1, 2, -1), strict=True):
        numbers = [f"{n:g}" for n in (factor * (TOKEN @ SHEAR)).tolist()]
        shown = texts(ax)
        assert {"head 0", "head 1", *numbers} <= set(shown)
        assert len(squares(ax)) == 4 + 16 + 4


def test_the_view_is_the_product_and_not_that_with_the_transpose():
    assert "q = (1, 4, 3, 8)" in three_views(TOKEN, SHEAR, SHEAR, SHEAR, H=2).alt


def test_alt_text_names_what_each_head_holds():
    alt = three_views(TOKEN, torch.eye(4), SHEAR, -SHEAR, H=2).alt
    assert "head 0 holds q (1, 2), k (1, 4), v (-1, -4)" in alt
    assert "head 1 holds q (3, -1), k (3, 8), v (-3, -8)" in alt


def test_heads_differ_in_hatch_as_well_as_colour():
    ax = three_views(TOKEN, SHEAR, SHEAR, SHEAR, H=2).figure.axes[0]
    owned = [patch for patch in squares(ax) if patch.get_x() >= 0]
    assert len({patch.get_hatch() for patch in owned}) == 2
    assert len({patch.get_facecolor() for patch in owned}) == 2


def test_fused_columns_are_cut_at_both_kinds_of_widths():
    ax = fused_columns(H=4, Hkv=1, Dh=2).figure.axes[0]
    cuts = {(line.get_xdata()[0], line.get_ydata()[0] > 1) for line in ax.lines}
    assert {x for x, lower in cuts if not lower} == {0, 8, 10, 12}
    assert {x for x, lower in cuts if lower} == {0, 4, 8, 12}


def test_fused_columns_carry_letters_beside_colour():
    ax = fused_columns(H=4, Hkv=1, Dh=2).figure.axes[0]
    assert "".join(t for t in texts(ax) if t in {"Q", "K", "V"}) == "QQQQQQQQKKVV" * 2


@pytest.mark.parametrize(
    ("sizes", "pieces"),
    [
        ((4, 1, 2), "Q Q Q Q, Q Q Q Q, K K V V"),
        ((2, 2, 1), "Q Q, K K, V V"),
        ((2, 1, 2), "Q Q Q, Q K K, V V"),
    ],
)
def test_thirds_are_those_of_torch_chunk(sizes, pieces):
    H, Hkv, Dh = sizes
    letters = ["Q"] * H * Dh + ["K"] * Hkv * Dh + ["V"] * Hkv * Dh
    chunks = torch.arange(len(letters)).chunk(3)
    assert pieces == ", ".join(" ".join(letters[i] for i in chunk) for chunk in chunks)
    assert f"Equal thirds: {pieces}." in fused_columns(*sizes).alt


def test_matrices_of_different_shapes_are_refused():
    with pytest.raises(ValueError, match=r"4 features .* \(4, 4\), \(4, 2\), \(4, 4\)"):
        three_views(TOKEN, SHEAR, SHEAR[:, :2], SHEAR, H=2)


@pytest.mark.parametrize("H", [0, 3, 9])
def test_a_number_of_heads_that_does_not_divide_the_width_is_refused(H):
    with pytest.raises(ValueError, match=f"4 columns can't be shared by H={H} heads"):
        three_views(TOKEN, SHEAR, SHEAR, SHEAR, H=H)


@pytest.mark.parametrize("sizes", [(0, 1, 2), (8, 8, 2), (4, -1, 2)])
def test_sizes_that_cannot_be_drawn_are_refused(sizes):
    with pytest.raises(ValueError, match=r"fused_columns: H=.* make .* columns"):
        fused_columns(*sizes)
