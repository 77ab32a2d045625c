"""The figure of yours beside the target."""

from __future__ import annotations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from manyheads.show.compare import PALETTE, Cell, Grid, compare

GRID = Grid("head 0", [[Cell("t0 f0", 0), Cell("t0 f1", 0, wrong=True)]])


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def luminance(colour):
    def linear(part):
        value = int(part, 16) / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(colour[i : i + 2]) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_both_sides_are_titled():
    assert {"target", "yours", "head 0"} <= set(
        words(compare([GRID], [GRID], "note", "alt").figure)
    )


def test_the_background_is_white_in_every_theme():
    figure = compare([GRID], [GRID], "note", "alt").figure
    FigureCanvasAgg(figure).draw()
    pixels = figure.canvas.buffer_rgba()
    assert tuple(memoryview(pixels).tolist()[0][0]) == (255, 255, 255, 255)


def test_a_wrong_cell_is_hatched():
    figure = compare([GRID], [GRID], "note", "alt").figure
    assert sum(drawn.get_hatch() is not None for drawn in figure.axes[0].collections) == 2


def test_a_right_cell_is_not_hatched():
    right = Grid("head 0", [[Cell("t0 f0", 0)]])
    figure = compare([right], [right], "note", "alt").figure
    assert all(drawn.get_hatch() is None for drawn in figure.axes[0].collections)


@pytest.mark.parametrize("colour", PALETTE)
def test_black_text_reads_well_on_every_colour(colour):
    assert (luminance(colour) + 0.05) / 0.05 > 7


def test_large_grids_are_cut_and_say_so():
    large = Grid("head 0", [[Cell("x")] * 40] * 40)
    figure = compare([large] * 9, [GRID], "note", "alt").figure
    assert "head 0   (cut)   (6 more not drawn)" in words(figure)


def test_no_figure_of_pyplot_is_made():
    import matplotlib.pyplot as plt

    compare([GRID], [GRID], "note", "alt")
    assert plt.get_fignums() == []
