"""What a call through the wire costs: wall time, and processor time at both ends.

Run `python -m bench.wire`. The student's end is a process of its own. Each row is the best of
40 rounds, in milliseconds; the floor is for three small tensors there and back.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from manyheads.grade.wire import Peer

WALL, CPU = 0.25, 0.35  # milliseconds
ROUNDS, CALLS = 40, 25
STUDENT = """\
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


def rows(judge: Peer) -> dict[str, Callable[[], Any]]:
    """What is measured, by name."""
    back, three, ask = (judge.value(name) for name in ("back", "three", "ask"))
    small = [torch.randn(2, 3, 5, 4) for _ in range(3)]
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


def measure(judge: Peer, call: Callable[[], Any]) -> tuple[float, float, float]:
    """Milliseconds a call: wall, the judge's processor time, the student's."""
    best = [float("inf")] * 3
    for _ in range(ROUNDS):
        there = judge.ask("used")
        here, start = time.process_time(), time.perf_counter()
        for _ in range(CALLS):
            call()
        wall, here = time.perf_counter() - start, time.process_time() - here
        there = judge.ask("used") - there
        best = [
            min(old, 1e3 * new / CALLS) for old, new in zip(best, (wall, here, there), strict=True)
        ]
    return best[0], best[1], best[2]


def main() -> int:
    """Measure, print, and exit with 1 when three small tensors miss their floor."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-c", STUDENT, str(theirs.fileno())]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    missed = False
    with subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment) as process:
        theirs.close()
        judge = Peer(ours)
        print(f"{'':38}{'wall':>8}{'judge':>8}{'student':>8}  ms")
        for number, (name, call) in enumerate(rows(judge).items()):
            wall, here, there = measure(judge, call)
            print(f"{name:38}{wall:8.3f}{here:8.3f}{there:8.3f}")
            missed |= number == 0 and (wall > WALL or here + there > CPU)
        judge.close()
        process.wait()
    print(f"floor: {WALL} wall, {CPU} at both ends together: {'missed' if missed else 'kept'}")
    return int(missed)


if __name__ == "__main__":
    torch.set_num_threads(1)
    raise SystemExit(main())
