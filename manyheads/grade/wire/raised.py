"""Exceptions on the wire: class name, built-in ancestors and message; never a traceback."""

from __future__ import annotations

import builtins
import contextlib
import importlib
from typing import Any

from .errors import Malformed

BUILTIN = {
    name: found
    for name, found in vars(builtins).items()
    if isinstance(found, type) and issubclass(found, BaseException) and found.__name__ == name
}
KINDS = 1000  # classes that one connection makes up
LONGEST = 100_000  # characters of a message
MADE_UP = "student"  # the module of classes that are made up here
MARK = "_from_the_other_process"


def came_over(error: BaseException) -> bool:
    """Whether an exception was raised in the other process.

    >>> came_over(ValueError("ours"))
    False
    """
    return MARK in getattr(error, "__dict__", {})


def ancestors(kind: type[BaseException]) -> list[str]:
    """The names of the built-in classes an exception class is made from, the nearest first.

    >>> ancestors(KeyError)
    ['KeyError', 'LookupError', 'Exception', 'BaseException']
    """
    return [base.__name__ for base in kind.__mro__ if BUILTIN.get(base.__name__) is base]


def arguments(error: BaseException) -> list[Any]:
    """What to build the exception from again: its own arguments where they are simple."""
    given = error.args
    if type(given) is tuple and all(_simple(one) for one in given):
        return list(given)
    return [message(error)]


def message(error: BaseException) -> str:
    """What `str` says of an exception, which may be code of a student's."""
    try:
        return str.__str__(str(error))[:LONGEST]
    except BaseException:
        return f"<{type(error).__name__} without a readable message>"


def _simple(value: object) -> bool:
    if type(value) is str:
        return len(value) <= LONGEST
    if type(value) is int:
        return value.bit_length() < 64
    return value is None or type(value) in (bool, float)


class Raised:
    """The exception classes that one connection has made up for the other process's own."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str, Any], type[BaseException]] = {}

    def kind(self, name: Any, bases: Any, handle: Any) -> type[BaseException]:
        """The class for a name: a built-in one, or one made up once. Raises Malformed."""
        if type(name) is not str or not 0 < len(name) <= 200 or type(bases) is not list:
            raise Malformed("an exception without a name")
        if handle is not None and type(handle) is not int:
            raise Malformed("an exception class whose handle is not a number")
        if not bases or not all(type(base) is str and base in BUILTIN for base in bases):
            raise Malformed("an exception made from no built-in one")
        if handle is None:
            return BUILTIN[bases[0]]
        key = (name, bases[0], handle)
        if key not in self._made:
            if len(self._made) >= KINDS:
                raise Malformed("too many exception classes")
            self._made[key] = _made_up(name, BUILTIN[bases[0]])
        return self._made[key]

    def handle(self, kind: type) -> int | None:
        """The other process's handle of a class that was made up for it."""
        return next((key[2] for key, made in self._made.items() if made is kind), None)


def _made_up(name: str, base: type[BaseException]) -> type[BaseException]:
    def words(self: BaseException) -> str:
        return str(self.__dict__["words"]) if "words" in self.__dict__ else base.__str__(self)

    return type(name, (base,), {"__module__": MADE_UP, "__str__": words})


def build(kind: type[BaseException], args: list[Any], words: Any) -> BaseException:
    """The exception, made without running code of the class's own. Raises Malformed."""
    if type(words) is not str:
        raise Malformed("an exception whose message is no text")
    error = _new(kind, args)
    with contextlib.suppress(AttributeError):
        setattr(error, MARK, True)
    if type(error) not in BUILTIN.values():
        error.__dict__["words"] = words
    return error


def _new(kind: type[BaseException], args: list[Any]) -> BaseException:
    base = BUILTIN[ancestors(kind)[0]]
    plain = kind.__init__ is base.__init__ and kind.__str__ is base.__str__
    if plain or kind.__module__ == MADE_UP:
        with contextlib.suppress(Exception):  # UnicodeDecodeError wants more than a message
            error: BaseException = base.__new__(kind, *args)
            base.__init__(error, *args)
            return error
    with contextlib.suppress(Exception):
        error = base.__new__(_made_up(kind.__name__, kind))
        error.args = tuple(args)
        return error
    return _made_up(kind.__name__, Exception)(*args)


SHARED = (*("numpy.linalg.LinAlgError", "numpy.exceptions.AxisError", "torch.OutOfMemoryError"),)


def shared_name(kind: type) -> str | None:
    """The name of an exception class that both ends have, beside the built-in ones."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    return name if name in SHARED else None


def shared(name: str) -> type[BaseException]:
    """The class of a shared name. Raises Malformed."""
    if name not in SHARED:
        raise Malformed("an exception class of no library")
    module, _, own = name.rpartition(".")
    found: type[BaseException] = getattr(importlib.import_module(module), own)
    return found
