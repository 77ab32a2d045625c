"""How much a submission may use."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024**2


@dataclass(frozen=True)
class Limits:
    """Seconds, bytes and counts; `memory_bytes` comes on top of what the template takes.

    >>> Limits(cell_seconds=5).processes
    64
    """

    cell_seconds: float = 30.0
    submission_seconds: float = 300.0
    memory_bytes: int = 2048 * MIB
    processes: int = 64  # threads count
    file_bytes: int = 64 * MIB
    tmp_bytes: int = 256 * MIB  # /tmp, /dev/shm and the home folder together
    output_bytes: int = MIB  # a cell
    outputs_bytes: int = 8 * MIB  # a submission
    outputs: int = 500  # a cell
    start_seconds: float = 120.0  # until the template has imported everything
