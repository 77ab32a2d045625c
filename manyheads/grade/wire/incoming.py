"""Messages to values. Every node may be forged: what it says is compared with what can be."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import names, raised
from .buffers import Received, Sent
from .errors import Malformed, WireError
from .expansion import measure

if TYPE_CHECKING:
    from .outgoing import Outgoing
    from .side import Side

Decoder = Callable[["Incoming", list[Any]], Any]
ATOMS = frozenset((type(None), bool, float, str, int))
COLLISIONS = 50  # keys of one hash that a dict may have beyond the first: lookups are linear


class Incoming:
    """One message's values; `sent` is the message of this process that it answers."""

    def __init__(
        self, side: Side, sizes: Any, payload: bytes | memoryview, sent: Outgoing | None = None
    ) -> None:
        self.side, self.limits, self.sent = side, side.limits, sent
        self.homes = _stretches(sizes, payload, side.limits.items)
        self.objects: list[Any] = []
        self.index: dict[int, int] = {}
        self._depth = 0
        self._numbers = 0
        self._left = len(payload)  # bytes that are still to be handed out
        self._pointed = False

    def values(self, node: Any) -> Any:
        """The value of a node, made with care. Raises Malformed."""
        return self._with_care(self.value, node)

    def failure(self, node: Any) -> BaseException:
        """The exception of a node, made with care. Raises Malformed."""
        found: BaseException = self._with_care(self.error, node)
        if self.side.judge and isinstance(found, StopIteration):  # it would end a test's own loop
            return RuntimeError(f"a student's function raised StopIteration {found.args}")
        return found

    def _with_care(self, make: Callable[[Any], Any], node: Any) -> Any:
        try:
            value = make(node)
            if self._pointed and self.side.judge:
                measure(value.args if make == self.error else value, self.limits)
        except WireError:
            raise
        except Exception as error:
            raise Malformed(f"a value that can't be: {type(error).__name__}: {error}") from None
        return value

    def value(self, node: Any) -> Any:
        """The value of a node within another one."""
        kind = type(node)
        if kind in ATOMS:
            return node
        if kind is not list or not node:
            raise Malformed("a value of no kind")
        decoder = DECODERS.get(node[0])
        if decoder is None:
            decoder = _library(node[0])
        return decoder(self, node)

    def members(self, node: list[Any]) -> list[Any]:
        """The values of a container's members."""
        self._depth += 1
        if self._depth > self.limits.depth:
            raise Malformed(f"containers more than {self.limits.depth} deep")
        values = list(map(self.value, node[1:]))
        self._depth -= 1
        return values

    def keep(self, value: Any) -> Any:
        """Number an object that can change, in the order in which the other process did."""
        self.index[id(value)] = len(self.objects)
        self.objects.append(value)
        return value

    def home(self, number: Any) -> Received | Sent:
        """A stretch of memory: of this message, or of the one it answers."""
        if type(number) is int and 0 <= number < len(self.homes):
            return self.homes[number]
        if type(number) is int and self.sent and 0 <= -1 - number < len(self.sent.blobs):
            found = self.sent.blobs[-1 - number]
            if isinstance(found, Sent):
                return found
        raise Malformed("memory that was not sent")

    def data(self, number: Any) -> bytes:
        """A stretch of this message as it is."""
        home = self.home(number)
        if not isinstance(home, Received):
            raise Malformed("a text in the wrong place")
        self._left -= home.size
        if self._left < 0:
            raise Malformed("memory that is named again and again")
        return bytes(home.data)

    def count(self, numel: int) -> None:
        """Count an array's elements. Raises Malformed."""
        self._numbers += numel
        if self._numbers > self.limits.numbers:
            raise Malformed(f"arrays of more than {self.limits.numbers} numbers in all")

    def pointer(self, node: list[Any]) -> Any:
        """An object that this message, or the one it answers, has told of before."""
        self._pointed = True
        tag, number = node
        known = self.objects if tag == "r" else self.sent.objects if self.sent else []
        if type(number) is not int or not 0 <= number < len(known):
            raise Malformed("an object that was not told of")
        return known[number]

    def error(self, node: Any) -> BaseException:
        """The exception of a node."""
        if type(node) is not list or len(node) != 6 or node[0] != "x" or type(node[4]) is not list:
            raise Malformed("an exception that is none")
        kind = self.side.kind(*node[1:4])
        return raised.build(kind, [self.value(one) for one in node[4]], node[5])


