"""One sandbox for all submissions that one process grades."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from manyheads.grade.sandbox import Limits, Sandbox

_kept: dict[tuple[Limits, bool], Sandbox] = {}


@contextmanager
def kept_sandbox(limits: Limits, *, isolated: bool) -> Iterator[Sandbox]:
    """A sandbox that stays for the next call with the same limits, until the process ends.

    In another thread than the main one it is closed at the end: it could not outlive its thread.
    Raises SandboxError where no sandbox can be had.
    """
    if threading.current_thread() is not threading.main_thread():
        with Sandbox(limits, isolated=isolated) as own:
            yield own
        return
    key = (limits, isolated)
    if key not in _kept:
        _kept[key] = Sandbox(limits, isolated=isolated)
        atexit.register(_kept[key].close)
    yield _kept[key]
