"""One student's process as the worker holds it: handles to end it, and why it ended."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress

from manyheads.grade.inside.words import in_words
from manyheads.grade.sandbox import processes
from manyheads.grade.sandbox.ended import Kind, StudentEnded
from manyheads.grade.sandbox.limits import Limits


class Member:
    """The student's process itself, or one exam copy of it.

    pid: as this machine counts; 0 where that is not known
    handle: a pidfd, so that never another process of the same number is ended; -1 without Linux
    """

    def __init__(self, pid: int, handle: int) -> None:
        self.pid, self.handle = pid, handle
        self.ended: StudentEnded | None = None

    def kill(self) -> None:
        """End this one process."""
        with suppress(OSError):
            if self.handle >= 0:
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
            elif self.pid:  # a session of its own
                os.killpg(self.pid, signal.SIGKILL)

    def release(self) -> None:
        """Give the handle back."""
        if self.handle >= 0:
            os.close(self.handle)
        self.handle, self.pid = -1, 0


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
            others = [other.pid for other in (self.main, *self.exams) if other is not member]
            branch = processes.family(member.pid, others)[1:] if member.pid else []
            member.kill()
            for pid in branch:
                _kill_if_below(pid, self._roots())
            return member.ended

    def kill(self) -> None:
        """End everything."""
        with self.lock:
            if self.init is not None:
                self.init.kill()
                return
            members = [self.main, *self.exams]
            below = [pid for one in members if one.pid for pid in processes.family(one.pid)[1:]]
            for member in members:
                member.kill()
            for pid in below:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

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
        """Each member's processes; what lost its parent counts for the student's process."""
        members = [self.main, *self.exams]
        pids = [member.pid for member in members]
        groups = {
            member: processes.family(member.pid, [p for p in pids if p != member.pid])
            for member in members
            if member.pid
        }
        if self.init is not None:
            groups.setdefault(self.main, []).extend(processes.family(self.init.pid, pids)[1:])
        return groups

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
