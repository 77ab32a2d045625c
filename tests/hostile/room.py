"""A course in a room full of things to find: canaries, servers, a home; graded by the command.

What the attacks must not reach is planted here, and what they must not leave is looked for.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from manyheads.course import Course, notebook_path
from tests.classroom import grade_id, read

MARKS = ("attacked-mark", "attacked_mark", "carried-", "sitecustomize", "usercustomize")
PLANTED = ("CANARY-home", "CANARY-env", "CANARY-course", "CANARY-other", "CANARY-gradebook")
SUCCESSES = ("CANARY-next", "CANARY-reached", "CANARY-late", "CANARY-child")
PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Room:
    """A course folder, a home, and servers that write down whoever comes."""

    course: Course
    home: Path
    port: int = 0
    unix: str = ""
    abstract: str = ""
    reached: list[bytes] = field(default_factory=list)

    def words(self, lesson: str, exercise: str, student: str, bystander: str) -> dict[str, Any]:
        """What stands for the words in capitals of an attack."""
        return {
            "COURSE": self.course.root,
            "HOMEDIR": self.home,
            "PORT": self.port,
            "SOCKET": self.unix,
            "ABSTRACT": self.abstract,
            "LESSON": lesson,
            "STUDENT": student,
            "BYSTANDER": bystander,
            "NAME": exercise,
        }


@dataclass
class Outcome:
    """What a run of `manyheads grade` did."""

    code: int
    said: str
    seconds: float
    orphans: list[str]


@contextmanager
def room(root: Path) -> Iterator[Room]:
    """An empty course in a room at `root`, its servers listening."""
    home = root / "home"
    course = Course(root / "course")
    course.root.mkdir(parents=True)
    home.mkdir()
    (home / "secret.txt").write_text("CANARY-home", encoding="utf-8")
    (course.root / "notes.txt").write_text("CANARY-course", encoding="utf-8")
    made = Room(course, home)
    with _listening(made, root):
        yield made


@contextmanager
def _listening(made: Room, root: Path) -> Iterator[None]:
    tcp, unix, abstract = socket.socket(), socket.socket(socket.AF_UNIX), None
    tcp.bind(("127.0.0.1", 0))
    made.port = tcp.getsockname()[1]
    made.unix = str(root / "s")
    unix.bind(made.unix)
    made.abstract = f"manyheads-{os.getpid()}-{made.port}"
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0{made.abstract}")
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", made.port))
    servers = [tcp, unix, abstract]
    for server in servers:
        server.listen()
        threading.Thread(target=_accept, args=(server, made.reached), daemon=True).start()
    threading.Thread(target=_hear, args=(udp, made.reached), daemon=True).start()
    try:
        yield
    finally:
        for server in (*servers, udp):
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()


def _accept(server: socket.socket, reached: list[bytes]) -> None:
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            reached.append(b"connection to " + str(server.getsockname()).encode())
            connection.close()


def _hear(server: socket.socket, reached: list[bytes]) -> None:
    with suppress(OSError):
        while True:
            reached.append(server.recv(1000) or b"an empty datagram")


def grade(made: Room, *arguments: str, timeout: float = 1500) -> Outcome:
    """Run `manyheads grade` in the room's course; what it leaves running is noted, then ended."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = set(_children())
    environment = {
        **os.environ,
        "HOME": str(made.home),
        "MANYHEADS_SECRET": "CANARY-env",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    command = [str(Path(sys.executable).parent / "manyheads"), "grade", *arguments]
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=made.course.root,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )
    seconds = time.monotonic() - started
    time.sleep(0.5)  # those that were just killed are gone by then
    orphans = _end(set(_children()) - before)
    return Outcome(done.returncode, done.stdout + done.stderr, seconds, orphans)


def _children() -> list[int]:
    children: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            children += map(int, (task / "children").read_text().split())
    return children


def _end(left: set[int]) -> list[str]:
    """Kill what is left, and say what it was; what had ended already is no orphan."""
    named = []
    for pid in left:
        state = ""
        with suppress(OSError):
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            name = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        if state and state != "Z":
            named.append(f"{pid} {name}")
            with suppress(OSError):
                os.kill(pid, 9)
        with suppress(OSError):
            os.waitpid(pid, 0)
    return named


