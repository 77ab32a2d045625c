"""A student's function as a check wants it: it has a signature, and its results have a class."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from manyheads.grade.wire import Peer, Remote, WireError

_MOST = 100  # parameters


def stand_in(peer: Peer, name: str) -> Any:
    """The student's value of `name`; a function comes with the parameters that it says to take.

    Raises NameError for a name that isn't there, WireError when the process is gone.
    """
    value = peer.value(name)
    if not callable(value):
        return value
    return _Function(peer, name, value)


class _Function:
    """A student's function with a name; its parameters are asked for when a check looks at them."""

    def __init__(self, peer: Peer, name: str, function: Callable[..., Any]) -> None:
        self.__name__ = self.__qualname__ = name
        self._peer, self._function = peer, function

    def __call__(self, *arguments: Any) -> Any:
        """Call it, in the student's process."""
        return _readable(self._function(*arguments))

    @cached_property
    def __signature__(self) -> inspect.Signature:
        """The parameters that it says to take; `inspect` looks here. Raises AttributeError."""
        signature = _signature(_told(self._peer, self.__name__))
        if signature is None:
            raise AttributeError(f"{self.__name__} does not tell its parameters")
        return signature


def _readable(value: Any) -> Any:
    """A result in which the student's objects are objects of a class with the same name."""
    if type(value) in (list, tuple):
        return type(value)(map(_readable, value))
    if not isinstance(value, Remote) or callable(value) or isinstance(value, Iterable):
        return value
    if repr(value).startswith("<coroutine object"):
        return _nothing()
    return type(value.__name__, (), {})()


def kind_alone(value: Any) -> Any:
    """A value of the same kind as the student's, which can do nothing.

    >>> kind_alone(len).__class__.__name__
    'function'
    """
    if type(value) in (list, tuple):
        return type(value)(map(kind_alone, value))
    if type(value) is dict:
        return {key: kind_alone(one) for key, one in value.items()}
    if callable(value):
        return lambda: None
    return type(value.__name__, (), {})() if isinstance(value, Remote) else value


async def _nothing() -> None:
    """What calling an async function gives, before anything of it has run."""


def _told(peer: Peer, name: str) -> Any:
    try:
        return peer.ask("parameters", {"name": name})
    except WireError:
        raise
    except Exception:  # whatever the student's process raises, the function can be called
        return None


def _signature(told: Any) -> inspect.Signature | None:
    """The signature that a student's process tells of; None if it tells none."""
    if not isinstance(told, list) or len(told) > _MOST:
        return None
    kinds = {int(kind): kind for kind in inspect._ParameterKind}
    try:
        return inspect.Signature(
            [
                inspect.Parameter(
                    f"p{place}",
                    kinds[kind],
                    default=None if default else inspect.Parameter.empty,
                )
                for place, (kind, default) in enumerate(told)
            ]
        )
    except (KeyError, TypeError, ValueError):
        return None
