"""Two ends of a wire: the judge's here, the student's in a thread."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from manyheads.grade.wire import Limits, Peer

Meet = Callable[..., Peer]


@pytest.fixture
def meet() -> Iterator[Meet]:
    """Call it with the student's names to get the judge's end; `limits` are the judge's."""
    judges: list[Peer] = []
    threads: list[threading.Thread] = []

    def start(*, limits: Limits | None = None, **names: Any) -> Peer:
        ours, theirs = socket.socketpair()
        student = Peer(theirs, namespace=names)
        threads.append(threading.Thread(target=student.serve))
        threads[-1].start()
        judges.append(Peer(ours, limits=limits))
        return judges[-1]

    yield start
    for judge in judges:
        judge.close()
    for thread in threads:
        thread.join(10)


STUDENT = """\
import socket, sys
from manyheads.grade.wire import Peer
space = {}

def run(body):
    space.clear()
    exec(body["source"], space)

operations = {"run": run, "evaluate": lambda body: eval(body["source"], space)}
Peer(socket.socket(fileno=int(sys.argv[1])), operations=operations, namespace=space).serve()
"""


@pytest.fixture(scope="module")
def apart() -> Iterator[Peer]:
    """The judge's end of a student's process that runs what it is asked to: `run`, `source`."""
    ours, theirs = socket.socketpair()
    root = Path(__file__).parents[3]
    environment = os.environ | {"PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", STUDENT, str(theirs.fileno())]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment) as process:
        theirs.close()
        judge = Peer(ours)
        yield judge
        judge.close()
        process.wait(30)


@pytest.fixture
def forged() -> Iterator[tuple[Peer, socket.socket]]:
    """The judge's end and a bare socket, on which a test writes what a forger would."""
    ours, theirs = socket.socketpair()
    judge = Peer(ours)
    theirs.settimeout(10)
    yield judge, theirs
    judge.close()
    theirs.close()
