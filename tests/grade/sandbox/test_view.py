"""What the sandbox shows of this machine, and what is said where there can be none."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from manyheads.errors import SandboxError
from manyheads.grade.sandbox import Limits, Sandbox, bubblewrap


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Let each test find out anew whether there can be a sandbox."""
    bubblewrap.missing.cache_clear()
    yield
    bubblewrap.missing.cache_clear()


def words() -> list[str]:
    with bubblewrap.view() as fd:
        return Path(f"/proc/self/fd/{fd}").read_text(encoding="utf-8").split("\0")[:-1]


def mounts() -> list[tuple[str, str]]:
    """Each thing that is laid over another, in order: how, and where."""
    told = words()
    pairs = zip(told, told[1:], told[2:], strict=False)
    return [(how, b if how == "--ro-bind" else a) for how, a, b in pairs if how in LAYERS]


LAYERS = ("--ro-bind", "--tmpfs", "--remount-ro")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python environment in a folder of its own."""
    prefix = tmp_path / "course" / ".venv"
    for part in ("bin", "lib/site-packages/manyheads"):
        (prefix / part).mkdir(parents=True)
    (prefix / "secret.txt").touch()
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(sys, "exec_prefix", str(prefix))
    monkeypatch.setattr(bubblewrap, "_prefixes", lambda: [prefix])
    return prefix


def test_of_an_environment_its_parts_are_shown_and_nothing_beside_them(environment: Path) -> None:
    shown = [where for how, where in mounts() if how == "--ro-bind"]
    assert str(environment / "bin") in shown
    assert str(environment) not in shown
    assert str(environment.parent) not in shown


def test_environment_below_tmp_is_kept_for_the_forks(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "EMPTIED", (str(environment.parents[1]),))
    assert bubblewrap.kept() == [str(environment)]


def test_installed_package_is_masked(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = environment / "lib/site-packages/manyheads"
    monkeypatch.setattr(bubblewrap, "PACKAGE", package)
    told = mounts()
    assert ("--tmpfs", str(package)) in told
    assert told.index(("--tmpfs", str(package))) > told.index(
        ("--ro-bind", str(environment / "lib"))
    )


def test_course_inside_a_shown_folder_is_masked_and_its_environment_is_not(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = environment.parent
    monkeypatch.setattr(bubblewrap, "SYSTEM", (str(course.parent),))
    monkeypatch.setattr(bubblewrap, "_hidden", lambda: [course])
    told = mounts()
    order = [
        ("--ro-bind", str(course.parent)),
        ("--tmpfs", str(course)),
        ("--ro-bind", str(environment / "bin")),
    ]
    assert [told.index(one) for one in order] == sorted(told.index(one) for one in order)


def test_roots_are_read_only_in_the_end() -> None:
    assert mounts()[-2:] == [("--remount-ro", "/dev"), ("--remount-ro", "/")]


def test_nothing_of_the_graders_environment_gets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    told = words()
    assert told.index("--clearenv") < told.index("--setenv")
    assert "SECRET_TOKEN" not in told


def test_no_references_causes_or_judge_are_shown() -> None:
    inside = [where for how, where in mounts() if where.startswith("/sandbox/lib/")]
    package = "/sandbox/lib/manyheads"
    names = ["__init__.py", "check/__init__.py", "errors.py", "explore", "grade/__init__.py"]
    names += ["grade/inside", "grade/wire", "show"]
    assert sorted(inside) == [f"{package}/{name}" for name in names]
    assert bubblewrap.PACKAGE / "check" not in [Path(word) for word in words()]


def test_stand_in_knows_every_check() -> None:
    import manyheads.check
    from manyheads.grade.inside.silent_check import stand_in

    for name in manyheads.check.__all__:
        assert stand_in(name)(1, any_word="x") is None
    with pytest.raises(AttributeError):
        stand_in("__path__")


@pytest.mark.parametrize(("system", "name"), [("darwin", "Darwin"), ("win32", "Windows")])
def test_other_systems_get_words(monkeypatch: pytest.MonkeyPatch, system: str, name: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("platform.system", lambda: name)
    said = bubblewrap.missing()
    assert said is not None
    assert said.startswith(f"There is no sandbox on {name}.")
    assert "a virtual machine, or on Windows in WSL2" in said


def test_missing_program_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    said = bubblewrap.missing()
    assert said is not None
    assert said.startswith("The program bwrap is missing. Install bubblewrap: sudo apt-get")
    with pytest.raises(SandboxError, match="bwrap is missing"):
        Sandbox()


@pytest.mark.parametrize(
    ("stderr", "words"),
    [
        ("bwrap: setting up uid map: Permission denied", "kernel.apparmor_restrict_unprivileged"),
        ("bwrap: No permissions to create new namespace", "kernel.unprivileged_userns_clone=1"),
        ("", "The sandbox does not start: status 1."),
        (f"PermissionError: [Errno 13] denied: '{sys.executable}'", "chmod -R a+rX"),
    ],
)
def test_refusal_is_told_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, stderr: str, words: str
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/bwrap")
    monkeypatch.setattr(subprocess, "run", refused(stderr))
    said = bubblewrap.missing()
    assert said is not None
    assert words in said
    assert stderr in said


def refused(stderr: str) -> Any:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", stderr)

    return run


def test_program_that_cannot_be_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: Any, **__: Any) -> None:
        raise OSError("Exec format error")

    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/bwrap")
    monkeypatch.setattr(subprocess, "run", run)
    assert "does not start: Exec format error" in (bubblewrap.missing() or "")


def test_windows_runs_no_student_code_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SandboxError, match=r"can't be run on Windows.*WSL2"):
        Sandbox(isolated=False)


@pytest.mark.parametrize(
    ("name", "value"), [("cell_seconds", 0), ("memory_bytes", -1), ("processes", float("nan"))]
)
def test_limit_that_is_none_is_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} is .*; a limit is a number above 0"):
        Sandbox(Limits(**{name: value}))


ELSEWHERE = """
import os, signal, socket, subprocess, sys, tempfile, zlib, site, sysconfig, platform, asyncio
for module, names in {
    os: "fork geteuid killpg pidfd_open setsid uname",
    signal: "SIGKILL SIGBUS pidfd_send_signal",
    socket: "AF_UNIX SCM_CREDENTIALS SO_PASSCRED send_fds recv_fds",
}.items():
    for name in names.split():
        delattr(module, name)
sys.modules.update(resource=None, fcntl=None)
sys.platform = "win32"
from manyheads.errors import SandboxError
from manyheads.grade.sandbox import Sandbox, missing
print(missing())
try:
    Sandbox()
except SandboxError as error:
    print(error)
"""


def test_importing_works_where_nothing_of_unix_is_there() -> None:
    run = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("There is no sandbox on")
    assert "can't be run on Windows" in run.stdout