def left_files(made: Room) -> list[str]:
    """Files of the attacks' that lie anywhere on this machine where they could have written."""
    site = Path(sysconfig.get_paths()["purelib"])
    places = [Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"), site]  # noqa: S108
    found = [str(path) for place in places for path in place.glob("*") if _marked(path)]
    for path in (*made.home.rglob("*"), *made.course.root.rglob("*")):
        if _marked(path) and not _handed_in(made.course, path):
            found.append(str(path))
    return found


def _handed_in(course: Course, path: Path) -> bool:
    """Whether a file was in a submission: it may lie there, and where nbgrader copies it to."""
    parts = path.relative_to(course.root).parts if path.is_relative_to(course.root) else ()
    copied = parts[:1] in (("submitted",), ("autograded",), ("feedback",))
    return copied and course.submitted.joinpath(*parts[1:]).exists()


def _marked(path: Path) -> bool:
    return any(mark in path.name for mark in MARKS)


def tampered() -> list[str]:
    """Installed modules that an attack has written into."""
    import IPython
    import numpy as np
    import torch

    modules = (torch, np, IPython, os, subprocess)
    paths = [Path(str(module.__file__)) for module in modules]
    return [str(path) for path in paths if "attacked" in path.read_text(encoding="utf-8")]


def scores(course: Course, lesson: str) -> dict[str, dict[str, float]]:
    """What each cell earned, by student and grade_id, straight from the gradebook's tables."""
    query = (
        "select submitted_assignment.student_id, base_cell.name, grade.auto_score,"
        " grade.manual_score, grade.extra_credit from grade"
        " join base_cell on base_cell.id = grade.cell_id"
        " join submitted_notebook on submitted_notebook.id = grade.notebook_id"
        " join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id"
        " join assignment on assignment.id = submitted_assignment.assignment_id"
        " where assignment.name = ?"
    )
    found: dict[str, dict[str, float]] = {}
    with sqlite3.connect(course.gradebook) as database:
        for student, name, *points in database.execute(query, [lesson]):
            found.setdefault(student, {})[name] = sum(filter(None, points))
    database.close()
    return found


def integrity(course: Course) -> str:
    """What SQLite says about the gradebook: "ok"."""
    with sqlite3.connect(course.gradebook) as database:
        [(verdict,)] = database.execute("pragma integrity_check")
    database.close()
    return str(verdict)


def graded_notebook(course: Course, student: str, lesson: str) -> NotebookNode | None:
    """The autograded notebook of a student, or None."""
    path = notebook_path(course.autograded / student, lesson)
    return read(path) if path.is_file() else None


def seen_by_student(course: Course, student: str, lesson: str) -> str:
    """All text that reaches a student: their feedback files, and outputs of their graded cells."""
    pages = [p for p in (course.feedback / student / lesson).rglob("*") if p.is_file()]
    shown = [page.read_text(encoding="utf-8", errors="replace") for page in pages]
    notebook = graded_notebook(course, student, lesson)
    cells = notebook.cells if notebook else []
    own = [cell for cell in cells if not grade_id(cell).startswith("test_")]
    shown += [json.dumps(cell.get("outputs", []), ensure_ascii=False) for cell in own]
    return "\n".join(shown)


def printed(course: Course, student: str, lesson: str) -> list[str]:
    """The lines that a student's cells printed, tests and error messages aside."""
    notebook = graded_notebook(course, student, lesson)
    cells = [c for c in notebook.cells if c.cell_type == "code"] if notebook else []
    outputs = [out for c in cells if not grade_id(c).startswith("test_") for out in c.outputs]
    return [line for out in outputs for line in str(out.get("text", "")).splitlines()]


def copy_course(original: Course, course: Course) -> None:
    """Copy configuration, source and release."""
    shutil.copy(original.root / "nbgrader_config.py", course.root)
    for folder in ("source", "release"):
        shutil.copytree(original.root / folder, course.root / folder)