def _stretches(sizes: Any, payload: bytes | memoryview, most: int) -> list[Received]:
    """The stretches of a payload."""
    if type(sizes) is not list or len(sizes) > most or not all(type(n) is int for n in sizes):
        raise Malformed("a payload without sizes")
    if (sizes and min(sizes) < 0) or sum(sizes) != len(payload):
        raise Malformed("a payload of another size than it says")
    homes, start = [], 0
    for size in sizes:
        homes.append(Received(payload[start : start + size]))
        start += size
    return homes


def _list(inc: Incoming, node: list[Any]) -> Any:
    value = inc.keep([])
    value += inc.members(node)
    return value


def _tuple(inc: Incoming, node: list[Any]) -> Any:
    return tuple(inc.members(node))


def _dict(inc: Incoming, node: list[Any]) -> Any:
    value = inc.keep({})
    value.update(pairs(inc.members(node)))
    return value


def pairs(members: list[Any]) -> Any:
    """Keys and values in turn, as pairs. Raises Malformed."""
    if len(members) % 2:
        raise Malformed("a key without a value")
    keys = members[::2]
    scattered(keys)
    return zip(keys, members[1::2], strict=True)


def scattered(keys: list[Any]) -> None:
    """Say no to keys chosen so that a dict or a set of them takes for ever to fill."""
    if len(keys) > COLLISIONS and len(keys) - len(set(map(hash, keys))) > COLLISIONS:
        raise Malformed("too many keys with the same hash")


def _set(inc: Incoming, node: list[Any]) -> Any:
    value = inc.keep(set())
    members = inc.members(node)
    scattered(members)
    value.update(members)
    return value


def _frozenset(inc: Incoming, node: list[Any]) -> Any:
    members = inc.members(node)
    scattered(members)
    return frozenset(members)


def _int(inc: Incoming, node: list[Any]) -> Any:
    _, text = node
    if len(text) > inc.limits.bits // 4 + 4:
        raise Malformed(f"a whole number of more than {inc.limits.bits} bits")
    return int(text, 16)


def _text(inc: Incoming, node: list[Any]) -> Any:
    return inc.data(node[1]).decode("utf-8", "surrogatepass")


def _bytes(inc: Incoming, node: list[Any]) -> Any:
    return inc.data(node[1])


def _bytearray(inc: Incoming, node: list[Any]) -> Any:
    return inc.keep(bytearray(inc.data(node[1])))


def _complex(_: Incoming, node: list[Any]) -> Any:
    return complex(*map(float, node[1:3]))


def _range(inc: Incoming, node: list[Any]) -> Any:
    made = range(*map(inc.value, node[1:4]))
    if made[inc.limits.items :]:
        raise Malformed(f"a range of more than {inc.limits.items} numbers")
    return made


def _slice(inc: Incoming, node: list[Any]) -> Any:
    return slice(*inc.members(node))


def _ellipsis(_: Incoming, __: list[Any]) -> Any:
    return ...


def _kind(inc: Incoming, node: list[Any]) -> Any:
    return inc.side.kind(*node[1:4])


def _type(_: Incoming, node: list[Any]) -> Any:
    return names.TYPES[node[1]]


def _scalar_type(_: Incoming, node: list[Any]) -> Any:
    return names.scalar_type(node[1])


def _of_library(inc: Incoming, node: list[Any]) -> Any:
    if inc.side.judge:
        raise Malformed("a function of the judge's own libraries")
    return names.found(node[1], node[2])


def _module(inc: Incoming, node: list[Any]) -> Any:
    if inc.side.judge:
        raise Malformed("a module of the judge's own")
    return importlib.import_module(node[1])


def _stand_in(inc: Incoming, node: list[Any]) -> Any:
    return inc.side.stand_in(*node[1:])


def _own(inc: Incoming, node: list[Any]) -> Any:
    return inc.side.handles.resolve(node[1])


DECODERS: dict[Any, Decoder] = {
    **{"l": _list, "t": _tuple, "d": _dict, "s": _set, "f": _frozenset, "i": _int, "u": _text},
    **{"b": _bytes, "B": _bytearray, "c": _complex, "g": _range, "h": _slice, "E": _ellipsis},
    **{"K": _type, "N": _scalar_type, "X": _kind, "L": _of_library, "M": _module},
    **{"o": _stand_in, "y": _own, "x": Incoming.error},
    **{"r": Incoming.pointer, "q": Incoming.pointer},
}


def _library(tag: Any) -> Decoder:
    """The decoder of what numpy and torch define, loaded when first needed."""
    if type(tag) is str and tag in ("A", "O", "n", "D"):
        from . import arrays

        DECODERS.update(arrays.DECODERS)
    elif type(tag) is str and tag in ("T", "td", "tv", "tS"):
        from . import tensors

        DECODERS.update(tensors.DECODERS)
    else:
        raise Malformed("a value of a kind that there isn't")
    return DECODERS[tag]
