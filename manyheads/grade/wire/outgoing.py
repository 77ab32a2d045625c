"""Values to messages: JSON nodes and stretches of memory.

A node is a JSON scalar for what JSON has, else a list whose first member names the kind. Values
are read with the methods of the built-in class, never with a subclass's own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import names, raised
from .buffers import Received, Sent, View, place
from .errors import NotJudgeable, TooLarge
from .proxies import Callback, Remote, abilities, title

if TYPE_CHECKING:
    from .incoming import Incoming
    from .side import Side

LONG_TEXT = 2048
MOST = 1 << 63  # whole numbers beyond it travel as hexadecimal text
LENT = "function"  # what a student reads as the name of a test's function: its own may tell much
STAND_INS = (Remote, Callback)
Encoder = Callable[["Outgoing", Any], Any]
ENCODERS: dict[type, Encoder] = {}


class Outgoing:
    """One message's values; `received` is the message that it answers."""

    def __init__(self, side: Side, received: Incoming | None = None) -> None:
        self.side, self.limits = side, side.limits
        self.objects: list[Any] = []  # what can change, in the order of the first visit
        self._index: dict[int, int] = {}
        self._known = received.index if received else {}
        self._homes: list[Received] = received.homes if received else []
        self.views: list[View] = []
        self.blobs: list[bytes | Sent] = []
        self._depth = 0
        self._items = 0
        self._numbers = 0

    def value(self, value: Any) -> Any:
        """The node of a value. Raises TooLarge, NotJudgeable."""
        kind = type(value)
        if kind in _ATOMS or (kind is int and -MOST <= value < MOST):
            return value
        encoder = ENCODERS.get(kind)
        return encoder(self, value) if encoder else self._other(value)

    def finish(self) -> tuple[list[int], list[Any]]:
        """The sizes of the stretches, and the stretches. Raises TooLarge."""
        if self.views:
            careful = self.side.judge
            self.blobs += place(self.views, self._homes, len(self.blobs), careful=careful)
        parts = [one.part() if isinstance(one, Sent) else one for one in self.blobs]
        sizes = list(map(len, parts))
        if sum(sizes) > self.limits.payload_bytes:
            size, most = sum(sizes) >> 20, self.limits.payload_bytes >> 20
            raise TooLarge(
                f"{size} MiB of numbers and texts; at most {most} MiB can be handed over"
            )
        return sizes, parts

    def seen(self, value: Any) -> Any:
        """A node that points at an object of this or of the answered message, if it is one."""
        key = id(value)
        if key in self._index:
            return ["r", self._index[key]]
        if key in self._known:
            return ["q", self._known[key]]
        self._index[key] = len(self.objects)
        self.objects.append(value)
        return None

    def members(self, node: list[Any], values: Any, count: int) -> list[Any]:
        """Add the nodes of a container's members. Raises TooLarge."""
        self._items += count
        self._depth += 1
        if self._items > self.limits.items:
            raise TooLarge(f"more than {self.limits.items} values; pass fewer at a time")
        if self._depth > self.limits.depth:
            raise TooLarge(f"containers more than {self.limits.depth} deep")
        node += map(self.value, values)
        self._depth -= 1
        return node

    def blob(self, data: bytes) -> int:
        """The number of a stretch of its own."""
        self.blobs.append(data)
        return len(self.blobs) - 1

    def array(self, view: View, numel: int) -> Any:
        """The node of an array, whose memory is placed when the message is finished."""
        self._numbers += numel
        if self._numbers > self.limits.numbers:
            raise TooLarge(f"arrays of more than {self.limits.numbers} numbers in all")
        self.views.append(view)
        return view.node

    def error(self, error: BaseException) -> Any:
        """The node of an exception."""
        args = [self.value(one) for one in raised.arguments(error)]
        return ["x", *self.side.kind_node(type(error)), args, raised.message(error)]

    def _other(self, value: Any) -> Any:
        """The node of a value whose class is none of those that have an encoder."""
        learn_libraries()
        for base in type(value).__mro__[:-1]:
            encoder = ENCODERS.get(base)
            if encoder:
                return encoder(self, value)
        return self.proxy(value)

    def proxy(self, value: Any) -> Any:
        """The node of a function or an object: by name, or by handle. Raises NotJudgeable."""
        return self._by_name(value) or self.by_handle(value)

    def by_handle(self, value: Any) -> Any:
        """The node of what the other end gets a stand-in for. Raises NotJudgeable."""
        if isinstance(value, STAND_INS):
            return ["y", self.side.own_handle(value)]
        if self.side.judge and not callable(value):
            raise NotJudgeable(
                f"the test hands a {type(value).__name__} to a student's function: only plain "
                "data, arrays, tensors and functions can be handed over. Use these, or let the "
                "cell opt out of the judge"
            )
        name = LENT if self.side.judge else title(value)
        return ["o", self.side.handles.export(value), abilities(value), name]

    def _by_name(self, value: Any) -> Any:
        if id(value) in names.TYPES_BY_IDENTITY:
            return ["K", names.TYPES_BY_IDENTITY[id(value)]]
        if isinstance(value, type) and issubclass(value, BaseException):
            return ["X", *self.side.kind_node(value)]
        if self.side.judge and names.is_shared_module(value):
            return ["M", value.__name__]
        if isinstance(value, STAND_INS):
            return None
        if names.is_scalar_type(value):
            return ["N", value.__name__]
        house = names.house_of(value) if self.side.judge else None
        return ["L", house, value.__name__] if house else None


