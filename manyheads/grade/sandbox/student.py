"""A student's process as the judge uses it: run cells, and make exam copies."""

from __future__ import annotations

import os
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

from manyheads.grade.sandbox import processes
from manyheads.grade.sandbox.ended import EXITED, ExamImpossible, StudentEnded, exit_words
from manyheads.grade.sandbox.held import Held, Member, too_slow
from manyheads.grade.sandbox.limits import Limits
from manyheads.grade.sandbox.reply import BadReply, CellResult, read_reply
from manyheads.grade.wire.errors import Closed, TooLate, WireError
from manyheads.grade.wire.peer import Peer

FORK_SECONDS = 10.0
CREDENTIALS = struct.Struct("3i")  # pid, uid, gid


class Student:
    """One submission's process; made by `Sandbox.start`, a context manager.

    peer: the wire to it; `peer.value(name)` is the value of a variable of the notebook
    """

    def __init__(
        self,
        held: Held,
        limits: Limits,
        wire: socket.socket,
        channel: socket.socket,
        how_it_ended: Callable[[], int | None],
        on_close: Callable[[], None],
    ) -> None:
        self.peer = Peer(wire)
        self._held, self._limits = held, limits
        self._wire, self._channel = wire, channel
        self._how_it_ended, self._on_close = how_it_ended, on_close
        self._exams: list[Exam] = []
        self._open = True

    def __enter__(self) -> Student:
        """The process itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def run_cell(self, source: str, *, draw: bool, seconds: float | None = None) -> CellResult:
        """Run one cell; raises StudentEnded when the process does not outlive it.

        draw: whether figures and rich representations are made; else only plain text is
        seconds: how long it may take, `limits.cell_seconds` if not given
        """
        self._must_live()
        most = self._limits.cell_seconds if seconds is None else seconds
        try:
            with self.peer.until(time.monotonic() + most):
                reply = self.peer.ask("run_cell", {"source": source, "draw": draw})
            return read_reply(reply, self._limits)
        except (WireError, BadReply) as error:
            raise self._ended(error, too_slow("this cell", most)) from error

    def ended(self, error: BaseException) -> StudentEnded:
        """Why the process is gone or must go, after the wire raised `error`; it is ended here."""
        return self._ended(error, too_slow("this cell", self._limits.cell_seconds))

    def exam(self) -> Exam:
        """A copy of the process as it is now, with a wire of its own.

        The copy goes on when the process ends, until `Exam.close` or `Student.close`.
        Raises StudentEnded, or ExamImpossible where a process can't be copied.
        """
        self._must_live()
        if sys.platform != "linux":
            raise ExamImpossible(f"a process can't be copied safely on {sys.platform}")
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
                socket.send_fds(self._channel, [b"x"], [theirs.fileno()])
                with self.peer.until(time.monotonic() + FORK_SECONDS):
                    self.peer.ask("exam")
            member = self._greeted(ours)
        except (WireError, BadReply, OSError) as error:
            ours.close()
            raise self._ended(error, too_slow("copying the process", FORK_SECONDS)) from error
        self._held.exams.append(member)
        exam = Exam(ours, self._held, member, self._limits)
        self._exams.append(exam)
        return exam

    def _greeted(self, connection: socket.socket) -> Member:
        """Who said hello from the other end: the kernel tells, so that nobody can lie about it."""
        connection.settimeout(FORK_SECONDS)
        hello, extra, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        connection.settimeout(None)
        told = [
            data for *kind, data in extra if kind == [socket.SOL_SOCKET, socket.SCM_CREDENTIALS]
        ]
        if not hello or not told:
            raise BadReply("no copy of the process answered")
        pid = CREDENTIALS.unpack(told[0])[0]
        handle = os.pidfd_open(pid)
        if not self._held.owns(pid) or pid == self._held.main.pid:
            os.close(handle)
            raise BadReply("what answered is no copy of the process")
        return Member(pid, handle)

    def close(self) -> None:
        """End the process, its copies and whatever they started; nothing of it is left."""
        if not self._open:
            return
        self._open = False
        for exam in self._exams:
            exam.close()
        self._wire.close()
        self._channel.close()
        self._on_close()

    def _must_live(self) -> None:
        ended = self._held.main.ended
        if ended is not None:
            raise StudentEnded(ended.kind, ended.reason)
        if not self._open:
            raise StudentEnded("exit", "the process was closed")

    def _ended(self, error: BaseException, late: StudentEnded) -> StudentEnded:
        main = self._held.main
        if isinstance(error, TooLate):
            return self._held.end_member(main, late.kind, late.reason)
        if isinstance(error, (Closed, OSError)):
            status = self._how_it_ended()
            # The watch may have ended it, for a reason that is known by now.
            words = exit_words(status) if status is not None else EXITED
            return self._held.end_member(main, "exit", words)
        return self._held.end_member(main, "wire", WIRE_WORDS)


WIRE_WORDS = "the process answered the grader with something that is no answer"


class Exam:
    """A copy of a student's process in which hidden tests call its functions; a context manager."""

    def __init__(
        self, connection: socket.socket, held: Held, member: Member, limits: Limits
    ) -> None:
        self.peer = Peer(connection)
        self._connection, self._held, self._member, self._limits = connection, held, member, limits
        self._open = True

    def __enter__(self) -> Exam:
        """The copy itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def run_cell(self, source: str, *, draw: bool, seconds: float | None = None) -> CellResult:
        """Run a test that opted out of the judge; as `Student.run_cell`, which sees nothing of it."""
        most = self._limits.cell_seconds if seconds is None else seconds
        try:
            with self.peer.until(time.monotonic() + most):
                reply = self.peer.ask("run_cell", {"source": source, "draw": draw})
            return read_reply(reply, self._limits)
        except (WireError, BadReply) as error:
            raise self.ended(error) from error

    def ended(self, error: BaseException) -> StudentEnded:
        """Why the copy is gone or must go, after its wire raised `error`; it is ended here."""
        if isinstance(error, TooLate):
            late = too_slow("this test", self._limits.cell_seconds)
            return self._held.end_member(self._member, late.kind, late.reason)
        if isinstance(error, (Closed, OSError)):
            return self._held.end_member(self._member, "exit", EXITED)
        return self._held.end_member(self._member, "wire", WIRE_WORDS)

    def close(self) -> None:
        """End the copy and what it started."""
        if self._open:
            self._open = False
            if self._member.handle >= 0:
                self._held.end_member(self._member, "exit", EXITED)
                self._held.forget(self._member)
            self._connection.close()
