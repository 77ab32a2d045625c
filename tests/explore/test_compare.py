"""Yours beside the target: what is marked, what is cut, what is said."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

from manyheads import explore, show
from manyheads.explore.compare import explored
from manyheads.show.grids import Cell, Comparison, Grid

HERE = Path(__file__).parent
NODE = shutil.which("node")
x = show.coordinates(2, 5, 12)  # [B, T, D]
SPLIT = x.view(2, 5, 3, 4).transpose(1, 2)  # [B, H, T, Dh]
WRONG = x.view(2, 3, 5, 4)


@pytest.mark.skipif(
    NODE is None, reason="node isn't installed; get it from nodejs.org (20 or later)"
)
def test_the_page_s_state_is_kept_right():
    command = [str(NODE), "--test", HERE / "compare_state.test.mjs"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_the_first_wrong_place_is_named():
    text = explore.compare(WRONG, SPLIT).text
    assert "96 of 120 numbers differ. First at [0, 0, 1, 0]: yours 4, target 100." in text


def test_wrong_cells_are_marked_and_right_ones_are_not():
    grids = explore.compare(WRONG, SPLIT).state["yours"]
    marked = np.array([grid["wrong"] for grid in grids]).reshape(2, 3, 5, 4)
    assert (marked == (WRONG != SPLIT).numpy()).all()


def test_equal_tensors_agree():
    explorer = explore.compare(SPLIT + 1e-6, SPLIT)
    assert "all 120 numbers agree" in explorer.text
    assert not np.any([grid["wrong"] for grid in explorer.state["yours"]])


def test_another_shape_is_shown_unmarked():
    explorer = explore.compare(x, SPLIT)
    assert "yours [2, 5, 12], target [2, 3, 5, 4]: the shapes differ" in explorer.text
    assert "no cell is marked" in explorer.state["note"]
    assert not any(map(np.any, (grid["wrong"] for grid in explorer.state["yours"])))


@pytest.mark.parametrize(
    ("nothing", "called"),
    [(None, "nothing yet"), (..., "nothing yet"), ("text", "a str"), (print, "a builtin")],
)
def test_what_isn_t_written_yet_is_named_and_the_target_is_shown(nothing, called):
    explorer = explore.compare(nothing, SPLIT)
    assert f"yours is {called}" in explorer.text
    assert explorer.state["yours"] == []
    assert len(explorer.state["target"]) == 6


@pytest.mark.parametrize(
    "same",
    [
        SPLIT.bfloat16().float(),
        SPLIT.numpy(),
        SPLIT.tolist(),
        SPLIT.clone().requires_grad_(),
        SPLIT.int(),
        torch.nn.Parameter(SPLIT.clone()),
    ],
)
def test_any_kind_of_numbers_is_read(same):
    assert "numbers agree" in explore.compare(same, same).text


def test_bfloat16_is_read():
    assert "numbers agree" in explore.compare(x[0, 0].bfloat16(), x[0, 0].bfloat16()).text


def test_a_large_tensor_is_cut_around_its_first_wrong_cell():
    target = torch.zeros(40, 3, 100, 90)
    yours = target.clone()
    yours[30, 1, 70, 80] = 1
    state = explore.compare(yours, target).state
    grids = state["yours"]
    assert len(grids) == 12
    assert grids[0]["title"] == "[30, 1]"
    assert (grids[0]["top"], grids[0]["left"]) == (62, 58)
    assert grids[0]["wrong"][70 - 62][80 - 58] == 1
    assert np.sum([grid["wrong"] for grid in grids]) == 1


@pytest.mark.parametrize("target", [torch.tensor(3.0), torch.ones(4), torch.ones(2, 2), x[None]])
def test_any_number_of_axes_can_be_compared(target):
    assert "numbers differ" in explore.compare(target + 1, target).text


def test_what_isn_t_a_number_can_be_shown():
    numbers = torch.tensor([float("nan"), float("inf")])
    assert "all 2 numbers agree" in explore.compare(numbers, numbers).text
    assert explore.compare(numbers, torch.zeros(2)).state["yours"][0]["rows"] == [["nan", "inf"]]


@pytest.mark.parametrize("target", [None, "text", torch.zeros(0, 3)])
def test_a_target_without_numbers_is_refused(target):
    with pytest.raises(ValueError, match=r"Call compare\(yours, target\)"):
        explore.compare(x, target)


def test_labels_and_colours_of_a_check_are_kept():
    target = Grid("head 0", [[Cell("t0 f0", 0)]])
    yours = Grid("head 0", [[Cell("t1 f0", 1, wrong=True)]])
    explorer = explored(Comparison([target], [yours], "How to read it.", "One differs."))
    assert explorer.state["yours"][0]["rows"] == [["t1 f0"]]
    assert explorer.state["yours"][0]["fill"] == [[1]]
    assert explorer.text.startswith("One differs.\nhead 0")
    assert "t1 f0!" in explorer.text
