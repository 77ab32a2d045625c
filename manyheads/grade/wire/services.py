"""What one end does for the other's stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Service = Callable[..., Any]


def call(function: Any, args: Any, kwargs: Any) -> Any:
    """Call a function."""
    return function(*args, **kwargs)


def get(value: Any, name: Any) -> Any:
    """An attribute."""
    return getattr(value, name)


def length(value: Any) -> int:
    """How many members it says to have."""
    return len(value)


def item(value: Any, key: Any) -> Any:
    """The member of a key."""
    return value[key]


def has(value: Any, member: Any) -> bool:
    """Whether a member is in it."""
    return member in value


def iterate(value: Any) -> Any:
    """Its iterator."""
    return iter(value)


def following(value: Any) -> tuple[Any, ...]:
    """The next member of an iterator; an empty tuple at the end."""
    try:
        return (next(value),)
    except StopIteration:
        return ()


def text(value: Any) -> str:
    """What `str` says of it, cut where it gets long."""
    return str.__str__(str(value))[:100_000]


def representation(value: Any) -> str:
    """What `repr` says of it, cut where it gets long."""
    return str.__str__(repr(value))[:100_000]


AT_THE_JUDGE: dict[str, Service] = {"call": call}
AT_THE_STUDENT: dict[str, Service] = {
    **{"call": call, "get": get, "len": length, "item": item, "has": has},
    **{"iter": iterate, "next": following, "str": text, "repr": representation},
}
