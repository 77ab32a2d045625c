"""Quantities in words."""

from __future__ import annotations


def in_words(size: int) -> str:
    """A number of bytes for people.

    >>> in_words(1048576), in_words(2 * 1024**3), in_words(10)
    ('1 MiB', '2 GiB', '10 bytes')
    """
    for unit, factor in {"GiB": 1024**3, "MiB": 1024**2, "KiB": 1024}.items():
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
