"""One student's process as the worker holds it: handles to end it, and why it ended."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from contextlib import suppress

from manyheads.grade.inside.words import in_words
from manyheads.grade.sandbox import processes
from manyheads.grade.sandbox.ended import Kind, StudentEnded
from manyheads.grade.sandbox.limits import Limits


class Member:
    """The student's process itself, or one exam copy of it.

    handle: a pidfd, so that never another process of the same number is ended; -1 without Linux
    group: where there is no handle, the number of its process group
    """

    def __init__(self, handle: int, group: int = 0) -> None:
        self.handle, self._group = handle, group
        self.ended: StudentEnded | None = None
        self.wire: socket.socket | None = None

    @property
    def pid(self) -> int:
        """Its number on this machine; 0 when it is gone, since another may have it then."""
        return processes.pid_of(self.handle) if self.handle >= 0 else 0

    def kill(self) -> None:
        """End this one process."""
        with suppress(OSError):
            if self.handle >= 0:
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            elif self._group:
                os.killpg(self._group, signal.SIGKILL)

    def hang_up_if_gone(self) -> None:
        """Close the wire of a process that has ended: its children may hold the other end open."""
        if self.wire is not None and self.handle >= 0 and processes.has_ended(self.handle):
            with suppress(OSError):
                self.wire.shutdown(socket.SHUT_RDWR)
            self.wire = None

    def release(self) -> None:
        """Give the handle back."""
        self.wire = None
        if self.handle >= 0:
            os.close(self.handle)
        self.handle, self._group = -1, 0


class Held:
    """A student's process with its exam copies and everything they started.

    main, init: the process, and its namespace's init if it has one, whose end ends all
    base: bytes that the template holds in memory, and each fork shares with it
    """

    def __init__(self, main: Member, init: Member | None, limits: Limits) -> None:
        self.main, self.init, self._limits = main, init, limits
        self.base = 0
        self.exams: list[Member] = []
        self.begun = time.monotonic()
        self.lock = threading.RLock()

    def end_member(self, member: Member, kind: Kind, reason: str) -> StudentEnded:
        """End one process and what it started, exam copies of it aside; the first reason counts."""
        with self.lock:
            if member.ended is None:
                member.ended = StudentEnded(kind, reason)
            branch = self._branch(member)
            member.kill()
            for pid in branch:
                _kill_if_below(pid, self._roots())
            return member.ended

    def _branch(self, member: Member) -> list[int]:
        """What a member started; what has lost its parent counts for the student's process."""
        others = [one.pid for one in (self.main, *self.exams) if one is not member]
        roots = [member.pid]
        if member is self.main and self.init is not None:
            roots.append(self.init.pid)
        return [pid for root in roots if root for pid in processes.family(root, others)[1:]]

    def kill(self) -> None:
        """End everything."""
        with self.lock:
            if self.init is not None:
                self.init.kill()
                return
            members = [self.main, *self.exams]
            below = [pid for one in members for pid in self._branch(one)]
            for member in members:
                member.kill()
            for pid in below:
                _kill_if_below(pid, below)

    def release(self) -> None:
        """Give all handles back."""
        with self.lock:
            for member in (self.main, self.init, *self.exams):
                if member is not None:
                    member.release()
            self.exams.clear()

    def forget(self, member: Member) -> None:
        """An exam copy has ended."""
        with self.lock:
            if member in self.exams:
                self.exams.remove(member)
            member.release()

    def owns(self, pid: int) -> bool:
        """Whether a process came from this student's process."""
        return processes.descends(pid, self._roots())

    def look(self) -> None:
        """End what uses too much memory or time, or has too many threads."""
        with self.lock:
            if time.monotonic() - self.begun > self._limits.submission_seconds:
                for member in (self.main, *self.exams):
                    seconds = self._limits.submission_seconds
                    member.ended = member.ended or too_slow("the whole notebook", seconds)
                self.kill()
                return
            self._look_at_memory()
            for member in (self.main, *self.exams):
                member.hang_up_if_gone()

    def _look_at_memory(self) -> None:
        groups = self._groups()
        pids = [pid for group in groups.values() for pid in group]
        if processes.threads(pids) > self._limits.processes + 2 * len(groups):
            self.end_member(self.main, "exit", f"more than {self._limits.processes} processes")
            self.kill()
            return
        most = self._limits.memory_bytes + self.base
        forks = 1 + len(self.exams)
        if processes.memory(pids) - forks * self.base <= self._limits.memory_bytes:
            return
        if processes.shared_memory(pids) <= most:
            return
        biggest = max(groups, key=lambda member: processes.memory(groups[member]))
        self.end_member(biggest, "memory", memory_words(self._limits))

    def _groups(self) -> dict[Member, list[int]]:
        """Each living member with what it started."""
        living = [member for member in (self.main, *self.exams) if member.pid or self.init]
        groups = {member: [member.pid, *self._branch(member)] for member in living}
        return {member: [pid for pid in pids if pid] for member, pids in groups.items()}

    def _roots(self) -> list[int]:
        return [one.pid for one in (self.main, self.init, *self.exams) if one and one.pid]


def too_slow(what: str, seconds: float) -> StudentEnded:
    """The end of what ran too long.

    >>> too_slow("this cell", 30.0).reason
    'this cell ran longer than 30 s and was stopped'
    """
    return StudentEnded("time", f"{what} ran longer than {seconds:g} s and was stopped")


def memory_words(limits: Limits) -> str:
    """The memory limit in words."""
    return f"memory limit ({in_words(limits.memory_bytes)})"


def _kill_if_below(pid: int, roots: list[int]) -> None:
    """End a process by number, made sure of after its handle was taken that it is the one meant."""
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if processes.descends(pid, roots):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        pass
    finally:
        os.close(handle)


class Watch:
    """A thread that looks at every open student's process four times a second."""

    SECONDS = 0.25

    def __init__(self) -> None:
        self._held: set[Held] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = False

    def add(self, held: Held) -> None:
        """Look at one more."""
        with self._changed:
            self._held.add(held)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sandbox", daemon=True)
                self._thread.start()
            self._changed.notify()

    def remove(self, held: Held) -> None:
        """Look at one no more."""
        with self._changed:
            self._held.discard(held)

    def stop(self) -> None:
        """End the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._held and not self._stopped:
                    self._changed.wait()
                if self._stopped:
                    return
                held = list(self._held)
            time.sleep(self.SECONDS)
            for one in held:
                if one in self._held:
                    with suppress(OSError):
                        one.look()
