"""What a call through the wire costs: wall time, and processor time at both ends.

Run `python -m bench.wire`. The student's end is a process of its own. Each row is the best of
40 rounds, in milliseconds. The last row hands over three small tensors by pickle, as Python's own
processes do; a student's process that may do that runs code in the judge's. The floor is for the
same tensors through the wire: at most so many times the time that pickle takes, in the same run.
All processes keep to one CPU, as a worker and its students do.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from typing import Any

import numpy as np
import torch

from manyheads.grade.wire import Peer

TIMES = 2.0  # what the wire may take, of the time that pickle takes
ROUNDS, CALLS = 40, 25
WIRE = """\
import socket, sys, time
import numpy, torch
from manyheads.grade.wire import Peer
names = {
    "back": lambda *args: args[0] if args else None,
    "three": lambda q, k, v: (q + 1, k + 1, v + 1),
    "ask": lambda x, function: function(x),
}
used = {"used": lambda _: time.process_time()}
Peer(socket.socket(fileno=int(sys.argv[1])), operations=used, namespace=names).serve()
"""
PICKLE = """\
import sys, time
from multiprocessing.connection import Connection
import numpy, torch
judge = Connection(int(sys.argv[1]))
while (asked := judge.recv()) is not None:
    if asked == "used":
        judge.send(time.process_time())
    else:
        judge.send([(torch.from_numpy(array) + 1).numpy() for array in asked])
"""
Call = Callable[[], Any]
Cost = tuple[float, float, float]  # milliseconds: wall, the judge's processor time, the student's


@contextmanager
def student(code: str, handle: Any) -> Iterator[None]:
    """A process that runs `code` with a socket."""
    command = [sys.executable, "-c", code, str(handle.fileno())]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, pass_fds=[handle.fileno()], env=environment):
        handle.close()
        yield


def calls(judge: Peer, small: list[torch.Tensor]) -> dict[str, Call]:
    """What is measured through the wire, by name."""
    back, three, ask = (judge.value(name) for name in ("back", "three", "ask"))
    large, array, items = torch.randn(1 << 18), np.ones((7, 12)), list(range(1000))
    return {
        "three small tensors there and back": lambda: three(*small),
        "nothing": back,
        "a number": lambda: back(3),
        "an array of 84 numbers": lambda: back(array),
        "a list of 1000 numbers": lambda: back(items),
        "a tensor that a test's function gets": lambda: ask(small[0], lambda x: x),
        "a tensor of 1 MB": lambda: back(large),
    }


def measure(call: Call, used: Call) -> Cost:
    """What a call costs, the best of all rounds; `used` gives the student's processor time."""
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        there = used()
        here, start = time.process_time(), time.perf_counter()
        for _ in range(CALLS):
            call()
        wall, here = time.perf_counter() - start, time.process_time() - here
        there = used() - there
        best = [
            min(old, 1e3 * new / CALLS) for old, new in zip(best, (wall, here, there), strict=True)
        ]
    return best[0], best[1], best[2]


def through_the_wire(small: list[torch.Tensor]) -> dict[str, Cost]:
    """What each call through the wire costs."""
    ours, theirs = socket.socketpair()
    with student(WIRE, theirs):
        judge = Peer(ours)
        costs = {
            name: measure(call, lambda: judge.ask("used"))
            for name, call in calls(judge, small).items()
        }
        judge.close()
    return costs


def by_pickle(small: list[torch.Tensor]) -> Cost:
    """What three small tensors there and back cost without any care."""
    ours, theirs = Pipe()

    def ask(question: Any) -> Any:
        ours.send(question)
        return ours.recv()

    with student(PICKLE, theirs):
        cost = measure(
            lambda: [torch.from_numpy(one) for one in ask([one.numpy() for one in small])],
            lambda: ask("used"),
        )
        ours.send(None)
    return cost


def keeps_to_floor(wire: Cost, pickled: Cost) -> bool:
    """Whether three small tensors take little enough time through the wire."""
    return wire[0] <= TIMES * pickled[0]


def main() -> int:
    """Measure, print, and exit with 1 when three small tensors miss their floor."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    small = [torch.randn(2, 3, 5, 4) for _ in range(3)]
    costs = through_the_wire(small)
    costs["three small tensors, by pickle"] = pickled = by_pickle(small)
    print(f"{'':38}{'wall':>8}{'judge':>8}{'student':>8}  ms")
    for name, (wall, here, there) in costs.items():
        print(f"{name:38}{wall:8.3f}{here:8.3f}{there:8.3f}")
    wire = next(iter(costs.values()))
    kept = keeps_to_floor(wire, pickled)
    ratio = wire[0] / pickled[0]
    print(f"{ratio:.2f} times pickle's; floor: {TIMES:g}, {'kept' if kept else 'missed'}")
    return int(not kept)


if __name__ == "__main__":
    torch.set_num_threads(1)
    raise SystemExit(main())
