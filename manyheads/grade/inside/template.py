"""The template: a process that has everything imported and is forked for each submission.

Started as `python -m manyheads.grade.inside.template FD SETTINGS`, FD being one end of a packet
socket. It never runs student code and no operation of torch, so that a fork of it is safe.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from manyheads.grade.inside import linux, rehearsal, seccomp, warm
from manyheads.grade.inside.capture import Outputs
from manyheads.grade.inside.confine import Bounds
from manyheads.grade.inside.handshake import receive_message
from manyheads.grade.inside.shell import Shell
from manyheads.grade.inside.student import Place, become_student

PACKET = 65536
SLEEPERS = ("/usr/bin/sleep", "/bin/sleep")


class Template:
    """Answers the worker: one request at a time, until the worker is gone.

    settings: `place` (see student.Place), `outputs` (see capture.Outputs), and `fork`, which is
    False where this very process must become the one student it serves
    """

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        self._control = control
        place = settings["place"]
        self._place = Place(
            isolated=place["isolated"],
            uid=place["uid"],
            kept=tuple(place["kept"]),
            bounds=Bounds(**place["bounds"]),
        )
        self._fork = settings["fork"]
        self._shell = Shell.instance(Outputs(**settings["outputs"]))
        warm.load()
        warm.rehearse(self._shell)
        if self._fork:
            rehearsal.rehearse(self._shell)
        if self._place.isolated and self._fork:
            self._own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY)
            linux.hide_other_processes()
            seccomp.program(os.uname().machine)  # forks find it made
        elif sys.platform == "linux":
            linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
        self._inits: dict[int, int] = {}
        self._statuses: dict[int, int] = {}
        warm.settle()

    def serve(self) -> None:
        """Say that we are ready, then answer."""
        self._reply({"ready": True, "threads": warm.threads()})
        while True:
            message, fds = receive_message(self._control, PACKET)
            if not message:
                break
            request = json.loads(message)
            try:
                self._reply(*getattr(self, f"_do_{request['do']}")(request, fds))
            except OSError as error:
                self._reply({"error": str(error)})
            finally:
                for fd in fds:
                    os.close(fd)
        for pid in [pid for pid in self._inits if pid not in self._statuses]:
            self._do_close({"pid": pid}, [])

    def _reply(self, answer: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
        socket.send_fds(self._control, [json.dumps(answer).encode()], fds)
        for fd in fds:
            os.close(fd)

    def _do_start(self, request: dict[str, Any], fds: list[int]) -> tuple[Any, ...]:
        """Fork a student's process; with the answer go handles of it and of its world's init."""
        if not self._fork:
            self._reply({"pid": os.getpid()})
            self._become(request, fds)
        if warm.threads() > 1:
            return ({"threads": warm.threads()},)
        init = self._new_world() if self._place.isolated else 0
        try:
            pid = os.fork()
            if pid == 0:
                self._become(request, fds)
        finally:
            if init:
                linux.setns(self._own_pids, linux.CLONE_NEWPID)
        self._inits[pid] = init
        handles = tuple(os.pidfd_open(one) for one in (pid, init) if one)
        return {"pid": pid}, handles

    def _new_world(self) -> int:
        """Make the next fork live in a pid namespace of its own; the namespace's init.

        The init only sleeps: when it is killed, everything in the namespace is. What the student's
        process leaves behind when it ends, exam copies for one, goes on until then.
        """
        linux.unshare(linux.CLONE_NEWPID)
        before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # inherited: orphans vanish
        try:
            usable = [path for path in SLEEPERS if os.access(path, os.X_OK)]
            return os.posix_spawn((usable or SLEEPERS)[0], ["sleep", "infinity"], {})
        finally:
            signal.signal(signal.SIGCHLD, before)

    def _become(self, request: dict[str, Any], fds: list[int]) -> None:
        try:
            wire, channel = (socket.socket(fileno=fd) for fd in fds)
            become_student(self._place, self._shell, wire, channel, request)
        finally:
            os._exit(1)

    def _do_end(self, request: dict[str, Any], _: list[int]) -> tuple[Any, ...]:
        """End a student's process, if it still runs; how it ended."""
        pid = request["pid"]
        if pid not in self._statuses:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                os.kill(pid, signal.SIGKILL)
                status = os.waitpid(pid, 0)[1]
            self._statuses[pid] = os.waitstatus_to_exitcode(status)
        return ({"status": self._statuses[pid]},)

    def _do_close(self, request: dict[str, Any], _: list[int]) -> tuple[Any, ...]:
        """End a student's process and everything that came from it."""
        init = self._inits.pop(request["pid"])
        if init:
            os.kill(init, signal.SIGKILL)
        answer = self._do_end(request, [])
        if init:
            os.waitpid(init, 0)
        elif self._fork:
            self._end_orphans({*self._inits, *request.get("others", ())})
        del self._statuses[request["pid"]]
        return answer

    def _end_orphans(self, others: set[int]) -> None:
        """End what a student's process left behind; without a namespace it comes to us."""
        own = Path(f"/proc/self/task/{os.getpid()}/children")
        while left := {int(pid) for pid in own.read_text(encoding="ascii").split()} - others:
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def main() -> None:
    """Serve the worker that started this process."""
    fd, settings = sys.argv[1:]
    os.set_inheritable(int(fd), False)
    Template(socket.socket(fileno=int(fd)), json.loads(settings)).serve()


if __name__ == "__main__":
    main()
