"""The bubblewrap command: what the sandbox shows of this machine, and whether it can be had."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import platform
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import manyheads
from manyheads.course import find_course
from manyheads.errors import CourseNotFoundError

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/sys/devices/system/cpu",  # torch chooses its kernels by it
    "/sys/kernel/mm/transparent_hugepage",  # and the C library whether to ask for huge pages
)
PARTS = ("bin", "lib", "lib64", "include", "pyvenv.cfg")  # of a Python environment
LIBRARY = "/sandbox/lib"
EMPTIED = ("/tmp", "/dev/shm", "/home/student")  # noqa: S108 - inside, see confine.PLACES
PACKAGE = Path(manyheads.__file__).parent
INSTALL = "Install bubblewrap: sudo apt-get install bubblewrap (or dnf, pacman, zypper)."
ELSEWHERE = (
    "Student code runs in a sandbox that only Linux has. Grade on a Linux machine, in a virtual "
    "machine, or on Windows in WSL2."
)
USER_NAMESPACES = (
    "If this kernel forbids ordinary users to make namespaces, allow it: "
    "sudo sysctl kernel.unprivileged_userns_clone=1 (Debian), "
    "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu). In a container, start "
    "that with --privileged, or with --cap-add SYS_ADMIN --security-opt seccomp=unconfined "
    "--security-opt apparmor=unconfined."
)
COLLAPSES = (6, 1)  # the Linux from which memory can be gathered, see inside/pages.py


@functools.cache
def missing() -> str | None:
    """None where a sandbox can be had; else what is missing, and what to do about it."""
    if sys.platform != "linux":
        return f"There is no sandbox on {platform.system()}. {ELSEWHERE}"
    if shutil.which("bwrap") is None:
        return f"The program bwrap is missing. {INSTALL}"
    return _refusal()


def _refusal() -> str | None:
    """What goes wrong when a sandbox is made that runs no student code."""
    ours = f"{LIBRARY}/manyheads/__init__.py"
    readable = [sys.executable, sysconfig.__file__, *_first_package(), ours]
    settings = {"uid": student_uid(), "kept": kept(), "readable": readable}
    words = ["-m", "manyheads.grade.inside.probe", json.dumps(settings)]
    try:
        with view() as fd:
            tried = subprocess.run(
                [*command(fd), *words],
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
                pass_fds=[fd],
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"The sandbox does not start: {error}. {USER_NAMESPACES}"
    if tried.returncode == 0:
        return None
    said = (tried.stderr.strip() or f"status {tried.returncode}").splitlines()[-1]
    if "PermissionError" in said and any(path in said for path in readable):
        return (
            f"The sandbox can't read this Python: {said}. "
            f"Make it readable for other users: chmod -R a+rX {sys.prefix}"
        )
    return f"The sandbox does not start: {said}. {USER_NAMESPACES}"


def _first_package() -> list[str]:
    """A file of the environment's packages, to see whether they can be read."""
    spec = importlib.util.find_spec("numpy")
    return [spec.origin] if spec and spec.origin else []


def student_uid() -> int | None:
    """The ordinary user that student code becomes where root grades; None for any other user.

    Two workers get two, so that one's processes are never counted as the other's.
    """
    if os.geteuid() != 0:
        return None
    mapped = Path("/proc/self/uid_map").read_text(encoding="ascii").split()
    first, _, count = (int(number) for number in mapped[:3])
    wished = 60_000 + os.getpid() % 5_000
    if first == 0 and count > wished:
        return wished
    return 65_534 if count > 65_534 else None


def kept() -> list[str]:
    """Shown folders that lie where a student's process gets an empty one, below /tmp for one."""
    return [str(p) for p in _prefixes() if any(p.is_relative_to(top) for top in EMPTIED)]


def command(words_fd: int) -> list[str]:
    """What starts a Python inside that can import our part there; its own words are to follow.

    words_fd: where bwrap reads the words of `view`, which so are in no list of processes
    """
    return ["bwrap", "--args", str(words_fd), sys.executable, "-s", "-P", "-B"]


@contextmanager
def view() -> Iterator[int]:
    """A file that tells bwrap what to show and what to keep apart."""
    with tempfile.TemporaryFile() as told:
        told.write("".join(f"{word}\0" for word in _view()).encode())
        told.seek(0)
        yield told.fileno()


def _view() -> list[str]:
    words = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--die-with-parent", "--new-session"]
    if student_uid() is None:
        # As uid 0 of a user namespace the template may make namespaces for its forks; to map
        # a uid 0 into them the kernel asks for CAP_SETFCAP as well.
        words += ["--unshare-user", "--uid", "0", "--gid", "0"]
        words += ["--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETFCAP"]
    words += ["--clearenv", *(word for pair in environment().items() for word in _set(*pair))]
    words += ["--proc", "/proc", "--dev", "/dev"]
    words += ["--perms", "0755", "--tmpfs", "/tmp"]  # noqa: S108 - the template's own
    for place in ("/home", "/home/student", "/sandbox", "/sandbox/room"):
        words += ["--perms", "0755", "--dir", place]
    words += [*_mounts(), *_our_part(), "--remount-ro", "/dev", "--remount-ro", "/"]
    return [*words, "--chdir", "/sandbox"]