def is_plain(side: Side, value: Any) -> bool:
    """Whether a value can be handed over as it is, without a stand-in for any part of it."""
    out = Probe(side)
    try:
        out.value(value)
    except (NotJudgeable, TooLarge):
        return False
    return not out.proxied


class Probe(Outgoing):
    """A message that is never sent."""

    proxied = False

    def by_handle(self, _value: Any) -> Any:
        """Note that there would be a stand-in, and make none."""
        self.proxied = True


def _list(out: Outgoing, value: list[Any]) -> Any:
    return out.seen(value) or out.members(["l"], list.__iter__(value), list.__len__(value))


def _tuple(out: Outgoing, value: tuple[Any, ...]) -> Any:
    return out.members(["t"], tuple.__iter__(value), tuple.__len__(value))


def _dict(out: Outgoing, value: dict[Any, Any]) -> Any:
    node = out.seen(value)
    if node:
        return node
    pairs = [one for pair in dict.items(value) for one in pair]
    return out.members(["d"], pairs, len(pairs))


def _set(out: Outgoing, value: set[Any]) -> Any:
    return out.seen(value) or out.members(["s"], set.__iter__(value), set.__len__(value))


def _frozenset(out: Outgoing, value: frozenset[Any]) -> Any:
    return out.members(["f"], frozenset.__iter__(value), frozenset.__len__(value))


def _int(out: Outgoing, value: int) -> Any:
    number = int.__index__(value)
    number = number if type(number) is int else int.__add__(number, 0)
    if -MOST <= number < MOST:
        return number
    if number.bit_length() > out.limits.bits:
        raise TooLarge(f"a whole number of more than {out.limits.bits} bits")
    return ["i", hex(number)]


def _float(_: Outgoing, value: float) -> Any:
    return float.__float__(value)


def _str(out: Outgoing, value: str) -> Any:
    text = str.__str__(value)
    if len(text) <= LONG_TEXT:
        return text
    return ["u", out.blob(text.encode("utf-8", "surrogatepass"))]


def _bytes(out: Outgoing, value: bytes) -> Any:
    return ["b", out.blob(bytes.__getitem__(value, slice(None)))]


def _bytearray(out: Outgoing, value: bytearray) -> Any:
    return out.seen(value) or ["B", out.blob(bytes(memoryview(value)))]


def _complex(_: Outgoing, value: complex) -> Any:
    return ["c", complex.real.__get__(value), complex.imag.__get__(value)]


def _range(out: Outgoing, value: range) -> Any:
    if value[out.limits.items :]:
        raise TooLarge(f"a range of more than {out.limits.items} numbers; pass a shorter one")
    return ["g", out.value(value.start), out.value(value.stop), out.value(value.step)]


def _slice(out: Outgoing, value: slice) -> Any:
    return out.members(["h"], (value.start, value.stop, value.step), 3)


def _ellipsis(_: Outgoing, __: Any) -> Any:
    return ["E"]


def _error(out: Outgoing, value: BaseException) -> Any:
    return out.error(value)


_ATOMS = frozenset((type(None), bool, float))
_BUILT_IN: dict[type, Encoder] = {
    **{list: _list, tuple: _tuple, dict: _dict, set: _set, frozenset: _frozenset},
    **{int: _int, float: _float, str: _str, bytes: _bytes, bytearray: _bytearray},
    **{complex: _complex, range: _range, slice: _slice, type(...): _ellipsis},
    BaseException: _error,
}
ENCODERS.update(_BUILT_IN)


def learn_libraries() -> None:
    """Learn to encode what numpy and torch define, once they are there."""
    if "numpy" in sys.modules and "numpy" not in _learned:
        from . import arrays

        ENCODERS.update(arrays.ENCODERS)
        _learned.add("numpy")
    if "torch" in sys.modules and "torch" not in _learned:
        from . import tensors

        ENCODERS.update(tensors.ENCODERS)
        _learned.add("torch")


_learned: set[str] = set()
