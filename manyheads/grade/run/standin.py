"""A student's function as a check wants it: with a signature that can be asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from manyheads.grade.wire import Peer, WireError

_MOST = 100  # parameters


def stand_in(peer: Peer, name: str) -> Any:
    """The student's value of `name`; a function comes with the parameters that it says to take.

    Raises NameError for a name that isn't there, WireError when the process is gone.
    """
    value = peer.value(name)
    if not callable(value):
        return value
    function: Callable[..., Any] = value

    def call(*arguments: Any) -> Any:
        return function(*arguments)

    call.__name__ = call.__qualname__ = name
    signature = _signature(_told(peer, name))
    if signature is not None:
        call.__signature__ = signature  # type: ignore[attr-defined]  # inspect looks for it
    return call


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
