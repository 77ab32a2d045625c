"""The set-up scripts, run with stand-ins for Python, pip and apt-get."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="make and sh are not used on Windows")

# A Python that answers the set-up's questions, makes a venv that holds itself, and notes each pip.
PYTHON = """\
#!/bin/sh
case "$*" in
*"<= sys.version_info"*) exit ${WRONG_VERSION:-0} ;;
*ensurepip*) exit ${NO_ENSUREPIP:-0} ;;
*python%d*) echo python3.11-venv ;;
--version) echo Python 3.9.2 ;;
"-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
"-m pip"*) echo "$*" >>pip.log; [ -z "$KILLED" ] || kill -9 $PPID; exit ${PIP_FAILS:-0} ;;
esac
"""
NAMES = ("python3", "python3.13", "python3.12", "python3.11", "python")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A folder with the set-up's files, its name with a space, beside a folder of stand-ins."""
    root = tmp_path / "my course"
    shutil.copytree(ROOT / "tools", root / "tools")
    for name in ("pyproject.toml", "requirements.lock", "Makefile"):
        shutil.copy(ROOT / name, root)
    (tmp_path / "bin").mkdir()
    for name in NAMES:
        program(tmp_path, name, PYTHON)
    return root


def program(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / "bin" / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def set_up(
    root: Path, audience: str = "students", **variables: str
) -> subprocess.CompletedProcess[str]:
    path = f"{root.parent / 'bin'}:/usr/bin:/bin"
    return subprocess.run(
        ["sh", "tools/setup.sh", audience],
        cwd=root,
        env={"PATH": path, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def installs(root: Path) -> list[str]:
    """The `pip` commands run so far."""
    log = root / "pip.log"
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


@pytest.mark.parametrize(
    ("audience", "target"),
    [("students", "."), ("instructors", ".[instructors]"), ("developers", ".[developers]")],
)
def test_pip_gets_the_lock_and_what_the_audience_needs(
    course: Path, audience: str, target: str
) -> None:
    assert set_up(course, audience).returncode == 0
    (command,) = installs(course)
    assert command.endswith(f"-c requirements.lock -e {target}")


def test_second_run_installs_nothing(course: Path) -> None:
    set_up(course)
    again = set_up(course)
    assert (again.returncode, again.stdout) == (0, "")
    assert len(installs(course)) == 1


def test_developers_set_up_serves_students_but_not_the_reverse(course: Path) -> None:
    set_up(course, "developers")
    set_up(course, "students")
    assert len(installs(course)) == 1
    shutil.rmtree(course / ".venv")
    set_up(course, "students")
    set_up(course, "instructors")
    assert len(installs(course)) == 3


def test_changed_lock_installs_again(course: Path) -> None:
    set_up(course)
    with (course / "requirements.lock").open("a", encoding="utf-8") as lock:
        lock.write("new==1\n")
    set_up(course)
    assert len(installs(course)) == 2


def test_failed_install_is_tried_again(course: Path) -> None:
    failed = set_up(course, PIP_FAILS="1")
    assert failed.returncode == 1
    assert failed.stderr.startswith("set-up: pip failed")
    assert set_up(course).returncode == 0
    assert len(installs(course)) == 2


def test_killed_install_starts_from_an_empty_environment(course: Path) -> None:
    assert set_up(course, KILLED="yes").returncode != 0
    half = course / ".venv" / "half-a-package"
    half.touch()
    assert set_up(course).returncode == 0
    assert not half.exists()


def test_moved_course_is_set_up_anew(course: Path) -> None:
    set_up(course)
    moved = course.rename(course.with_name("moved"))
    (moved / ".venv" / "old").touch()
    assert set_up(moved).returncode == 0
    assert not (moved / ".venv" / "old").exists()


def test_unsuitable_python_is_one_clear_line(course: Path) -> None:
    failed = set_up(course, WRONG_VERSION="1")
    assert failed.returncode == 1
    assert failed.stderr == (
        "set-up: this course needs Python 3.11, 3.12 or 3.13; found Python 3.9.2. "
        "Install one of them, or name it: make lab PYTHON=/path/to/python3.11\n"
    )
    assert not (course / ".venv").exists()


def test_next_python_is_taken_where_python3_is_unsuitable(course: Path, tmp_path: Path) -> None:
    program(tmp_path, "python3", "#!/bin/sh\nexit 1\n")
    assert set_up(course).returncode == 0


def test_named_python_must_suit(course: Path, tmp_path: Path) -> None:
    program(tmp_path, "old python", "#!/bin/sh\nexit 1\n")
    failed = set_up(course, PYTHON=str(tmp_path / "bin" / "old python"))
    assert failed.returncode == 1
    assert "old python is not a Python 3.11, 3.12 or 3.13." in failed.stderr


def test_missing_venv_module_is_one_clear_line_without_root(course: Path, tmp_path: Path) -> None:
    program(tmp_path, "id", "#!/bin/sh\necho 1000\n")
    failed = set_up(course, NO_ENSUREPIP="1")
    assert failed.returncode == 1
    assert failed.stderr == (
        "set-up: Python's venv module is incomplete here. "
        "On Debian or Ubuntu: sudo apt-get install python3.11-venv\n"
    )


def test_missing_venv_module_is_installed_by_root(course: Path, tmp_path: Path) -> None:
    program(tmp_path, "id", "#!/bin/sh\necho 0\n")
    program(tmp_path, "apt-get", '#!/bin/sh\necho "$*" >>apt.log\n')
    assert set_up(course, NO_ENSUREPIP="1").returncode == 0
    log = (course / "apt.log").read_text(encoding="utf-8")
    assert log.endswith("install -y -qq python3.11-venv\n")


def system_packages(root: Path) -> subprocess.CompletedProcess[str]:
    """Run the script where nothing but the stand-ins can be found."""
    return subprocess.run(
        ["/bin/sh", "tools/system_packages.sh"],
        cwd=root,
        env={"PATH": str(root.parent / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("uid", "has_apt"), [("1000", True), ("0", False)], ids=["not root", "not Debian"]
)
def test_missing_programs_are_one_clear_line_and_a_failure(
    course: Path, tmp_path: Path, uid: str, has_apt: bool
) -> None:
    program(tmp_path, "id", f"#!/bin/sh\necho {uid}\n")
    if has_apt:
        program(tmp_path, "apt-get", "#!/bin/sh\necho called >>apt.log\n")
    failed = system_packages(course)
    assert failed.returncode == 1
    assert failed.stderr.count("\n") == 1
    assert (
        "the tests need chromium nodejs bubblewrap. Install it "
        "(Debian: sudo apt-get install chromium nodejs bubblewrap)" in failed.stderr
    )
    assert not (course / "apt.log").exists()


def test_missing_programs_are_installed_by_root(course: Path, tmp_path: Path) -> None:
    program(tmp_path, "id", "#!/bin/sh\necho 0\n")
    text = '#!/bin/sh\n[ "$1" = update ] && exit\n'
    for new in (tmp_path / "bin" / name for name in ("chromium", "node", "bwrap")):
        text += f': >"{new}"\n/bin/chmod 755 "{new}"\n'
    program(tmp_path, "apt-get", text)
    assert system_packages(course).returncode == 0


def test_failing_apt_get_fails_the_run(course: Path, tmp_path: Path) -> None:
    program(tmp_path, "id", "#!/bin/sh\necho 0\n")
    program(tmp_path, "apt-get", "#!/bin/sh\nexit 100\n")
    failed = system_packages(course)
    assert failed.returncode == 1
    assert "the tests need chromium" in failed.stderr


def test_only_what_is_missing_is_named(course: Path, tmp_path: Path) -> None:
    program(tmp_path, "id", "#!/bin/sh\necho 1000\n")
    for name in ("chromium", "bwrap"):
        program(tmp_path, name, "#!/bin/sh\n")
    assert "the tests need nodejs. Install it" in system_packages(course).stderr


def test_present_programs_need_nothing(course: Path, tmp_path: Path) -> None:
    for name in ("chromium", "node", "bwrap"):
        program(tmp_path, name, "#!/bin/sh\n")
    found = system_packages(course)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


@pytest.mark.parametrize("target", ["lab", "grade", "build", "check", "test", "bench", "help"])
def test_make_help_lists_each_target(target: str) -> None:
    said = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [line for line in said.stdout.splitlines() if line.startswith(f"make {target} ")]


def test_make_alone_is_make_help() -> None:
    alone, named = (
        subprocess.run(["make", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        for words in ([], ["help"])
    )
    assert alone.stdout == named.stdout
