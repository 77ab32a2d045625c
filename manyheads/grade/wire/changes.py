"""What a call did to its arguments: found at the end that ran it, repeated at the other."""

from __future__ import annotations

import sys
from operator import is_
from typing import TYPE_CHECKING, Any

from .buffers import Sent
from .errors import Malformed, NotJudgeable, WireError
from .expansion import measure
from .incoming import Incoming, pairs, scattered

if TYPE_CHECKING:
    from .outgoing import Outgoing


def remember(objects: list[Any]) -> list[Any]:
    """The state of each object, to be compared later."""
    return [_STATES.get(type(value), _state)(value) for value in objects]


def _pairs(value: dict[Any, Any]) -> list[Any]:
    return [one for pair in dict.items(value) for one in pair]


def _members(value: set[Any]) -> list[Any]:
    return sorted(set.__iter__(value), key=id)


def _state(value: Any) -> Any:
    """The state of an array or a tensor, whose module is learned here."""
    library = _library(value)
    _STATES[type(value)] = library.state
    return library.state(value)


_STATES: dict[type, Any] = {list: list.copy, dict: _pairs, set: _members, bytearray: bytes}


def _library(value: Any) -> Any:
    """The module that knows the arrays or tensors."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        from . import arrays

        return arrays
    from . import tensors

    return tensors


def told(incoming: Incoming, before: list[Any], out: Outgoing) -> list[Any]:
    """The nodes that tell of everything that has changed since `before`."""
    nodes: list[Any] = []
    for number, home in enumerate(incoming.homes):
        now = home.changed()
        if now is not None:
            nodes.append(["m", number, out.blob(now)])
    for number, (value, old) in enumerate(zip(incoming.objects, before, strict=True)):
        now = _STATES[type(value)](value)
        if not _same(now, old):
            nodes.append(["c", number, _content(value, out)])
    return nodes


def _same(now: Any, old: Any) -> bool:
    if type(now) is list:
        return len(now) == len(old) and all(map(is_, now, old))
    return bool(now == old)


def _content(value: Any, out: Outgoing) -> Any:
    if type(value) is bytearray:
        return ["B", out.blob(bytes(value))]
    if type(value) in _LETTERS:
        members = _pairs(value) if type(value) is dict else value
        return out.members([_LETTERS[type(value)]], members, len(members))
    return _library(value).node(out, value)


_LETTERS: dict[type, str] = {list: "l", dict: "d", set: "s"}


def repeat(nodes: Any, reply: Incoming, sent: Outgoing) -> None:
    """Do to the arguments of a call what it has done to them. Raises Malformed, NotJudgeable."""
    if nodes == []:
        return
    try:
        _repeat(nodes, reply, sent)
        if reply.side.judge:
            measure(sent.objects, reply.limits)
    except (WireError, NotJudgeable):
        raise
    except Exception as error:
        raise Malformed(f"a change that can't be: {type(error).__name__}: {error}") from None


def _repeat(nodes: Any, reply: Incoming, sent: Outgoing) -> None:
    """First what was written into memory, while it is where it was; then what is elsewhere now."""
    moved = []
    for kind, number, node in nodes:
        if kind == "m":
            _sent_home(reply, number).overwrite(reply.data(node))
        else:
            moved.append((reply.pointer(["q", number]), node))
    if moved:
        for blob in sent.blobs:
            if isinstance(blob, Sent):
                blob.hold()
    for value, node in moved:
        _take_over(value, node, reply)


def _sent_home(reply: Incoming, number: Any) -> Sent:
    home = reply.home(-1 - number)
    if not isinstance(home, Sent):
        raise Malformed("a change to memory that was not sent")
    return home


def _take_over(value: Any, node: list[Any], reply: Incoming) -> None:
    """Give an object of this process the content it has in the other one."""
    base = next((base for base in _OVERWRITE if isinstance(value, base)), None)
    if base is None:
        _library(value).take_over(value, node, reply)
    elif node[0] != _LETTERS.get(base, "B"):
        raise Malformed("a change that makes another kind of thing of an argument")
    else:
        _OVERWRITE[base](value, node, reply)


def _overwrite_list(value: list[Any], node: list[Any], reply: Incoming) -> None:
    list.__setitem__(value, slice(None), reply.members(node))


def _overwrite_dict(value: dict[Any, Any], node: list[Any], reply: Incoming) -> None:
    now = dict(pairs(reply.members(node)))
    dict.clear(value)
    dict.update(value, now)


def _overwrite_set(value: set[Any], node: list[Any], reply: Incoming) -> None:
    now = reply.members(node)
    scattered(now)
    set.clear(value)
    set.update(value, now)


def _overwrite_bytes(value: bytearray, node: list[Any], reply: Incoming) -> None:
    value[:] = reply.data(node[1])


_OVERWRITE: dict[type, Any] = {
    **{list: _overwrite_list, dict: _overwrite_dict, set: _overwrite_set},
    bytearray: _overwrite_bytes,
}
