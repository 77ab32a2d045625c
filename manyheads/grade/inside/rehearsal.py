"""A student's process rehearsed in the template: what it does often is then quick in each fork."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress

import numpy as np

from manyheads.grade.inside.shell import Shell
from manyheads.grade.inside.student import Session
from manyheads.grade.wire import Peer, WireError

OFTEN = 20  # Python makes code quick that has run so often
CELLS = (
    "def same(x, *more):\n    return x",
    "def fails(x):\n    raise ValueError(x)",
    "x = [1, 2]",
)


def rehearse(shell: Shell) -> bool:
    """Serve a fork of this process that asks as a judge does; whether all was answered.

    The shell is as new afterwards. No tensor is sent: no operation of torch may run here.
    """
    ours, theirs = socket.socketpair()
    channel, other_end = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            ours.close()
            ask(Peer(theirs))
            os._exit(0)
        finally:
            os._exit(1)
    theirs.close()
    other_end.close()
    streams = (redirect_stdout(sys.stdout), redirect_stderr(sys.stderr))  # a session takes them
    with ours, channel, streams[0], streams[1], suppress(WireError):  # raised when the fork is gone
        Session(shell, ours, channel, []).peer().serve()
    shell.forget()
    return os.waitpid(pid, 0)[1] == 0


def ask(judge: Peer) -> None:
    """Ask for everything that is asked of a student's process, often."""
    for _ in range(OFTEN):
        for cell in CELLS:
            judge.ask("run_cell", {"source": cell, "draw": False})
        judge.ask("define", {"source": CELLS[0]})
        judge.ask("parameters", {"name": "same"})
        judge.given(["same", "x", "missing"])
        same, fails = judge.value("same"), judge.value("fails")
        for value in (3, "text", [1.5, (2, None)], {"a": {1}}, np.ones((2, 3)), lambda: 1):
            same(value, [value])
        with suppress(ValueError):
            fails("refused")
