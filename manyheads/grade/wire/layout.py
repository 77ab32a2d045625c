"""Where the elements of an array lie: pure arithmetic on shapes and strides in bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from .errors import Malformed

Ints = Sequence[int]
SMALL = 1 << 16


class Span(NamedTuple):
    """The bytes that an array reaches, from the address of its first element."""

    low: int
    high: int
    numel: int


def span(shape: Ints, strides: Ints, itemsize: int) -> Span:
    """The span of an array; an empty one reaches nothing.

    >>> span((2, 3), (-24, 8), 8)
    Span(low=-24, high=24, numel=6)
    """
    numel = prod(shape)
    if not numel:
        return Span(0, 0, 0)
    low = high = 0
    for size, stride in zip(shape, strides, strict=True):
        if stride > 0:
            high += (size - 1) * stride
        else:
            low += (size - 1) * stride
    return Span(low, high + itemsize, numel)


def checked(shape: Any, strides: Any, dims: int) -> None:
    """Raise Malformed unless both are lists of sizes and strides that an array can have."""
    if not (type(shape) is list and type(strides) is list and len(shape) == len(strides) <= dims):
        raise Malformed("an array whose shape and strides don't fit each other")
    for size, stride in zip(shape, strides, strict=True):
        if type(size) is not int or type(stride) is not int:
            raise Malformed("an array whose shape or strides are not integers")
        if not (0 <= size < 1 << 40 and -(1 << 40) < stride < 1 << 40):
            raise Malformed(f"an array with an axis of {size} and a stride of {stride} bytes")


def within(size: int, at: Any, reach: Span) -> int:
    """The number of elements of an array at a byte of some memory. Raises Malformed."""
    if type(at) is not int or at < 0 or at + reach.low < 0 or at + reach.high > size:
        raise Malformed("an array beyond the memory it is in")
    return reach.numel


def dense(shape: Ints, strides: Ints, itemsize: int) -> bool:
    """Whether an array reaches every byte of its span.

    >>> dense((2, 3), (8, 16), 8), dense((2, 3), (32, 8), 8), dense((5, 3), (0, 8), 8)
    (True, False, True)
    """
    step = itemsize
    axes = ((abs(n), size) for n, size in zip(strides, shape, strict=True) if n and size > 1)
    for stride, size in sorted(axes):
        if stride != step:
            return False
        step *= size
    return True


def contiguous(shape: Ints, itemsize: int) -> list[int]:
    """The strides in bytes of an array in C order.

    >>> contiguous((2, 3), 8)
    [24, 8]
    """
    strides, step = [], itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return strides[::-1]


def memory(address: int, size: int) -> Any:
    """A writable buffer over memory that somebody else keeps alive."""
    return (ctypes.c_char * size).from_address(address)


def read(address: int, size: int) -> bytes:
    """A copy of memory."""
    return ctypes.string_at(address, size) if size else b""


def part(address: int, size: int) -> bytes | memoryview:
    """Memory to be sent: a copy where it is small, else the memory itself."""
    return read(address, size) if size <= SMALL else memoryview(memory(address, size)).cast("B")


def write(address: int, data: bytes) -> None:
    """Overwrite memory."""
    if data:
        ctypes.memmove(address, data, len(data))
