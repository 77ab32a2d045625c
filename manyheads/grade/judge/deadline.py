"""A deadline for trusted code, so that a result which makes it endless can't hold up a worker."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 0.5  # seconds until the next alarm, for a test that swallowed the first


class OutOfTime(BaseException):
    """Trusted code ran longer than it may; a test's `except Exception` doesn't catch it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the code inside once `seconds` have passed.

    It works in the main thread of systems that have interval timers; elsewhere nothing happens.
    A timer that was running before goes on afterwards.

    >>> with deadline(60):
    ...     "done in time"
    'done in time'
    """
    usable = hasattr(signal, "setitimer")
    if not usable or threading.current_thread() is not threading.main_thread():
        yield
        return
    armed = True

    def ring(_: int, __: FrameType | None) -> None:
        if armed:
            raise OutOfTime(f"the test ran longer than {seconds:g} s and was stopped")

    before, started = signal.signal(signal.SIGALRM, ring), time.monotonic()
    left, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), AGAIN)
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            rest = max(left - (time.monotonic() - started), 0.001)
            signal.setitimer(signal.ITIMER_REAL, rest, interval)
