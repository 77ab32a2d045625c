"""Start a template process and speak with it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from manyheads.errors import SandboxError
from manyheads.grade.inside.handshake import receive_message
from manyheads.grade.sandbox import bubblewrap, processes
from manyheads.grade.sandbox.limits import Limits

PACKET = 65536
ANSWER_SECONDS = 30.0
COUNTS_BY_NAMESPACE = (5, 14)  # the Linux from which RLIMIT_NPROC counts each user namespace apart


class TemplateGone(Exception):  # noqa: N818 - it is not an error until someone needs the template
    """The template process ended, or does not answer."""


class Launched:
    """A template that was started; it may still be importing.

    fork: whether it forks for each student's process, or becomes the only one itself
    folder: a home for it, where it is not isolated
    """

    def __init__(self, limits: Limits, *, isolated: bool, fork: bool, folder: str = "") -> None:
        self.isolated, self._limits = isolated, limits
        self.ready: dict[str, Any] | None = None
        self._control, theirs = _packet_pair()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        settings = json.dumps(_settings(limits, isolated, fork))
        words = ["-m", "manyheads.grade.inside.template", str(theirs.fileno()), settings]
        with theirs, bubblewrap.view() as view:
            command = bubblewrap.command(view) if isolated else [sys.executable, "-s", "-B"]
            self.process = subprocess.Popen(
                [*command, *words],
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                env=None if isolated else _own_environment(folder),
                pass_fds=[theirs.fileno(), view],
                start_new_session=not isolated,
            )

    def wait_ready(self) -> int:
        """Wait until everything is imported; the number of its threads.

        Raises SandboxError when it does not get there, with what it said.
        """
        if self.ready is None:
            self._control.settimeout(self._limits.start_seconds)
            try:
                self.ready, _ = self._receive()
            except (OSError, TemplateGone) as error:
                said = self._words() or str(error)
                self.kill()
                raise SandboxError(
                    f"The process that runs student code did not start: {said}. "
                    "`manyheads doctor` says what this machine lacks."
                ) from error
            self._control.settimeout(ANSWER_SECONDS)
            self.follow()
        return int(self.ready["threads"])

    def follow(self) -> None:
        """Let the template and what it started run on those CPUs on which this process may run."""
        processes.keep_with_us(self.process.pid)

    def ask(self, request: dict[str, Any], fds: list[int] | None = None) -> tuple[Any, list[int]]:
        """Send a request and wait for the answer and its handles; raises TemplateGone."""
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], fds or [])
            return self._receive()
        except OSError as error:
            raise TemplateGone(str(error)) from error

    def _receive(self) -> tuple[Any, list[int]]:
        message, fds = receive_message(self._control, PACKET)
        if not message:
            raise TemplateGone("the process ended")
        return json.loads(message), fds

    def _words(self) -> str:
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").strip().splitlines()
        return " ".join(lines[-3:])

    def kill(self) -> None:
        """End the template and, where isolated, all that came from it."""
        self._control.close()
        try:  # it sees the end of the socket and ends by itself, so that its time is counted
            self.process.wait(timeout=5 if self.ready else 0)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.wait()
        self._said.close()


def _packet_pair() -> tuple[socket.socket, socket.socket]:
    kind = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
    return socket.socketpair(socket.AF_UNIX, kind)


def _settings(limits: Limits, isolated: bool, fork: bool) -> dict[str, Any]:
    countable = isolated and (os.geteuid() == 0 or bubblewrap.kernel() >= COUNTS_BY_NAMESPACE)
    bounds = {
        "memory_bytes": limits.memory_bytes,
        "processes": limits.processes if countable else None,
        "file_bytes": limits.file_bytes,
        "tmp_bytes": limits.tmp_bytes,
    }
    place = {
        "isolated": isolated,
        "uid": bubblewrap.student_uid() if isolated else None,
        "kept": bubblewrap.kept() if isolated else [],
        "bounds": bounds,
    }
    outputs = {
        "cell_bytes": limits.output_bytes,
        "total_bytes": limits.outputs_bytes,
        "most": limits.outputs,
    }
    return {"place": place, "outputs": outputs, "fork": fork}


def _own_environment(folder: str) -> dict[str, str]:
    """The template's environment where nothing is isolated: the inside's, with paths of here."""
    package = str(bubblewrap.PACKAGE.parent)
    paths = {
        "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]).rstrip(
            os.pathsep
        ),
        "HOME": folder,
        "IPYTHONDIR": str(Path(folder, ".ipython")),
        "MPLCONFIGDIR": str(Path(folder, ".matplotlib")),
    }
    return {**bubblewrap.environment(), **paths}
