"""The figure of yours beside the target."""

from __future__ import annotations

from matplotlib.backends.backend_agg import FigureCanvasAgg

from manyheads.show.grids import Cell, Comparison, Grid

GRID = Grid("head 0", [[Cell("t0 f0", 0), Cell("t0 f1", 0, wrong=True)]])


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_both_sides_are_titled():
    assert {"target", "yours", "head 0"} <= set(
        words(Comparison([GRID], [GRID], "note", "alt").picture().figure)
    )


def test_the_background_is_white_in_every_theme():
    figure = Comparison([GRID], [GRID], "note", "alt").picture().figure
    FigureCanvasAgg(figure).draw()
    pixels = figure.canvas.buffer_rgba()
    assert tuple(memoryview(pixels).tolist()[0][0]) == (255, 255, 255, 255)


def test_a_wrong_cell_is_hatched():
    figure = Comparison([GRID], [GRID], "note", "alt").picture().figure
    assert sum(drawn.get_hatch() is not None for drawn in figure.axes[0].collections) == 2


def test_a_right_cell_is_not_hatched():
    right = Grid("head 0", [[Cell("t0 f0", 0)]])
    figure = Comparison([right], [right], "note", "alt").picture().figure
    assert all(drawn.get_hatch() is None for drawn in figure.axes[0].collections)


def test_large_grids_are_cut_and_say_so():
    large = Grid("head 0", [[Cell("x")] * 40] * 40)
    figure = Comparison([large] * 9, [GRID], "note", "alt").picture().figure
    assert "head 0   (cut)   (6 more not drawn)" in words(figure)


def test_no_figure_of_pyplot_is_made():
    import matplotlib.pyplot as plt

    Comparison([GRID], [GRID], "note", "alt").picture()
    assert plt.get_fignums() == []
