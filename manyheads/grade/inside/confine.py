"""What a fork does to itself before any student code: its own world, no privileges, limits."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from manyheads.grade.inside import linux, seccomp

ROOM = "/sandbox/room"  # one memory file system holds all that a student can write
HOME = "/home/student"
PLACES = {"tmp": "/tmp", "shm": "/dev/shm", "home": HOME}  # noqa: S108 - a private one
INODES = 20_000
OPEN_FILES = 256  # what sockets and pipes hold is in no other limit: few files, little of it
EXAMS = 40  # copies for hidden tests may come on top of the processes a student may have
STUDENT = 1000  # the ids a student sees


@dataclass(frozen=True)
class Bounds:
    """How much a student's process may have. `memory_bytes` counts beyond the template's size."""

    memory_bytes: int
    processes: int | None  # None: this kernel counts all of a user's processes as one
    file_bytes: int
    tmp_bytes: int


def enter_world(uid: int | None, kept: Sequence[str], tmp_bytes: int) -> None:
    """Enter namespaces of our own, with an empty /tmp, /dev/shm and home, and lose every privilege.

    uid: an ordinary user to become first, where this process is root; RLIMIT_NPROC binds no root
    kept: folders that must stay visible although they lie where an empty one comes
    Raises OSError when the kernel refuses a step: the process must then end, not go on.
    """
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    linux.prctl(linux.PR_SET_DUMPABLE, 1)  # else /proc/self belongs to root
    uid, gid = os.getuid(), os.getgid()
    linux.unshare(linux.CLONE_NEWUSER | linux.CLONE_NEWNS | linux.CLONE_NEWIPC)
    linux.map_to_self(STUDENT, STUDENT, uid, gid)
    _furnish(kept, tmp_bytes)
    linux.drop_capabilities()
    linux.prctl(linux.PR_SET_DUMPABLE, 1)
    seccomp.install()


def _furnish(kept: Sequence[str], tmp_bytes: int) -> None:
    handles = {path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in kept}
    linux.mount_tmpfs(ROOM, tmp_bytes, INODES)
    for name, place in PLACES.items():
        Path(ROOM, name).mkdir()
        linux.bind(f"{ROOM}/{name}", place)
    for path, handle in handles.items():
        Path(path).mkdir(parents=True, exist_ok=True)
        linux.bind(f"/proc/self/fd/{handle}", path)
        os.close(handle)


@contextmanager
def one_more_process() -> Iterator[None]:
    """Let this process make a copy of itself although a student has used up the others."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    resource.setrlimit(resource.RLIMIT_NPROC, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))


def set_limits(bounds: Bounds) -> None:
    """Bind this process and its descendants to `bounds`, for good."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0])
    limits = {
        resource.RLIMIT_AS: pages * resource.getpagesize() + bounds.memory_bytes,
        resource.RLIMIT_FSIZE: bounds.file_bytes,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: OPEN_FILES,
    }
    for kind, limit in limits.items():
        hard = resource.getrlimit(kind)[1]
        bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (bound, bound))
    if bounds.processes is not None:
        most = (bounds.processes, bounds.processes + EXAMS)
        resource.setrlimit(resource.RLIMIT_NPROC, most)
    # Where memory ends nevertheless, the kernel takes this process first, not the grader's.
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")
