"""The ranges that explorers take."""

from __future__ import annotations

from collections.abc import Mapping


def check_sizes(function: str, sizes: Mapping[str, int], most: Mapping[str, int]) -> None:
    """Refuse a size that is no whole number from 1 to its most.

    raises: ValueError naming the function, the size, and its range

    >>> check_sizes("head_map", {"H": 17}, {"H": 16})
    Traceback (most recent call last):
    ValueError: head_map: H=17, but H must be a whole number from 1 to 16.
    """
    for name, size in sizes.items():
        if not isinstance(size, int) or not 1 <= size <= most[name]:
            raise ValueError(
                f"{function}: {name}={size}, but {name} must be a whole number "
                f"from 1 to {most[name]}."
            )
