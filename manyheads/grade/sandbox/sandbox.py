"""A worker's sandbox: one template, and a student's process for each submission."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from manyheads.errors import SandboxError
from manyheads.grade.inside.handshake import READY, send_files
from manyheads.grade.inside.words import in_words
from manyheads.grade.sandbox import processes
from manyheads.grade.sandbox.bubblewrap import ELSEWHERE, missing
from manyheads.grade.sandbox.held import Held, Member, Watch
from manyheads.grade.sandbox.launch import ANSWER_SECONDS, Launched, TemplateGone
from manyheads.grade.sandbox.limits import Limits
from manyheads.grade.sandbox.student import Student

DEFAULT = Limits()
MOST_FILES = 5_000
FRESH_NOTE = "forking was unsafe ({} threads): each submission got a fresh process"
NO_FORK_NOTE = "this system can't fork safely: each submission got a fresh process"


class ForkUnsafe(Exception):  # noqa: N818 - a fresh process does the same job
    """The template has threads, so that a copy of it might wait for one that it has not."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.threads = threads


class Sandbox:
    """Where student code runs; a context manager, one a worker.

    Returns at once: the template goes on importing until the first `start` needs it. Make it in a
    thread that outlives it: when that thread ends, so does everything in here.

    limits: how much each submission may use
    isolated: False runs student code with the rights of whoever grades, bound only by limits
    notes: what the report should say of how submissions were run
    Raises SandboxError where no sandbox can be had, with the remedy.

    >>> Sandbox(Limits(memory_bytes=-1))
    Traceback (most recent call last):
    ValueError: memory_bytes is -1; a limit is a number above 0
    """

    def __init__(self, limits: Limits = DEFAULT, *, isolated: bool = True) -> None:
        for name, value in vars(limits).items():
            if not value > 0:
                raise ValueError(f"{name} is {value!r}; a limit is a number above 0")
        if sys.platform == "win32":
            raise SandboxError(f"Student code can't be run on Windows. {ELSEWHERE}")
        lack = missing() if isolated else None
        if lack is not None:
            raise SandboxError(lack)
        self.isolated, self.limits = isolated, limits
        self.notes: list[str] = []
        self._forks = sys.platform == "linux"
        if not self._forks:
            self.notes.append(NO_FORK_NOTE)
        self._folder = "" if isolated else tempfile.mkdtemp(prefix="manyheads-")
        self._watch = Watch()
        self._students: dict[Student, Held] = {}
        self._base = 0
        self._template: Launched | None = self._launch()

    def __enter__(self) -> Sandbox:
        """The sandbox itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End the template and every student's process."""
        for student in list(self._students):
            student.close()
        self._drop()
        self._watch.stop()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def follow(self) -> None:
        """Let what is in here run on those CPUs on which this process may run now."""
        if self._template is not None:
            self._template.follow()

    def start(self, files: Mapping[str, bytes] = {}) -> Student:
        """A process for one submission, with its files in the working folder.

        files: content by path, as `{"data/x.csv": b"1,2"}`
        Raises ValueError for files that can't be, SandboxError when no process can be had.
        """
        names = check_files(files, self.limits)
        seed = zlib.crc32(b"\0".join(part for n in names for part in (n.encode(), files[n])))
        for tries_left in (2, 1, 0):
            try:
                return self._start(files, seed)
            except ForkUnsafe as error:
                self._forks = False
                self.notes.append(FRESH_NOTE.format(error.threads))
            except TemplateGone as error:  # killed for want of memory, say; another one may live
                if not tries_left:
                    raise SandboxError(f"No process for student code can be had: {error}") from None
            self._drop()
        raise SandboxError("No process for student code can be had: this system can't fork.")

    def _launch(self) -> Launched:
        return Launched(self.limits, isolated=self.isolated, fork=self._forks, folder=self._folder)

    def _drop(self) -> None:
        if self._template is not None:
            self._template.kill()
        self._template = None

    def _start(self, files: Mapping[str, bytes], seed: int) -> Student:
        template = self._template = self._template or self._launch()
        threads = template.wait_ready()
        if self._forks and threads > 1:
            raise ForkUnsafe(threads)
        folder = "" if self.isolated else tempfile.mkdtemp(dir=self._folder)
        wires, channels = socket.socketpair(), socket.socketpair()
        try:
            with wires[1], channels[1]:
                theirs = [wires[1].fileno(), channels[1].fileno()]
                request = {"do": "start", "seed": seed, "folder": folder}
                pid, handles = _started(*template.ask(request, theirs))
        except BaseException:
            wires[0].close()
            channels[0].close()
            raise
        held = self._hold(template, handles)
        if not self._forks:
            self._template = self._launch()  # the next one imports while this one works
        student = Student(
            wires[0],
            channels[0],
            held,
            self.limits,
            lambda: self._status(template, pid),
            lambda closed: self._ended(closed, template, pid, folder),
        )
        self._students[student] = held
        self._greet(student, wires[0], files)
        self._base = self._base or processes.memory(processes.family(held.main.pid))
        held.base = self._base
        self._watch.add(held)
        return student

    def _hold(self, template: Launched, handles: list[int]) -> Held:
        if self._forks:
            members = [Member(handle) for handle in handles]
            return Held(members[0], members[1] if members[1:] else None, self.limits)
        pid = template.process.pid
        handle = os.pidfd_open(pid) if sys.platform == "linux" else -1
        return Held(Member(handle, pid), None, self.limits)

    def _greet(self, student: Student, wire: socket.socket, files: Mapping[str, bytes]) -> None:
        """Hand over the files and hear that the process is confined; it ends where it is not."""
        words = b"no answer"
        wire.settimeout(ANSWER_SECONDS)
        with suppress(OSError):
            send_files(wire, files)
        with suppress(OSError):
            words = wire.recv(1) or words
            if words == READY:
                wire.settimeout(None)
                return
            words = wire.recv(4096) or words
        student.close()
        raise SandboxError(
            f"A process for student code could not be confined: {words.decode(errors='replace')}. "
            "`manyheads doctor` says what this machine lacks."
        )

    def _status(self, template: Launched, pid: int) -> int | None:
        """How a student's process ended, where that can be told."""
        if not self._forks:
            return None
        with suppress(TemplateGone):
            answer, _ = template.ask({"do": "end", "pid": pid})
            return int(answer["status"])
        return None

    def _ended(self, student: Student, template: Launched, pid: int, folder: str) -> None:
        """See to it that nothing is left of a student's process."""
        held = self._students.pop(student)
        self._watch.remove(held)
        held.kill()
        if template is not self._template:
            template.kill()
        else:
            others = [one.pid for h in self._students.values() for one in (h.main, *h.exams)]
            try:
                template.ask({"do": "close", "pid": pid, "others": others})
            except TemplateGone:
                template.kill()
                self._template = None
        held.release()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _started(answer: dict[str, Any], handles: list[int]) -> tuple[int, list[int]]:
    """What a template said of the process it was to start; raises ForkUnsafe or SandboxError."""
    if "threads" in answer:
        raise ForkUnsafe(answer["threads"])
    if "pid" not in answer:
        raise SandboxError(f"No process for student code can be had: {answer['error']}.")
    return int(answer["pid"]), handles


def check_files(files: Mapping[str, bytes], limits: Limits) -> list[str]:
    """The names of files that fit into the working folder; raises ValueError for others.

    >>> check_files({"a": b"", "a/b": b""}, DEFAULT)
    Traceback (most recent call last):
    ValueError: the file name 'a/b' has another file for a folder
    """
    size, most = sum(map(len, files.values())), limits.tmp_bytes // 2
    if len(files) > MOST_FILES or size > most:
        raise ValueError(
            f"{len(files)} files with {in_words(size)} came with the notebook; at most "
            f"{MOST_FILES} with {in_words(most)} are taken"
        )
    names = [*map(check_name, files)]
    for name in names:
        if any(str(parent) in files for parent in PurePosixPath(name).parents):
            raise ValueError(f"the file name {name!r} has another file for a folder")
    return names


def check_name(name: str) -> str:
    """A file's path inside the working folder, unchanged; raises ValueError for one that leads out.

    >>> check_name("data/x.csv")
    'data/x.csv'
    >>> check_name("../secret")
    Traceback (most recent call last):
    ValueError: the file name '../secret' leads out of the submission's folder
    """
    parts: Any = name.split("/")
    if not name or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"the file name {name!r} leads out of the submission's folder")
    return name
