"""What `manyheads doctor` finds."""

from __future__ import annotations

import shutil
from importlib.metadata import PackageNotFoundError

import pytest
from packaging.requirements import Requirement

from manyheads.course import Course
from manyheads.grade.sandbox import bubblewrap
from manyheads.student import doctor


def found(what: str, needed_for: str) -> doctor.Finding:
    (finding,) = [
        one for one in doctor.examine() if (one.what, one.needed_for) == (what, needed_for)
    ]
    return finding


@pytest.mark.parametrize("what", ["Python", "packages", "kernel python3", "Validate button"])
def test_this_environment_serves_students(what: str) -> None:
    finding = found(what, "students")
    assert finding.ok, finding


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("numpy>=1", ""),
        ("numpy<1", "numpy .* is not <1"),
        ("no-such-package>=1", "no-such-package is missing"),
    ],
)
def test_package_is_compared_with_its_range(line: str, problem: str) -> None:
    import re

    assert re.fullmatch(problem, doctor.package_problem(Requirement(line)))


def test_audiences_need_different_packages() -> None:
    names = {
        audience: {need.name for need in doctor.requirements_of(audience)}
        for audience in doctor.AUDIENCES
    }
    assert "torch" in names["students"]
    assert names["instructors"] == {"jupytext"}
    assert "pytest" in names["developers"]
    assert not names["students"] & names["developers"]


def test_missing_package_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = doctor.version

    def version(name: str) -> str:
        if name == "einops":
            raise PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr(doctor, "version", version)
    finding = found("packages", "students")
    assert not finding.ok
    assert finding.found == "einops is missing"
    assert "make lab" in finding.remedy


def test_missing_programs_are_told_to_those_who_need_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert not found("browser for tests", "developers").ok


def test_sandbox_is_tried() -> None:
    finding = found("sandbox (bwrap)", "instructors")
    assert finding.ok == (bubblewrap.missing() is None)
    assert finding.ok or finding.remedy


@pytest.mark.parametrize(
    ("lack", "what", "remedy"),
    [
        (
            f"The program bwrap is missing. {bubblewrap.INSTALL}",
            "The program bwrap is missing",
            "sudo apt-get install bubblewrap",
        ),
        (
            f"The sandbox does not start: Permission denied. {bubblewrap.USER_NAMESPACES}",
            "The sandbox does not start: Permission denied",
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            f"There is no sandbox on Darwin. {bubblewrap.ELSEWHERE}",
            "There is no sandbox on Darwin",
            "on Windows in WSL2",
        ),
    ],
)
def test_missing_sandbox_is_told_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, lack: str, what: str, remedy: str
) -> None:
    monkeypatch.setattr(bubblewrap, "missing", lambda: lack)
    finding = found("sandbox (bwrap)", "instructors")
    assert (finding.ok, finding.found) == (False, what)
    assert remedy in finding.remedy


def test_version_off_the_lock_is_named(
    student_course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = student_course.root / "requirements.lock"
    lock.write_text("numpy==0.0.1\nnot-installed==1\n", encoding="utf-8")
    monkeypatch.chdir(student_course.root)
    finding = found("pinned versions", "instructors")
    assert not finding.ok
    assert "pinned 0.0.1" in finding.found
    assert "not-installed" not in finding.found
