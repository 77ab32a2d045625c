"""Doing what the other end asks for, and making the message that tells of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

from . import changes
from .errors import Malformed, WireError
from .incoming import Incoming
from .modes import Modes
from .outgoing import Outgoing
from .raised import came_over

Message = tuple[list[Any], list[Any]]  # a header that wants its number at place 1, and its parts
Operation = Callable[[dict[str, Any]], Any]


def operate(operations: Mapping[str, Operation], body: Any, incoming: Incoming) -> Message:
    """The answer of an operation with JSON in and out."""
    if type(body) is not list or len(body) != 2 or type(body[1]) is not dict:
        raise Malformed("a question without its parts")
    try:
        return ["=", 0, _operation(operations, body[0])(body[1]), [], [], None], []
    except BaseException as error:
        if _fatal(error, incoming):
            raise
        return failed(error, incoming)


def _operation(operations: Mapping[str, Operation], name: Any) -> Operation:
    if type(name) is not str or name not in operations:
        raise LookupError(f"there is no operation {name!r} at this end")
    return operations[name]


def perform(
    service: Callable[..., Any],
    values: tuple[Any, ...],
    asked: Any,
    modes: Modes,
    incoming: Incoming,
) -> Message:
    """The answer of a built-in operation, with what it has done to the values."""
    before = changes.remember(incoming.objects)
    asked = modes.usual(incoming) if asked is None else asked
    with modes.taken(asked, incoming) if asked is not None else nullcontext():
        try:
            return _done(service(*values), incoming, before, modes)
        except BaseException as error:
            if _fatal(error, incoming):
                raise
            return failed(error, incoming, before, modes)


def _done(result: Any, incoming: Incoming, before: list[Any], modes: Modes) -> Message:
    out = Outgoing(incoming.side, incoming)
    told = changes.told(incoming, before, out)
    return _message(["=", 0, out.value(result), told], out, modes)


def failed(
    error: BaseException,
    incoming: Incoming,
    before: list[Any] | None = None,
    modes: Modes | None = None,
) -> Message:
    """The answer that an exception is."""
    out = Outgoing(incoming.side, incoming)
    try:
        told = changes.told(incoming, before, out) if before else []
        return _message(["!", 0, out.error(error), told], out, modes)
    except Exception as second:  # what has become of the arguments can't be told
        out = Outgoing(incoming.side, incoming)
        return _message(["!", 0, out.error(second), []], out, modes)


def _message(header: list[Any], out: Outgoing, modes: Modes | None) -> Message:
    drawn = modes.told(out) if modes is not None and modes.random else None
    sizes, parts = out.finish()
    return [*header, sizes, drawn], parts


def _fatal(error: BaseException, incoming: Incoming) -> bool:
    """Whether an exception is no answer: the wire is broken, or the judge itself is to stop."""
    if isinstance(error, WireError):
        return True
    return incoming.side.judge and not isinstance(error, Exception) and not came_over(error)
