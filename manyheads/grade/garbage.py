"""When Python looks for garbage: seldom in a process whose libraries are most of what it holds."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 10_000  # new objects between two looks at the youngest; Python's own number is 700


@contextmanager
def not_collected() -> Iterator[None]:
    """Inside, no garbage is looked for.

    >>> with not_collected():
    ...     gc.isenabled()
    False
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def collect_seldom() -> None:
    """Look for garbage seldom from now on, and never among what is there already."""
    gc.freeze()
    youngest, *older = gc.get_threshold()
    gc.set_threshold(max(SELDOM, youngest), *older)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """The same for what is inside; afterwards all is as it was.

    >>> before = gc.get_threshold()
    >>> with seldom_collected():
    ...     gc.get_threshold()[0] >= SELDOM
    True
    >>> gc.get_threshold() == before
    True
    """
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
