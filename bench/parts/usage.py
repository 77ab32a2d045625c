"""What a command costs: wall time, and the processor time of all its processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

POLL = 0.2  # seconds between two looks at a running command


@dataclass(frozen=True)
class Usage:
    """Seconds of wall time and of processor time, children's children included."""

    wall: float
    processor: float


def run(command: Sequence[str], folder: Path, watch: Callable[[int], None] | None = None) -> Usage:
    """Run a command in a folder to its end; `watch(pid)` is called now and then meanwhile.

    A sandbox ends without waiting for what ran in it, so the system's own sum for a command misses
    that; the times of all living processes are added up now and then, and the most is taken.
    Raises CalledProcessError when it fails; what it printed is then in the error.
    """
    log = folder / ".bench.log"
    start, most = time.perf_counter(), 0.0
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=_environment()
        )
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            most = max(most, sum(map(_processor, family(process.pid))))
            if watch:
                watch(process.pid)
            time.sleep(POLL)
    wall, (_, status, used) = time.perf_counter() - start, ended
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        said = log.read_text("utf-8", "replace")[-2000:]
        raise subprocess.CalledProcessError(process.returncode, list(command), said)
    return Usage(wall, max(most, used.ru_utime + used.ru_stime))


def _environment() -> dict[str, str]:
    """The environment, with the programs of this Python found first: nbgrader starts `alembic`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path}


def family(pid: int) -> list[int]:
    """A process and all that it started, directly or not."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            parents.setdefault(_parent(entry), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += parents.get(found[-1], [])
    return found


def _parent(entry: Path) -> int:
    return int(_stat(entry)[1])


def _processor(pid: int) -> float:
    """Seconds of a process, and of those of its children that it has waited for."""
    return sum(map(int, _stat(Path(f"/proc/{pid}"))[11:15])) / os.sysconf("SC_CLK_TCK")


def _stat(entry: Path) -> list[str]:
    """What /proc tells of a process after its name; zeros when it has ended meanwhile."""
    try:
        return entry.joinpath("stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["0"] * 15


def memory(pid: int) -> int:
    """Bytes of memory that a process and its descendants hold, shared pages counted once."""
    return sum(map(_proportional, family(pid)))


def _proportional(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    sizes = [line.split()[1] for line in text.splitlines() if line.startswith("Pss:")]
    return 1024 * int(sizes[0]) if sizes else 0