def _set(name: str, value: str) -> tuple[str, str, str]:
    return "--setenv", name, value


def kernel() -> tuple[int, ...]:
    """The version of the system's kernel.

    >>> len(kernel())
    2
    """
    return tuple(int(part) for part in os.uname().release.split(".")[:2] if part.isdigit())


def environment() -> dict[str, str]:
    """The template's environment; nothing of the grader's own gets in."""
    one_thread = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    scripts = Path(sys.executable).parent
    return {
        **dict.fromkeys((*one_thread, "NUMEXPR_NUM_THREADS"), "1"),
        "PATH": f"{scripts}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": os.pathsep.join([LIBRARY, *map(str, _user_site())]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
        # Huge pages and one heap: forking copies fewer page-table entries. A heap of its own for
        # each thread would count against the memory limit before it holds anything.
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=2",
        # Python's own heap is gathered into huge pages later, where the kernel can do that.
        **({} if kernel() >= COLLAPSES else {"PYTHONMALLOC": "malloc"}),
        "LANG": "C.UTF-8",
        "HOME": "/home/student",
        "USER": "student",
        "LOGNAME": "student",
        "SHELL": "/bin/sh",
        "TERM": "dumb",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "IPYTHONDIR": "/tmp/ipython",  # noqa: S108 - the template's own
        "MPLCONFIGDIR": "/tmp/matplotlib",  # noqa: S108
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "QT_QPA_PLATFORM": "offscreen",
        "NBGRADER_EXECUTION": "autograde",
        "PIP_NO_INDEX": "1",
        "PIP_RETRIES": "0",
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def _user_site() -> list[Path]:
    folder = Path(site.getusersitepackages())
    return [folder] if site.ENABLE_USER_SITE and folder.is_dir() else []


def _shown() -> list[Path]:
    """Paths that are shown read-only, each at its own place."""
    python = [prefix / part for prefix in _prefixes() for part in PARTS]
    wanted = [*map(Path, SYSTEM), *python, *_user_site()]
    return [path for path in wanted if path.exists()]


def _prefixes() -> list[Path]:
    """The folders of this Python: its environment, its base, and each that a link leads through."""
    found = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix)]
    program = Path(sys.executable)
    while program.is_symlink():
        program = Path(os.path.normpath(program.parent / program.readlink()))
        found.append(program.parent.parent)
    usual = Path("/usr"), Path("/")
    return sorted({p for one in found for p in (one, one.resolve()) if p not in usual})


def _hidden() -> list[Path]:
    """Folders that are shown by no way: the course, and this package wherever it is installed."""
    try:
        return [PACKAGE, find_course().root]
    except CourseNotFoundError:
        return [PACKAGE]


def _mounts() -> Iterator[str]:
    """Binds and masks, outer folders first, so that each inner one prevails."""
    shown = _shown()
    binds = [p for p in shown if p in map(Path, SYSTEM) or not _covered(p, shown)]
    masks = [p for p in _hidden() if _covered(p, shown)]
    inner = [p for p in shown if p not in binds and any(p.is_relative_to(mask) for mask in masks)]
    made: set[Path] = {Path("/")}
    for path in sorted({*binds, *masks, *inner}, key=lambda p: (len(p.parts), p)):
        if path in masks:
            yield from ("--perms", "0755", "--tmpfs", str(path))
            continue
        if path.is_symlink() and path in map(Path, SYSTEM):
            yield from ("--symlink", str(path.readlink()), str(path))
            continue
        for parent in reversed(path.parents):
            if parent not in made and not _covered(parent / "x", binds):
                made.add(parent)
                yield from ("--perms", "0755", "--dir", str(parent))
        yield from ("--ro-bind", str(path), str(path))


def _covered(path: Path, by: Sequence[Path]) -> bool:
    return any(path != other and path.is_relative_to(other) for other in by)


def _our_part() -> Iterator[str]:
    """The package inside: figures, explorers, the wire, what runs there; of the rest, names."""
    inside = PACKAGE / "grade" / "inside"
    for folder in ("", "/manyheads", "/manyheads/check", "/manyheads/grade"):
        yield from ("--perms", "0755", "--dir", f"{LIBRARY}{folder}")
    for source, target in {
        PACKAGE / "__init__.py": "__init__.py",
        PACKAGE / "errors.py": "errors.py",
        PACKAGE / "show": "show",
        PACKAGE / "explore": "explore",
        inside / "silent_check.py": "check/__init__.py",
        inside / "empty_package.py": "grade/__init__.py",
        PACKAGE / "grade" / "wire": "grade/wire",
        inside: "grade/inside",
    }.items():
        yield from ("--ro-bind", str(source), f"{LIBRARY}/manyheads/{target}")
