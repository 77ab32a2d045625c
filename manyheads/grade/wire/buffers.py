"""Stretches of memory that arrays share: as they are sent, and as they arrive.

A stretch travels once however many arrays of a message lie in it. Only bytes that an array
reaches are sent: what lies between them in the judge's memory may be an expected value.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

from .errors import Malformed
from .layout import Ints, holds, lent, memory, part, read, write

BITS = ("bool", "|b1")  # dtypes of which a byte is 0 or 1
_TO_BITS = bytes([0]) + bytes([1]) * 255


def bits(data: bytes) -> bytes:
    r"""Bytes of true and false as ones and zeros: any other byte is true here and false there.

    >>> bits(bytes([0, 1, 2]))
    b'\x00\x01\x01'
    """
    clean = data.count(0) + data.count(1) == len(data)
    return data if clean else data.translate(_TO_BITS)


class Kind(NamedTuple):
    """How a library's arrays lie in memory."""

    where: Callable[[Any], int]  # the address of the first element
    keep: Callable[[Any], Any]  # what keeps the memory alive


class View:
    """An array to be sent. Its node's fields 1 and 2 become the stretch and the offset in it."""

    __slots__ = ("address", "full", "high", "itemsize", "kind", "low", "node", "owner", "writable")

    def __init__(
        self,
        node: list[Any],  # [tag, stretch, offset, dtype, shape, strides in bytes or None, flags]
        owner: Any,
        kind: Kind,
        reach: tuple[int, int, int],  # the address of the first element, the lowest, the end
        itemsize: int,
        *,
        full: bool,  # whether the array reaches every byte from the lowest to the end
        writable: bool = True,
    ) -> None:
        self.node, self.owner, self.kind, self.itemsize = node, owner, kind, itemsize
        self.address, self.low, self.high = reach
        self.full, self.writable = full, writable

    def over(self, buffer: Any, low: int) -> Any:
        """The same elements of another buffer, which starts at address `low`."""
        return elements(buffer, self.node[4], self.node[5], self.itemsize, self.address - low)


def elements(buffer: Any, shape: Ints, strides: Ints | None, itemsize: int, at: int) -> Any:
    """Elements of any type in a buffer, as a numpy array of raw bytes."""
    import numpy as np

    return np.ndarray(shape, f"V{itemsize}", buffer, at, strides)


class Sent:
    """A stretch of this process's memory that was sent."""

    def __init__(self, views: list[View], low: int, high: int, *, careful: bool) -> None:
        self.views, self.address, self.size = views, low, high - low
        self.mask: bytearray | None = None
        self._held: Any = None
        if careful and not any(v.full and v.low == low and v.high == high for v in views):
            self.mask = bytearray(self.size)
            for view in views:
                view.over(self.mask, low)[...] = b"\xff" * view.itemsize

    def part(self) -> bytes | memoryview:
        """What is sent: bytes that no array reaches are zero."""
        if self.mask is None:
            return part(self.address, self.size, self.views[0].owner)
        copy = bytearray(self.size)
        self._copy(memory(self.address, self.size), copy)
        return bytes(copy)

    def hold(self) -> Any:
        """What keeps the memory alive even when its arrays are given other memory.

        Raises Malformed when that has happened already.
        """
        if self._held is None:
            if any(view.kind.where(view.owner) != view.address for view in self.views):
                raise Malformed("memory that this process has moved")
            self._held = self.views[0].kind.keep(self.views[0].owner)
        return self._held

    def overwrite(self, data: bytes) -> None:
        """Take over what the other process made of it. Raises Malformed."""
        self.hold()
        if len(data) != self.size or not any(view.writable for view in self.views):
            raise Malformed("a change to memory that can't be written")
        if any(view.node[3] in BITS for view in self.views):
            data = bits(data)
        if self.mask is None:
            write(self.address, data)
        else:
            self._copy(data, memory(self.address, self.size))

    def _copy(self, source: Any, target: Any) -> None:
        for view in self.views:
            view.over(target, self.address)[...] = view.over(source, self.address)

    def clean(self) -> None:
        """Raise Malformed unless it holds nothing but ones and zeros."""
        data = read(self.address, self.size)
        if bits(data) is not data:
            raise Malformed("memory of true and false that holds something else")

    def lend(self, shape: Ints, strides: Ints | None, itemsize: int, at: int) -> Any:
        """The memory, for a new view on what was sent and on nothing else. Raises Malformed."""
        if self.mask is not None:
            seen = elements(self.mask, shape, strides, itemsize, at).tobytes()
            if seen.count(b"\xff") != len(seen):
                raise Malformed("a view of memory that was not sent")
        return lent(self.address, self.size, self.hold())


class Received:
    """A stretch of the other process's memory: a copy, made when the first array needs it."""

    def __init__(self, data: bytes | memoryview) -> None:
        self.data, self.size = data, len(data)
        self.base: Any = None
        self.where: Callable[[Any], int] | None = None
        self.address = 0

    def clean(self) -> None:
        """Let it hold nothing but ones and zeros. Raises Malformed."""
        raw = bytes(self.data)
        data = bits(raw)
        if data is not raw and self.base is not None:
            raise Malformed("memory of true and false that holds something else")
        self.data = data

    def settle(self, base: Any, where: Callable[[Any], int]) -> None:
        """Put the bytes into the memory of `base`."""
        self.base, self.where, self.address = base, where, where(base)
        write(self.address, self.data)

    def present(self) -> bool:
        """Whether the memory is still where it was: a tensor that grows moves."""
        return self.where is not None and self.where(self.base) == self.address

    def changed(self) -> bytes | None:
        """What the memory holds now, if that is not what arrived."""
        if not self.size or not self.present():
            return None
        return None if holds(self.address, self.data) else read(self.address, self.size)


def place(views: list[View], known: list[Received], first: int, *, careful: bool) -> list[Sent]:
    """The stretches that the views lie in, numbered from `first`; writes into the views' nodes.

    Views on memory that came from the other process are told as such (-1 is its stretch 0).
    """
    if known:
        views = [view for view in views if not _at_home(view, known)]
    if len(views) > 1:
        views.sort(key=_low)
    sent: list[Sent] = []
    start = 0
    while start < len(views):
        low, high, end = views[start].low, views[start].high, start + 1
        while end < len(views) and views[end].low < high:
            high, end = max(high, views[end].high), end + 1
        together = views[start:end]
        for view in together:
            view.node[1], view.node[2] = first + len(sent), view.address - low
        sent.append(Sent(together, low, high, careful=careful))
        start = end
    return sent


_low = attrgetter("low")


def _at_home(view: View, known: list[Received]) -> bool:
    """Whether the view lies in a stretch that the other process sent; then its node says so."""
    if view.low == view.high:
        return False
    for number, home in enumerate(known):
        start = home.address
        if start <= view.low and view.high <= start + home.size and home.present():
            view.node[1], view.node[2] = -1 - number, view.address - start
            return True
    return False
