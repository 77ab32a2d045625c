"""The names of a trusted cell: its own, and behind them whoever owns the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Namespace(dict[str, Any]):
    """The globals of one trusted cell; a name that it doesn't set is looked up by `find`.

    `find` raises KeyError for a builtin. Python asks `__missing__` for globals of modules and of
    functions, but not from within class bodies.

    >>> space = Namespace({"D": 12}.__getitem__)
    >>> exec("def double(): return 2 * D + len('ab')", space)
    >>> space["double"]()
    26
    """

    def __init__(self, find: Callable[[str], Any]) -> None:
        super().__init__(__name__="__main__")
        self._find = find

    def __missing__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise KeyError(name)  # Python's own, such as __builtins__
        return self._find(name)
