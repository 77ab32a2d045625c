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
    return list(map(_state, objects))


def _state(value: Any) -> Any:
    if isinstance(value, list):
        return list.copy(value)
    if isinstance(value, dict):
        return [one for pair in dict.items(value) for one in pair]
    if isinstance(value, set):
        return sorted(set.__iter__(value), key=id)
    if isinstance(value, bytearray):
        return bytes(value)
    return _library(value).state(value)


def _library(value: Any) -> Any:
    """The module that knows the arrays or tensors."""
    if isinstance(value, sys.modules["numpy"].ndarray):
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
        if not _same(_state(value), old):
            nodes.append(["c", number, _content(value, out)])
    return nodes


def _same(now: Any, old: Any) -> bool:
    if type(now) is list:
        return len(now) == len(old) and all(map(is_, now, old))
    return bool(now == old)


def _content(value: Any, out: Outgoing) -> Any:
    if isinstance(value, list):
        return out.members(["l"], list.__iter__(value), len(value))
    if isinstance(value, dict):
        flat = [one for pair in dict.items(value) for one in pair]
        return out.members(["d"], flat, len(flat))
    if isinstance(value, set):
        return out.members(["s"], set.__iter__(value), len(value))
    if isinstance(value, bytearray):
        return ["B", out.blob(bytes(value))]
    return _library(value).node(out, value)


def repeat(nodes: Any, reply: Incoming, sent: Outgoing) -> None:
    """Do to the arguments of a call what it has done to them. Raises Malformed, NotJudgeable."""
    if nodes == []:
        return
    try:
        for kind, number, node in nodes:
            if kind == "m":
                _sent_home(reply, number).overwrite(reply.data(node))
            else:
                _take_over(reply.pointer(["q", number]), node, reply)
        if reply.side.judge:
            measure(sent.objects, reply.limits)
    except (WireError, NotJudgeable):
        raise
    except Exception as error:
        raise Malformed(f"a change that can't be: {type(error).__name__}: {error}") from None


def _sent_home(reply: Incoming, number: Any) -> Sent:
    home = reply.home(-1 - number)
    if not isinstance(home, Sent):
        raise Malformed("a change to memory that was not sent")
    return home


def _take_over(value: Any, node: Any, reply: Incoming) -> None:
    """Give an object of this process the content it has in the other one."""
    kind = next((tag for tag, base in _TAGS.items() if isinstance(value, base)), node[0])
    if kind != node[0]:
        raise Malformed("a change that makes another kind of thing of an argument")
    if isinstance(value, list):
        list.__setitem__(value, slice(None), reply.members(node))
    elif isinstance(value, dict):
        members = dict(pairs(reply.members(node)))
        dict.clear(value)
        dict.update(value, members)
    elif isinstance(value, set):
        members_ = reply.members(node)
        scattered(members_)
        set.clear(value)
        set.update(value, members_)
    elif isinstance(value, bytearray):
        value[:] = reply.data(node[1])
    else:
        _library(value).take_over(value, node, reply)


_TAGS = {"l": list, "d": dict, "s": set, "B": bytearray}
