"""What is installed, what is missing, and what to do about it."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from manyheads.course import find_course
from manyheads.errors import CourseNotFoundError

AUDIENCES = {
    "students": "lab",
    "instructors": "build",
    "developers": "test",
}  # and the target that sets up
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Finding:
    """One thing looked at: who needs it, whether it is right, what was found, what to do."""

    what: str
    needed_for: str
    ok: bool
    found: str
    remedy: str = ""


def examine() -> list[Finding]:
    """Look at everything the course needs on this machine."""
    looks: list[Callable[[], Iterator[Finding]]] = [
        _python,
        _course,
        _packages,
        _kernel,
        _validate,
        _sandbox,
        _browser,
    ]
    return [finding for look in looks for finding in look()]


def _python() -> Iterator[Finding]:
    found = ".".join(map(str, sys.version_info[:3]))
    ok = (3, 11) <= sys.version_info < (3, 14)
    yield Finding("Python", "students", ok, found, "install Python 3.11, 3.12 or 3.13")


def _course() -> Iterator[Finding]:
    try:
        root = str(find_course().root)
    except CourseNotFoundError:
        yield Finding(
            "course folder", "students", False, "none here", "change into the course's folder"
        )
    else:
        yield Finding("course folder", "students", True, root)


def _packages() -> Iterator[Finding]:
    for audience, target in AUDIENCES.items():
        needed = requirements_of(audience)
        wrong = [problem for problem in map(package_problem, needed) if problem]
        found = "; ".join(wrong) or f"{len(needed)} of {len(needed)} in range"
        yield Finding(
            "packages", audience, not wrong, found, f"run `make {target}`, or see README.md"
        )
    yield from _locked()


def requirements_of(audience: str) -> list[Requirement]:
    """The packages that pyproject.toml asks for on behalf of one audience, without the others'."""
    extra = "" if audience == "students" else audience
    declared = [Requirement(line) for line in requires("manyheads") or []]
    own = (need for need in declared if need.name != "manyheads")
    return [
        need
        for need in own
        if (need.marker.evaluate({"extra": extra}) if need.marker else not extra)
        and (not extra or "extra" in str(need.marker))
    ]


def package_problem(need: Requirement) -> str:
    """What is wrong with an installed package, or an empty string.

    >>> package_problem(Requirement("numpy>=1"))
    ''
    >>> package_problem(Requirement("no-such-package>=1"))
    'no-such-package is missing'
    """
    try:
        found = version(need.name)
    except PackageNotFoundError:
        return f"{need.name} is missing"
    ok = need.specifier.contains(found, prereleases=True)
    return "" if ok else f"{need.name} {found} is not {need.specifier}"


def _locked() -> Iterator[Finding]:
    """Other versions than the pinned ones work as a rule; named because results may differ."""
    try:
        lock = find_course().root / "requirements.lock"
        pins = dict(
            re.findall(r"^([\w.-]+)==(\S+)$", lock.read_text(encoding="utf-8"), re.MULTILINE)
        )
    except (CourseNotFoundError, OSError):
        return
    other = [
        f"{name} {found}, pinned {pin}"
        for name, pin in pins.items()
        if (found := _other(name, pin))
    ]
    found = "; ".join(other) or f"as pinned ({len(pins)} in requirements.lock)"
    yield Finding(
        "pinned versions", "instructors", not other, found, "run `make lab` for the pinned ones"
    )


def _other(name: str, pin: str) -> str:
    """The installed version where it is not the pinned one; empty if the same or not installed."""
    try:
        found = version(name).partition("+")[0]
    except PackageNotFoundError:
        return ""
    return "" if found == pin else found


def _kernel() -> Iterator[Finding]:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    remedy = f"run `{sys.executable} -m ipykernel install --sys-prefix`"
    try:
        spec = KernelSpecManager().get_kernel_spec("python3")
    except NoSuchKernel:
        yield Finding("kernel python3", "students", False, "none", remedy)
    else:
        found = f"{spec.display_name} {version('ipykernel')}"
        yield Finding("kernel python3", "students", True, found, remedy)


def _validate() -> Iterator[Finding]:
    """The Validate button has two halves: a part in JupyterLab's page and one in its server."""
    from jupyter_core.paths import jupyter_path
    from jupyter_server.extension.config import ExtensionConfigManager
    from jupyter_server.serverapp import ServerApp

    page = any(
        Path(base, "labextensions", "@jupyter", "nbgrader").is_dir() for base in jupyter_path()
    )
    config = ExtensionConfigManager(read_config_path=ServerApp().config_file_paths)
    name = "nbgrader.server_extensions.validate_assignment"
    server = bool(config.get_jpserver_extensions().get(name))
    found = ", ".join(
        f"{half} {'on' if on else 'off'}" for half, on in (("page", page), ("server", server))
    )
    yield Finding(
        "Validate button",
        "students",
        page and server,
        found,
        f"run `jupyter server extension enable {name}`",
    )


def _sandbox() -> Iterator[Finding]:
    """Whether student code can be graded apart from everything else: tried, not guessed."""
    from manyheads.grade.sandbox.bubblewrap import missing

    lack = missing()
    found, _, remedy = (lack or "").partition(". ")
    what = shutil.which("bwrap") or ""
    yield Finding("sandbox (bwrap)", "instructors", lack is None, found or what, remedy)


def _browser() -> Iterator[Finding]:
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    remedy = "Debian: sudo apt-get install chromium"
    yield Finding("browser for tests", "developers", bool(found), found or "none", remedy)
