"""The pictures: which cells are marked, and what is said in their place."""

from __future__ import annotations

import pytest
import torch

from manyheads.check import pictures
from manyheads.check.diagnose import examine
from manyheads.check.rotate import EXERCISE as ROTATE
from manyheads.check.run import function_result
from manyheads.check.split import EXERCISE as SPLIT


@pytest.fixture
def drawn(monkeypatch):
    """Call it with an exercise and a function: what was drawn, by name."""
    seen = {}

    def keep(target, yours, note, alt):
        seen.update(target=target, yours=yours, note=note, alt=alt)
        return real(target, yours, note, alt)

    real = pictures.Comparison
    monkeypatch.setattr(pictures, "Comparison", keep)

    def draw(exercise, fn):
        seen["figure"] = exercise.picture(examine(exercise, fn).trial)
        return seen

    return draw


def labels(grid):
    return [[cell.label for cell in row] for row in grid.rows]


def test_a_split_is_drawn_by_owner(drawn):
    seen = drawn(SPLIT, lambda x, H: x.reshape(x.shape[0], H, x.shape[1], -1))
    assert labels(seen["target"][1])[0] == ["t0 f4", "t0 f5", "t0 f6", "t0 f7"]
    assert labels(seen["yours"][0])[1] == ["t0 f4", "t0 f5", "t0 f6", "t0 f7"]


def test_wrong_cells_are_marked_and_right_ones_are_not(drawn):
    seen = drawn(SPLIT, lambda x, H: x.reshape(x.shape[0], H, x.shape[1], -1))
    marks = [all(cell.wrong for cell in row) for row in seen["yours"][0].rows]
    assert marks == [False, True, True, True, True]
    assert not any(cell.wrong for grid in seen["target"] for row in grid.rows for cell in row)


def test_another_sample_is_written_in_front(drawn):
    seen = drawn(SPLIT, lambda x, H: torch.stack(x.flip(0).chunk(H, -1), 1))
    assert labels(seen["yours"][0])[0][0] == "s1 t0 f0"


def test_a_stranger_is_shown_as_a_number(drawn):
    seen = drawn(SPLIT, lambda x, H: torch.stack(x.chunk(H, -1), 1) + 0.25)
    assert labels(seen["yours"][0])[0][0] == "0.25"


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, H: x,
        lambda x, H: x[0, 0],
        lambda x, H: x.sum(),
        lambda x, H: x[None, None, None],
        lambda x, H: torch.zeros(1, 40, 40),
    ],
)
def test_another_shape_is_drawn_unmarked(drawn, fn):
    seen = drawn(SPLIT, fn)
    assert "another shape" in seen["alt"]
    assert "no cell is marked" in seen["note"]


@pytest.mark.parametrize("fn", [lambda x, H: None, lambda x, H: x[:0], lambda x, H: 1 / 0])
def test_nothing_is_drawn_where_there_is_nothing_to_draw(fn):
    assert SPLIT.picture(examine(SPLIT, fn).trial) is None


def test_a_rotation_is_drawn_by_what_it_holds(drawn):
    seen = drawn(ROTATE, lambda q, k, v, rope: (rope(q), k, rope(v)))
    assert [labels(grid)[0][0] for grid in seen["yours"]] == ["rope(q)", "k", "rope(v)"]
    assert "Yours differs in k', v" in seen["alt"]


def test_a_lost_sign_of_zero_is_marked(drawn):
    seen = drawn(ROTATE, lambda q, k, v, rope: (rope(q), rope(k), v + 0.0))
    marks = [[cell.wrong for cell in row] for row in seen["yours"][2].rows]
    assert sum(map(sum, marks)) == 1
    assert marks[0][0]


def test_two_results_are_not_drawn():
    trial = examine(ROTATE, lambda q, k, v, rope: (rope(q), rope(k))).trial
    assert ROTATE.picture(trial) is None


def test_an_exercise_without_a_picture_of_its_own_shows_its_numbers():
    _, draw = function_result("output", lambda merged, Wo: merged @ Wo + (Wo[0] > 0))
    shown = draw()
    assert "numbers differ. First at [" in shown.alt
    assert any(cell.wrong for grid in shown.yours for row in grid.rows for cell in row)


def test_a_list_of_heads_is_shown_by_its_numbers():
    _, draw = function_result("kv_map", lambda H, Hkv: [h % Hkv for h in range(H)])
    assert "[6]: 4 of 6 numbers differ. First at [1]: yours 1, target 0." in draw().alt


@pytest.mark.parametrize("fn", [lambda merged, Wo: None, lambda merged, Wo: merged[:0]])
def test_without_numbers_no_numbers_are_drawn(fn):
    assert function_result("output", fn)[1]() is None


def test_numbers_that_are_close_are_not_drawn():
    assert function_result("output", lambda merged, Wo: merged @ Wo + 3e-5)[1]() is None
