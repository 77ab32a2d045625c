"""How large a value is to whoever prints or compares it."""

from __future__ import annotations

from typing import Any

from .errors import Malformed
from .limits import Limits

CONTAINERS = (list, tuple, dict, set, frozenset)


def measure(value: Any, limits: Limits) -> None:
    """Raise Malformed for containers that share each other until printing them takes for ever.

    Thirty lists, each of which holds the next one twice, print as a billion brackets.

    >>> measure([[1], 2], Limits())
    """
    if type(value) in CONTAINERS:
        _visit(value, limits.depth, [limits.items], set())


def _visit(value: Any, depth: int, left: list[int], open_: set[int]) -> None:
    if id(value) in open_:
        return
    left[0] -= len(value) + 1
    if left[0] < 0:
        raise Malformed("containers that share each other without end")
    if not depth:
        raise Malformed("containers too deep")
    open_.add(id(value))
    members = [one for pair in value.items() for one in pair] if type(value) is dict else value
    for member in members:
        if type(member) in CONTAINERS:
            _visit(member, depth - 1, left, open_)
    open_.discard(id(value))
