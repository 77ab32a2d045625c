"""How a student's process ends before its time, in words for students."""

from __future__ import annotations

import signal
from typing import Literal

Kind = Literal["exit", "time", "memory", "wire"]
CRASHES = {
    "SIGSEGV": "segmentation fault",
    "SIGBUS": "bus error",
    "SIGABRT": "abort",
    "SIGFPE": "arithmetic error",
    "SIGILL": "illegal instruction",
}
EXITED = "the process exited"


class StudentEnded(Exception):  # noqa: N818 - the grader expects it; it is no error of the grader's
    """A student's process is gone; `kind` says why, `reason` says it in words.

    >>> str(StudentEnded("exit", "the process exited"))
    'the process exited'
    """

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(reason)
        self.kind: Kind = kind
        self.reason = reason


class ExamImpossible(Exception):  # noqa: N818 - the caller then judges in the process itself
    """A student's process can't be copied here; the message says why."""


def exit_words(status: int) -> str:
    """What an exit status says about how a process ended.

    >>> exit_words(0), exit_words(-11)
    ('the process exited', 'the process crashed (segmentation fault)')
    """
    crash = CRASHES.get(signal.Signals(-status).name) if status < 0 else None
    return f"the process crashed ({crash})" if crash else EXITED
