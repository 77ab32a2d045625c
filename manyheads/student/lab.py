"""Starting JupyterLab on the student's own copies, with nothing between student and lesson."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from manyheads.course import Course
from manyheads.errors import PortTakenError
from manyheads.student.copies import lay_copies, release_path
from manyheads.student.status import course_status, next_lesson

OTHER_PORTS = 50  # to try when none was asked for
FIRST_PORT = 8888  # Jupyter's own default
CONFIG = Path(__file__).parent / "jupyter_config"


def open_lab(
    course: Course, lesson: str | None, port: int | None, browser: bool, say: Callable[[str], None]
) -> int:
    """Lay the copies that are missing and run JupyterLab until it ends; returns its exit code.

    It opens `lesson`, or the first unfinished one, on `port`, or the first free one. Where
    JupyterLab runs already and no port is asked for, that one is shown.

    Raises UnknownLessonError, NotReleasedError, and PortTakenError.
    """
    opened = release_path(course, lesson).stem if lesson else None
    for note in lay_copies(course):
        say(note)
    may_open = browser and has_browser()
    running = running_lab(course) if port is None else None
    if running:
        say(f"JupyterLab already runs for this course. Open it at:\n    {running}")
        if may_open:
            webbrowser.open(running)
        return 0
    chosen = choose_port(port)
    opened = opened or next_lesson(course_status(course)).lesson
    say(f"Opening {opened} in JupyterLab. Your work is in {course.work}.")
    if not may_open:
        say("No browser window is opened; copy the address below into a browser.")
    # Another program may take a port that was free a moment ago; one asked for is kept to.
    return run_lab(course, opened, chosen, may_open, retries=0 if port else OTHER_PORTS)


def lab_command(
    course: Course, lesson: str, port: int, browser: bool, retries: int = 0
) -> list[str]:
    """The command that starts JupyterLab on `lesson`; `browser` tells whether it may open one.

    It takes `port`, or if that is in use one of the next `retries`.
    """
    options = [
        f"--ServerApp.root_dir={course.work}",
        f"--LabApp.default_url=/lab/tree/{lesson}/{lesson}.ipynb",
        f"--ServerApp.port={port}",
        f"--ServerApp.port_retries={retries}",
        # Each extension tells of itself at the INFO level; the address comes at a higher one.
        "--Application.log_level=WARN",
    ]
    if not browser:
        options.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", *options]


def lab_environment(course: Course) -> dict[str, str]:
    """The environment JupyterLab runs in: this course's settings, and this Python's programs.

    A settings folder of the course's own keeps away other projects' windows and dialogs about them.
    """
    programs = str(Path(sys.executable).parent)
    return os.environ | {
        "JUPYTER_CONFIG_DIR": str(course.root / ".jupyter"),
        "JUPYTER_CONFIG_PATH": str(CONFIG),
        "PATH": os.pathsep.join([programs, os.environ.get("PATH", os.defpath)]),
    }


def run_lab(course: Course, lesson: str, port: int, browser: bool, retries: int) -> int:
    """Run JupyterLab in this process's place; on Windows, beside it until it ends with a code.

    It runs in the course's folder, so that the Validate button finds `nbgrader_config.py`.
    """
    command = lab_command(course, lesson, port, browser, retries)
    environment = lab_environment(course)
    os.chdir(course.root)
    if os.name != "nt":
        # Replaced, so that Ctrl-C and a terminal's end reach JupyterLab alone.
        sys.stdout.flush()
        os.execve(command[0], command, environment)  # noqa: S606 - no shell is wanted
    return subprocess.call(command, env=environment)


def choose_port(wanted: int | None) -> int:
    """The port asked for, or the first free one from 8888 on.

    Raises PortTakenError when the one asked for, or every one of a hundred, is in use.
    """
    if wanted is None:
        for port in range(FIRST_PORT, FIRST_PORT + 100):
            if is_free(port):
                return port
        raise PortTakenError(
            "Ports 8888 to 8987 are all in use. Name a free one: `manyheads lab --port N`."
        )
    if not is_free(wanted):
        other = wanted + 1 if wanted < 65535 else FIRST_PORT
        raise PortTakenError(
            f"Port {wanted} is in use by another program. Try `manyheads lab --port {other}`, "
            "or leave --port away to get a free one."
        )
    return wanted


def is_free(port: int) -> bool:
    """Whether a server could listen on a port of this machine (1 to 65535), by IPv4 and IPv6."""
    hosts = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
    return all(_can_listen(family, host, port) for family, host in hosts.items())


def _can_listen(family: socket.AddressFamily, host: str, port: int) -> bool:
    try:
        probe = socket.socket(family, socket.SOCK_STREAM)
    except OSError:
        return True  # this machine has no such family, so nothing listens there
    with probe:
        if os.name == "posix":
            # A port whose last connection has just ended counts as free, as it does for Jupyter.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return family == socket.AF_INET6 and not _in_use(error)
    return True


def _in_use(error: OSError) -> bool:
    return error.errno in (errno.EADDRINUSE, errno.EACCES)


def running_lab(course: Course) -> str | None:
    """The address, token included, of a JupyterLab that already serves this `work/`, or None."""
    from jupyter_server.serverapp import list_running_servers

    for server in list_running_servers():
        if Path(server["root_dir"]).resolve() == course.work.resolve() and _answers(server["url"]):
            return f"{server['url']}lab?token={server['token']}"
    return None


def _answers(url: str) -> bool:
    try:
        with urlopen(f"{url}api", timeout=2) as reply:  # noqa: S310 - Jupyter's own note of its address
            return bool(reply.status == 200)
    except (URLError, OSError, ValueError):
        return False


def has_browser() -> bool:
    """Whether a window can be opened here; over ssh or in a container the printed address serves.

    A text browser would take the terminal and can't show JupyterLab.
    """
    if sys.platform != "linux" or os.environ.get("BROWSER"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
