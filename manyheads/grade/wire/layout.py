"""Where the elements of an array lie: pure arithmetic on shapes and strides in bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from .errors import Malformed

Ints = Sequence[int]
SMALL = 1 << 16
PIECE = 1 << 18
DIMS = 64  # axes; numpy's own limit
LONGEST = 1 << 40


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


def reach(size: int, at: Any, shape: Any, strides: Any, itemsize: int) -> int:
    """The number of elements of an array at a byte of a memory of `size` bytes.

    strides: in bytes; None for C order. Raises Malformed unless the array can be, and lies in it.

    >>> reach(24, 0, [3], None, 8), reach(24, 16, [3], [-8], 8)
    (3, 3)
    """
    if type(shape) is not list or len(shape) > DIMS or type(at) is not int or at < 0:
        raise Malformed("an array without a shape or a place")
    for length in shape:
        if type(length) is not int or not 0 <= length < LONGEST:
            raise Malformed("an array with an axis that can't be")
    numel = prod(shape)
    low, high = 0, numel * itemsize
    if strides is not None:
        _check_strides(strides, len(shape))
        low, high, _ = span(shape, strides, itemsize)
    if at + low < 0 or at + high > size:
        raise Malformed("an array beyond the memory it is in")
    return numel


def _check_strides(strides: Any, dims: int) -> None:
    if type(strides) is not list or len(strides) != dims:
        raise Malformed("an array whose strides don't fit its shape")
    for stride in strides:
        if type(stride) is not int or not -LONGEST < stride < LONGEST:
            raise Malformed("an array with a stride that can't be")


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


def lent(address: int, size: int, owner: Any) -> Any:
    """The same, and it keeps the owner alive."""
    buffer = memory(address, size)
    buffer.owner = owner
    return buffer


def read(address: int, size: int) -> bytes:
    """A copy of memory."""
    return ctypes.string_at(address, size) if size else b""


def part(address: int, size: int, owner: Any) -> bytes | memoryview:
    """Memory to be sent: a copy where it is small, else the memory itself."""
    return (
        read(address, size) if size <= SMALL else memoryview(lent(address, size, owner)).cast("B")
    )


def write(address: int, data: bytes | memoryview) -> None:
    """Overwrite memory; a memoryview is of a bytearray."""
    if len(data):
        source = memory_of(data) if isinstance(data, memoryview) else data
        ctypes.memmove(address, source, len(data))


def memory_of(data: memoryview) -> Any:
    """The buffer of a bytearray's part, for functions that know no memoryviews."""
    return (ctypes.c_char * data.nbytes).from_buffer(data)


def holds(address: int, data: bytes | memoryview) -> bool:
    """Whether memory holds the same bytes as `data`; piece by piece, without a copy of it all."""
    if len(data) <= PIECE:
        return read(address, len(data)) == data
    for start in range(0, len(data), PIECE):
        piece = data[start : start + PIECE]
        if read(address + start, len(piece)) != bytes(piece):
            return False
    return True
