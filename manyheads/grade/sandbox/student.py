"""A student's process as the judge uses it: run cells, and make exam copies."""

from __future__ import annotations

import os
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from manyheads.grade.sandbox.ended import EXITED, ExamImpossible, StudentEnded, exit_words
from manyheads.grade.sandbox.held import Held, Member, too_slow
from manyheads.grade.sandbox.limits import Limits
from manyheads.grade.sandbox.reply import BadReply, CellResult, read_reply
from manyheads.grade.wire import Closed, Peer, TooLate, came_over

FORK_SECONDS = 10.0
Answer = TypeVar("Answer")
CREDENTIALS = struct.Struct("3i")  # pid, uid, gid
NO_ANSWER = "the process answered the grader with something that is no answer"


class Running:
    """What a student's process and an exam copy have in common.

    peer: the wire to it; `peer.value(name)` is the value of a variable of the notebook
    """

    def __init__(
        self, connection: socket.socket, held: Held, member: Member, limits: Limits
    ) -> None:
        self.peer = Peer(connection)
        self._connection, self._held, self._member, self._limits = connection, held, member, limits
        self._open = True
        member.wire = connection

    def run_cell(self, source: str, *, draw: bool, seconds: float | None = None) -> CellResult:
        """Run one cell; raises StudentEnded when the process does not outlive it.

        draw: whether figures and rich representations are made; else only plain text is
        seconds: how long it may take, `limits.cell_seconds` if not given
        """
        most = self._limits.cell_seconds if seconds is None else seconds
        return self._asked(
            lambda: read_reply(
                self.peer.ask("run_cell", {"source": source, "draw": draw}), self._limits
            ),
            most,
        )

    def define(self, source: str, seconds: float) -> None:
        """Run a cell for what it defines alone; raises StudentEnded as `run_cell`."""
        self._asked(lambda: self.peer.ask("define", {"source": source}), seconds)

    def _asked(self, ask: Callable[[], Answer], seconds: float) -> Answer:
        """The answer to what is asked of the process; raises StudentEnded where there is none."""
        self._must_live()
        try:
            with self.peer.until(time.monotonic() + seconds):
                return ask()
        except BaseException as error:
            if isinstance(error, Exception) or came_over(error):
                raise self.ended(error, too_slow("this cell", seconds)) from error
            raise

    def ended(self, error: BaseException, late: StudentEnded | None = None) -> StudentEnded:
        """Why the process is gone or must go, after using its wire raised `error`.

        late: what to tell when the deadline has passed. The process is ended here if it lives.
        """
        if isinstance(error, TooLate):
            late = late or too_slow("this test", self._limits.cell_seconds)
            return self._held.end_member(self._member, late.kind, late.reason)
        if isinstance(error, Closed | OSError):
            # If the watch ended it, that reason came first and is the one that counts.
            return self._held.end_member(self._member, "exit", self._exit_words())
        return self._held.end_member(self._member, "wire", NO_ANSWER)

    def _exit_words(self) -> str:
        return EXITED

    def _must_live(self) -> None:
        known = self._member.ended
        if known is not None:
            raise StudentEnded(known.kind, known.reason)
        if not self._open:
            raise StudentEnded("exit", "the process was closed")


class Student(Running):
    """One submission's process; made by `Sandbox.start`, a context manager."""

    def __init__(
        self,
        wire: socket.socket,
        channel: socket.socket,
        held: Held,
        limits: Limits,
        exit_status: Callable[[], int | None],
        on_close: Callable[[Student], None],
    ) -> None:
        super().__init__(wire, held, held.main, limits)
        self._channel, self._exit_status, self._on_close = channel, exit_status, on_close
        self._exams: list[Exam] = []

    def __enter__(self) -> Student:
        """The process itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

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
            member = self._copy(ours, theirs)
        except BaseException as error:
            ours.close()
            if isinstance(error, Exception) or came_over(error):
                raise self.ended(error, too_slow("copying the process", FORK_SECONDS)) from error
            raise
        self._held.exams.append(member)
        exam = Exam(ours, self._held, member, self._limits)
        self._exams = [one for one in self._exams if one.is_open] + [exam]
        return exam

    def _copy(self, ours: socket.socket, theirs: socket.socket) -> Member:
        """Let the process copy itself; the copy is who says hello from the other end.

        The kernel tells who that is, so that nobody can lie about it.
        """
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with theirs:
            socket.send_fds(self._channel, [b"x"], [theirs.fileno()])
            with self.peer.until(time.monotonic() + FORK_SECONDS):
                self.peer.ask("exam")
        ours.settimeout(FORK_SECONDS)
        hello, extra, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size))
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        ours.settimeout(None)
        wanted = (socket.SOL_SOCKET, socket.SCM_CREDENTIALS)
        told = [data for level, kind, data in extra if (level, kind) == wanted]
        if not hello or len(told) != 1:
            raise BadReply("no copy of the process answered")
        pid = CREDENTIALS.unpack(told[0])[0]
        handle = os.pidfd_open(pid)
        if pid == self._held.main.pid or not self._held.owns(pid):
            os.close(handle)
            raise BadReply("what answered is no copy of the process")
        return Member(handle)

    def close(self) -> None:
        """End the process, its copies and whatever they started; nothing of it is left."""
        if not self._open:
            return
        self._open = False
        for exam in self._exams:
            exam.close()
        self._connection.close()
        self._channel.close()
        self._on_close(self)

    def _exit_words(self) -> str:
        status = self._exit_status()
        return EXITED if status is None else exit_words(status)


class Exam(Running):
    """A copy of a student's process in which hidden tests call its functions; a context manager."""

    def __enter__(self) -> Exam:
        """The copy itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    @property
    def is_open(self) -> bool:
        """Whether it was not closed yet."""
        return self._open

    def close(self) -> None:
        """End the copy and what it started."""
        if self._open:
            self._open = False
            self._held.end_member(self._member, "exit", EXITED)
            self._held.forget(self._member)
            self._connection.close()
