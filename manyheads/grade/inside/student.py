"""One student's process: it furnishes itself, then runs cells and makes exam copies on request."""

from __future__ import annotations

import gc
import os
import random
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyheads.grade.inside import confine, warm
from manyheads.grade.inside.capture import Stream
from manyheads.grade.inside.handshake import FAILED, READY, receive_files, receive_message
from manyheads.grade.inside.shell import Shell
from manyheads.grade.inside.signatures import parameters
from manyheads.grade.inside.special import is_special
from manyheads.grade.wire import Peer, WireError

TEMPLATE_ONLY = ("GLIBC_TUNABLES", "PYTHONMALLOC", "PYTHONHASHSEED")


@dataclass(frozen=True)
class Place:
    """How a student's process is held: see `confine`."""

    isolated: bool
    uid: int | None
    kept: tuple[str, ...]
    bounds: confine.Bounds


def become_student(
    place: Place, shell: Shell, wire: socket.socket, channel: socket.socket, request: dict[str, Any]
) -> None:
    """Turn this fork into a student's process and serve until the other end is gone.

    wire: where the judge asks; channel: through which an exam copy's own wire comes
    request: holds `seed`, and where nothing is isolated the `folder` to live in
    Says READY on the wire when everything is in place, else FAILED and why, and ends.
    """
    try:
        _close_all_but([0, 1, 2, wire.fileno(), channel.fileno()])
        if os.getsid(0) != os.getpid():
            os.setsid()
        if place.isolated:
            confine.enter_world(place.uid, place.kept, place.bounds.tmp_bytes)
        home = confine.HOME if place.isolated else request["folder"]
        receive_files(wire, Path(home, "work"))
        _settle_in(home)
        spilled = [_catch(1, home), _catch(2, home)]
        _seed(request["seed"])
        confine.set_limits(place.bounds)
    except BaseException as error:
        with suppress(OSError):
            wire.sendall(FAILED + f"{type(error).__name__}: {error}".encode())
        os._exit(1)
    wire.sendall(READY)
    Session(shell, wire, channel, spilled).serve()


def _close_all_but(kept: Iterable[int]) -> None:
    low = 0
    for fd in sorted(kept):
        if fd > low:  # to Python an empty range that ends at 0 is everything
            os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, max(os.sysconf("SC_OPEN_MAX"), 65536))


def _settle_in(home: str) -> None:
    for name in TEMPLATE_ONLY:
        os.environ.pop(name, None)
    own = {"HOME": home, "IPYTHONDIR": f"{home}/.ipython", "MPLCONFIGDIR": f"{home}/.matplotlib"}
    os.environ.update(own)
    os.environ["TMPDIR"] = "/tmp" if home == confine.HOME else home  # noqa: S108 - a private one
    work = str(Path(home, "work"))
    os.chdir(work)
    os.environ["PWD"] = work
    sys.path.insert(0, "")  # as in a notebook: a module beside it can be imported


def _catch(fd: int, home: str) -> int:
    """Send what is written to a file descriptor itself to a nameless file; a handle to read it."""
    spill = os.open(home, os.O_TMPFILE | os.O_RDWR | os.O_APPEND, 0o600)
    os.dup2(spill, fd)
    return spill


def _seed(seed: int) -> None:
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.manual_seed(seed)


class Session:
    """A student's process at work: what the judge's end can ask of it."""

    def __init__(
        self, shell: Shell, wire: socket.socket, channel: socket.socket, spilled: list[int]
    ) -> None:
        self._shell, self._wire, self._channel, self._spilled = shell, wire, channel, spilled
        self._pid = os.getpid()
        self._exams: set[int] = set()
        sys.stdout = Stream("stdout", shell.outputs, 1)
        sys.stderr = Stream("stderr", shell.outputs, 2)

    def serve(self) -> None:
        """Answer until the judge's end closes, then end the process."""
        _serve(self.peer())

    def peer(self) -> Peer:
        """The student's end of the wire."""
        operations = {
            "run_cell": self._run_cell,
            "exam": self._exam,
            "parameters": self._parameters,
            "define": self._define,
        }
        return Peer(self._wire, operations=operations, namespace=self._shell.user_ns)

    def _run_cell(self, body: dict[str, Any]) -> dict[str, Any]:
        answer = self._shell.run(body["source"], body["draw"], self._read_spilled)
        if os.getpid() != self._pid:
            os._exit(0)  # a copy that the cell made with os.fork: it has no one to answer
        return answer

    def _define(self, body: dict[str, Any]) -> None:
        """Run a cell that nobody will see; without IPython, where that makes no difference."""
        if is_special(body["source"]):
            self._run_cell({**body, "draw": False})
            return
        with suppress(BaseException):
            exec(compile(body["source"], "<cell>", "exec"), self._shell.user_ns)  # noqa: S102
        if os.getpid() != self._pid:
            os._exit(0)

    def _parameters(self, body: dict[str, Any]) -> list[list[int]] | None:
        return parameters(self._shell.user_ns[body["name"]])

    def _read_spilled(self) -> None:
        for name, fd in zip(("stdout", "stderr"), self._spilled, strict=False):  # none in a copy
            size = os.fstat(fd).st_size
            if size:
                text = os.pread(fd, self._shell.outputs.cell_bytes + 1, 0)
                os.ftruncate(fd, 0)
                self._shell.outputs.write(name, text.decode("utf-8", "replace"))

    def _exam(self, _: dict[str, Any]) -> dict[str, Any]:
        """Make a copy of this process that serves the wire waiting in the channel."""
        fds = receive_message(self._channel, 1)[1]
        self._exams = {pid for pid in self._exams if _lives(pid)}
        with socket.socket(fileno=fds[0]) as connection:
            drawn = random.getstate()
            with confine.one_more_process():
                pid = os.fork()
            if pid == 0:
                random.setstate(drawn)  # Python reseeds a fork by chance; a rerun has to agree
                self._sit(connection)
        self._exams.add(pid)
        return {"threads": warm.threads()}

    def _sit(self, connection: socket.socket) -> None:
        try:
            self._wire.close()
            self._channel.close()
            gc.freeze()  # a collection would touch, and so copy, all that the parent made
            for fd in (1, 2):
                os.dup2(0, fd)
            self._pid, self._spilled = os.getpid(), []
            connection.sendall(READY)
            operations = {"run_cell": self._run_cell, "parameters": self._parameters}
            _serve(Peer(connection, operations=operations, namespace=self._shell.user_ns))
        finally:
            os._exit(0)


def _lives(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == 0
    except ChildProcessError:  # a cell of the student's has waited for it
        return False


def _serve(peer: Peer) -> None:
    try:
        peer.serve()
    except WireError:
        os._exit(0)
    except BaseException:
        os._exit(1)
    os._exit(0)
