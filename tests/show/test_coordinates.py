"""Coordinate-coded tensors say where each value came from."""

import pytest

from manyheads.show import coordinates


def test_every_value_names_sample_token_and_feature():
    x = coordinates(3, 4, 12)
    for b in range(3):
        for t in range(4):
            for f in range(12):
                assert x[b, t, f] == 1000 * b + 100 * t + f


def test_values_are_all_different():
    x = coordinates(10, 10, 100)
    assert x.unique().numel() == x.numel()


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((0, 5, 12), "B=0, but B must be 1 to 10"),
        ((2, 11, 12), "T=11, but T must be 1 to 10"),
        ((2, 5, 101), "D=101, but D must be 1 to 100"),
    ],
)
def test_sizes_that_would_blur_the_digits_are_refused(sizes, words):
    with pytest.raises(ValueError, match=words):
        coordinates(*sizes)
