"""Stretches of memory that arrays share: as they are sent, and as they arrive.

A stretch travels once however many arrays of a message lie in it. Only bytes that an array
reaches are sent: what lies between them in the judge's memory may be an expected value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .errors import Malformed
from .layout import Ints, dense, memory, part, read, write


class View(NamedTuple):
    """An array to be sent. Its node's fields 1 and 2 become the stretch and the offset in it."""

    node: list[Any]
    owner: Any
    where: Callable[[Any], int]  # the owner's address now
    address: int
    low: int
    high: int
    shape: Ints
    strides: Ints
    itemsize: int
    writable: bool


class Sent:
    """A stretch of this process's memory that was sent."""

    def __init__(self, views: list[View], low: int, high: int, *, careful: bool) -> None:
        self.views, self.address, self.size = views, low, high - low
        self.mask: bytearray | None = None
        if careful and not any(_fills(view, low, high) for view in views):
            self.mask = bytearray(self.size)
            for view in views:
                _numpy_view(self.mask, view, low)[...] = b"\xff" * view.itemsize

    def part(self) -> bytes | memoryview:
        """What is sent: bytes that no array reaches are zero."""
        if self.mask is None:
            return part(self.address, self.size)
        copy = bytearray(self.size)
        self._copy(memory(self.address, self.size), copy)
        return bytes(copy)

    def overwrite(self, data: bytes) -> None:
        """Take over what the other process made of it. Raises Malformed."""
        if len(data) != self.size or not all(view.writable for view in self.views):
            raise Malformed("a change to memory that can't be written")
        if any(view.where(view.owner) != view.address for view in self.views):
            return  # this process has moved it meanwhile
        if self.mask is None:
            write(self.address, data)
        else:
            self._copy(data, memory(self.address, self.size))

    def _copy(self, source: Any, target: Any) -> None:
        for view in self.views:
            _numpy_view(target, view, self.address)[...] = _numpy_view(source, view, self.address)

    def lend(self, low: int, high: int, shape: Ints, strides: Ints, itemsize: int, at: int) -> Any:
        """The memory, for a new view on what was sent and on nothing else. Raises Malformed."""
        if low < 0 or high > self.size:
            raise Malformed("a view beyond the memory it is of")
        if self.mask is not None:
            import numpy as np

            seen = np.ndarray(shape, f"V{itemsize}", self.mask, at, strides).tobytes()
            if seen.count(b"\xff") != len(seen):
                raise Malformed("a view of memory that was not sent")
        lent = memory(self.address, self.size)
        lent.owner = self.views[0].owner  # a ctypes array keeps nothing alive by itself
        return lent


class Received:
    """A stretch of the other process's memory: a copy, made when the first array needs it."""

    def __init__(self, data: bytes) -> None:
        self.data, self.size = data, len(data)
        self.base: Any = None
        self.where: Callable[[Any], int] | None = None
        self.address = 0

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
        now = read(self.address, self.size)
        return None if now == self.data else now


def place(views: list[View], known: Iterable[Received], first: int, *, careful: bool) -> list[Sent]:
    """The stretches that the views lie in, numbered from `first`; writes into the views' nodes.

    Views on memory that came from the other process are told as such (-1 is its stretch 0).
    """
    views = [view for view in views if not _at_home(view, known)]
    if len(views) > 1:
        views.sort(key=lambda view: view.low)
    sent: list[Sent] = []
    start = 0
    while start < len(views):
        low, high, end = views[start].low, views[start].high, start + 1
        while end < len(views) and views[end].low < high:
            high, end = max(high, views[end].high), end + 1
        for view in views[start:end]:
            view.node[1], view.node[2] = first + len(sent), view.address - low
        sent.append(Sent(views[start:end], low, high, careful=careful))
        start = end
    return sent


def _at_home(view: View, known: Iterable[Received]) -> bool:
    """Whether the view lies in a stretch that the other process sent; then its node says so."""
    if view.low == view.high:
        return False
    for number, home in enumerate(known):
        if home.address <= view.low and view.high <= home.address + home.size and home.present():
            view.node[1], view.node[2] = -1 - number, view.address - home.address
            return True
    return False


def _fills(view: View, low: int, high: int) -> bool:
    return (view.low, view.high) == (low, high) and dense(view.shape, view.strides, view.itemsize)


def _numpy_view(buffer: Any, view: View, low: int) -> Any:
    import numpy as np

    offset = view.address - low
    return np.ndarray(view.shape, f"V{view.itemsize}", buffer, offset, view.strides)
