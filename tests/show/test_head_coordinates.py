"""Coordinate-coded head tensors say where each value came from."""

import pytest

from manyheads.show import head_coordinates


def test_every_value_names_sample_token_head_and_feature():
    context = head_coordinates(B=2, H=3, T=5, Dh=4)
    assert tuple(context.shape) == (2, 3, 5, 4)
    for b in range(2):
        for h in range(3):
            for t in range(5):
                for d in range(4):
                    assert context[b, h, t, d] == 1000 * b + 100 * t + 10 * h + d


def test_values_are_all_different():
    context = head_coordinates(B=10, H=10, T=10, Dh=10)
    assert context.unique().numel() == context.numel()


@pytest.mark.parametrize("name", ["B", "H", "T", "Dh"])
@pytest.mark.parametrize("size", [0, 11])
def test_sizes_that_would_blur_the_digits_are_refused(name, size):
    sizes = {"B": 2, "H": 3, "T": 5, "Dh": 4, name: size}
    with pytest.raises(ValueError, match=f"{name}={size}, but {name} must be 1 to 10"):
        head_coordinates(**sizes)
