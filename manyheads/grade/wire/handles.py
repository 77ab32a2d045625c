"""The functions and objects of one process that the other one can name."""

from __future__ import annotations

import weakref
from typing import Any, NoReturn

from .errors import Malformed, TooLarge

OVER = "the test that gave this function is over, so it can't be called any more"


def over(*_: Any, **__: Any) -> NoReturn:
    """What stands for a function of a test that is over. Raises RuntimeError."""
    raise RuntimeError(OVER)


class Handles:
    """Numbers for this process's objects, and this process's stand-ins for the other's.

    >>> handles = Handles(10)
    >>> handles.export(print) == handles.export(print)
    True
    >>> handles.resolve(handles.export(print)) is print
    True
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._objects: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._next = 0
        self.proxies: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.dropped: list[int] = []  # stand-ins that this process no longer holds

    def export(self, value: Any) -> int:
        """The number of an object, which stays alive from now on. Raises TooLarge."""
        number = self._numbers.get(id(value))
        if number is None:
            if len(self._objects) >= self.most:
                raise TooLarge(f"more than {self.most} functions and objects were handed over")
            number, self._next = self._next, self._next + 1
            self._objects[number], self._numbers[id(value)] = value, number
        return number

    def resolve(self, number: Any) -> Any:
        """The object of a number. Raises Malformed."""
        if type(number) is not int or number not in self._objects:
            raise Malformed("a function or an object that was never handed over")
        return self._objects[number]

    def release(self, numbers: list[int]) -> None:
        """Forget objects that the other process no longer holds."""
        for number in numbers:
            value = self._objects.pop(number, None)
            self._numbers.pop(id(value), None)
            del value

    def take_back(self) -> None:
        """Let all numbers that the other process knows stand for a function that is over.

        What one exercise's test lends may be a right answer to another exercise.
        """
        self._objects = dict.fromkeys(self._objects, over)
        self._numbers.clear()

    def take_dropped(self) -> list[int]:
        """The numbers that can be released at the other end: none that came back meanwhile."""
        if not self.dropped:
            return []
        gone = [number for number in self.dropped if number not in self.proxies]
        self.dropped.clear()
        return gone
