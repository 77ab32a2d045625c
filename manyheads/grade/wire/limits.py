"""Caps on what one end accepts from the other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How much one message may hold, and one connection altogether.

    >>> Limits().depth
    64
    """

    header_bytes: int = 16 << 20  # the JSON part of a frame
    payload_bytes: int = 64 << 20  # the raw part: numbers, long texts
    received_bytes: int = 1 << 29  # all frames of a connection together
    items: int = 500_000  # members of containers, each counted as often as it would be printed
    numbers: int = 1 << 24  # elements of all arrays of a message: an expanded view has few bytes
    depth: int = 64  # containers within containers
    nesting: int = 32  # calls within calls
    bits: int = 1 << 14  # of one integer
    handles: int = 50_000  # functions and objects the other end can name
